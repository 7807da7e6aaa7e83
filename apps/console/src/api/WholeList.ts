import type { Query } from "./Address.ts"
import { get, type Page } from "./Api.ts"

const pageSize = 100

/** The most pages of a list that are read as a whole: 1,000 items. */
const maxPages = 10

/** A list of the API, read up to `maxPages`, so that it can be searched here. */
export interface WholeList<Item> {
  readonly items: ReadonlyArray<Item>
  /** The number of items that were not read. */
  readonly rest: number
}

/**
 * @param fields the fields that are read of each item; other fields can be large
 * @param filter further parameters, which narrow the list
 * @throws Failure
 */
export const read = async <Item>(
  path: ReadonlyArray<string>,
  fields: ReadonlyArray<keyof Item & string>,
  signal: AbortSignal,
  filter: Query = {}
): Promise<WholeList<Item>> => {
  const include = fields.join()
  const items: Array<Item> = []
  let total = 0
  let after: string | undefined
  for (let pages = 0; pages < maxPages; pages++) {
    const { data, page_info } = await get<Page<Item>>(path, {
      query: { ...filter, limit: pageSize, after, include },
      signal
    })
    items.push(...data)
    total = page_info.total_count ?? items.length
    if (data.length === 0 || items.length >= total) break
    after = page_info.end_cursor
  }
  return { items, rest: Math.max(0, total - items.length) }
}
