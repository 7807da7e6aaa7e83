import { BulkAction, type BulkActionState, BulkFilter, BulkRerun } from "@headwater/domain/BulkAction"
import * as EventId from "@headwater/domain/EventId"
import * as Id from "@headwater/domain/Id"
import * as RandomBytes from "@headwater/domain/RandomBytes"
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import * as Column from "../database/Column.ts"
import { inBites } from "../internal/Removal.ts"
import { byPlace, shared } from "../internal/SharedStatement.ts"
import { texts } from "../internal/SqlArray.ts"
import * as Page from "../lists/Page.ts"

/** The outcome of one delivery, event or run of a bulk action: nothing was to be done with one that was skipped. */
export type BulkOutcome = "done" | "failed" | "skipped"

/** A bulk action's part at one owner: a webhook, or a source or workflow. */
export interface BulkPartKey {
  readonly bulkId: string
  readonly ownerId: string
}

/** That something of the page that a part is at is dealt with. */
export interface BulkMark extends BulkPartKey {
  /** Its place in the part's order. */
  readonly key: string
  readonly outcome: BulkOutcome
}

/** A part that has not ended, and what it is to do. */
export interface BulkPart extends BulkPartKey {
  readonly action: BulkAction
  /** All up to here is dealt with. */
  readonly place: string
}

/** The numbers of items that were dealt with, by outcome. */
export type BulkTally = Readonly<Record<BulkOutcome, number>>

export const noTally: BulkTally = { done: 0, failed: 0, skipped: 0 }

/** A part comes to its next page. */
export interface BulkAdvance {
  /** The place at which the page begins: the marks up to here are added up. */
  readonly place: string
  /** The time of what is at that place, Unix milliseconds. */
  readonly placeAt: number | null
  /** The numbers of items that are marked behind that place, and that are to be dealt with in the page. */
  readonly kept: number
  readonly toDo: number
  /** The outcomes of items that were dealt with and are not marked. */
  readonly tally: BulkTally
  /** The reason for which its owner was switched off, where the rest of it is skipped for that. */
  readonly stoppedFor: string | null
}

/** The progress of a bulk action: matched = done + failed + skipped + left. */
export interface BulkProgress extends BulkTally {
  /** So far. */
  readonly matched: number
  /** The number of webhooks, or sources and workflows, at which it is carried out. */
  readonly owners: number
  /** At which it has ended. */
  readonly ownersEnded: number
  /** Those whose owner has paused them: it waits there. */
  readonly waitsAt: ReadonlyArray<string>
  /** Those that were switched off for a reason, and what was left there was skipped. */
  readonly stoppedAt: ReadonlyArray<{ readonly id: string; readonly reason: string }>
  /** Items older than this time are dealt with, in Unix milliseconds; null before it began, and once it has ended. */
  readonly placeAt: number | null
  /** Unix milliseconds; null while it has not. */
  readonly endedAt: number | null
}

export interface BulkActionWithProgress {
  readonly action: BulkAction
  readonly progress: BulkProgress
}

const FilterText = Schema.fromJsonString(BulkFilter)

const Row = Schema.Struct({
  ...BulkAction.fields,
  filter: FilterText,
  rerun: Schema.NullOr(Schema.fromJsonString(BulkRerun)),
  createdAt: Column.Int8
}).pipe(Schema.encodeKeys({
  accountId: "account_id",
  dryRun: "dry_run",
  rateLimit: "rate_limit",
  createdAt: "created_at"
}))

interface ProgressRow {
  readonly matched: bigint
  readonly done: bigint
  readonly failed: bigint
  readonly skipped: bigint
  readonly owners: bigint
  readonly open: bigint
  readonly waits_at: ReadonlyArray<string>
  readonly stopped_at: ReadonlyArray<{ readonly id: string; readonly reason: string }>
  readonly place_at: bigint | null
  readonly ended_at: bigint | null
}

const progressFromRow = (row: ProgressRow, createdAt: number): BulkProgress => ({
  matched: Number(row.matched),
  done: Number(row.done),
  failed: Number(row.failed),
  skipped: Number(row.skipped),
  owners: Number(row.owners),
  ownersEnded: Number(row.owners - row.open),
  waitsAt: row.waits_at,
  stoppedAt: row.stopped_at,
  placeAt: row.place_at === null ? null : Number(row.place_at),
  endedAt: row.open > 0n ? null : row.ended_at === null ? createdAt : Number(row.ended_at)
})

/** Rows removed at once. */
const bite = 1_000

const decode = (row: unknown) => Effect.orDie(Schema.decodeUnknownEffect(Row)(row))

/** The owners at which a bulk action is to be done. */
export type BulkPlace =
  /** At all webhooks, or one of them; `ownOnly` leaves out what sends workflows' own requests. */
  | { readonly at: "webhooks"; readonly id: string | undefined; readonly ownOnly: boolean }
  /** At all sources and workflows, or one of them; `workflowsOnly` leaves out sources. */
  | { readonly at: "programs"; readonly id: string | undefined; readonly workflowsOnly: boolean }

/** The beginning of bulk actions. */
const beginning = (sql: SqlClient.SqlClient) => {
  /** Everything that is there now is meant, also items of a later time if the clock was set back. */
  const presentOf = Effect.fnUntraced(function*(accountId: Id.AccountId) {
    const [newest] = yield* sql<{
      readonly event: bigint | null
      readonly delivery: string | null
      readonly run: string | null
    }>`
      SELECT (SELECT max(last_id) FROM heads WHERE account_id = ${accountId}) AS event, (
        SELECT max(d.id) FROM unnest(ARRAY['pending', 'exhausted', 'dropped']) AS s (state) CROSS JOIN LATERAL (
          SELECT id FROM deliveries WHERE account_id = ${accountId} AND state = s.state ORDER BY id DESC LIMIT 1
        ) AS d
      ) AS delivery, (
        SELECT max(r.id) FROM programs p CROSS JOIN LATERAL (
          SELECT id FROM workflow_runs WHERE workflow_id = p.id ORDER BY id DESC LIMIT 1
        ) AS r WHERE p.account_id = ${accountId} AND p.workflow IS NOT NULL
      ) AS run`
    return Math.max(
      yield* Clock.currentTimeMillis,
      EventId.milliseconds(newest?.event ?? 0n),
      newest?.delivery ? Id.timeOf(newest.delivery) : 0,
      newest?.run ? Id.timeOf(newest.run) : 0
    )
  })

  /** Held, so that no part is begun at an owner that is being deleted. */
  const meantAt = (accountId: Id.AccountId, place: BulkPlace): Statement.Fragment => {
    const meant: Array<Statement.Fragment> = [sql`account_id = ${accountId}`]
    if (place.id !== undefined) meant.push(sql`id = ${place.id}`)
    if (place.at === "webhooks") {
      if (place.ownOnly) meant.push(sql`workflow_id IS NULL`)
      return sql`SELECT id FROM webhooks WHERE ${sql.and(meant)} ORDER BY id FOR KEY SHARE`
    }
    if (place.workflowsOnly) meant.push(sql`workflow IS NOT NULL`)
    return sql`SELECT id FROM programs WHERE ${sql.and([...meant, sql`state <> 'deleting'`])} ORDER BY id FOR KEY SHARE`
  }

  return {
    /** Begins one, at all owners of the account that are meant. Answers these. */
    insert: Effect.fnUntraced(
      function*(
        { accountId, action, dryRun, filter, rateLimit, rerun }: Pick<
          BulkAction,
          "accountId" | "action" | "dryRun" | "filter" | "rateLimit" | "rerun"
        >,
        place: BulkPlace
      ) {
        const now = yield* presentOf(accountId)
        const id = Id.BulkActionId.make(Id.of("bulkAction", now, RandomBytes.take(Id.randomLength)))
        const text = yield* Effect.orDie(Schema.encodeEffect(FilterText)(filter))
        return yield* sql.withTransaction(Effect.gen(function*() {
          yield* sql`
            INSERT INTO bulk_actions ${
            sql.insert({
              id,
              account_id: accountId,
              action,
              filter: text,
              rerun: rerun === null ? null : JSON.stringify(rerun),
              dry_run: dryRun,
              rate_limit: rateLimit,
              state: "running",
              created_at: now
            })
          }`
          const parts = yield* sql<{ readonly owner_id: string }>`
            WITH meant AS (${meantAt(accountId, place)}), parts AS (
              INSERT INTO bulk_parts (bulk_id, owner_id) SELECT ${id}, id FROM meant RETURNING owner_id
            )
            INSERT INTO due_work (owner_id, kind, key, due_at, payload)
            SELECT owner_id, 'bulk', ${id}, ${now}, '{}' FROM parts RETURNING owner_id`
          return { id, ownerIds: parts.map(({ owner_id }) => owner_id) }
        }))
      }
    )
  }
}

/** Bulk actions as a whole. */
const resources = (sql: SqlClient.SqlClient) => {
  /** A part waits for as long as the owner of its webhook, source or workflow has paused that. */
  const pausable = sql`
    LEFT JOIN webhooks w ON w.id = part.owner_id LEFT JOIN programs g ON g.id = part.owner_id`
  // Others send and run nothing, so they go on at owners that are paused.
  const isPaused = sql`(
    NOT b.dry_run AND b.action IN ('retry', 'replay', 'rerun') AND
    coalesce(NOT w.active AND w.disabled_reason IS NULL, NOT g.active, false)
  )`
  const isOpenPart = sql`part.ended_at IS NULL`

  const withProgress = Effect.fnUntraced(function*(
    where: Statement.Fragment,
    order: Statement.Fragment,
    limit: number
  ) {
    const rows = yield* sql<ProgressRow>`
      SELECT b.*, p.owners, p.open, p.place_at, p.ended_at, p.matched, p.done + m.done AS done,
        p.failed + m.failed AS failed, p.skipped + m.skipped AS skipped, p.waits_at, p.stopped_at
      FROM (SELECT * FROM bulk_actions WHERE ${where} ${order} LIMIT ${limit}) AS b
      CROSS JOIN LATERAL (
        SELECT count(*) AS owners, count(*) FILTER (WHERE ended_at IS NULL) AS open, max(ended_at) AS ended_at,
          min(place_at) FILTER (WHERE ended_at IS NULL) AS place_at, coalesce(sum(matched), 0)::bigint AS matched,
          coalesce(sum(done), 0)::bigint AS done, coalesce(sum(failed), 0)::bigint AS failed,
          coalesce(sum(skipped), 0)::bigint AS skipped,
          coalesce(array_agg(owner_id ORDER BY owner_id) FILTER (WHERE ${isOpenPart} AND ${isPaused}), '{}') AS waits_at,
          coalesce(
            json_agg(json_build_object('id', owner_id, 'reason', stopped_for) ORDER BY owner_id)
              FILTER (WHERE stopped_for IS NOT NULL), '[]'
          ) AS stopped_at
        FROM bulk_parts AS part ${pausable} WHERE bulk_id = b.id
      ) AS p
      CROSS JOIN LATERAL (
        SELECT count(*) FILTER (WHERE outcome = 'done') AS done, count(*) FILTER (WHERE outcome = 'failed') AS failed,
          count(*) FILTER (WHERE outcome = 'skipped') AS skipped
        FROM bulk_marks WHERE bulk_id = b.id
      ) AS m
      ${order}`
    return yield* Effect.forEach(
      rows,
      (row) => Effect.map(decode(row), (action) => ({ action, progress: progressFromRow(row, action.createdAt) }))
    )
  })

  return {
    get: (
      accountId: Id.AccountId,
      id: string
    ): Effect.Effect<Option.Option<BulkActionWithProgress>, SqlError.SqlError> =>
      Effect.map(
        withProgress(sql`id = ${id} AND account_id = ${accountId}`, sql.literal("ORDER BY id"), 1),
        ([found]) => Option.fromUndefinedOr(found)
      ),
    page: (
      accountId: Id.AccountId,
      request: Page.PageRequest
    ): Effect.Effect<Page.UncountedPage<BulkActionWithProgress>, SqlError.SqlError> =>
      Effect.map(
        withProgress(
          sql.and([sql`account_id = ${accountId}`, ...Page.within(sql, "id", request)]),
          sql.literal(`ORDER BY id ${Page.orderOf(request)}`),
          request.limit + 1
        ),
        (found) => Page.uncounted(found, request, ({ action }) => action.id)
      ),
    /** The number of an account's that have not ended, and of those that neither count alone nor wait for who paused. */
    countOpen: (
      accountId: Id.AccountId
    ): Effect.Effect<{ readonly all: number; readonly atWork: number }, SqlError.SqlError> =>
      Effect.map(
        sql<{ readonly all: bigint; readonly at_work: bigint }>`
          SELECT count(*) AS all, count(*) FILTER (WHERE at_work) AS at_work FROM (
            SELECT NOT b.dry_run AND bool_or(NOT ${isPaused}) AS at_work
            FROM bulk_actions b JOIN bulk_parts part ON part.bulk_id = b.id AND ${isOpenPart} ${pausable}
            WHERE b.account_id = ${accountId} GROUP BY b.id
          ) AS open`,
        ([row]) => ({ all: Number(row?.all ?? 0n), atWork: Number(row?.at_work ?? 0n) })
      ),
    /** One that was cancelled stays so. */
    change: (
      id: Id.BulkActionId,
      { rateLimit, state }: { readonly state?: BulkActionState; readonly rateLimit?: number }
    ): Effect.Effect<void, SqlError.SqlError> =>
      Effect.asVoid(sql`
              UPDATE bulk_actions SET state = CASE WHEN state = 'cancelled' THEN state ELSE coalesce(${
        state ?? null
      }, state) END,
                rate_limit = coalesce(${rateLimit ?? null}::int, rate_limit)
              WHERE id = ${id}`),
    /** The state and rate that its client has given one meanwhile; none once it is gone. */
    control: (id: string): Effect.Effect<Option.Option<Pick<BulkAction, "rateLimit" | "state">>, SqlError.SqlError> =>
      Effect.map(
        sql<{ readonly state: BulkActionState; readonly rate_limit: number }>`
          SELECT state, rate_limit FROM bulk_actions WHERE id = ${id}`,
        ([row]) =>
          Option.map(Option.fromUndefinedOr(row), ({ rate_limit, state }) => ({ state, rateLimit: rate_limit }))
      ),
    /** Forgets those that have ended and began before a time, in Unix milliseconds. */
    expire: (before: number): Effect.Effect<void, SqlError.SqlError> =>
      inBites(
        bite,
        sql`
          DELETE FROM bulk_actions WHERE id IN (
            SELECT id FROM bulk_actions b WHERE created_at < ${before}
              AND NOT EXISTS (SELECT FROM bulk_parts p WHERE p.bulk_id = b.id AND p.ended_at IS NULL)
            LIMIT ${bite}
          ) RETURNING true`
      )
  }
}

/** Their parts, one at each webhook, source or workflow. */
const parts = (sql: SqlClient.SqlClient) => {
  const ofPart = ({ bulkId, ownerId }: BulkPartKey) => sql`bulk_id = ${bulkId} AND owner_id = ${ownerId}`

  /**
   * Adds up what is marked, with a change of the part. It may be written behind marks that come after it: what it
   * sees of those it must not count.
   */
  const adding = (part: BulkPartKey, marked: Statement.Fragment, set: Statement.Fragment) =>
    Effect.asVoid(sql`
      WITH gone AS (
        DELETE FROM bulk_marks WHERE ${ofPart(part)} AND ${marked} RETURNING outcome
      ), summed AS (
        SELECT count(*) FILTER (WHERE outcome = 'done') AS done, count(*) FILTER (WHERE outcome = 'failed') AS failed,
          count(*) FILTER (WHERE outcome = 'skipped') AS skipped
        FROM gone
      )
      UPDATE bulk_parts p SET ${set} FROM summed s WHERE ${ofPart(part)} AND ended_at IS NULL`)

  const partsOf = shared((ownerIds: ReadonlyArray<string>) =>
    Effect.flatMap(
      sql<{ readonly owner_id: string; readonly place: string; readonly nth: bigint }>`
        SELECT b.*, p.owner_id, p.place, a.nth FROM unnest(${texts(ownerIds)}) WITH ORDINALITY AS a (id, nth)
        JOIN bulk_parts p ON p.owner_id = a.id AND p.ended_at IS NULL
        JOIN bulk_actions b ON b.id = p.bulk_id
        ORDER BY a.nth, b.id`,
      (rows) =>
        Effect.map(
          Effect.forEach(rows, (row) =>
            Effect.map(decode(row), (action) => ({
              place: row.nth,
              part: { bulkId: action.id, ownerId: row.owner_id, action, place: row.place } satisfies BulkPart
            }))),
          (parts) => byPlace(parts, ownerIds.length).map((group) => group.map(({ part }) => part))
        )
    )
  )

  return {
    /** The owners at which one has not ended. */
    openOwners: (id: Id.BulkActionId): Effect.Effect<ReadonlyArray<string>, SqlError.SqlError> =>
      Effect.map(
        sql<{ readonly owner_id: string }>`
          SELECT owner_id FROM bulk_parts WHERE bulk_id = ${id} AND ended_at IS NULL ORDER BY owner_id`,
        (rows) => rows.map(({ owner_id }) => owner_id)
      ),
    /** The parts that an owner is to do, the oldest first. */
    partsOf,
    /** The items of a part that are marked. */
    marked: (part: BulkPartKey): Effect.Effect<ReadonlySet<string>, SqlError.SqlError> =>
      Effect.map(
        sql<{ readonly key: string }>`SELECT key FROM bulk_marks WHERE ${ofPart(part)}`,
        (rows) => new Set(rows.map(({ key }) => key))
      ),
    mark: (marks: ReadonlyArray<BulkMark>): Effect.Effect<void, SqlError.SqlError> =>
      Effect.asVoid(sql`
        INSERT INTO bulk_marks (bulk_id, owner_id, key, outcome)
        SELECT * FROM unnest(
          ${texts(marks.map(({ bulkId }) => bulkId))},
          ${texts(marks.map(({ ownerId }) => ownerId))},
          ${texts(marks.map(({ key }) => key))},
          ${texts(marks.map(({ outcome }) => outcome))}
        ) ON CONFLICT DO NOTHING`),
    advance: (
      part: BulkPartKey,
      { kept, place, placeAt, stoppedFor, tally: { done, failed, skipped }, toDo }: BulkAdvance
    ): Effect.Effect<void, SqlError.SqlError> =>
      adding(
        part,
        sql`key <= ${place}`,
        sql`
          place = ${place}, place_at = coalesce(${placeAt}::bigint, place_at),
          stopped_for = coalesce(${stoppedFor}, stopped_for), done = p.done + s.done + ${done}::bigint,
          failed = p.failed + s.failed + ${failed}::bigint, skipped = p.skipped + s.skipped + ${skipped}::bigint,
          matched = p.done + s.done + p.failed + s.failed + p.skipped + s.skipped
            + ${done + failed + skipped + kept + toDo}::bigint`
      ),
    /** More that matches was found, and is not to be dealt with. */
    count: (
      part: BulkPartKey,
      { count, place, placeAt }: { readonly place: string; readonly placeAt: number | null; readonly count: number }
    ): Effect.Effect<void, SqlError.SqlError> =>
      Effect.asVoid(sql`
        UPDATE bulk_parts SET place = ${place}, place_at = coalesce(${placeAt}::bigint, place_at),
          matched = matched + ${count}::bigint
        WHERE ${ofPart(part)} AND ended_at IS NULL`),
    /** A part has ended: all that is marked is added up. */
    end: (part: BulkPartKey, endedAt: number): Effect.Effect<void, SqlError.SqlError> =>
      adding(
        part,
        sql`true`,
        sql`
          done = p.done + s.done, failed = p.failed + s.failed, skipped = p.skipped + s.skipped,
          ended_at = ${endedAt}::bigint`
      ),
    /** All parts of an owner that is gone have ended. */
    endOfOwner: (ownerId: string, endedAt: number): Effect.Effect<void, SqlError.SqlError> =>
      Effect.asVoid(sql`
        UPDATE bulk_parts SET ended_at = ${endedAt} WHERE owner_id = ${ownerId} AND ended_at IS NULL`)
  }
}

const make = Effect.map(SqlClient.SqlClient, (sql) => ({
  ...beginning(sql),
  ...resources(sql),
  ...parts(sql)
}))

/**
 * The tables `bulk_actions`, `bulk_parts` and `bulk_marks`: what is done with many deliveries or runs, how far that has come at
 * each owner, and what is done of the page that it is at there. A part is changed by its owner, in that one's commits.
 */
export class BulkActions
  extends Context.Service<BulkActions, Effect.Success<typeof make>>()("@headwater/log/work/BulkActions")
{
  static readonly layer: Layer.Layer<BulkActions, never, SqlClient.SqlClient> = Layer.effect(BulkActions, make)
}
