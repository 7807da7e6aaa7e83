import type { AccountId } from "@headwater/domain/Id"
import { Context, DateTime, Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { numbers, texts } from "./internal/SqlArray.ts"

/** What one run cost. */
export interface UsageEntry {
  readonly emitterId: string
  readonly accountId: string
  /** UTC day, `YYYY-MM-DD`. */
  readonly day: string
  readonly invocations: number
  readonly computeMs: number
}

/** What an account used over a span of UTC days. */
export interface Used {
  readonly invocations: number
  readonly computeMs: number
}

/** UTC days from the first's start up to and without `until`, both Unix milliseconds. */
export interface Span {
  readonly from: number
  readonly until: number
}

const dayMs = 24 * 3_600_000

/** The UTC day that holds a time. */
export const dayOf = (ms: number): Span => {
  const from = Math.floor(ms / dayMs) * dayMs
  return { from, until: from + dayMs }
}

/** The billing period that holds a time: the calendar month in UTC. */
export const billingPeriodOf = (ms: number): Span => {
  const date = new Date(ms)
  return {
    from: Date.UTC(date.getUTCFullYear(), date.getUTCMonth()),
    until: Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)
  }
}

const utcDay = (ms: number): string => DateTime.formatIsoDateUtc(DateTime.makeUnsafe(ms))

/** Rows removed at once. */
const bite = 1_000

/** The `usage` table: a row per emitter and day, so that emitters of one account don't wait for each other. */
export class Usage extends Context.Service<Usage, {
  readonly add: (entries: ReadonlyArray<UsageEntry>) => Effect.Effect<void, SqlError.SqlError>
  readonly of: (accountId: AccountId, span: Span) => Effect.Effect<Used, SqlError.SqlError>
  readonly removeOfAccount: (accountId: AccountId) => Effect.Effect<void, SqlError.SqlError>
  /** Forgets days that ended before a time, in Unix milliseconds. */
  readonly expire: (before: number) => Effect.Effect<void, SqlError.SqlError>
}>()("@headwater/log/Usage") {
  static readonly layer: Layer.Layer<Usage, never, SqlClient.SqlClient> = Layer.effect(
    Usage,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      return Usage.of({
        add: (entries) =>
          Effect.asVoid(sql`
            INSERT INTO usage AS u (emitter_id, account_id, day, invocations, compute_ms)
            SELECT emitter_id, account_id, day::date, sum(invocations)::bigint, sum(compute_ms)::bigint
            FROM unnest(
              ${texts(entries.map((entry) => entry.emitterId))},
              ${texts(entries.map((entry) => entry.accountId))},
              ${texts(entries.map((entry) => entry.day))},
              ${numbers(entries.map((entry) => entry.invocations))},
              ${numbers(entries.map((entry) => entry.computeMs))}
            ) AS e (emitter_id, account_id, day, invocations, compute_ms)
            GROUP BY emitter_id, account_id, day
            ORDER BY emitter_id, day
            ON CONFLICT (emitter_id, day) DO UPDATE SET
              invocations = u.invocations + excluded.invocations,
              compute_ms = u.compute_ms + excluded.compute_ms`),
        of: (accountId, { from, until }) =>
          Effect.map(
            sql<{ readonly invocations: bigint; readonly compute_ms: bigint }>`
              SELECT coalesce(sum(invocations), 0)::bigint AS invocations,
                coalesce(sum(compute_ms), 0)::bigint AS compute_ms
              FROM usage
              WHERE account_id = ${accountId} AND day >= ${utcDay(from)}::text::date
                AND day < ${utcDay(until)}::text::date`,
            ([row]) => ({ invocations: Number(row?.invocations ?? 0), computeMs: Number(row?.compute_ms ?? 0) })
          ),
        removeOfAccount: (accountId) =>
          sql<{ readonly gone: boolean }>`
            DELETE FROM usage WHERE ctid = ANY (ARRAY (
              SELECT ctid FROM usage WHERE account_id = ${accountId} LIMIT ${bite}
            )) RETURNING true AS gone`.pipe(
            Effect.repeat({ until: (rows) => rows.length < bite }),
            Effect.asVoid
          ),
        expire: (before) => Effect.asVoid(sql`DELETE FROM usage WHERE day < ${utcDay(before)}::text::date`)
      })
    })
  )
}
