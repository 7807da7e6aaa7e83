import type { DataStoreResource } from "@headwater/api/DataStoresApi"
import { get, nextOf, type Page, post, remove, respond, type Single } from "../api/Api.ts"
import { pageSize } from "../api/PagedList.ts"

export type { DataStoreResource }

/** An entry of a data store. Its key is its id. */
export interface Entry {
  readonly id: string
  /** The value as JSON, with all digits of its numbers. */
  readonly text: string
  readonly expires_at_ms: number | null
}

export const list = (after: string | undefined, signal: AbortSignal): Promise<Page<DataStoreResource>> =>
  get(["data_stores"], { query: { limit: pageSize, after }, signal })

export const one = async (id: string, signal: AbortSignal): Promise<DataStoreResource & { readonly size: number }> =>
  (await get<Single<DataStoreResource & { readonly size: number }>>(["data_stores", id], { signal })).data

export const create = async (name: string): Promise<string> =>
  (await post<Single<DataStoreResource>>(["data_stores"], { body: { name } })).data.id

/** Keeps numbers as they are written (ECMA-262, `JSON.rawJSON`). */
const { parse, rawJSON, stringify } = JSON as typeof JSON & {
  readonly rawJSON?: (text: string) => unknown
  readonly parse: (
    text: string,
    read: (key: string, value: unknown, context?: { source?: string }) => unknown
  ) => unknown
}

/** False in a browser that rounds numbers: an entry that it changes would lose digits. */
export const keepsDigits = rawJSON !== undefined

const exactly = (_: string, value: unknown, context?: { source?: string }): unknown => {
  const source = context?.source
  return typeof value === "number" && source !== undefined && rawJSON !== undefined ? rawJSON(source) : value
}

export interface Entries {
  readonly items: ReadonlyArray<Entry>
  /** The place after which the next page begins, if there is one. */
  readonly next: string | undefined
}

/** A page of the entries whose keys begin so, in the order of their keys. */
export const entries = async (
  id: string,
  prefix: string,
  after: string | undefined,
  signal: AbortSignal
): Promise<Entries> => {
  const response = await respond("GET", ["data_stores", id, "entries"], {
    query: { limit: pageSize, after, prefix },
    signal
  })
  const page = parse(await response.text(), exactly) as Page<
    { readonly key: string; readonly value: unknown; readonly expires_at_ms: number | null }
  >
  return {
    items: page.data.map(({ expires_at_ms, key, value }) => ({ id: key, text: stringify(value), expires_at_ms })),
    next: nextOf(page, pageSize)
  }
}

/** Sets the value of a key, which is given as JSON and sent as it is written. It is never removed by itself then. */
export const setEntry = (id: string, key: string, text: string) =>
  respond("PUT", ["data_stores", id, "entry"], { text: `{"key":${stringify(key)},"value":${text}}` })

export const removeEntry = (id: string, key: string): Promise<void> =>
  remove(["data_stores", id, "entry"], { query: { key } })
