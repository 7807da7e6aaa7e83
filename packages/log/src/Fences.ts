import { Context, Effect, Layer, Option } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { exactly } from "./internal/Exactly.ts"
import { bigints, texts } from "./internal/SqlArray.ts"

/** What an actor commits under: it is the owner of an emitter or a webhook for as long as nobody has a higher epoch. */
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
   * Makes the caller the owner: raises the epoch, waiting for an open transaction of the owner before. What that one
   * wrote is seen by the statements after this, and not by this one.
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
}>()("@headwater/log/Fences") {
  static readonly layer: Layer.Layer<Fences, never, SqlClient.SqlClient> = Layer.effect(
    Fences,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient

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
        acquire: (ownerId) =>
          Effect.map(
            sql<{ account_id: string; epoch: bigint }>`
              UPDATE fences SET epoch = epoch + 1 WHERE owner_id = ${ownerId} RETURNING account_id, epoch`,
            ([row]) =>
              Option.map(
                Option.fromUndefinedOr(row),
                ({ account_id, epoch }): Fence => ({ ownerId, accountId: account_id, epoch })
              )
          ),
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
