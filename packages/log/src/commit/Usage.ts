import type { AccountId } from "@headwater/domain/Id"
import { Context, DateTime, Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { removeRows } from "../internal/Removal.ts"

/** The cost of one run. */
export interface UsageEntry {
  readonly emitterId: string
  readonly accountId: string
  /** UTC day, `YYYY-MM-DD`. */
  readonly day: string
  readonly invocations: number
  readonly computeMs: number
}

/** The use of an account over a span of UTC days. */
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

/**
 * The use of accounts: the view `usage`, of the table `usage_folded`, a row per emitter and day, and of the entries
 * that are written with the heads (`Heads.move`).
 */
export class Usage extends Context.Service<Usage, {
  readonly of: (accountId: AccountId, span: Span) => Effect.Effect<Used, SqlError.SqlError>
  /** Of an account that has no emitters any more. */
  readonly removeOfAccount: (accountId: AccountId) => Effect.Effect<void, SqlError.SqlError>
  /** Forgets days that ended before a time, in Unix milliseconds. */
  readonly expire: (before: number) => Effect.Effect<void, SqlError.SqlError>
}>()("@headwater/log/commit/Usage") {
  static readonly layer: Layer.Layer<Usage, never, SqlClient.SqlClient> = Layer.effect(
    Usage,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      return Usage.of({
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
        removeOfAccount: (accountId) => removeRows(sql, "usage_folded", sql`account_id = ${accountId}`),
        expire: (before) => Effect.asVoid(sql`DELETE FROM usage_folded WHERE day < ${utcDay(before)}::text::date`)
      })
    })
  )
}
