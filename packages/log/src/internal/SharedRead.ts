import { Effect, Exit, Request, RequestResolver } from "effect"
import type { SqlError } from "effect/sql"

/** Questions in one statement: few enough that none waits long for the answers to the others. */
const most = 64

class Read<K, A> extends Request.Class<{ readonly key: K }, A, SqlError.SqlError> {}

/**
 * A read that those share who ask at the same time, as many actors do that come into memory together: one statement for
 * all of them. Not for transactions, since who asks first asks for the others too.
 *
 * @param read answers what each key has, in the order of the keys
 */
export const shared = <K, A>(
  read: (keys: ReadonlyArray<K>) => Effect.Effect<ReadonlyArray<A>, SqlError.SqlError>
): (key: K) => Effect.Effect<A, SqlError.SqlError> => {
  const resolver = RequestResolver.make<Read<K, A>>((entries) =>
    Effect.map(read(entries.map(({ request }) => request.key)), (answers) => {
      for (const [index, entry] of entries.entries()) entry.completeUnsafe(Exit.succeed(answers[index]!))
    })
  ).pipe(RequestResolver.batchN(most))
  return (key) => Effect.request(new Read<K, A>({ key }), resolver)
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
