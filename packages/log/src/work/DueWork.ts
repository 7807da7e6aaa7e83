import { Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { removeRows } from "../internal/Removal.ts"
import { byPlace, shared } from "../internal/SharedStatement.ts"
import { numbers, texts } from "../internal/SqlArray.ts"

/** The kinds of work that is owed at a time. */
export type DueKind = "timer" | "emit" | "delete" | "retry" | "wake" | "resume" | "bulk"

export interface DueKey {
  /** The actor that owns the work. */
  readonly ownerId: string
  readonly kind: DueKind
  readonly key: string
}

/** Work owed at a time; a later one with the same key replaces it. */
export interface DueItem extends DueKey {
  /** Unix milliseconds. */
  readonly dueAt: number
  /** JSON text, of the kind's own shape. */
  readonly payload: string
}

/** A place in the order of an owner's work. */
export type DuePlace = Pick<DueItem, "dueAt" | "key">

/** A time at which an owner has something due, and a place in the order of what is due. */
export interface DueOwner {
  readonly ownerId: string
  /** Unix milliseconds. */
  readonly dueAt: number
}

/** Before everything that is due. */
export const beforeAll: DueOwner = { ownerId: "", dueAt: 0 }

/** The owners of work that is due between two places. */
export interface DueOwners {
  /** Each owner once, with the latest of its times on the page, in the order of these. */
  readonly owners: ReadonlyArray<DueOwner>
  /** The place at which the next page begins; undefined if nothing more is due. */
  readonly next: DueOwner | undefined
  /** The time at which the first is due that is not yet, in Unix milliseconds; undefined if none is. */
  readonly later: number | undefined
}

interface DueRow {
  readonly owner_id: string
  readonly kind: DueKind
  readonly key: string
  readonly due_at: bigint
  readonly payload: string
}

const fromRow = (row: DueRow): DueItem => ({
  ownerId: row.owner_id,
  kind: row.kind,
  key: row.key,
  dueAt: Number(row.due_at),
  payload: row.payload
})

/** The most bytes of due work that are read at once. */
const mostBytes = 4 * 1024 * 1024

/** True if there may be more due than what was read with such a limit. */
export const isFull = (page: ReadonlyArray<DueItem>, limit: number): boolean =>
  page.length === limit || page.reduce((bytes, { payload }) => bytes + Buffer.byteLength(payload), 0) >= mostBytes

interface DueQuestion {
  readonly ownerId: string
  readonly now: number
  readonly limit: number
  readonly but: ReadonlyArray<DueKind>
  readonly after: DuePlace | undefined
}

/** The number of an owner's retries that are due in a step of time. */
export interface DueStep {
  readonly ownerId: string
  /**
   * From 0. Retries that are due already are in the first step, and those that are due later than the last are in one
   * more.
   */
  readonly step: number
  readonly due: number
}

/** Retries that are counted at once. */
const mostCounted = 50_000

/**
 * The `due_work` table: timers, delayed emits, deletions, retries, wake-ups and runs that wait, so that none of them
 * needs a resident actor.
 */
export class DueWork extends Context.Service<DueWork, {
  /**
   * The numbers of owners' retries that are due in each of so many steps from a time on, in Unix milliseconds: of the
   * first 50,000.
   */
  readonly retriesByStep: (ownerIds: ReadonlyArray<string>, options: {
    readonly from: number
    readonly stepMs: number
    readonly steps: number
  }) => Effect.Effect<{ readonly steps: ReadonlyArray<DueStep>; readonly isCut: boolean }, SqlError.SqlError>
  readonly put: (items: ReadonlyArray<DueItem>) => Effect.Effect<void, SqlError.SqlError>
  /** Takes work off, unless it was put off to a later time than it had when it was taken. */
  readonly done: (items: ReadonlyArray<DueItem>) => Effect.Effect<void, SqlError.SqlError>
  /**
   * Owners with something due at `now`, from what comes behind `after` on. Reads no more rows than `limit`, and skips
   * those alike.
   */
  readonly ownersDue: (
    now: number,
    after: DueOwner,
    limit: number
  ) => Effect.Effect<DueOwners, SqlError.SqlError>
  /** The time at which the next work is due after a time, in Unix milliseconds; undefined if none is. */
  readonly nextAfter: (time: number) => Effect.Effect<number | undefined, SqlError.SqlError>
  /**
   * The due work of an owner, of all kinds but some, soonest first; with `after`, the part behind that place. At most
   * `limit`, and no more once payloads have come to 4 MiB: `isFull` says whether there may be more.
   */
  readonly dueOf: (
    ownerId: string,
    now: number,
    limit: number,
    but?: ReadonlyArray<DueKind>,
    after?: DuePlace
  ) => Effect.Effect<ReadonlyArray<DueItem>, SqlError.SqlError>
  /**
   * The earliest time that each kind of work is due at since, in Unix milliseconds; undefined where none is. Work of a
   * suspended account does not count.
   */
  readonly oldest: (now: number) => Effect.Effect<Readonly<Record<DueKind, number | undefined>>, SqlError.SqlError>
  /** Everything an owner has of one kind, due or not. */
  readonly allOf: (ownerId: string, kind: DueKind) => Effect.Effect<ReadonlyArray<DueItem>, SqlError.SqlError>
  /** Makes work of one kind that is not due yet due at `now`. */
  readonly bringForward: (ownerId: string, kind: DueKind, now: number) => Effect.Effect<void, SqlError.SqlError>
  /** The same for some of it, by their keys. */
  readonly hasten: (
    ownerId: string,
    kind: DueKind,
    keys: ReadonlyArray<string>,
    now: number
  ) => Effect.Effect<void, SqlError.SqlError>
  readonly removeAll: (ownerId: string) => Effect.Effect<void, SqlError.SqlError>
}>()("@headwater/log/work/DueWork") {
  static readonly layer: Layer.Layer<DueWork, never, SqlClient.SqlClient> = Layer.effect(
    DueWork,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const dueOf = shared((asked: ReadonlyArray<DueQuestion>) =>
        Effect.map(
          sql<DueRow & { readonly place: bigint }>`
            SELECT d.*, a.place FROM unnest(
              ${texts(asked.map(({ ownerId }) => ownerId))},
              ${numbers(asked.map(({ now }) => now))},
              ${numbers(asked.map(({ limit }) => limit))},
              ${texts(asked.map(({ but }) => but.join(" ")))},
              ${numbers(asked.map(({ after }) => after?.dueAt ?? Number.MIN_SAFE_INTEGER))},
              ${texts(asked.map(({ after }) => after?.key ?? ""))}
            ) WITH ORDINALITY AS a (owner_id, now, most, but, after_due_at, after_key, place)
            CROSS JOIN LATERAL (
              SELECT *, sum(octet_length(payload)) OVER (ORDER BY due_at, key) - octet_length(payload) AS bytes_before
              FROM (
                SELECT * FROM due_work d
                WHERE d.owner_id = a.owner_id AND d.due_at <= a.now AND d.kind <> ALL (string_to_array(a.but, ' '))
                  AND d.due_at >= a.after_due_at AND (d.due_at, d.key) > (a.after_due_at, a.after_key)
                ORDER BY d.due_at, d.key LIMIT a.most
              ) AS first
            ) AS d
            WHERE d.bytes_before < ${mostBytes}
            ORDER BY a.place, d.due_at, d.key`,
          (rows) => byPlace(rows, asked.length).map((group) => group.map(fromRow))
        )
      )

      return DueWork.of({
        put: (items) =>
          Effect.asVoid(sql`
            INSERT INTO due_work (owner_id, kind, key, due_at, payload)
            SELECT * FROM unnest(
              ${texts(items.map((item) => item.ownerId))},
              ${texts(items.map((item) => item.kind))},
              ${texts(items.map((item) => item.key))},
              ${numbers(items.map((item) => item.dueAt))},
              ${texts(items.map((item) => item.payload))}
            )
            ON CONFLICT (owner_id, kind, key) DO UPDATE SET due_at = excluded.due_at, payload = excluded.payload`),
        done: (items) =>
          Effect.asVoid(sql`
            DELETE FROM due_work d USING unnest(
              ${texts(items.map((item) => item.ownerId))},
              ${texts(items.map((item) => item.kind))},
              ${texts(items.map((item) => item.key))},
              ${numbers(items.map((item) => item.dueAt))}
            ) AS k (owner_id, kind, key, due_at)
            WHERE d.owner_id = k.owner_id AND d.kind = k.kind AND d.key = k.key AND d.due_at <= k.due_at`),
        ownersDue: (now, after, limit) =>
          Effect.map(
            sql<{ owner_id: string; due_at: bigint; rows: bigint }>`
              SELECT owner_id, max(due_at) AS due_at, count(*) AS rows FROM (
                SELECT owner_id, due_at FROM due_work
                WHERE due_at <= ${now} AND (due_at, owner_id) > (${after.dueAt}::bigint, ${after.ownerId})
                ORDER BY due_at, owner_id LIMIT ${limit}
              ) AS page
              GROUP BY owner_id
              UNION ALL (SELECT owner_id, due_at, 0 FROM due_work WHERE due_at > ${now} ORDER BY due_at LIMIT 1)
              ORDER BY due_at, owner_id`,
            (rows) => {
              const found = rows.map((row) => ({ ownerId: row.owner_id, dueAt: Number(row.due_at) }))
              const owners = found.filter(({ dueAt }) => dueAt <= now)
              const isFull = rows.reduce((sum, row) => sum + Number(row.rows), 0) === limit
              return { owners, next: isFull ? owners.at(-1) : undefined, later: found[owners.length]?.dueAt }
            }
          ),
        nextAfter: (time) =>
          Effect.map(
            sql<{ next: bigint | null }>`SELECT min(due_at) AS next FROM due_work WHERE due_at > ${time}`,
            ([row]) => row?.next === null || row === undefined ? undefined : Number(row.next)
          ),
        dueOf: (ownerId, now, limit, but = [], after) => dueOf({ ownerId, now, limit, but, after }),
        oldest: (now) =>
          Effect.map(
            sql<{ kind: DueKind; due_at: bigint }>`
              SELECT kind, min(due_at) AS due_at FROM due_work
              WHERE due_at <= ${now} AND owner_id <> ALL (ARRAY (
                SELECT o.id FROM accounts a
                CROSS JOIN LATERAL (
                  SELECT id FROM programs WHERE account_id = a.id UNION ALL SELECT id FROM webhooks WHERE account_id = a.id
                ) AS o
                WHERE a.suspended_at IS NOT NULL
              ))
              GROUP BY kind`,
            (rows) => {
              const known = new Map(rows.map((row) => [row.kind, Number(row.due_at)]))
              const of = (kind: DueKind) => known.get(kind)
              return {
                timer: of("timer"),
                emit: of("emit"),
                delete: of("delete"),
                retry: of("retry"),
                wake: of("wake"),
                resume: of("resume"),
                bulk: of("bulk")
              }
            }
          ),
        allOf: (ownerId, kind) =>
          Effect.map(
            sql<DueRow>`SELECT * FROM due_work WHERE owner_id = ${ownerId} AND kind = ${kind}`,
            (rows) => rows.map(fromRow)
          ),
        retriesByStep: (ownerIds, { from, stepMs, steps }) =>
          Effect.map(
            sql<{ readonly owner_id: string; readonly step: bigint; readonly due: bigint }>`
              SELECT owner_id, least(greatest(due_at - ${from}::bigint, 0) / ${stepMs}::bigint, ${steps}::bigint) AS step, count(*) AS due
              FROM (
                SELECT owner_id, due_at FROM due_work WHERE owner_id = ANY (${texts(ownerIds)}) AND kind = 'retry'
                LIMIT ${mostCounted}
              ) AS retries
              GROUP BY 1, 2 ORDER BY 1, 2`,
            (rows) => ({
              steps: rows.map((row) => ({ ownerId: row.owner_id, step: Number(row.step), due: Number(row.due) })),
              isCut: rows.reduce((sum, { due }) => sum + Number(due), 0) === mostCounted
            })
          ),
        bringForward: (ownerId, kind, now) =>
          Effect.asVoid(sql`
            UPDATE due_work SET due_at = ${now} WHERE owner_id = ${ownerId} AND kind = ${kind} AND due_at > ${now}`),
        hasten: (ownerId, kind, keys, now) =>
          Effect.asVoid(sql`
            UPDATE due_work SET due_at = ${now}
            WHERE owner_id = ${ownerId} AND kind = ${kind} AND key = ANY (${texts(keys)}) AND due_at > ${now}`),
        removeAll: (ownerId) => removeRows(sql, "due_work", sql`owner_id = ${ownerId}`)
      })
    })
  )
}
