import * as Id from "@headwater/domain/Id"
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { texts } from "../internal/SqlArray.ts"
import type { DueKind } from "./DueWork.ts"

/**
 * The place of a clock that can be moved: it stands at a time, in Unix milliseconds, or runs so many milliseconds
 * ahead.
 */
export type ClockPlace =
  | { readonly _tag: "Standing"; readonly at: number }
  | { readonly _tag: "Running"; readonly aheadMs: number }

/** The numbers of items that fell due, by kind of due work. */
export type FiredCounts = Readonly<Partial<Record<DueKind, number>>>

/**
 * The reason for which the clock stands still again: it came to its time, as much as was asked for has fired, nothing
 * was due, it was told to stop, or the engine did not come to rest.
 */
export type StopReason = "target" | "max_fired" | "nothing_due" | "stopped" | "busy"

/** One advance of the clock. Times are Unix milliseconds. */
export interface ClockOperation {
  readonly id: Id.ClockOperationId
  /** The account that asked for it. */
  readonly accountId: Id.AccountId
  readonly from: number
  /** The time to which it goes; none if nothing was due and it was to go to the next. */
  readonly to: number | undefined
  readonly toNext: boolean
  readonly maxFired: number | undefined
  /** The time to which it has come. */
  readonly at: number
  readonly fired: FiredCounts
  /** Up to when what is beyond its retention has been removed. */
  readonly sweptAt: number
  readonly reason: StopReason | undefined
  /** In real time. */
  readonly beganAt: number
  readonly endedAt: number | undefined
}

/** Work that is due, and is to be done before the clock goes on. */
export interface DueAtStep {
  readonly ownerId: string
  /** The same for as long as the owner has the same work due. */
  readonly mark: string
}

/** The outcome of a step of the clock. */
export type ClockStep =
  /** It has not moved: this is due already. */
  | { readonly _tag: "Overdue"; readonly due: ReadonlyArray<DueAtStep> }
  /** It has moved to the next time at which anything is due. */
  | {
    readonly _tag: "Moved"
    readonly at: number
    readonly owners: ReadonlyArray<string>
    readonly fired: FiredCounts
    /** The source, if nothing but a tick of its timer is due now, and the time at which anything else is. */
    readonly tick:
      | { readonly accountId: Id.AccountId; readonly sourceId: string; readonly nextAt: number | undefined }
      | undefined
  }
  /** It has not moved: nothing is due up to where it may go. */
  | { readonly _tag: "NothingDue" }

/** Operations that have ended, and are kept. */
const keptOperations = 200

/** Rows of overdue work that are looked at together. */
const mostOverdue = 10_000

interface OperationRow {
  readonly id: string
  readonly account_id: string
  readonly from_at: bigint
  readonly to_at: bigint | null
  readonly to_next: boolean
  readonly max_fired: bigint | null
  readonly at: bigint
  readonly fired: Readonly<Record<string, number>>
  readonly swept_at: bigint
  readonly reason: string | null
  readonly began_at: bigint
  readonly ended_at: bigint | null
}

const numberOf = (value: bigint | null): number | undefined => value === null ? undefined : Number(value)

const fromRow = (row: OperationRow): ClockOperation => ({
  id: Id.ClockOperationId.make(row.id),
  accountId: Id.AccountId.make(row.account_id),
  from: Number(row.from_at),
  to: numberOf(row.to_at),
  toNext: row.to_next,
  maxFired: numberOf(row.max_fired),
  at: Number(row.at),
  fired: row.fired as FiredCounts,
  sweptAt: Number(row.swept_at),
  reason: (row.reason ?? undefined) as StopReason | undefined,
  beganAt: Number(row.began_at),
  endedAt: numberOf(row.ended_at)
})

/**
 * The tables `dev_clock` and `clock_operations`: where the clock of a database is that was made for one that can be
 * moved, and how far its advances have come. Only one process moves it.
 */
export class DevClocks extends Context.Service<DevClocks, {
  /** The place of the clock; none in a database that was not made for one. */
  readonly place: Effect.Effect<Option.Option<ClockPlace>, SqlError.SqlError>
  /** True if nothing was ever done in the database. */
  readonly isFresh: Effect.Effect<boolean, SqlError.SqlError>
  /** Makes the database one for a clock that can be moved, for good. */
  readonly create: Effect.Effect<void, SqlError.SqlError>
  readonly setPlace: (place: ClockPlace) => Effect.Effect<void, SqlError.SqlError>
  /** The time at which anything is due next after a time; work of a suspended account does not count. */
  readonly nextDue: (now: number) => Effect.Effect<number | undefined, SqlError.SqlError>
  /** Begins an advance. There is one at a time. */
  readonly begin: (
    operation: Omit<ClockOperation, "fired" | "reason" | "endedAt">
  ) => Effect.Effect<void, SqlError.SqlError>
  readonly operation: (
    accountId: Id.AccountId,
    id: string
  ) => Effect.Effect<Option.Option<ClockOperation>, SqlError.SqlError>
  /** The advance that has not ended. */
  readonly open: Effect.Effect<Option.Option<ClockOperation>, SqlError.SqlError>
  /**
   * Moves the clock to when anything is due next, `until` at most, and counts what is: unless something is due already,
   * but for the owners in `but`, who leave theirs. The step is durable with the next commit of anybody.
   */
  readonly step: (
    id: string,
    options: { readonly now: number; readonly until: number; readonly but: ReadonlyArray<string> }
  ) => Effect.Effect<ClockStep, SqlError.SqlError>
  /** Counts ticks of timers and moves the clock to the last of them, as a part of a commit. */
  readonly countTicks: (id: string, ticks: number, at: number) => Effect.Effect<unknown, SqlError.SqlError>
  /** Moves the clock to a time up to which nothing is due. */
  readonly moveTo: (id: string, at: number) => Effect.Effect<void, SqlError.SqlError>
  readonly noteSwept: (id: string, at: number) => Effect.Effect<void, SqlError.SqlError>
  /** Ends an advance, in the surrounding transaction if there is one. */
  readonly end: (id: string, reason: StopReason, endedAt: number) => Effect.Effect<void, SqlError.SqlError>
}>()("@headwater/log/work/DevClocks") {
  static readonly layer: Layer.Layer<DevClocks, never, SqlClient.SqlClient> = Layer.effect(
    DevClocks,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient

      const isActive = sql`owner_id <> ALL (ARRAY (
        SELECT o.id FROM accounts a
        CROSS JOIN LATERAL (
          SELECT id FROM programs WHERE account_id = a.id UNION ALL SELECT id FROM webhooks WHERE account_id = a.id
        ) AS o
        WHERE a.suspended_at IS NOT NULL
      ))`

      const one = (where: Statement.Fragment) =>
        Effect.map(
          sql<OperationRow>`SELECT * FROM clock_operations WHERE ${where}`,
          ([row]) => Option.map(Option.fromUndefinedOr(row), fromRow)
        )

      return DevClocks.of({
        place: Effect.map(
          sql<{ readonly stands_at: bigint | null; readonly ahead_ms: bigint }>`SELECT * FROM dev_clock`,
          ([row]) =>
            Option.map(Option.fromUndefinedOr(row), (row): ClockPlace =>
              row.stands_at === null
                ? { _tag: "Running", aheadMs: Number(row.ahead_ms) }
                : { _tag: "Standing", at: Number(row.stands_at) })
        ),
        isFresh: Effect.map(
          sql<{ readonly is_fresh: boolean }>`SELECT NOT EXISTS (SELECT FROM accounts) AS is_fresh`,
          ([row]) => row?.is_fresh === true
        ),
        create: Effect.asVoid(sql`INSERT INTO dev_clock DEFAULT VALUES`),
        setPlace: (place) =>
          Effect.asVoid(sql`
            UPDATE dev_clock SET stands_at = ${place._tag === "Standing" ? place.at : null},
              ahead_ms = ${place._tag === "Running" ? place.aheadMs : 0}`),
        nextDue: (now) =>
          Effect.map(
            sql<{ readonly at: bigint | null }>`
              SELECT min(due_at) AS at FROM due_work WHERE due_at > ${now} AND ${isActive}`,
            ([row]) => numberOf(row?.at ?? null)
          ),
        begin: (operation) =>
          Effect.andThen(
            sql`
              INSERT INTO clock_operations (id, account_id, from_at, to_at, to_next, max_fired, at, swept_at, began_at)
              VALUES (${operation.id}, ${operation.accountId}, ${operation.from}, ${operation.to ?? null},
                ${operation.toNext}, ${operation.maxFired ?? null}, ${operation.at}, ${operation.sweptAt},
                ${operation.beganAt})`,
            Effect.asVoid(sql`
              DELETE FROM clock_operations WHERE ended_at IS NOT NULL AND id < (
                SELECT id FROM clock_operations ORDER BY id DESC OFFSET ${keptOperations} LIMIT 1
              )`)
          ),
        operation: (accountId, id) => one(sql`account_id = ${accountId} AND id = ${id}`),
        open: one(sql`ended_at IS NULL`),
        step: (id, { but, now, until }) =>
          Effect.map(
            sql<{
              readonly owner_id: string
              readonly mark: string | null
              readonly at: bigint | null
              readonly fired: FiredCounts | null
              readonly account_id: string | null
              readonly next_at: bigint | null
            }>`
              WITH quick AS MATERIALIZED (
                SELECT set_config('synchronous_commit', 'off', true) AS set
              ), overdue AS MATERIALIZED (
                SELECT owner_id, count(*) || ' ' || max(due_at) || ' ' || min(key) || ' ' || max(key) AS mark FROM (
                  SELECT owner_id, due_at, key FROM due_work
                  WHERE due_at <= ${now} AND owner_id <> ALL (${texts(but)}) AND ${isActive} LIMIT ${mostOverdue}
                ) AS rows
                GROUP BY owner_id
              ), next AS MATERIALIZED (
                SELECT due_at AS at FROM due_work
                WHERE due_at > ${now} AND due_at <= ${until} AND ${isActive} AND NOT EXISTS (SELECT FROM overdue)
                ORDER BY due_at LIMIT 1
              ), fell AS MATERIALIZED (
                SELECT owner_id, kind, count(*) AS due FROM due_work
                WHERE due_at = (SELECT at FROM next) AND ${isActive} GROUP BY owner_id, kind
              ), tick AS MATERIALIZED (
                SELECT p.account_id, (
                  SELECT min(due_at) FROM due_work WHERE due_at > (SELECT at FROM next) AND ${isActive}
                ) AS next_at
                FROM programs p
                WHERE p.id = (SELECT min(owner_id) FROM fell HAVING sum(due) = 1 AND min(kind) = 'timer')
                  AND p.id LIKE ${`${Id.prefixes.source}\\_%`}
              ), moved AS (
                UPDATE dev_clock SET stands_at = next.at FROM next
              ), counted AS (
                UPDATE clock_operations o SET at = next.at, fired = (
                  SELECT jsonb_object_agg(kind, due) FROM (
                    SELECT kind, sum(due) AS due FROM (
                      SELECT key AS kind, value::bigint AS due FROM jsonb_each_text(o.fired)
                      UNION ALL SELECT kind, due FROM fell
                    ) AS counts GROUP BY kind
                  ) AS sums
                )
                FROM next WHERE o.id = ${id} RETURNING o.fired
              )
              SELECT owner_id, mark, NULL::bigint AS at, NULL::jsonb AS fired, NULL AS account_id, NULL::bigint AS next_at
              FROM overdue, quick
              UNION ALL SELECT DISTINCT owner_id, NULL, (SELECT at FROM next), (SELECT fired FROM counted),
                (SELECT account_id FROM tick), (SELECT next_at FROM tick)
              FROM fell, quick`,
            (rows): ClockStep => {
              const [first] = rows
              if (first === undefined) return { _tag: "NothingDue" }
              return first.at === null
                ? { _tag: "Overdue", due: rows.map((row) => ({ ownerId: row.owner_id, mark: row.mark ?? "" })) }
                : {
                  _tag: "Moved",
                  at: Number(first.at),
                  owners: rows.map((row) => row.owner_id),
                  fired: first.fired ?? {},
                  tick: first.account_id === null ? undefined : {
                    accountId: Id.AccountId.make(first.account_id),
                    sourceId: first.owner_id,
                    nextAt: numberOf(first.next_at)
                  }
                }
            }
          ),
        countTicks: (id, ticks, at) =>
          sql`
            WITH moved AS (UPDATE dev_clock SET stands_at = ${at})
            UPDATE clock_operations SET at = ${at}, fired = fired || jsonb_build_object(
              'timer', coalesce((fired->>'timer')::bigint, 0) + ${ticks}::bigint
            ) WHERE id = ${id}`,
        moveTo: (id, at) =>
          Effect.asVoid(sql`
            WITH moved AS (UPDATE dev_clock SET stands_at = ${at}) UPDATE clock_operations SET at = ${at} WHERE id = ${id}`),
        noteSwept: (id, at) => Effect.asVoid(sql`UPDATE clock_operations SET swept_at = ${at} WHERE id = ${id}`),
        end: (id, reason, endedAt) =>
          Effect.asVoid(sql`UPDATE clock_operations SET reason = ${reason}, ended_at = ${endedAt} WHERE id = ${id}`)
      })
    })
  )
}
