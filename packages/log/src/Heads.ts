import type { EventId } from "@headwater/domain/EventId"
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { exactly } from "./internal/Exactly.ts"
import { bigints, texts } from "./internal/SqlArray.ts"

/**
 * One row per emitter: the fence and the truth of its log. It is never derived from the log, so a deleted tail does not
 * bring ids back.
 */
export interface Head {
  readonly emitterId: string
  readonly accountId: string
  /** Raised by each activation; a commit under an older one writes nothing. */
  readonly epoch: bigint
  readonly lastId: EventId
  /** The last dense number of each stream. */
  readonly streams: Readonly<Record<string, number>>
  /** The same in all heads that the owner makes of the one it acquired, and in no other. */
  readonly tenure: symbol
}

/** The last number of a stream. Names come from component code, and may be those of Object's own members. */
export const ordinalOf = ({ streams }: Pick<Head, "streams">, stream: string): number =>
  Object.hasOwn(streams, stream) ? streams[stream]! : 0

interface HeadRow {
  readonly emitter_id: string
  readonly account_id: string
  readonly epoch: bigint
  readonly last_id: bigint
  readonly streams: Record<string, number>
}

const fromRow = (row: HeadRow): Head => ({
  emitterId: row.emitter_id,
  accountId: row.account_id,
  epoch: row.epoch,
  lastId: row.last_id,
  streams: row.streams,
  tenure: Symbol()
})

/** The `heads` table. */
export class Heads extends Context.Service<Heads, {
  readonly create: (emitterId: string, accountId: string) => Effect.Effect<void, SqlError.SqlError>
  /** Makes the caller the owner: raises the epoch, waiting for an open transaction of the owner before. */
  readonly acquire: (emitterId: string) => Effect.Effect<Option.Option<Head>, SqlError.SqlError>
  readonly get: (emitterId: string) => Effect.Effect<Option.Option<Head>, SqlError.SqlError>
  /**
   * Compare-and-set of all given heads in emitter order, in the surrounding transaction. Answers the emitters whose
   * epoch still was the given one; the others are left as they were.
   */
  readonly advance: (heads: ReadonlyArray<Head>) => Effect.Effect<ReadonlySet<string>, SqlError.SqlError>
  /** The same, where it is an error if any has another epoch. */
  readonly advanceAll: (heads: ReadonlyArray<Head>) => Effect.Effect<void, SqlError.SqlError>
  /** Emitters of all accounts, in the order of their ids, from what comes behind one on. */
  readonly idsAfter: (emitterId: string, limit: number) => Effect.Effect<ReadonlyArray<string>, SqlError.SqlError>
  readonly remove: (emitterId: string) => Effect.Effect<void, SqlError.SqlError>
}>()("@headwater/log/Heads") {
  static readonly layer: Layer.Layer<Heads, never, SqlClient.SqlClient> = Layer.effect(
    Heads,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient

      const advancing = (heads: ReadonlyArray<Head>) =>
        sql`
          WITH member AS (
            SELECT * FROM unnest(
              ${texts(heads.map((head) => head.emitterId))},
              ${bigints(heads.map((head) => head.epoch))},
              ${bigints(heads.map((head) => head.lastId))},
              ${texts(heads.map((head) => JSON.stringify(head.streams)))}
            ) AS m (emitter_id, epoch, last_id, streams)
          ), locked AS MATERIALIZED (
            SELECT h.emitter_id FROM heads h JOIN member m USING (emitter_id, epoch)
            ORDER BY h.emitter_id FOR NO KEY UPDATE OF h
          ), advanced AS (
            UPDATE heads h SET last_id = m.last_id, streams = m.streams::jsonb
            FROM member m JOIN locked USING (emitter_id)
            WHERE h.emitter_id = m.emitter_id AND h.epoch = m.epoch
            RETURNING h.emitter_id
          )`

      return Heads.of({
        create: (emitterId, accountId) =>
          Effect.asVoid(sql`
            INSERT INTO heads (emitter_id, account_id, epoch, last_id, streams)
            VALUES (${emitterId}, ${accountId}, 0, 0, '{}')`),
        acquire: (emitterId) =>
          Effect.map(
            sql<HeadRow>`UPDATE heads SET epoch = epoch + 1 WHERE emitter_id = ${emitterId} RETURNING *`,
            ([row]) => Option.map(Option.fromUndefinedOr(row), fromRow)
          ),
        get: (emitterId) =>
          Effect.map(
            sql<HeadRow>`SELECT * FROM heads WHERE emitter_id = ${emitterId}`,
            ([row]) => Option.map(Option.fromUndefinedOr(row), fromRow)
          ),
        advance: (heads) =>
          Effect.map(
            sql<{ emitter_id: string }>`${advancing(heads)} SELECT emitter_id FROM advanced`,
            (rows) => new Set(rows.map((row) => row.emitter_id))
          ),
        advanceAll: (heads) => Effect.asVoid(sql`${advancing(heads)} ${exactly(sql, "advanced", heads.length)}`),
        idsAfter: (emitterId, limit) =>
          Effect.map(
            sql<{ emitter_id: string }>`
              SELECT emitter_id FROM heads WHERE emitter_id > ${emitterId} ORDER BY emitter_id LIMIT ${limit}`,
            (rows) => rows.map((row) => row.emitter_id)
          ),
        remove: (emitterId) => Effect.asVoid(sql`DELETE FROM heads WHERE emitter_id = ${emitterId}`)
      })
    })
  )
}
