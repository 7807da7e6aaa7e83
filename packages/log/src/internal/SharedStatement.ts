import { Effect, Exit, Request, RequestResolver } from "effect"
import type { SqlError } from "effect/sql"

/** Questions in one statement: few enough that none waits long for the answers to the others. */
const most = 64

class Question<K, A> extends Request.Class<{ readonly key: K }, A, SqlError.SqlError> {}

/**
 * A statement that those share who ask at the same time, as many actors do that come into memory together. Not for
 * transactions, since who asks first asks for the others too.
 *
 * @param statement answers what each key has, in the order of the keys, among which one may be twice
 */
export const shared = <K, A>(
  statement: (keys: ReadonlyArray<K>) => Effect.Effect<ReadonlyArray<A>, SqlError.SqlError>
): (key: K) => Effect.Effect<A, SqlError.SqlError> => {
  const resolver = RequestResolver.make<Question<K, A>>((entries) =>
    Effect.map(statement(entries.map(({ request }) => request.key)), (answers) => {
      for (const [index, entry] of entries.entries()) entry.completeUnsafe(Exit.succeed(answers[index]!))
    })
  ).pipe(RequestResolver.batchN(most))
  return (key) => Effect.request(new Question<K, A>({ key }), resolver)
}

/** Rows by the place of their key, as `unnest … WITH ORDINALITY` counts it: from 1. */
export const byPlace = <Row extends { readonly place: bigint }>(
  rows: ReadonlyArray<Row>,
  keys: number
): ReadonlyArray<ReadonlyArray<Row>> => {
  const groups = Array.from({ length: keys }, (): Array<Row> => [])
  for (const row of rows) groups[Number(row.place) - 1]!.push(row)
  return groups
}
