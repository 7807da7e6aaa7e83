import * as Id from "@headwater/domain/Id"
import { entryBytes, type FilePart, partBytes } from "@headwater/domain/RunFile"
import { largeBytes, partsOfObject, type StoredFile } from "@headwater/domain/StoredFile"
import { Clock, Context, Effect, Layer, Option, Schedule, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { inBites, removeRows } from "../internal/Removal.ts"
import * as Page from "../lists/Page.ts"
import { type Bucket, FileBucket, FileBucketFailed } from "./FileBucket.ts"

interface Row {
  readonly id: Id.FileId
  readonly account_id: Id.AccountId
  readonly path: string
  readonly size: bigint
  readonly content_type: string | null
  readonly content: string
  /** The name of the bytes that it is of, and their SHA-256. */
  readonly checksum: string | null
  readonly created_at: bigint
  readonly updated_at: bigint
}

const ofRow = (row: Row): StoredFile => ({
  id: row.id,
  accountId: row.account_id,
  path: row.path,
  size: Number(row.size),
  contentType: row.content_type,
  content: row.content,
  sha256: row.checksum?.startsWith(`${row.content} `) === true ? row.checksum.slice(row.content.length + 1) : null,
  createdAt: Number(row.created_at),
  updatedAt: Number(row.updated_at)
})

/** Bytes that no file has after so many milliseconds are of a file that was not written to its end. */
const strayMs = 3_600_000

/** Objects of a bucket that become those of no file: the transaction is undone. */
class NotMoved extends Schema.TaggedError<NotMoved>()("NotMoved", { object: Schema.String }) {}

/** The key in the operator's bucket of one of the objects of a file. */
export const keyOf = (object: string, nth: number): string => `files/${object}/${nth}`

const readAgain = { schedule: Schedule.exponential("200 millis"), times: 3 }

/** Files that are removed at once. */
const bite = 100

/** A file to be, whose bytes are there. */
export interface WrittenFile {
  readonly path: string
  readonly size: number
  readonly contentType: string | null
  readonly content: string
  readonly sha256: string
}

const reading = (sql: SqlClient.SqlClient) => {
  const found = (where: Statement.Fragment): Effect.Effect<Option.Option<StoredFile>, SqlError.SqlError> =>
    Effect.map(
      sql<Row>`SELECT * FROM stored_files WHERE ${where}`,
      ([row]) => Option.map(Option.fromUndefinedOr(row), ofRow)
    )

  return {
    get: (accountId: Id.AccountId, id: string) => found(sql`account_id = ${accountId} AND id = ${id}`),
    at: (accountId: Id.AccountId, path: string) => found(sql`account_id = ${accountId} AND path = ${path}`),
    /** The file that has these bytes. */
    of: (content: string) => found(sql`content = ${content}`),
    /** In the order of the paths' UTF-8: those that begin so, behind one of them. */
    inOrder: (
      accountId: Id.AccountId,
      { after, limit, prefix }: { readonly prefix: string; readonly after: string; readonly limit: number }
    ): Effect.Effect<ReadonlyArray<StoredFile>, SqlError.SqlError> =>
      Effect.map(
        sql<Row>`
          SELECT * FROM stored_files
          WHERE account_id = ${accountId} AND starts_with(path, ${prefix}) AND path > ${after}
          ORDER BY path LIMIT ${limit}`,
        (rows) => rows.map(ofRow)
      ),
    page: (accountId: Id.AccountId, prefix: string, request: Page.PageRequest) =>
      Page.read(sql, {
        table: "stored_files",
        where: sql`account_id = ${accountId} AND starts_with(path, ${prefix})`,
        request,
        all: (query: Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>) =>
          Effect.map(query, (rows) => (rows as ReadonlyArray<Row>).map(ofRow))
      })
  }
}

/** The bytes of files, in the database or in the operator's bucket. */
const contents = (sql: SqlClient.SqlClient, bucket: Bucket | undefined) => {
  const partOf = (object: string, place: number, length: number) => {
    const key = keyOf(object, Math.floor(place / partsOfObject))
    return bucket === undefined
      ? Effect.fail(
        new FileBucketFailed({ message: "the file is in a bucket, and none is set (HEADWATER_FILES_S3_…)" })
      )
      : Effect.retry(bucket.get(key, place % partsOfObject * partBytes, length), readAgain)
  }

  /** Parts that were put before this time, in Unix milliseconds, are of a file or gone. */
  let lookedUntil = 0

  return {
    /** Undefined if it is not there. A bucket that does not give it is a defect, `FileBucketFailed`. */
    part: Effect.fnUntraced(function*(accountId: Id.AccountId, content: string, place: number) {
      const [row] = yield* sql<{
        readonly bytes: Uint8Array | null
        readonly object: string | null
        readonly size: bigint | null
      }>`
        SELECT p.bytes, f.object, f.size FROM (SELECT ${content}::text COLLATE "C" AS content) asked
        LEFT JOIN stored_file_parts p
          ON p.content = asked.content AND p.place = ${place} AND p.account_id = ${accountId}
        LEFT JOIN stored_files f ON f.content = asked.content AND f.account_id = ${accountId}`
      if (row === undefined || row.bytes !== null) return row?.bytes ?? undefined
      const length = Math.min(partBytes, Number(row.size ?? 0) - place * partBytes)
      if (row.object === null || length <= 0) return undefined
      return yield* Effect.orDie(partOf(row.object, place, length))
    }),
    putPart: (accountId: Id.AccountId, { bytes, content, place }: FilePart): Effect.Effect<void, SqlError.SqlError> =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Effect.asVoid(sql`
          INSERT INTO stored_file_parts ${
          sql.insert({ content, place, account_id: accountId, size: bytes.length, bytes, put_at: now })
        } ON CONFLICT DO NOTHING`)),
    /** The bytes of an account's files, all together, with those that each counts for beside its content. */
    bytesOf: (accountId: Id.AccountId): Effect.Effect<number, SqlError.SqlError> =>
      Effect.map(
        sql<{ readonly bytes: bigint }>`
          SELECT (
            SELECT coalesce(sum(size + CASE place WHEN 0 THEN ${entryBytes}::int ELSE 0 END), 0)
            FROM stored_file_parts WHERE account_id = ${accountId}
          ) + (
            SELECT coalesce(sum(size + ${entryBytes}::int), 0)
            FROM stored_files WHERE account_id = ${accountId} AND object IS NOT NULL
          ) AS bytes`,
        ([row]) => Number(row?.bytes ?? 0)
      ),
    /** Removes bytes that no file has: of those that have become too old for that since the last time. */
    removeStray: Effect.fnUntraced(function*(now: number) {
      const until = now - strayMs
      // The clock may have been set back.
      const from = lookedUntil < until ? lookedUntil : 0
      yield* removeRows(
        sql,
        "stored_file_parts",
        sql`put_at >= ${from} AND put_at < ${until}
          AND NOT EXISTS (SELECT FROM stored_files f WHERE f.content = stored_file_parts.content)`,
        100
      )
      lookedUntil = until
    }),
    /** Removes bytes that no file is to have. */
    discard: (accountId: Id.AccountId, content: string): Effect.Effect<void, SqlError.SqlError> =>
      Effect.asVoid(sql`
        DELETE FROM stored_file_parts WHERE content = ${content} AND account_id = ${accountId}
          AND NOT EXISTS (SELECT FROM stored_files WHERE content = ${content})`)
  }
}

const writing = (sql: SqlClient.SqlClient, random: SecureRandom.SecureRandom["Service"]) => ({
  /** Has bytes be the file at a path, in place of the one that is there. */
  write: Effect.fnUntraced(function*(accountId: Id.AccountId, file: WrittenFile) {
    const id = yield* Id.make("file").pipe(Effect.provideService(SecureRandom.SecureRandom, random))
    const now = Math.floor((yield* Clock.currentTimeMillis) / 1000)
    return yield* Effect.gen(function*() {
      const before = yield* sql<Row>`
          SELECT * FROM stored_files
          WHERE account_id = ${accountId} AND path = ${file.path} AND content <> ${file.content} FOR UPDATE`
      const [row] = yield* sql<Row>`
          INSERT INTO stored_files ${
        sql.insert({
          id,
          account_id: accountId,
          path: file.path,
          size: file.size,
          content_type: file.contentType,
          content: file.content,
          checksum: `${file.content} ${file.sha256}`,
          created_at: now,
          updated_at: now
        })
      }
          ON CONFLICT (account_id, path) DO UPDATE SET size = excluded.size, content_type = excluded.content_type,
            content = excluded.content, checksum = excluded.checksum, updated_at = excluded.updated_at,
            object = CASE stored_files.content WHEN excluded.content THEN stored_files.object END
          RETURNING *`
      for (const { content } of before) yield* sql`DELETE FROM stored_file_parts WHERE content = ${content}`
      return ofRow(row!)
    }).pipe(sql.withTransaction)
  }),
  remove: (accountId: Id.AccountId, path: string): Effect.Effect<void, SqlError.SqlError> =>
    Effect.asVoid(sql`
        WITH removed AS (
          DELETE FROM stored_files WHERE account_id = ${accountId} AND path = ${path} RETURNING content
        )
        DELETE FROM stored_file_parts WHERE content IN (SELECT content FROM removed)`),
  /** Files that the database has and that are large, oldest first. */
  large: (limit: number): Effect.Effect<ReadonlyArray<StoredFile>, SqlError.SqlError> =>
    Effect.map(
      // The size is a literal, as it is in the index.
      sql<Row>`
          SELECT * FROM stored_files WHERE object IS NULL AND size > ${sql.literal(String(largeBytes))}
          ORDER BY created_at LIMIT ${limit}`,
      (rows) => rows.map(ofRow)
    ),
  /**
   * Has the bytes of a file be those of objects, which were noted to go (`UnwantedObjects.put`). Answers false if there is no
   * such file any more, or the objects may be on their way out.
   */
  move: Effect.fnUntraced(function*({ accountId, content, id }: StoredFile, object: string, now: number) {
    const kept = yield* sql`DELETE FROM unwanted_objects WHERE object = ${object} AND due_at > ${now} RETURNING true`
    const moved = kept.length === 0 ? [] : yield* sql`
        UPDATE stored_files SET object = ${object}
        WHERE id = ${id} AND content = ${content} AND object IS NULL RETURNING true`
    if (moved.length === 0) return false
    yield* sql`DELETE FROM stored_file_parts WHERE content = ${content} AND account_id = ${accountId}`
    return true
  }, (moving, _file, object) =>
    moving.pipe(
      Effect.filterOrFail((isMoved) => isMoved, () => new NotMoved({ object })),
      sql.withTransaction,
      Effect.catchTag("NotMoved", () => Effect.succeed(false))
    ))
})

const removal = (sql: SqlClient.SqlClient) => {
  const removeFound = (found: Statement.Statement<{ readonly id: string }>) =>
    inBites(
      bite,
      sql`
        WITH removed AS (
          DELETE FROM stored_files WHERE id IN (${found}) RETURNING content
        ), parts AS (
          DELETE FROM stored_file_parts WHERE content IN (SELECT content FROM removed)
        )
        SELECT true FROM removed`
    )

  return {
    /** Removes files of events that are older than their account keeps events. */
    expire: ({ defaultDays, now }: { readonly now: number; readonly defaultDays: number }) =>
      removeFound(sql<{ readonly id: string }>`
        SELECT f.id FROM accounts a CROSS JOIN LATERAL (
          SELECT id FROM stored_files
          WHERE account_id = a.id AND starts_with(path, '$events/')
            AND created_at < ${Math.floor(now / 1000)} - coalesce(a.retention_days, ${defaultDays}::int) * 86400::bigint
          ORDER BY created_at LIMIT ${bite}
        ) f LIMIT ${bite}`),
    /** Removes the files of a folder, whose path ends with `/`. */
    removeBelow: (accountId: Id.AccountId, folder: string) =>
      removeFound(sql<{ readonly id: string }>`
        SELECT id FROM stored_files WHERE account_id = ${accountId} AND starts_with(path, ${folder}) LIMIT ${bite}`),
    /** Those of an account that is erased. */
    removeOfAccount: Effect.fnUntraced(function*(accountId: Id.AccountId) {
      yield* removeRows(sql, "stored_file_parts", sql`account_id = ${accountId}`, 100)
      yield* removeRows(sql, "stored_files", sql`account_id = ${accountId}`)
    })
  }
}

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const random = yield* SecureRandom.SecureRandom
  return {
    ...reading(sql),
    ...contents(sql, yield* FileBucket),
    ...writing(sql, random),
    ...removal(sql)
  }
})

/** The files of accounts: the tables `stored_files` and `stored_file_parts`. */
export class StoredFiles extends Context.Service<StoredFiles, Effect.Success<typeof make>>()(
  "@headwater/log/resources/StoredFiles"
) {
  static readonly layer: Layer.Layer<StoredFiles, never, SqlClient.SqlClient | SecureRandom.SecureRandom> = Layer
    .effect(StoredFiles, make)
}
