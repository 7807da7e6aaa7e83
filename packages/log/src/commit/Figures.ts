import type { AccountId } from "@headwater/domain/Id"
import * as Recurring from "@headwater/domain/Recurring"
import * as Stream from "@headwater/domain/Stream"
import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { removeRows } from "../internal/Removal.ts"
import { numbers, texts } from "../internal/SqlArray.ts"
import type { CursorMove, CursorSettlement } from "../work/Cursors.ts"
import { accountOf, type Commit, ownerOf } from "./Commit.ts"
import { type CountName, countNames, type Figure, FigureCounts, latencyBounds, wholeAccount } from "./FigureCounts.ts"
import { enough, type Health, mostFail, type SpanHealth, spansMs } from "./FigureHealth.ts"

/** The figures of one step of a series. */
export interface FigureStep extends Readonly<Record<CountName, number>> {
  /** The beginning of the step, Unix milliseconds. */
  readonly at: number
  /** The numbers of attempts by their duration, in buckets (`latencyBounds`). */
  readonly latencies: ReadonlyArray<number>
}

/** The interval at which a node writes its counts, in milliseconds. */
export const writeEveryMs = 10_000

export const hourMs = 3_600_000

/** The times for which minutes are kept, and hours, in milliseconds. */
export const minutesKeptMs = 48 * hourMs
export const hoursKeptMs = 40 * 24 * hourMs

/** The time for which a server that stops waits for its counts to be written. */
const lastWriteWithin = "2 seconds"

/** Rows that one statement writes. */
const bite = 500

/** Minutes that one statement folds into hours, and rows that one removes. */
const foldBite = 5_000

const sumsText = countNames.map((name) => `sum(${name})::bigint AS ${name}`).join(", ")

/** The statements that add figures to those that are there, and that fold minutes into hours. */
const writing = (sql: SqlClient.SqlClient) => {
  const columns = sql.literal(countNames.join(", "))
  const ofHours = sql.literal(countNames.map((name) => `h.${name}`).join(", "))
  const sums = sql.literal(sumsText)

  /**
   * Adds rows to those that are there, in the order of their keys, so that nodes that do so together don't lock
   * each other out.
   */
  const adding = (table: string) =>
    sql`
      ON CONFLICT (account_id, subject_id, at) DO UPDATE SET
        ${sql.literal(countNames.map((name) => `${name} = ${table}.${name} + excluded.${name}`).join(", "))},
        latencies = CASE
          WHEN excluded.latencies IS NULL THEN ${sql(table)}.latencies
          WHEN ${sql(table)}.latencies IS NULL THEN excluded.latencies
          ELSE (
            SELECT array_agg(a + b ORDER BY bucket)
            FROM unnest(${sql(table)}.latencies, excluded.latencies) WITH ORDINALITY AS u (a, b, bucket)
          )
        END`

  /** Adds figures of accounts that exist, and keeps these from going meanwhile. */
  const add = (figures: ReadonlyArray<Figure>) =>
    sql`
      WITH kept AS MATERIALIZED (
        SELECT id FROM accounts WHERE id = ANY (${texts([...new Set(figures.map(({ accountId }) => accountId))])})
        ORDER BY id FOR KEY SHARE
      )
      INSERT INTO figures_minutes (account_id, subject_id, at, latencies, ${columns})
      SELECT account_id, subject_id, at, latencies::int[], ${columns} FROM unnest(
        ${texts(figures.map(({ accountId }) => accountId))},
        ${texts(figures.map(({ subjectId }) => subjectId))},
        ${numbers(figures.map(({ at }) => at))},
        ${texts(figures.map(({ counts: { latencies } }) => latencies === undefined ? null : `{${latencies.join()}}`))},
        ${sql.csv(countNames.map((name) => sql`${numbers(figures.map(({ counts }) => Math.round(counts[name])))}`))}
      ) AS f (account_id, subject_id, at, latencies, ${columns})
      WHERE account_id IN (SELECT id FROM kept)
      ${adding("figures_minutes")}`

  const foldSome = (now: number) =>
    sql<{ readonly folded: bigint }>`
      WITH old AS MATERIALIZED (
        DELETE FROM figures_minutes WHERE ctid = ANY (ARRAY (
          SELECT ctid FROM figures_minutes WHERE at < ${now - minutesKeptMs} ORDER BY at LIMIT ${foldBite}
        )) RETURNING *, at - at % ${hourMs} AS hour
      ), latencies AS (
        SELECT account_id, subject_id, hour, array_agg(count ORDER BY bucket) AS latencies FROM (
          SELECT account_id, subject_id, hour, bucket, sum(count)::int AS count
          FROM old CROSS JOIN LATERAL unnest(latencies) WITH ORDINALITY AS l (count, bucket)
          GROUP BY account_id, subject_id, hour, bucket
        ) AS buckets
        GROUP BY account_id, subject_id, hour
      ), hours AS (
        SELECT account_id, subject_id, hour, ${sums} FROM old GROUP BY account_id, subject_id, hour
      ), added AS (
        INSERT INTO figures_hours (account_id, subject_id, at, latencies, ${columns})
        SELECT h.account_id, h.subject_id, h.hour, l.latencies, ${ofHours}
        FROM hours h LEFT JOIN latencies l USING (account_id, subject_id, hour)
        ORDER BY h.account_id, h.subject_id, h.hour
        ${adding("figures_hours")}
      )
      SELECT count(*) AS folded FROM old`

  return { add, foldSome }
}

/** A sum for each bucket takes a sixth of the time of taking the arrays apart and putting sums together. */
const bucketSumsOf = (sql: SqlClient.SqlClient) =>
  sql.literal(
    `ARRAY[${
      Array.from({ length: latencyBounds.length + 1 }, (_, bucket) => `sum(latencies[${bucket + 1}])::bigint`).join(
        ", "
      )
    }]`
  )

const reading = (sql: SqlClient.SqlClient): Pick<Figures["Service"], "activeSince" | "series" | "since"> => {
  const bucketSums = bucketSumsOf(sql)
  const sums = sql.literal(sumsText)

  return {
    activeSince: (time) =>
      Effect.map(
        sql<{ readonly account_id: AccountId }>`
          SELECT DISTINCT account_id FROM figures_minutes
          WHERE at >= ${time} AND subject_id = ${wholeAccount} AND requests + events + runs + attempts > 0`,
        (rows) => rows.map(({ account_id }) => account_id)
      ),
    series: (accountId, subjectId, { from, stepMs, until }) => {
      const where = sql`account_id = ${accountId} AND subject_id = ${subjectId} AND at >= ${from} AND at < ${until}`
      return Effect.map(
        sql<Readonly<Record<CountName | "step", bigint>> & { readonly latencies: ReadonlyArray<bigint | null> }>`
          SELECT greatest(at - (at - ${from}) % ${stepMs}, ${from}) AS step, ${sums}, ${bucketSums} AS latencies FROM (
            SELECT * FROM figures_minutes WHERE ${where} UNION ALL SELECT * FROM figures_hours WHERE ${where}
          ) AS figures
          GROUP BY step ORDER BY step`,
        (rows) =>
          rows.map(({ latencies, step, ...counts }) => ({
            ...countsOf(counts),
            at: Number(step),
            latencies: latencies.map(Number)
          }))
      )
    },
    since: (accountId, subjectIds, time) =>
      Effect.map(
        sql<Readonly<Record<CountName, bigint>> & { readonly subject_id: string }>`
          SELECT subject_id, ${sums} FROM figures_minutes
          WHERE account_id = ${accountId} AND subject_id = ANY (${texts(subjectIds)}) AND at >= ${time}
          GROUP BY subject_id`,
        (rows) => new Map(rows.map(({ subject_id, ...counts }) => [subject_id, countsOf(counts)]))
      )
  }
}

/** The latencies are empty where there was no attempt. */
const added = (one: SpanHealth, other: SpanHealth): SpanHealth => ({
  done: one.done + other.done,
  failed: one.failed + other.failed,
  latencies: one.latencies.length === 0
    ? other.latencies
    : one.latencies.map((count, bucket) => count + (other.latencies[bucket] ?? 0))
})

const judging = (sql: SqlClient.SqlClient): Pick<Figures["Service"], "failing" | "health"> => {
  const longestMs = spansMs.at(-1)!
  const counts = sql.literal(
    "sum(runs + attempts)::bigint AS done, sum(failed_runs + failed_attempts)::bigint AS failed"
  )
  const rowsOf = (accountId: AccountId, subjectIds: ReadonlyArray<string>, from: number) => {
    const where = sql`account_id = ${accountId} AND subject_id = ANY (${texts(subjectIds)}) AND at >= ${from}`
    return sql`(SELECT * FROM figures_minutes WHERE ${where} UNION ALL SELECT * FROM figures_hours WHERE ${where}) AS f`
  }

  return {
    health: (accountId, subjectIds, now) =>
      Effect.map(
        sql<{
          readonly subject_id: string
          readonly span: number
          readonly done: bigint
          readonly failed: bigint
          readonly last_success_at: bigint | null
          readonly latencies: ReadonlyArray<bigint | null>
        }>`
          SELECT subject_id, ${counts}, ${bucketSumsOf(sql)} AS latencies,
            CASE WHEN at >= ${now - spansMs[0]} THEN 0 WHEN at >= ${now - spansMs[1]} THEN 1 ELSE 2 END AS span,
            max(at) FILTER (WHERE runs + attempts > failed_runs + failed_attempts) AS last_success_at
          FROM ${rowsOf(accountId, subjectIds, now - longestMs)} GROUP BY subject_id, span`,
        (rows) => {
          const health = new Map<string, Health>()
          for (const [subjectId, found] of Map.groupBy(rows, ({ subject_id }) => subject_id)) {
            const successes = found.flatMap(({ last_success_at: at }) => at === null ? [] : [Number(at)])
            let soFar: SpanHealth = { done: 0, failed: 0, latencies: [] }
            const spans = spansMs.map((_, index) => {
              const row = found.find(({ span }) => span === index)
              if (row === undefined) return soFar
              const latencies = row.latencies.map(Number)
              return soFar = added(soFar, { done: Number(row.done), failed: Number(row.failed), latencies })
            })
            health.set(subjectId, { spans, lastSuccessAt: successes.length === 0 ? null : Math.max(...successes) })
          }
          return health
        }
      ),
    // Most have enough in the shortest span, where each has few rows.
    failing: Effect.fnUntraced(function*(accountId, subjectIds, now) {
      const failing = new Set<string>()
      let undecided = subjectIds
      for (const spanMs of spansMs) {
        if (undecided.length === 0) break
        const rows = yield* sql<{ readonly subject_id: string; readonly done: bigint; readonly failed: bigint }>`
          SELECT subject_id, ${counts} FROM ${rowsOf(accountId, undecided, now - spanMs)} GROUP BY subject_id`
        const least = spanMs === longestMs ? 1 : enough
        const decided = new Set<string>()
        for (const { done, failed, subject_id } of rows) {
          if (Number(done) < least) continue
          decided.add(subject_id)
          if (mostFail({ done: Number(done), failed: Number(failed) })) failing.add(subject_id)
        }
        undecided = undecided.filter((id) => !decided.has(id))
      }
      return failing
    })
  }
}

/**
 * The tables `figures_minutes` and `figures_hours`: what happened in each account by emitter and listener, for charts.
 *
 * Each node counts in memory, and adds what it has counted to the rows of the minutes every 10 seconds. So a node that is
 * killed loses the figures of its last seconds; one that loses its database while it writes may add some twice. Nothing
 * but charts and the health of listeners is made of them. After 48 hours the rows of an hour are folded into one, which goes after 40 days.
 */
export class Figures extends Context.Service<Figures, {
  /** Counts what commits did that are durable now. */
  readonly noteCommits: (commits: ReadonlyArray<Commit>) => void
  readonly noteRun: (accountId: string, programId: string, isFailed: boolean, ms: number) => void
  readonly noteAttempt: (accountId: string, webhookId: string, isFailed: boolean, ms: number) => void
  /** Notes the present size of the backlog of an account's listeners. */
  readonly noteBacklog: (accountId: string, backlog: { readonly waiting: number; readonly pending: number }) => void
  /** Accounts in which anything happened since a time, in Unix milliseconds. */
  readonly activeSince: (time: number) => Effect.Effect<ReadonlyArray<AccountId>, SqlError.SqlError>
  /** Writes what was counted since the last time. Counts that can't be written now are written the next time. */
  readonly write: Effect.Effect<void>
  /**
   * The figures from a time up to another, in Unix milliseconds, in steps of so many milliseconds, oldest first: only
   * steps in which anything happened.
   *
   * @param subjectId an emitter or listener, or `wholeAccount`
   */
  readonly series: (accountId: AccountId, subjectId: string, options: {
    readonly from: number
    readonly until: number
    readonly stepMs: number
  }) => Effect.Effect<ReadonlyArray<FigureStep>, SqlError.SqlError>
  /**
   * The figures of an account's subjects since a time, in Unix milliseconds: only of those to which anything happened.
   */
  readonly since: (
    accountId: AccountId,
    subjectIds: ReadonlyArray<string>,
    time: number
  ) => Effect.Effect<ReadonlyMap<string, Readonly<Record<CountName, number>>>, SqlError.SqlError>
  /** The outcomes of the runs or attempts of an account's subjects before a time, of those alone that had any in a week. */
  readonly health: (
    accountId: AccountId,
    subjectIds: ReadonlyArray<string>,
    now: number
  ) => Effect.Effect<ReadonlyMap<string, Health>, SqlError.SqlError>
  /** Those of an account's subjects whose health is that of failing ones (`isFailing`). */
  readonly failing: (
    accountId: AccountId,
    subjectIds: ReadonlyArray<string>,
    now: number
  ) => Effect.Effect<ReadonlySet<string>, SqlError.SqlError>
  /** Folds minutes that are too old into hours, and forgets hours that are. */
  readonly fold: (now: number) => Effect.Effect<void, SqlError.SqlError>
  /** Of an account that is removed. */
  readonly removeOfAccount: (accountId: AccountId) => Effect.Effect<void, SqlError.SqlError>
}>()("@headwater/log/commit/Figures") {
  static readonly layer: Layer.Layer<Figures, never, SqlClient.SqlClient> = Layer.effect(
    Figures,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const clock = yield* Clock.Clock
      const counted = new FigureCounts()
      const { add, foldSome } = writing(sql)

      const write = Effect.suspend(() => {
        const figures = counted.take()
        const portions = Array.from(
          { length: Math.ceil(figures.length / bite) },
          (_, n) => figures.slice(n * bite, (n + 1) * bite)
        )
        return Effect.forEach(portions, (portion) =>
          Effect.catchCause(Effect.asVoid(add(portion)), (cause) => {
            counted.putBack(portion)
            return Effect.logWarning("Could not write what was counted; trying again", cause)
          }), { discard: true })
      })

      return Figures.of({
        noteCommits: (commits) => {
          const now = clock.currentTimeMillisUnsafe()
          for (const commit of commits) noteCommit(counted, commit, now)
        },
        noteRun: (accountId, programId, isFailed, ms) =>
          counted.note(clock.currentTimeMillisUnsafe(), accountId, programId, (counts) => counts.noteRun(isFailed, ms)),
        noteAttempt: (accountId, webhookId, isFailed, ms) =>
          counted.note(
            clock.currentTimeMillisUnsafe(),
            accountId,
            webhookId,
            (counts) => counts.noteAttempt(isFailed, ms)
          ),
        noteBacklog: (accountId, { pending, waiting }) =>
          counted.noteWhole(clock.currentTimeMillisUnsafe(), accountId, (counts) => {
            counts.samples += 1
            counts.waiting += waiting
            counts.pending += pending
          }),
        write,
        ...reading(sql),
        ...judging(sql),
        fold: (now) =>
          foldSome(now).pipe(
            Effect.repeat({ until: ([row]) => Number(row?.folded ?? 0) < foldBite }),
            Effect.andThen(removeRows(sql, "figures_hours", sql`at < ${now - hoursKeptMs}`, foldBite))
          ),
        removeOfAccount: (accountId) =>
          Effect.andThen(
            removeRows(sql, "figures_minutes", sql`account_id = ${accountId}`, foldBite),
            removeRows(sql, "figures_hours", sql`account_id = ${accountId}`, foldBite)
          )
      })
    })
  )
}

const countsOf = (row: Readonly<Record<CountName, bigint>>): Record<CountName, number> => {
  const counts = {} as Record<CountName, number>
  for (const name of countNames) counts[name] = Number(row[name])
  return counts
}

const noteCommit = (counted: FigureCounts, commit: Commit, now: number): void => {
  const { events, head, moves, settlements } = commit
  if (head !== undefined && events !== undefined && events.length > 0) {
    let [requests, errors, others] = [0, 0, 0]
    for (const { stream } of events) {
      if (stream === Stream.requests) requests += 1
      else if (stream === Stream.errors) errors += 1
      else if (stream !== Stream.logs) others += 1
    }
    counted.note(now, head.accountId, head.emitterId, (counts) => {
      counts.requests += requests
      counts.errors += errors
      counts.events += others
    })
  }
  noteTallies(counted, commit, moves, now)
  noteTallies(counted, commit, settlements, now)
}

/** Notes the events that did not come to a listener. */
const noteTallies = (
  counted: FigureCounts,
  commit: Commit,
  changes: ReadonlyArray<CursorMove | CursorSettlement> | undefined,
  now: number
): void => {
  if (changes === undefined) return
  let [exhausted, dropped, filtered] = [0, 0, 0]
  for (const { tally } of changes) {
    exhausted += Math.max(0, tally.exhausted)
    dropped += Math.max(0, tally.dropped)
    filtered += tally.filtered
  }
  if (exhausted === 0 && dropped === 0 && filtered === 0) return
  counted.note(now, accountOf(commit), ownerOf(commit), (counts) => {
    counts.exhausted += exhausted
    counts.dropped += dropped
    counts.filtered += filtered
  })
}

/** Writes again and again, and once more at the end. */
export const layerWriting: Layer.Layer<never, never, Figures> = Layer.effectDiscard(
  Effect.gen(function*() {
    const figures = yield* Figures
    yield* Effect.addFinalizer(() => Effect.ignore(Effect.timeout(figures.write, lastWriteWithin)))
    // Nothing is counted yet.
    yield* Effect.sleep(writeEveryMs).pipe(
      Effect.provideService(Recurring.Recurring, true),
      Effect.andThen(Recurring.repeat("write figures", writeEveryMs, figures.write)),
      Effect.forkScoped
    )
  })
)
