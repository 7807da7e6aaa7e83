import * as Id from "@headwater/domain/Id"
import { entryBytes, type FilePart } from "@headwater/domain/RunFile"
import type { StoredFile } from "@headwater/domain/StoredFile"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { removeRows } from "../internal/Removal.ts"
import * as Page from "../lists/Page.ts"

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

/** A file to be, whose bytes are there. */
export interface WrittenFile {
  readonly path: string
  readonly size: number
  readonly contentType: string | null
  readonly content: string
  readonly sha256: string
}

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const random = yield* SecureRandom.SecureRandom

  const found = (where: Statement.Fragment): Effect.Effect<Option.Option<StoredFile>, SqlError.SqlError> =>
    Effect.map(
      sql<Row>`SELECT * FROM stored_files WHERE ${where}`,
      ([row]) => Option.map(Option.fromUndefinedOr(row), ofRow)
    )

  /** Parts that were put before this time, in Unix milliseconds, are of a file or gone. */
  let lookedUntil = 0

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
      }),
    part: (accountId: Id.AccountId, content: string, place: number) =>
      Effect.map(
        sql<{ readonly bytes: Uint8Array }>`
          SELECT bytes FROM stored_file_parts
          WHERE content = ${content} AND place = ${place} AND account_id = ${accountId}`,
        ([row]) => row?.bytes
      ),
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
          SELECT coalesce(sum(size + CASE place WHEN 0 THEN ${entryBytes}::int ELSE 0 END), 0) AS bytes
          FROM stored_file_parts WHERE account_id = ${accountId}`,
        ([row]) => Number(row?.bytes ?? 0)
      ),
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
            content = excluded.content, checksum = excluded.checksum, updated_at = excluded.updated_at
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
    /** Those of an account that is erased. */
    removeOfAccount: Effect.fnUntraced(function*(accountId: Id.AccountId) {
      yield* removeRows(sql, "stored_file_parts", sql`account_id = ${accountId}`, 100)
      yield* removeRows(sql, "stored_files", sql`account_id = ${accountId}`)
    })
  }
})

/** The files of accounts: the tables `stored_files` and `stored_file_parts`. */
export class StoredFiles extends Context.Service<StoredFiles, Effect.Success<typeof make>>()(
  "@headwater/log/resources/StoredFiles"
) {
  static readonly layer: Layer.Layer<StoredFiles, never, SqlClient.SqlClient | SecureRandom.SecureRandom> = Layer
    .effect(StoredFiles, make)
}
