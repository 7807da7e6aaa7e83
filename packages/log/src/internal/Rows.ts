import { Effect, type Option } from "effect"
import type { SqlError } from "effect/sql"

type Query = Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>

/** Reads what queries find in a table. */
export interface Rows<A> {
  /** The first row. */
  readonly one: (query: Query) => Effect.Effect<Option.Option<A>, SqlError.SqlError>
  readonly all: (query: Query) => Effect.Effect<ReadonlyArray<A>, SqlError.SqlError>
}

/** Of a table whose rows `decode` reads; only this server writes them, so one that it can't read is a defect. */
export const make = <A, E>(decode: (row: unknown) => Effect.Effect<A, E>): Rows<A> => {
  const read = (row: unknown) => Effect.orDie(decode(row))
  return {
    one: (query) =>
      Effect.flatMap(query, ([first]) => first === undefined ? Effect.succeedNone : Effect.asSome(read(first))),
    all: (query) => Effect.flatMap(query, (rows) => Effect.forEach(rows, read))
  }
}
