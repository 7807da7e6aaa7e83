import type { EventId } from "@headwater/domain/EventId"
import * as OwnMember from "@headwater/domain/OwnMember"
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import * as Insertion from "../internal/Insertion.ts"
import { byPlace, shared } from "../internal/SharedStatement.ts"
import { bigints, numbers, texts } from "../internal/SqlArray.ts"
import type { RunCounts } from "../work/RunBooks.ts"
import { type Fence, Fences } from "./Fences.ts"
import { Journals } from "./Journals.ts"

/**
 * The end of an emitter's log. It is never derived from the log, so a deleted tail does not bring ids back.
 */
export interface Head {
  readonly emitterId: string
  readonly accountId: string
  /** The same in all heads that the owner makes of the one it acquired, and in no other. */
  readonly fence: Fence
  readonly lastId: EventId
  /** The last dense number of each stream. */
  readonly streams: Readonly<Record<string, number>>
}

/** The last number of a stream. */
export const ordinalOf = ({ streams }: Pick<Head, "streams">, stream: string): number =>
  OwnMember.get(streams, stream) ?? 0

/** The change of a commit to an emitter: the end of its log, its use on a day, its books, or several of them. */
export interface HeadMove {
  readonly emitterId: string
  readonly to: Pick<Head, "lastId" | "streams"> | undefined
  /** Its runs that began and ended. */
  readonly runs?: RunCounts | undefined
  readonly used: { readonly day: string; readonly invocations: number; readonly computeMs: number } | undefined
}

interface HeadRow {
  readonly emitter_id: string
  readonly account_id: string
  readonly epoch: bigint
  readonly last_id: bigint
  readonly streams: Record<string, number>
}

const fromRow = (row: HeadRow, fence: Fence): Head => ({
  emitterId: row.emitter_id,
  accountId: row.account_id,
  fence,
  lastId: row.last_id,
  streams: row.streams
})

/** Moves heads, of each emitter the last one named, in a transaction that holds their fences. */
export const intoHeadsJournal = Insertion.into<HeadMove>("heads_journal")`
  INSERT INTO heads_journal (
    emitter_id, last_id, streams, day, invocations, compute_ms, runs_received, runs_done, runs_failed, runs_cancelled
  )
  SELECT emitter_id, last_id, streams::jsonb, day::date, invocations, compute_ms, received, done, failed, cancelled
  FROM unnest(
    ${(moves) => texts(moves.map(({ emitterId }) => emitterId))},
    ${(moves) => bigints(moves.map(({ to }) => to?.lastId ?? null))},
    ${(moves) => texts(moves.map(({ to }) => to === undefined ? null : JSON.stringify(to.streams)))},
    ${(moves) => texts(moves.map(({ used }) => used?.day ?? null))},
    ${(moves) => numbers(moves.map(({ used }) => used?.invocations ?? null))},
    ${(moves) => numbers(moves.map(({ used }) => used?.computeMs ?? null))},
    ${(moves) => numbers(moves.map(({ runs }) => runs?.received ?? null))},
    ${(moves) => numbers(moves.map(({ runs }) => runs?.done ?? null))},
    ${(moves) => numbers(moves.map(({ runs }) => runs?.failed ?? null))},
    ${(moves) => numbers(moves.map(({ runs }) => runs?.cancelled ?? null))}
  ) AS m (emitter_id, last_id, streams, day, invocations, compute_ms, received, done, failed, cancelled)`

/** The ends of emitters' logs: the view `heads`, of the tables `heads_folded` and `heads_journal` (`Journals`). */
export class Heads extends Context.Service<Heads, {
  readonly create: (emitterId: string, accountId: string) => Effect.Effect<void, SqlError.SqlError>
  /**
   * Makes the caller the owner: raises the epoch, waiting for an open transaction of the owner before. Not for
   * transactions.
   */
  readonly acquire: (emitterId: string) => Effect.Effect<Option.Option<Head>, SqlError.SqlError>
  readonly get: (emitterId: string) => Effect.Effect<Option.Option<Head>, SqlError.SqlError>
  readonly move: (moves: ReadonlyArray<HeadMove>) => Effect.Effect<void, SqlError.SqlError>
  /** Emitters of all accounts, in the order of their ids, from what comes behind one on. */
  readonly idsAfter: (emitterId: string, limit: number) => Effect.Effect<ReadonlyArray<string>, SqlError.SqlError>
  /**
   * Waits for an open transaction of the owner, which can write nothing after that. The record of the emitter's use
   * stays.
   */
  readonly remove: (emitterId: string) => Effect.Effect<void, SqlError.SqlError>
}>()("@headwater/log/logs/Heads") {
  static readonly layerNoJournals: Layer.Layer<Heads, never, Fences | Journals | SqlClient.SqlClient> = Layer.effect(
    Heads,
    Effect.gen(function*() {
      const fences = yield* Fences
      const journals = yield* Journals
      const sql = yield* SqlClient.SqlClient

      /** Of those who have just become owners. */
      const read = shared((emitterIds: ReadonlyArray<string>) =>
        Effect.map(
          sql<HeadRow & { readonly place: bigint }>`
            SELECT h.*, i.place FROM unnest(${texts(emitterIds)}) WITH ORDINALITY AS i (emitter_id, place)
            JOIN heads h USING (emitter_id)`,
          (rows) => byPlace(rows, emitterIds.length).map(([row]) => Option.fromUndefinedOr(row))
        )
      )

      return Heads.of({
        create: (emitterId, accountId) =>
          sql.withTransaction(Effect.andThen(
            fences.create(emitterId, accountId),
            Effect.asVoid(sql`
              INSERT INTO heads_folded (emitter_id, account_id, last_id, streams)
              VALUES (${emitterId}, ${accountId}, 0, '{}')`)
          )),
        acquire: Effect.fnUntraced(function*(emitterId) {
          const fence = yield* fences.acquire(emitterId)
          if (Option.isNone(fence)) return Option.none()
          journals.noteEmitter(emitterId)
          return Option.map(yield* read(emitterId), (row) => fromRow(row, fence.value))
        }),
        get: (emitterId) =>
          Effect.map(
            sql<HeadRow>`SELECT * FROM heads WHERE emitter_id = ${emitterId}`,
            ([row]) =>
              Option.map(
                Option.fromUndefinedOr(row),
                (row) => fromRow(row, { ownerId: row.emitter_id, accountId: row.account_id, epoch: row.epoch })
              )
          ),
        move: (moves) => intoHeadsJournal.run(sql, moves),
        idsAfter: (emitterId, limit) =>
          Effect.map(
            sql<{ emitter_id: string }>`
              SELECT emitter_id FROM heads WHERE emitter_id > ${emitterId} ORDER BY emitter_id LIMIT ${limit}`,
            (rows) => rows.map((row) => row.emitter_id)
          ),
        remove: (emitterId) =>
          sql.withTransaction(Effect.gen(function*() {
            yield* fences.remove(emitterId)
            yield* journals.foldEmitters([emitterId])
            yield* sql`DELETE FROM heads_folded WHERE emitter_id = ${emitterId}`
          }))
      })
    })
  )

  static readonly layer = Heads.layerNoJournals.pipe(Layer.provide([Fences.layer, Journals.layer]))
}
