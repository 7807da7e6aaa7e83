import * as Recurring from "@headwater/domain/Recurring"
import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { type Commit, runsIn } from "../commit/Commit.ts"
import * as CrashPoint from "../commit/CrashPoint.ts"
import { texts } from "../internal/SqlArray.ts"
import type { CursorKey } from "../work/Cursors.ts"
import { isBooked } from "../work/RunBooks.ts"

/** The interval at which this node folds what it journaled, in milliseconds. */
export const foldEveryMs = 5_000

/** The interval of looks for the journals of nodes that are gone, in milliseconds. */
export const sweepEveryMs = 600_000

/** Emitters or cursors that one transaction folds. */
const bite = 500

/** Emitters or cursors that one statement of a sweep looks at. */
const sweepPage = 1_000

const portions = <A>(items: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(items.length / bite) }, (_, n) => items.slice(n * bite, (n + 1) * bite))

/** The journaled emitters and cursors since the last fold. */
class Touched {
  readonly emitters = new Set<string>()
  private readonly cursors = new Map<string, Map<string, CursorKey>>()

  addCursor(key: CursorKey): void {
    let ofSubscription = this.cursors.get(key.subscriptionId)
    if (ofSubscription === undefined) {
      ofSubscription = new Map()
      this.cursors.set(key.subscriptionId, ofSubscription)
    }
    if (!ofSubscription.has(key.emitterId)) ofSubscription.set(key.emitterId, key)
  }

  allCursors(): ReadonlyArray<CursorKey> {
    return [...this.cursors.values()].flatMap((ofSubscription) => [...ofSubscription.values()])
  }
}

// Of a journal there may be far more rows that were folded, and can't be removed yet, than those that are sought.
const byIndex = (sql: SqlClient.SqlClient) =>
  sql`
  SELECT set_config(name, 'off', true) FROM unnest(ARRAY['enable_seqscan', 'enable_hashjoin', 'enable_mergejoin']) AS s (name)`

/** Folds emitters: their heads, usage and state. */
const foldEmitters =
  (sql: SqlClient.SqlClient) => (emitterIds: ReadonlyArray<string>): Effect.Effect<void, SqlError.SqlError> =>
    sql.withTransaction(Effect.gen(function*() {
      yield* byIndex(sql)
      const locked = yield* sql<{ emitter_id: string }>`
      SELECT emitter_id FROM heads_folded WHERE emitter_id = ANY (${texts(emitterIds)})
      ORDER BY emitter_id FOR NO KEY UPDATE`
      if (locked.length === 0) return
      // A statement of its own, which sees what was folded while that one waited, and folds what that one locked.
      yield* sql`
      WITH base AS MATERIALIZED (
        SELECT emitter_id, account_id, folded_seq FROM heads_folded
        WHERE emitter_id = ANY (${texts(locked.map(({ emitter_id }) => emitter_id))})
      ), moved AS MATERIALIZED (
        DELETE FROM heads_journal j USING base b WHERE j.emitter_id = b.emitter_id AND j.seq > b.folded_seq
        RETURNING j.emitter_id, b.account_id, j.seq, j.last_id, j.streams, j.day, j.invocations, j.compute_ms,
          j.runs_received, j.runs_done, j.runs_failed, j.runs_cancelled
      ), stored AS MATERIALIZED (
        DELETE FROM program_state_journal j USING base b WHERE j.program_id = b.emitter_id AND j.seq > b.folded_seq
        RETURNING j.program_id, j.seq, j.key, j.value
      ), used AS (
        INSERT INTO usage_folded AS u (emitter_id, account_id, day, invocations, compute_ms)
        SELECT emitter_id, account_id, day, sum(invocations)::bigint, sum(compute_ms)::bigint
        FROM moved WHERE day IS NOT NULL
        GROUP BY emitter_id, account_id, day ORDER BY emitter_id, day
        ON CONFLICT (emitter_id, day) DO UPDATE SET
          invocations = u.invocations + excluded.invocations,
          compute_ms = u.compute_ms + excluded.compute_ms
      ), written AS MATERIALIZED (
        SELECT DISTINCT ON (program_id, key) program_id, key, value FROM stored
        ORDER BY program_id, key, seq DESC
      ), forgotten AS (
        DELETE FROM program_state_folded s USING written w
        WHERE s.program_id = w.program_id AND s.key = w.key AND w.value IS NULL
      ), kept AS (
        INSERT INTO program_state_folded (program_id, key, value)
        SELECT program_id, key, value FROM written WHERE value IS NOT NULL
        ON CONFLICT (program_id, key) DO UPDATE SET value = excluded.value
      ), newest AS (
        SELECT DISTINCT ON (emitter_id) emitter_id, last_id, streams FROM moved WHERE last_id IS NOT NULL
        ORDER BY emitter_id, seq DESC
      ), booked AS (
        SELECT emitter_id, coalesce(sum(runs_received), 0)::bigint AS received, coalesce(sum(runs_done), 0)::bigint AS done,
          coalesce(sum(runs_failed), 0)::bigint AS failed, coalesce(sum(runs_cancelled), 0)::bigint AS cancelled
        FROM moved GROUP BY emitter_id
      ), upto AS (
        SELECT emitter_id, max(seq) AS seq FROM (
          SELECT emitter_id, seq FROM moved UNION ALL SELECT program_id, seq FROM stored
        ) AS deleted
        GROUP BY emitter_id
      )
      UPDATE heads_folded b SET
        last_id = coalesce(n.last_id, b.last_id),
        streams = coalesce(n.streams, b.streams),
        runs_received = b.runs_received + coalesce(k.received, 0),
        runs_done = b.runs_done + coalesce(k.done, 0),
        runs_failed = b.runs_failed + coalesce(k.failed, 0),
        runs_cancelled = b.runs_cancelled + coalesce(k.cancelled, 0),
        folded_seq = u.seq
      FROM upto u LEFT JOIN newest n USING (emitter_id) LEFT JOIN booked k USING (emitter_id)
      WHERE b.emitter_id = u.emitter_id`
      CrashPoint.reached("fold-written")
    }))

/** Folds cursors. The journal's rows of those that are gone go too. */
const foldCursors =
  (sql: SqlClient.SqlClient) => (keys: ReadonlyArray<CursorKey>): Effect.Effect<void, SqlError.SqlError> =>
    sql.withTransaction(Effect.gen(function*() {
      const wanted = (keys: ReadonlyArray<CursorKey>) =>
        sql`unnest(
        ${texts(keys.map(({ subscriptionId }) => subscriptionId))},
        ${texts(keys.map(({ emitterId }) => emitterId))}
      ) AS k (subscription_id, emitter_id)`
      yield* byIndex(sql)
      const rows = yield* sql<{ subscription_id: string; emitter_id: string }>`
      SELECT c.subscription_id, c.emitter_id FROM cursors_folded c
      JOIN ${wanted(keys)} USING (subscription_id, emitter_id)
      ORDER BY c.subscription_id, c.emitter_id FOR NO KEY UPDATE OF c`
      const known = new Set(rows.map((row) => `${row.subscription_id} ${row.emitter_id}`))
      const isKnown = (key: CursorKey) => known.has(`${key.subscriptionId} ${key.emitterId}`)
      const [gone, locked] = [keys.filter((key) => !isKnown(key)), keys.filter(isKnown)]
      if (gone.length > 0) {
        yield* sql`
        DELETE FROM cursors_journal j USING ${wanted(gone)}
        WHERE j.subscription_id = k.subscription_id AND j.emitter_id = k.emitter_id AND NOT EXISTS (
          SELECT FROM cursors_folded c
          WHERE c.subscription_id = k.subscription_id AND c.emitter_id = k.emitter_id
        )`
      }
      if (locked.length === 0) return
      yield* sql`
      WITH base AS MATERIALIZED (
        SELECT c.subscription_id, c.emitter_id, c.folded_seq FROM cursors_folded c
        JOIN ${wanted(locked)} USING (subscription_id, emitter_id)
      ), moved AS MATERIALIZED (
        DELETE FROM cursors_journal j USING base b
        WHERE j.subscription_id = b.subscription_id AND j.emitter_id = b.emitter_id AND j.seq > b.folded_seq
        RETURNING j.*
      ), sums AS (
        SELECT subscription_id, emitter_id, max(seq) AS seq,
          (array_agg(n ORDER BY seq DESC) FILTER (WHERE n IS NOT NULL))[1] AS n,
          (array_agg(id ORDER BY seq DESC) FILTER (WHERE n IS NOT NULL))[1] AS id,
          sum(delivered)::bigint AS delivered, sum(pending)::bigint AS pending,
          sum(exhausted)::bigint AS exhausted, sum(dropped)::bigint AS dropped,
          sum(filtered)::bigint AS filtered, sum(too_costly)::bigint AS too_costly
        FROM moved GROUP BY subscription_id, emitter_id
      )
      UPDATE cursors_folded c SET
        n = coalesce(s.n, c.n),
        id = coalesce(s.id, c.id),
        delivered = c.delivered + s.delivered,
        pending = c.pending + s.pending,
        exhausted = c.exhausted + s.exhausted,
        dropped = c.dropped + s.dropped,
        filtered = c.filtered + s.filtered,
        too_costly = c.too_costly + s.too_costly,
        folded_seq = s.seq
      FROM sums s WHERE c.subscription_id = s.subscription_id AND c.emitter_id = s.emitter_id`
      CrashPoint.reached("fold-written")
    }))

/** Each in a transaction of its own, so that what stands against one holds up no other. */
const inBites = <A>(
  items: ReadonlyArray<A>,
  fold: (items: ReadonlyArray<A>) => Effect.Effect<void, SqlError.SqlError>,
  putBack: (item: A) => void
) =>
  Effect.forEach(portions(items), (portion) =>
    Effect.catchCause(fold(portion), (cause) => {
      portion.forEach(putBack)
      return Effect.logWarning("Could not fold what commits have moved; trying again", cause)
    }), { discard: true })

const sweepEmitters = Effect.fnUntraced(function*(sql: SqlClient.SqlClient) {
  let after = ""
  while (true) {
    const page = yield* sql<{ emitter_id: string; unfolded: boolean }>`
      SELECT emitter_id,
        EXISTS (SELECT FROM heads_journal j WHERE j.emitter_id = b.emitter_id AND j.seq > b.folded_seq)
          OR EXISTS (SELECT FROM program_state_journal j
            WHERE j.program_id = b.emitter_id AND j.seq > b.folded_seq) AS unfolded
      FROM heads_folded b WHERE emitter_id > ${after} ORDER BY emitter_id LIMIT ${sweepPage}`
    const left = page.filter(({ unfolded }) => unfolded).map(({ emitter_id }) => emitter_id)
    yield* Effect.forEach(portions(left), foldEmitters(sql), { discard: true })
    if (page.length < sweepPage) return
    after = page.at(-1)!.emitter_id
  }
})

const sweepCursors = Effect.fnUntraced(function*(sql: SqlClient.SqlClient) {
  let after = { subscription_id: "", emitter_id: "" }
  while (true) {
    const page = yield* sql<{ subscription_id: string; emitter_id: string; unfolded: boolean }>`
      SELECT subscription_id, emitter_id, EXISTS (
        SELECT FROM cursors_journal j WHERE j.subscription_id = b.subscription_id
          AND j.emitter_id = b.emitter_id AND j.seq > b.folded_seq
      ) AS unfolded
      FROM cursors_folded b
      WHERE (subscription_id, emitter_id) > (${after.subscription_id}, ${after.emitter_id})
      ORDER BY subscription_id, emitter_id LIMIT ${sweepPage}`
    const left = page.filter(({ unfolded }) => unfolded).map((row): CursorKey => ({
      subscriptionId: row.subscription_id,
      emitterId: row.emitter_id
    }))
    yield* Effect.forEach(portions(left), foldCursors(sql), { discard: true })
    if (page.length < sweepPage) return
    after = page.at(-1)!
  }
})

// A node that is gone may have moved what was being removed.
const sweepOrphans = (sql: SqlClient.SqlClient) =>
  sql`
  DELETE FROM cursors_journal j WHERE NOT EXISTS (
    SELECT FROM cursors_folded c WHERE c.subscription_id = j.subscription_id AND c.emitter_id = j.emitter_id
  )`

/** Folds what commits have moved, and knows what this node's have moved since the last time. */
class Folding {
  private touched = new Touched()
  private readonly sql: SqlClient.SqlClient

  constructor(sql: SqlClient.SqlClient) {
    this.sql = sql
  }

  /** An emitter that is to be folded next time. */
  noteEmitter(emitterId: string): void {
    this.touched.emitters.add(emitterId)
  }

  /** Notes what commits moved, to be folded next time. */
  note(commits: ReadonlyArray<Commit>): void {
    const { touched } = this
    for (const commit of commits) {
      const { events, head, moves, settlements, state, usage } = commit
      if (head !== undefined && isBooked(runsIn(commit))) touched.emitters.add(head.emitterId)
      if (events !== undefined && events.length > 0 && head !== undefined) touched.emitters.add(head.emitterId)
      for (const { emitterId } of usage ?? []) touched.emitters.add(emitterId)
      for (const { programId } of state ?? []) touched.emitters.add(programId)
      for (const move of moves ?? []) touched.addCursor(move)
      for (const settlement of settlements ?? []) touched.addCursor(settlement)
    }
  }

  /** Folds what was noted since the last time. Rows that can't be folded now are noted for the next time. */
  readonly fold: Effect.Effect<void> = Effect.suspend(() => {
    const taken = this.touched
    this.touched = new Touched()
    return Effect.andThen(
      inBites([...taken.emitters], foldEmitters(this.sql), (id) => this.touched.emitters.add(id)),
      inBites(taken.allCursors(), foldCursors(this.sql), (key) => this.touched.addCursor(key))
    )
  })

  foldEmitters(emitterIds: ReadonlyArray<string>): Effect.Effect<void, SqlError.SqlError> {
    return foldEmitters(this.sql)(emitterIds)
  }

  foldCursors(keys: ReadonlyArray<CursorKey>): Effect.Effect<void, SqlError.SqlError> {
    return foldCursors(this.sql)(keys)
  }

  /** Folds whatever is left of anybody. */
  get sweep(): Effect.Effect<void, SqlError.SqlError> {
    const { sql } = this
    return sweepEmitters(sql).pipe(Effect.andThen(sweepCursors(sql)), Effect.andThen(sweepOrphans(sql)), Effect.asVoid)
  }
}

/**
 * The tables `heads_journal`, `cursors_journal` and `program_state_journal`, and how their rows come into
 * `heads_folded`, `cursors_folded`, `usage_folded` and `program_state_folded`.
 *
 * A commit inserts what it moves, under a number that grows, and changes no row: so it leaves no version behind that
 * those after it walk over. The truth about an emitter or a cursor is its folded row and the journal's rows above that
 * row's `folded_seq`. Its owner's commits follow on each other under its fence, so what of them can be seen at any time
 * is all up to a number. To fold deletes these rows and puts them into the folded one, in one transaction: whoever does
 * it, whenever and however often, the same is true after it as before.
 */
export class Journals extends Context.Service<Journals, Folding>()("@headwater/log/logs/Journals") {
  static readonly layer: Layer.Layer<Journals, never, SqlClient.SqlClient> = Layer.effect(
    Journals,
    Effect.map(SqlClient.SqlClient, (sql) => new Folding(sql))
  )
}

/** Folds again and again. */
export const layerFolding: Layer.Layer<never, never, Journals> = Layer.effectDiscard(
  Effect.gen(function*() {
    const journals = yield* Journals
    let sweptAt = yield* Clock.currentTimeMillis
    const foldAndSweep = Effect.gen(function*() {
      yield* journals.fold
      const now = yield* Clock.currentTimeMillis
      if (now - sweptAt < sweepEveryMs) return
      sweptAt = now
      yield* journals.sweep
    })
    yield* Recurring.every("fold what commits have moved", foldEveryMs, foldAndSweep)
  })
)
