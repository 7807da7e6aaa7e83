import { Seal } from "@headwater/domain/Seal"
import { Context, Effect, Layer, Redacted } from "effect"

/** The secret that the keys in the URLs of files are made with (`FileKey`). */
export class FileSecret extends Context.Service<FileSecret, { readonly secret: string }>()(
  "@headwater/log/access/FileSecret"
) {
  static readonly layer: Layer.Layer<FileSecret, never, Seal> = Layer.effect(
    FileSecret,
    Effect.map(Seal, (seal) => FileSecret.of({ secret: Redacted.value(seal.derive("files")) }))
  )
}
