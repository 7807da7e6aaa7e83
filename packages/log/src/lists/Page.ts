import { Effect } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import type { Rows } from "../internal/Rows.ts"

/** Between which items of a list a page lies. Lists are newest first, where they are not asked for the other way round. */
export interface PageBounds<Id> {
  /** Only items after this id, whether or not its item still exists. */
  readonly after?: Id | undefined
  /** Only items before this id. With `before` alone the page is the one that ends just before it. */
  readonly before?: Id | undefined
  readonly isOldestFirst?: boolean | undefined
}

/** A place in a list by name: the id of an item, and the name that it had, in one text. */
export const namedPlace = (id: string, name: string | null): string => `${id} ${keptOf(name)}`

/** Names are compared by so many characters. */
const comparedLength = 100

const keptOf = (name: string | null): string => [...name ?? ""].slice(0, comparedLength).join("")

const partsOf = (place: string): readonly [id: string, name: string] => {
  const end = place.indexOf(" ")
  return end < 0 ? [place, ""] : [place.slice(0, end), place.slice(end + 1)]
}

const idOf = (place: string | undefined) => place?.split(" ", 1)[0]

/** The part of a list to read. */
export interface PageRequest extends PageBounds<string> {
  /** At most so many items. */
  readonly limit: number
  /** Lists by name in place of by creation, A first; the places are then those of `namedPlace`. */
  readonly isByName?: boolean
}

export interface Page<A> {
  readonly items: ReadonlyArray<A>
  /** Of the whole list. */
  readonly totalCount: number
}

/** A page of a list that is not counted. */
export interface UncountedPage<A> {
  /** In the order of the request. */
  readonly items: ReadonlyArray<A>
  /**
   * Behind which item, in the direction of the request, the list may go on; undefined at its end. This can be one that
   * a filter leaves out, where a page looks at so many items at most.
   */
  readonly goesOnAt: string | undefined
}

/** True if a page is read from its end. */
const isReadBackwards = ({ after, before }: PageBounds<unknown>): boolean => before !== undefined && after === undefined

/** The direction in which the rows of a page are read by their ids. */
export const orderOf = (bounds: PageBounds<unknown>): "ASC" | "DESC" =>
  isReadBackwards(bounds) === (bounds.isOldestFirst === true) ? "DESC" : "ASC"

/** The conditions for the ids of a page. */
export const within = (
  sql: SqlClient.SqlClient,
  column: string,
  bounds: PageBounds<string | bigint>
): ReadonlyArray<Statement.Fragment> => {
  const { newer, older } = between(bounds)
  return [
    ...(newer === undefined ? [] : [sql`${sql(column)} < ${newer}`]),
    ...(older === undefined ? [] : [sql`${sql(column)} > ${older}`])
  ]
}

/** The bounds of a page by age, neither of which is on it. */
export const between = <Id>({ after, before, isOldestFirst }: PageBounds<Id>) =>
  isOldestFirst === true ? { newer: before, older: after } : { newer: after, older: before }

/** Rows that were read in the direction of `orderOf`, in the order of the list. */
export const inOrder = <A>(rows: ReadonlyArray<A>, bounds: PageBounds<unknown>): ReadonlyArray<A> =>
  isReadBackwards(bounds) ? rows.toReversed() : rows

/**
 * The page of what was read, of which there is one more than the page holds where the list goes on.
 *
 * @param lastSeen the last item that was looked at, if that is not the end
 */
export const uncounted = <A>(
  found: ReadonlyArray<A>,
  request: PageRequest,
  idOf: (item: A) => string,
  lastSeen?: string
): UncountedPage<A> => {
  const items = found.slice(0, request.limit)
  return {
    items: inOrder(items, request),
    goesOnAt: found.length > request.limit ? idOf(items.at(-1)!) : lastSeen
  }
}

/** The condition for a text in one of several columns, in any case, or for the id that it is. */
export const contains = (sql: SqlClient.SqlClient, columns: ReadonlyArray<string>, text: string) =>
  sql.or([
    sql`id = ${text}`,
    ...columns.map((column) => sql`strpos(lower(${sql(column)}), lower(${text})) > 0`)
  ])

/** The most bytes of the rows of a page, if there is more than one. */
const maxBytes = 1024 * 1024

/**
 * Reads one page of a table by id. Ids order by creation and never change, so a walk neither skips nor repeats an item
 * that is there throughout. A page of large rows has fewer than its limit.
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
  const { columns = sql`*`, request, weight = sql`0` } = options
  const { after, before, isByName = false } = request
  const name = sql.literal(`lower(left(coalesce(name, ''), ${comparedLength})) COLLATE "C"`)
  const placed = (place: string) => {
    const [id, of] = partsOf(place)
    return sql`(lower(${of}) COLLATE "C", ${id})`
  }
  const bounds = isByName
    ? [
      options.where,
      ...(after === undefined ? [] : [sql`(${name}, id) > ${placed(after)}`]),
      ...(before === undefined ? [] : [sql`(${name}, id) < ${placed(before)}`])
    ]
    : [options.where, ...within(sql, "id", { after: idOf(after), before: idOf(before) })]
  const direction = sql.literal(isReadBackwards(request) ? "DESC" : "ASC")
  const order = isByName
    ? sql`ORDER BY ${name} ${direction}, id ${direction}`
    : sql.literal(`ORDER BY id ${orderOf(request)}`)
  const items = yield* options.all(sql`
    SELECT * FROM (
      SELECT *, sum(weight) OVER (${order}) - weight AS bytes_before FROM (
        SELECT ${columns}, ${weight} AS weight FROM ${sql(options.table)} WHERE ${
    sql.and(bounds)
  } ${order} LIMIT ${request.limit}
      ) AS weighed
    ) AS summed
    WHERE bytes_before < ${maxBytes} ${order}`)
  const [counted] = yield* sql<{ readonly count: bigint }>`
    SELECT count(*) AS count FROM ${sql(options.table)} WHERE ${options.where}`
  return { items: inOrder(items, request), totalCount: Number(counted?.count ?? 0) }
})
