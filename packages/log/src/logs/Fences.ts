import { Context, Effect, Layer, Option } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import type { FilledInsertion } from "../internal/Insertion.ts"
import { shared } from "../internal/SharedStatement.ts"
import { bigints, texts } from "../internal/SqlArray.ts"

/** The right under which an actor commits: it owns an emitter or a webhook for as long as nobody has a higher epoch. */
export interface Fence {
  /** The emitter or webhook. */
  readonly ownerId: string
  readonly accountId: string
  /** Raised by each activation; a commit under an older one writes nothing. */
  readonly epoch: bigint
}

// As strong as the lock of an update. Of `FOR SHARE`, transactions that follow on each other could keep one who wants to
// become the owner waiting for ever.
const held = `
  held AS MATERIALIZED (
    SELECT f.owner_id FROM fences f JOIN unnest($1, $2) AS m (owner_id, epoch) USING (owner_id, epoch)
    ORDER BY f.owner_id FOR NO KEY UPDATE OF f
  )`

const holding = (fences: ReadonlyArray<Fence>) => [
  texts(fences.map(({ ownerId }) => ownerId)),
  bigints(fences.map(({ epoch }) => epoch))
]

/**
 * Statements that make insertions while all fences are held, by their tables. The condition of each insertion is judged
 * before its first row is made: a row that took its place in a journal earlier could come behind one that was folded.
 */
class HeldInsertions {
  private readonly texts = new Map<string, string>()

  textOf(insertions: ReadonlyArray<FilledInsertion>): string {
    const key = insertions.map(({ insertion }) => insertion.table).join(" ")
    const known = this.texts.get(key)
    if (known !== undefined) return known
    const parts = [held, "gate AS MATERIALIZED (SELECT count(*) = $3 AS open FROM held)"]
    let parameters = 3
    for (const { insertion, params } of insertions) {
      const text = insertion.textBehind(parameters)
      parts.push(`into_${insertion.table} AS (${text} WHERE (SELECT open FROM gate))`)
      parameters += params.length
    }
    // A division by zero, for want of anything better in plain SQL (`internal/Exactly.ts`).
    const text = `WITH ${parts.join(", ")} SELECT 1 / open::int FROM gate`
    this.texts.set(key, text)
    return text
  }
}

/**
 * The `fences` table: a row for each emitter and webhook. It changes when the owner does and at no other time, so however
 * many commits there are and whoever holds a snapshot, a commit finds one version of it.
 */
export class Fences extends Context.Service<Fences, {
  readonly create: (ownerId: string, accountId: string) => Effect.Effect<void, SqlError.SqlError>
  /**
   * Makes the caller the owner: raises the epoch, waiting for an open transaction of the owner before. Statements
   * after this one see what that transaction wrote; this one does not. Not for transactions.
   */
  readonly acquire: (ownerId: string) => Effect.Effect<Option.Option<Fence>, SqlError.SqlError>
  /**
   * Holds on to fences in the order of their owners until the surrounding transaction ends, so that nobody can become
   * the owner meanwhile. Answers the owners whose epoch still was the given one.
   */
  readonly hold: (fences: ReadonlyArray<Fence>) => Effect.Effect<ReadonlySet<string>, SqlError.SqlError>
  /**
   * The same by one statement that then makes insertions, each into a table of its own. It is an error, and nothing is
   * inserted, if any fence has another epoch.
   */
  readonly holdAll: (
    fences: ReadonlyArray<Fence>,
    insertions: ReadonlyArray<FilledInsertion>
  ) => Effect.Effect<void, SqlError.SqlError>
  /** Nobody can be the owner any more. Waits for an open transaction of the owner. */
  readonly remove: (ownerId: string) => Effect.Effect<void, SqlError.SqlError>
}>()("@headwater/log/logs/Fences") {
  static readonly layer: Layer.Layer<Fences, never, SqlClient.SqlClient> = Layer.effect(
    Fences,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const heldInsertions = new HeldInsertions()

      const raise = (owners: Statement.Fragment) =>
        Effect.map(
          sql<{ owner_id: string; account_id: string; epoch: bigint }>`
            ${owners} UPDATE fences f SET epoch = epoch + 1 FROM owners o WHERE f.owner_id = o.owner_id
            RETURNING f.owner_id, f.account_id, f.epoch`,
          (rows) =>
            new Map(rows.map(({ account_id, epoch, owner_id }): [string, Fence] => [
              owner_id,
              { ownerId: owner_id, accountId: account_id, epoch }
            ]))
        )

      /**
       * None where somebody holds the fence, or another who asks has got it: who waits for the one holds up the others.
       */
      const acquireFree = shared((ownerIds: ReadonlyArray<string>) =>
        Effect.map(
          raise(sql`
            WITH owners AS MATERIALIZED (
              SELECT owner_id FROM fences WHERE owner_id = ANY (${texts(ownerIds)}) FOR NO KEY UPDATE SKIP LOCKED
            )`),
          (fences) =>
            ownerIds.map((ownerId) => {
              const fence = Option.fromUndefinedOr(fences.get(ownerId))
              fences.delete(ownerId)
              return fence
            })
        )
      )

      return Fences.of({
        create: (ownerId, accountId) =>
          Effect.asVoid(sql`
            INSERT INTO fences (owner_id, account_id, epoch) VALUES (${ownerId}, ${accountId}, 0)`),
        acquire: Effect.fnUntraced(function*(ownerId) {
          const free = yield* acquireFree(ownerId)
          if (Option.isSome(free)) return free
          return Option.fromUndefinedOr(
            (yield* raise(sql`WITH owners AS (SELECT ${ownerId} AS owner_id)`)).get(ownerId)
          )
        }),
        hold: (fences) =>
          Effect.map(
            sql.unsafe<{ owner_id: string }>(`WITH ${held} SELECT owner_id FROM held`, holding(fences)),
            (rows) => new Set(rows.map(({ owner_id }) => owner_id))
          ),
        holdAll: (fences, insertions) =>
          Effect.asVoid(sql.unsafe(heldInsertions.textOf(insertions), [
            ...holding(fences),
            fences.length,
            ...insertions.flatMap(({ params }) => params)
          ])),
        remove: (ownerId) => Effect.asVoid(sql`DELETE FROM fences WHERE owner_id = ${ownerId}`)
      })
    })
  )
}
