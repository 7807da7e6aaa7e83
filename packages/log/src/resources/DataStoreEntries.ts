import type { DataStoreChanges, DataStoreEntry, EntryChange } from "@headwater/domain/DataStore"
import type * as Id from "@headwater/domain/Id"
import { Context, Effect, Layer } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { Fenced } from "../commit/CommitWriter.ts"
import { removeRows } from "../internal/Removal.ts"
import { numbers, texts } from "../internal/SqlArray.ts"

/** The most bytes of the values of a page of entries, if there is more than one. */
const pageBytes = 256 * 1024

export interface EntriesRequest {
  /** Only keys behind this one, in the order of their UTF-8. */
  readonly after: string | null
  /** Only keys that begin so. */
  readonly prefix?: string | undefined
  readonly limit: number
  /** False if the values are not needed: they are `null` then. */
  readonly hasValues?: boolean
}

type Change<Tag extends EntryChange["_tag"]> = { readonly storeId: string } & EntryChange & { readonly _tag: Tag }

/** @param ttl milliseconds; null for a value that stays */
const expiryOf = (ttl: number | null, now: number): number | null => ttl === null ? null : now + ttl

interface EntryRow {
  readonly key: string
  readonly value: string
  readonly expires_at: bigint | null
}

const entryOf = ({ expires_at, key, value }: EntryRow): DataStoreEntry => ({
  key,
  value,
  expiresAt: expires_at === null ? null : Number(expires_at)
})

const isLive = (sql: SqlClient.SqlClient, now: number) => sql`(expires_at IS NULL OR expires_at > ${now})`

const makeReads = (sql: SqlClient.SqlClient) => {
  /** @param now Unix milliseconds: what has expired by then is not there */
  const reads = {
    entry: (storeId: string, key: string, now: number) =>
      Effect.map(entriesOf(sql`store_id = ${storeId} AND key = ${key} AND ${isLive(sql, now)}`), ([entry]) => entry),
    size: (storeId: string, now: number) =>
      Effect.map(
        sql<{ readonly count: bigint }>`
          SELECT count(*) AS count FROM data_store_entries WHERE store_id = ${storeId} AND ${isLive(sql, now)}`,
        ([row]) => Number(row?.count ?? 0)
      ),
    /** The entries of all data stores of an account, and the bytes of their keys and values. */
    heldBy: (accountId: Id.AccountId, now: number) =>
      Effect.map(
        sql<{ readonly bytes: bigint; readonly entries: bigint }>`
          SELECT count(*) AS entries, coalesce(sum(octet_length(key) + octet_length(value)), 0) AS bytes
          FROM data_store_entries
          WHERE store_id IN (SELECT id FROM data_stores WHERE account_id = ${accountId}) AND ${isLive(sql, now)}`,
        ([row]) => ({ bytes: Number(row?.bytes ?? 0), entries: Number(row?.entries ?? 0) })
      ),
    /** In the order of the keys' UTF-8. A page of large values has fewer than its limit. */
    entries: Effect.fnUntraced(
      function*(storeId: string, { after, hasValues = true, limit, prefix }: EntriesRequest, now: number) {
        const where = sql.and([
          sql`store_id = ${storeId}`,
          isLive(sql, now),
          ...(after === null ? [] : [sql`key > ${after}`]),
          ...(prefix === undefined ? [] : [sql`starts_with(key, ${prefix})`])
        ])
        const rows = yield* sql<EntryRow & { readonly found: number }>`
        SELECT key, value, expires_at, found FROM (
          SELECT *, sum(octet_length(value)) OVER (ORDER BY key) - octet_length(value) AS bytes_before, (count(*) OVER ())::int AS found
          FROM (
            SELECT key, ${hasValues ? sql`value` : sql`'null' AS value`}, expires_at FROM data_store_entries
            WHERE ${where} ORDER BY key LIMIT ${limit}
          ) AS page
        ) AS summed
        WHERE bytes_before < ${pageBytes} ORDER BY key`
        return { entries: rows.map(entryOf), isLast: rows.length < limit && rows.length === (rows[0]?.found ?? 0) }
      }
    )
  }

  const entriesOf = (where: Statement.Fragment) =>
    Effect.map(
      sql<EntryRow>`SELECT key, value, expires_at FROM data_store_entries WHERE ${where}`,
      (rows) => rows.map(entryOf)
    )
  return reads
}

/** The statements that make changes, each of several changes of one kind. */
const makeStatements = (sql: SqlClient.SqlClient) => {
  const keysOf = (changes: ReadonlyArray<{ readonly storeId: string; readonly key: string }>) => ({
    storeIds: texts(changes.map(({ storeId }) => storeId)),
    keys: texts(changes.map(({ key }) => key))
  })

  /** Sets values. @param onConflict the entries that there are, of which it answers those that it changed */
  const put = (changes: ReadonlyArray<Change<"Set">>, now: number, onConflict: Statement.Fragment) => {
    const { keys, storeIds } = keysOf(changes)
    return sql`
      INSERT INTO data_store_entries (store_id, key, value, expires_at, updated_at)
      SELECT s.id, w.key, w.value, w.expires_at, ${now}
      FROM unnest(
        ${storeIds}, ${keys}, ${texts(changes.map(({ value }) => value))},
        ${numbers(changes.map(({ ttl }) => expiryOf(ttl, now)))}
      ) AS w (store_id, key, value, expires_at)
      JOIN data_stores s ON s.id = w.store_id
      ORDER BY w.store_id, w.key FOR KEY SHARE OF s
      ON CONFLICT (store_id, key) DO UPDATE
      SET value = excluded.value, expires_at = excluded.expires_at, updated_at = excluded.updated_at
      ${onConflict}
      RETURNING key`
  }

  const numberPattern = "^-?[0-9]+([.][0-9]+)?([eE][+-]?[0-9]+)?$"

  /** Adds to numbers; any other value, and one that has expired, counts as 0. */
  const add = (changes: ReadonlyArray<Change<"Add">>, now: number) => {
    const { keys, storeIds } = keysOf(changes)
    return sql`
      INSERT INTO data_store_entries AS e (store_id, key, value, expires_at, updated_at)
      SELECT s.id, w.key, w.by, w.expires_at, ${now}
      FROM unnest(
        ${storeIds}, ${keys}, ${texts(changes.map(({ by }) => JSON.stringify(by)))},
        ${numbers(changes.map(({ ttl = null }) => expiryOf(ttl, now)))}
      ) AS w (store_id, key, by, expires_at)
      JOIN data_stores s ON s.id = w.store_id
      ORDER BY w.store_id, w.key FOR KEY SHARE OF s
      ON CONFLICT (store_id, key) DO UPDATE SET
        value = CASE
          WHEN (e.expires_at IS NULL OR e.expires_at > ${now}) AND e.value ~ ${numberPattern}
          THEN trim_scale(e.value::numeric + excluded.value::numeric)::text
          ELSE excluded.value
        END,
        expires_at = CASE WHEN e.expires_at > ${now} THEN e.expires_at END,
        updated_at = excluded.updated_at`
  }

  const expire = (
    changes: ReadonlyArray<{ readonly storeId: string; readonly key: string; readonly ttl: number | null }>,
    now: number
  ) => {
    const { keys, storeIds } = keysOf(changes)
    return sql`
      UPDATE data_store_entries e SET expires_at = w.expires_at, updated_at = ${now}
      FROM unnest(${storeIds}, ${keys}, ${numbers(changes.map(({ ttl }) => expiryOf(ttl, now)))})
        AS w (store_id, key, expires_at)
      WHERE e.store_id = w.store_id AND e.key = w.key AND (e.expires_at IS NULL OR e.expires_at > ${now})`
  }

  const remove = (changes: ReadonlyArray<Change<"Remove">>) => {
    const { keys, storeIds } = keysOf(changes)
    return sql`
      DELETE FROM data_store_entries e USING unnest(${storeIds}, ${keys}) AS w (store_id, key)
      WHERE e.store_id = w.store_id AND e.key = w.key`
  }

  /** Removes all but these keys. */
  const clear = (storeId: string, kept: ReadonlyArray<string>) =>
    sql`DELETE FROM data_store_entries WHERE store_id = ${storeId} AND key <> ALL (${texts(kept)})`
  return { put, add, expire, remove, clear }
}

const makeChanges = (sql: SqlClient.SqlClient) => {
  const { add, clear, expire, put, remove } = makeStatements(sql)

  /** The conditions under which changes are made that expect something, all of which are to hold. */
  const expected = Effect.fnUntraced(function*(
    changes: ReadonlyArray<Change<"Set"> | Change<"Remove">>,
    now: number
  ) {
    for (const change of changes) {
      const there = sql`store_id = ${change.storeId} AND key = ${change.key}`
      const same = sql`${there} AND value = ${change.expected ?? ""} AND ${isLive(sql, now)}`
      const isAbsent = change.expected === null
      const done = change._tag === "Remove"
        ? isAbsent
          ? sql`SELECT WHERE NOT EXISTS (SELECT FROM data_store_entries WHERE ${there} AND ${isLive(sql, now)})`
          : sql`DELETE FROM data_store_entries WHERE ${same} RETURNING key`
        : isAbsent
        ? put([change], now, sql`WHERE data_store_entries.expires_at <= ${now}`)
        : sql`
          UPDATE data_store_entries SET value = ${change.value}, expires_at = ${
          expiryOf(change.ttl, now)
        }, updated_at = ${now}
          WHERE ${same} RETURNING key`
      if ((yield* done).length === 0) return yield* new Fenced({ what: "a data store's value, which was another" })
    }
  })

  /**
   * The parts of a commit that make changes, at a time in Unix milliseconds. Changes to a data store that is gone are made
   * to nothing.
   */
  const write = (written: ReadonlyArray<DataStoreChanges>, now: number) => {
    const changes = written.flatMap(({ changes, storeId }) => changes.map((change) => ({ ...change, storeId })))
    const conditional = changes.flatMap((change) => "expected" in change ? [change] : [])
    const of = <Tag extends EntryChange["_tag"]>(tag: Tag) =>
      changes.flatMap((change) => change._tag === tag && !("expected" in change) ? [change as Change<Tag>] : [])
    const adds = of("Add")
    const expiries = [
      ...of("Expire"),
      ...adds.flatMap((change) => change.ttl === undefined ? [] : [{ ...change, ttl: change.ttl }])
    ]
    const updates = [
      ...written.filter(({ cleared }) => cleared).map(({ changes, storeId }) =>
        clear(storeId, changes.filter((change) => "expected" in change).map(({ key }) => key))
      ),
      ...(of("Set").length === 0 ? [] : [put(of("Set"), now, sql``)]),
      ...(of("Remove").length === 0 ? [] : [remove(of("Remove"))]),
      ...(adds.length === 0 ? [] : [add(adds, now)]),
      ...(expiries.length === 0 ? [] : [expire(expiries, now)])
    ]
    return {
      updates,
      ...(conditional.length === 0 ? {} : { also: expected(conditional, now) }),
      updatedBytes: changes.reduce(
        (bytes, change) => bytes + change.key.length + ("value" in change ? change.value.length : 0),
        0
      )
    }
  }
  return write
}

const make = Effect.map(SqlClient.SqlClient, (sql) => {
  const write = makeChanges(sql)
  return {
    ...makeReads(sql),
    write,
    /** Makes changes that are part of no other commit, all of them or none. Fails if one expects what is not there. */
    commit: (written: ReadonlyArray<DataStoreChanges>, now: number) => {
      const { also = Effect.void, updates } = write(written, now)
      return sql.withTransaction(Effect.andThen(Effect.all(updates, { discard: true }), also))
    },
    /** Removes those of an account, or of one of its data stores. */
    removeOf: (accountId: Id.AccountId, storeId?: Id.DataStoreId) => {
      const isOf = sql.and([sql`account_id = ${accountId}`, ...(storeId === undefined ? [] : [sql`id = ${storeId}`])])
      return removeRows(sql, "data_store_entries", sql`store_id IN (SELECT id FROM data_stores WHERE ${isOf})`)
    },
    /** Removes what has expired. */
    removeExpired: (now: number) => removeRows(sql, "data_store_entries", sql`expires_at <= ${now}`)
  }
})

/** The entries of data stores: the `data_store_entries` table. */
export class DataStoreEntries extends Context.Service<DataStoreEntries, Effect.Success<typeof make>>()(
  "@headwater/log/resources/DataStoreEntries"
) {
  static readonly layer: Layer.Layer<DataStoreEntries, never, SqlClient.SqlClient> = Layer.effect(
    DataStoreEntries,
    make
  )
}
