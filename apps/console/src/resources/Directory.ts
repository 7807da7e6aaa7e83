import type { SourceResource } from "@headwater/api/SourcesApi"
import type { WebhookResource } from "@headwater/api/WebhooksApi"
import type { WorkflowResource } from "@headwater/api/WorkflowsApi"
import { signal } from "@preact/signals"
import { get, type Page } from "../api/Api.ts"
import { type Failure, failureOf } from "../api/Failure.ts"
import { session } from "../api/Session.ts"

export type Kind = "source" | "workflow" | "webhook" | "account" | "consumer"

/** Something with an id, and the name that people know it by. */
export interface Named {
  readonly id: string
  readonly kind: Kind
  readonly name: string
  readonly isActive: boolean
}

const prefixes: Readonly<Record<string, Kind>> = {
  dc: "source",
  p: "workflow",
  wh: "webhook",
  u: "account",
  cns: "consumer"
}

export const kindOf = (id: string): Kind | undefined => prefixes[id.split("_", 1)[0]!]

/** The API's path of a source or workflow: the two have the same resources below them. */
export const emitterPath = (id: string): ReadonlyArray<string> => [
  kindOf(id) === "workflow" ? "workflows" : "sources",
  id
]

/** All known sources, workflows and webhooks of the account, and the account itself, by id. */
export const names = signal<ReadonlyMap<string, Named>>(new Map())

/** The failure of the last reading of the names; undefined if it succeeded. */
export const failure = signal<Failure | undefined>(undefined)

const pageSize = 100

/** The most pages of each kind that are read. Things on further pages show as their id. */
const maxPages = 10

const listed = async <A extends { readonly id: string }>(
  collection: string,
  include: string,
  toNamed: (item: A) => Named
): Promise<ReadonlyArray<Named>> => {
  const found: Array<Named> = []
  let after: string | undefined
  for (let pages = 0; pages < maxPages; pages++) {
    const { data, page_info } = await get<Page<A>>(["users", "me", collection], {
      query: { limit: pageSize, after, include }
    })
    found.push(...data.map(toNamed))
    if (data.length === 0 || found.length >= (page_info.total_count ?? 0)) break
    after = page_info.end_cursor
  }
  return found
}

const hostOf = (url: string): string => {
  try {
    const { host, pathname } = new URL(url)
    return host + (pathname === "/" ? "" : pathname)
  } catch {
    return url
  }
}

let underWay: Promise<void> | undefined

/** The shortest time between two readings of the names, in milliseconds. */
const freshMs = 10_000

let readAtMs = 0

const read = async (): Promise<void> => {
  try {
    const all = await Promise.all([
      listed<SourceResource>("sources", "id,name,active", ({ active, id, name }) => ({
        id,
        kind: "source",
        name,
        isActive: active
      })),
      listed<WorkflowResource>("workflows", "id,name,active", ({ active, id, name }) => ({
        id,
        kind: "workflow",
        name,
        isActive: active
      })),
      listed<WebhookResource>("webhooks", "id,name,url,active", ({ active, id, name, url }) => ({
        id,
        kind: "webhook",
        name: name ?? hostOf(url),
        isActive: active
      }))
    ])
    const found = new Map(all.flat().map((named) => [named.id, named]))
    const own = session.peek()?.account
    if (own !== undefined) {
      found.set(own.id, { id: own.id, kind: "account", name: "The account itself", isActive: true })
    }
    names.value = found
    failure.value = undefined
    readAtMs = Date.now()
  } catch (error) {
    failure.value = failureOf(error)
  }
}

/** Reads the names again, unless they have just been read. Concurrent callers share one reading. */
export const refresh = (): Promise<void> => {
  if (Date.now() - readAtMs < freshMs) return Promise.resolve()
  underWay ??= read().finally(() => {
    underWay = undefined
  })
  return underWay
}

/** The name that people know something by, or its id. */
export const nameOf = (id: string): string => names.value.get(id)?.name ?? id
