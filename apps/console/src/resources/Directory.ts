import type { AppAccountResource } from "@headwater/api/AppAccountsApi"
import type { ListedComponent } from "@headwater/api/ComponentsApi"
import type { ConsumerResource } from "@headwater/api/ConsumersApi"
import type { DataStoreResource } from "@headwater/api/DataStoresApi"
import type { KeyResource } from "@headwater/api/KeysApi"
import type { ProjectResource } from "@headwater/api/ProjectsApi"
import type { SourceResource } from "@headwater/api/SourcesApi"
import type { WebhookResource } from "@headwater/api/WebhooksApi"
import type { WorkflowResource } from "@headwater/api/WorkflowsApi"
import { signal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { get, nextOf, type Page } from "../api/Api.ts"
import { type Failure, failureOf } from "../api/Failure.ts"
import { session } from "../api/Session.ts"

export type Kind =
  | "source"
  | "workflow"
  | "webhook"
  | "component"
  | "account"
  | "consumer"
  | "project"
  | "app account"
  | "data store"
  | "key"

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
  sc: "component",
  u: "account",
  cns: "consumer",
  proj: "project",
  apn: "app account",
  ds: "data store",
  key: "key"
}

export const kindOf = (id: string): Kind | undefined => prefixes[id.split("_", 1)[0]!]

/** The API's path of a source or workflow: the two have the same resources below them. */
export const emitterPath = (id: string): ReadonlyArray<string> => [
  kindOf(id) === "workflow" ? "workflows" : "sources",
  id
]

/** All known things of the account that have names, and the account itself, by id. */
export const names = signal<ReadonlyMap<string, Named>>(new Map())

/** The failure of the last reading of the names; undefined if it succeeded. */
export const failure = signal<Failure | undefined>(undefined)

const pageSize = 100

/** The most pages of each kind that are read. Things on further pages show as their id. */
const maxPages = 10

const listed = async <A extends { readonly id: string }>(
  path: ReadonlyArray<string>,
  include: string,
  toNamed: (item: A) => Named
): Promise<ReadonlyArray<Named>> => {
  const found: Array<Named> = []
  let after: string | undefined
  for (let pages = 0; pages < maxPages; pages++) {
    const page = await get<Page<A>>(path, {
      query: { limit: pageSize, after, include }
    })
    found.push(...page.data.map(toNamed))
    if (found.length >= (page.page_info.total_count ?? Number.POSITIVE_INFINITY)) break
    after = nextOf(page, pageSize)
    if (after === undefined) break
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

/** Of things that are named alike, the newest. Each deployment of a source saves a component, mostly with the name of the one before. */
const newestOfEachName = (newestFirst: ReadonlyArray<Named>): ReadonlyArray<Named> => [
  ...new Map(newestFirst.toReversed().map((named) => [named.name, named])).values()
]

/** Adds something that has just been made. */
export const note = (named: Named): void => {
  names.value = new Map([...names.value, [named.id, named]])
}

let underWay: Promise<void> | undefined

/** The shortest time between two readings of the names, in milliseconds. */
const freshMs = 10_000

let readAtMs = 0

const read = async (): Promise<void> => {
  try {
    const all = await Promise.all([
      listed<SourceResource>(["users", "me", "sources"], "id,name,active", ({ active, id, name }) => ({
        id,
        kind: "source",
        name,
        isActive: active
      })),
      listed<WorkflowResource>(["users", "me", "workflows"], "id,name,active", ({ active, id, name }) => ({
        id,
        kind: "workflow",
        name,
        isActive: active
      })),
      listed<WebhookResource>(["users", "me", "webhooks"], "id,name,url,active", ({ active, id, name, url }) => ({
        id,
        kind: "webhook",
        name: name ?? hostOf(url),
        isActive: active
      })),
      listed<ListedComponent>(["users", "me", "components"], "id,name,version", ({ id, name, version }) => ({
        id,
        kind: "component",
        name: `${name} ${version}`,
        isActive: true
      })).then(newestOfEachName),
      listed<ProjectResource>(
        ["projects"],
        "id,name",
        ({ id, name }) => ({ id, kind: "project", name, isActive: true })
      ),
      listed<ConsumerResource>(
        ["consumers"],
        "id,name",
        ({ id, name }) => ({ id, kind: "consumer", name: name ?? id, isActive: true })
      ),
      listed<DataStoreResource>(
        ["data_stores"],
        "id,name",
        ({ id, name }) => ({ id, kind: "data store", name, isActive: true })
      ),
      listed<AppAccountResource>(["accounts"], "id,app,name", ({ app, id, name }) => ({
        id,
        kind: "app account",
        name: name === "" ? app : `${app} ${name}`,
        isActive: true
      })),
      listed<KeyResource>(
        ["users", "me", "keys"],
        "id,name",
        ({ id, name }) => ({ id, kind: "key", name: name === "" ? id : name, isActive: true })
      )
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

/** Reads the names again when a component comes into the page. */
export const useFreshNames = (): void =>
  useEffect(() => {
    void refresh()
  }, [])

/** The name that people know something by, or its id. */
export const nameOf = (id: string): string => names.value.get(id)?.name ?? id
