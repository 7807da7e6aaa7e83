import { Context, Effect, Layer, Option } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { exactly } from "../internal/Exactly.ts"
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
  /** The same, where it is an error if any has another epoch. */
  readonly holdAll: (fences: ReadonlyArray<Fence>) => Effect.Effect<void, SqlError.SqlError>
  /** Nobody can be the owner any more. Waits for an open transaction of the owner. */
  readonly remove: (ownerId: string) => Effect.Effect<void, SqlError.SqlError>
}>()("@headwater/log/logs/Fences") {
  static readonly layer: Layer.Layer<Fences, never, SqlClient.SqlClient> = Layer.effect(
    Fences,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient

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

      // As strong as the lock of an update. Of `FOR SHARE`, transactions that follow on each other could keep one who
      // wants to become the owner waiting for ever.
      const holding = (fences: ReadonlyArray<Fence>) =>
        sql`
          WITH held AS MATERIALIZED (
            SELECT f.owner_id FROM fences f JOIN unnest(
              ${texts(fences.map(({ ownerId }) => ownerId))},
              ${bigints(fences.map(({ epoch }) => epoch))}
            ) AS m (owner_id, epoch) USING (owner_id, epoch)
            ORDER BY f.owner_id FOR NO KEY UPDATE OF f
          )`

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
            sql<{ owner_id: string }>`${holding(fences)} SELECT owner_id FROM held`,
            (rows) => new Set(rows.map(({ owner_id }) => owner_id))
          ),
        holdAll: (fences) => Effect.asVoid(sql`${holding(fences)} ${exactly(sql, "held", fences.length)}`),
        remove: (ownerId) => Effect.asVoid(sql`DELETE FROM fences WHERE owner_id = ${ownerId}`)
      })
    })
  )
}
