import { Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"

/** The objects that one file has, or had. */
export interface FileObjects {
  /** Their name, to which each adds its number. */
  readonly object: string
  readonly count: number
}

/** A removal that fails is tried again after a minute, twice as long each time, and at most an hour. */
const retryMs = 60_000
const mostDoublings = 6

/** Objects that a removal is to begin with. */
const bite = 100

const make = Effect.map(SqlClient.SqlClient, (sql) => ({
  /** Notes objects that are to go at a time, in Unix milliseconds, unless a file has them by then (`StoredFiles.move`). */
  put: ({ count, object }: FileObjects, dueAt: number): Effect.Effect<void, SqlError.SqlError> =>
    Effect.asVoid(sql`INSERT INTO unwanted_objects (object, count, due_at) VALUES (${object}, ${count}, ${dueAt})`),
  /** Those that are to go now. */
  due: (now: number): Effect.Effect<ReadonlyArray<FileObjects>, SqlError.SqlError> =>
    sql<FileObjects>`
      SELECT object, count FROM unwanted_objects WHERE due_at <= ${now} ORDER BY due_at LIMIT ${bite}`,
  /** They are gone. */
  removed: (object: string): Effect.Effect<void, SqlError.SqlError> =>
    Effect.asVoid(sql`DELETE FROM unwanted_objects WHERE object = ${object}`),
  /** Their removal has failed: they are due again later. */
  postpone: (object: string, now: number): Effect.Effect<void, SqlError.SqlError> =>
    Effect.asVoid(sql`
      UPDATE unwanted_objects
      SET tries = tries + 1, due_at = ${now} + ${retryMs}::bigint * (1 << least(tries, ${mostDoublings}))
      WHERE object = ${object}`)
}))

/** Objects of the operator's bucket that no file has any more, or yet: the table `unwanted_objects`. */
export class UnwantedObjects extends Context.Service<UnwantedObjects, Effect.Success<typeof make>>()(
  "@headwater/log/resources/UnwantedObjects"
) {
  static readonly layer: Layer.Layer<UnwantedObjects, never, SqlClient.SqlClient> = Layer.effect(UnwantedObjects, make)
}
