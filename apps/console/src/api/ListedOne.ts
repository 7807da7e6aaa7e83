import { get, type Page } from "./Api.ts"

const cursorOf = (id: string): string => btoa(id).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")

/**
 * The item of a list that has an id, wherever in the list it is; undefined if there is none. Lists are in the order of
 * ids, and a cursor need not be of an item: before one that is a little less comes the item itself.
 */
export const listedOne = async <Item extends { readonly id: string }>(
  path: ReadonlyArray<string>,
  id: string,
  signal: AbortSignal
): Promise<Item | undefined> => {
  const { data } = await get<Page<Item>>(path, { query: { limit: 1, before: cursorOf(id.slice(0, -1)) }, signal })
  return data.find((item) => item.id === id)
}
