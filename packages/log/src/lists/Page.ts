import { Effect } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import type { Rows } from "../internal/Rows.ts"

/** The part of a list to read. Lists are newest first: `after` is towards older items and `before` towards newer. */
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

/** The most bytes of the rows of a page, if there is more than one. */
const maxBytes = 1024 * 1024

/**
 * Reads one page of a table by id. Ids order by creation and never change, so a walk neither skips nor repeats an item
 * that is there throughout. A page of large rows has fewer than its limit. With `before` alone the page is the one that
 * ends just before that id.
 */
export const read = Effect.fnUntraced(function*<A>(sql: SqlClient.SqlClient, options: {
  readonly table: string
  readonly where: Statement.Fragment
  readonly request: PageRequest
  readonly all: Rows<A>["all"]
  /** The columns that are read of a row; all of them unless said otherwise. */
  readonly columns?: Statement.Fragment
  /** Bytes of what can be large in a row. */
  readonly weight?: Statement.Fragment
}): Effect.fn.Return<Page<A>, SqlError.SqlError> {
  const { columns = sql`*`, weight = sql`0` } = options
  const { after, before, limit } = options.request
  const bounds: Array<Statement.Fragment> = [options.where]
  if (after !== undefined) bounds.push(sql`id < ${after}`)
  if (before !== undefined) bounds.push(sql`id > ${before}`)
  const towardsNewer = before !== undefined && after === undefined
  const order = sql.literal(`ORDER BY id ${towardsNewer ? "ASC" : "DESC"}`)
  const items = yield* options.all(sql`
    SELECT * FROM (
      SELECT *, sum(weight) OVER (${order}) - weight AS bytes_before FROM (
        SELECT ${columns}, ${weight} AS weight FROM ${sql(options.table)} WHERE ${
    sql.and(bounds)
  } ${order} LIMIT ${limit}
      ) AS weighed
    ) AS summed
    WHERE bytes_before < ${maxBytes} ${order}`)
  const [counted] = yield* sql<{ readonly count: bigint }>`
    SELECT count(*) AS count FROM ${sql(options.table)} WHERE ${options.where}`
  return { items: towardsNewer ? items.toReversed() : items, totalCount: Number(counted?.count ?? 0) }
})
