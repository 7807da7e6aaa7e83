import { Effect } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import type { Rows } from "./internal/Rows.ts"

/** Which part of a list to read. Lists are newest first, so `after` is towards older items and `before` towards newer. */
export interface PageRequest {
  /** At most so many items. */
  readonly limit: number
  /** Only items after this id, whether or not its item still exists. */
  readonly after: string | undefined
  /** Only items before this id. */
  readonly before: string | undefined
}

export interface Page<A> {
  readonly items: ReadonlyArray<A>
  /** Of the whole list. */
  readonly totalCount: number
}

/**
 * Reads one page of a table by id. Ids order by creation and never change, so a walk neither skips nor repeats an item
 * that is there throughout. With `before` alone the page is the one that ends just before that id.
 */
export const read = Effect.fnUntraced(function*<A>(sql: SqlClient.SqlClient, options: {
  readonly table: string
  readonly where: Statement.Fragment
  readonly request: PageRequest
  readonly all: Rows<A>["all"]
}): Effect.fn.Return<Page<A>, SqlError.SqlError> {
  const { after, before, limit } = options.request
  const bounds: Array<Statement.Fragment> = [options.where]
  if (after !== undefined) bounds.push(sql`id < ${after}`)
  if (before !== undefined) bounds.push(sql`id > ${before}`)
  const towardsNewer = before !== undefined && after === undefined
  const items = yield* options.all(sql`
    SELECT * FROM ${sql(options.table)} WHERE ${sql.and(bounds)}
    ORDER BY id ${sql.literal(towardsNewer ? "ASC" : "DESC")} LIMIT ${limit}`)
  const [counted] = yield* sql<{ readonly count: bigint }>`
    SELECT count(*) AS count FROM ${sql(options.table)} WHERE ${options.where}`
  return { items: towardsNewer ? items.toReversed() : items, totalCount: Number(counted?.count ?? 0) }
})
