import type * as Id from "@headwater/domain/Id"
import { ImportReport, leastBytes, mostBytes } from "@headwater/domain/ImportReport"
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as Column from "../database/Column.ts"
import * as Rows from "../internal/Rows.ts"

/** The reports of an account would take more bytes than they may. */
export class ImportReportsTooLarge extends Schema.TaggedError<ImportReportsTooLarge>()("ImportReportsTooLarge", {}) {}

const fields = { createdAt: Column.Int8, updatedAt: Column.Int8 }

const keys = { accountId: "account_id", createdAt: "created_at", updatedAt: "updated_at" } as const

const Row = Schema.Struct({ ...ImportReport.fields, ...fields }).pipe(Schema.encodeKeys(keys))

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { all, one } = Rows.make(Schema.decodeUnknownEffect(Row))

  return {
    /** Without what they report, by their names. */
    list: (accountId: Id.AccountId) =>
      all(sql`
        SELECT account_id, name, '' AS report, created_at, updated_at FROM import_reports
        WHERE account_id = ${accountId} ORDER BY name`),
    get: (accountId: Id.AccountId, name: string) =>
      one(sql`SELECT * FROM import_reports WHERE account_id = ${accountId} AND name = ${name}`),
    /** Adds a report, or takes its place. */
    set: Effect.fnUntraced(function*(accountId: Id.AccountId, name: string, report: string) {
      // Two who add one at once do so one after the other.
      yield* sql`SELECT pg_advisory_xact_lock(hashtextextended(${`import_reports/${accountId}`}, 0))`
      const [others] = yield* sql<{ readonly bytes: bigint | null }>`
        SELECT sum(greatest(octet_length(report), ${leastBytes}))::bigint AS bytes FROM import_reports
        WHERE account_id = ${accountId} AND name <> ${name}`
      const own = Math.max(Buffer.byteLength(report), leastBytes)
      if (Number(others?.bytes ?? 0) + own > mostBytes) return yield* new ImportReportsTooLarge()
      const now = Math.floor((yield* Clock.currentTimeMillis) / 1000)
      return yield* one(sql`
        INSERT INTO import_reports (account_id, name, report, created_at, updated_at)
        VALUES (${accountId}, ${name}, ${report}, ${now}, ${now})
        ON CONFLICT (account_id, name) DO UPDATE SET report = excluded.report, updated_at = excluded.updated_at
        RETURNING *`)
    }, sql.withTransaction),
    /** Answers whether there was such a report. */
    remove: (accountId: Id.AccountId, name: string) =>
      Effect.map(
        sql`DELETE FROM import_reports WHERE account_id = ${accountId} AND name = ${name} RETURNING name`,
        (rows) => rows.length > 0
      )
  }
})

/** The reports of imports of accounts: the `import_reports` table. */
export class ImportReports extends Context.Service<ImportReports, Effect.Success<typeof make>>()(
  "@headwater/log/resources/ImportReports"
) {
  static readonly layer = Layer.effect(ImportReports, make)
}
