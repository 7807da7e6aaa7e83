import type { Kind, prefixes } from "@headwater/domain/Id"
import { hrefOf, type Query } from "../api/Address.ts"

export type Prefix = (typeof prefixes)[Kind]

type PageOf = (id: string) => string

const own = (path: string): PageOf => (id) => hrefOf([path, id])

/** Of a thing that its list opens. */
const inList = (path: string, query: Query = {}): PageOf => (id) => hrefOf([path], { ...query, open: id })

/** The pages of things, by the prefixes of their ids; null where there is none, or where it takes more than the id. */
const pages: Readonly<Record<Prefix, PageOf | null>> = {
  apn: own("accounts"),
  as: inList("subscriptions", { view: "later" }),
  aud: null,
  ba: own("bulk-actions"),
  c: null,
  clk: null,
  cns: own("consumers"),
  cr: () => hrefOf(["moving-in"]),
  d: null,
  dc: own("sources"),
  dlv: own("deliveries"),
  ds: own("data-stores"),
  fl: null,
  key: inList("keys"),
  p: own("workflows"),
  proj: (id) => hrefOf(["variables"], { of: id }),
  run: null,
  sc: own("components"),
  ses: null,
  sub: inList("subscriptions"),
  u: () => hrefOf(["account"]),
  wh: own("webhooks")
}

/** An id, and no glob over ids. */
const id = /^([a-z]+)_[0-9A-Za-z]+$/

/** The prefix of an id; undefined if the text is none. */
export const prefixOf = (text: string): Prefix | undefined => {
  const prefix = id.exec(text)?.[1]
  return prefix !== undefined && Object.hasOwn(pages, prefix) ? prefix as Prefix : undefined
}

/** The page about a thing with this id; undefined if there is none. */
export const pageOf = (id: string): string | undefined => {
  const prefix = prefixOf(id)
  return prefix === undefined ? undefined : pages[prefix]?.(id)
}
