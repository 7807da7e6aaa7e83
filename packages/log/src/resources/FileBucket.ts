import { Context, type Effect, Schema } from "effect"

/** The operator's object storage does not do what it is asked. */
export class FileBucketFailed extends Schema.TaggedError<FileBucketFailed>()("FileBucketFailed", {
  message: Schema.String
}) {}

/** A bucket of the operator's that has the bytes of large files. */
export interface Bucket {
  readonly put: (key: string, bytes: Uint8Array) => Effect.Effect<void, FileBucketFailed>
  /** Some bytes of an object, from an offset on. */
  readonly get: (key: string, from: number, length: number) => Effect.Effect<Uint8Array, FileBucketFailed>
  /** Removes an object, if it is there. */
  readonly remove: (key: string) => Effect.Effect<void, FileBucketFailed>
}

/** The bucket that the operator has set; undefined if all bytes are in the database. */
export const FileBucket = Context.Reference<Bucket | undefined>(
  "@headwater/log/resources/FileBucket",
  { defaultValue: () => undefined }
)
