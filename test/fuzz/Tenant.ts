import { prefixes } from "@headwater/domain/Id"
import { Predicate } from "effect"
import { Base64Url } from "effect/encoding"
import { keyCount } from "./ComponentCodes.ts"
import type * as Placeholder from "./Placeholder.ts"

/** How many of each the pool knows at most; the oldest go first. */
const poolSize = 40

/** An account of the server under test, and what is known to be there of it. */
export interface Tenant {
  readonly name: string
  /** Of lower-case letters and digits, so that it survives wherever text is folded. */
  readonly marker: string
  /** The key it acts with; never revoked. */
  readonly apiKey: string
  readonly sinkUrl: string
  readonly ids: (kind: Placeholder.Kind) => ReadonlyArray<string>
  readonly gone: (kind: Placeholder.Kind) => ReadonlyArray<string>
  readonly add: (kind: Placeholder.Kind, id: string) => void
  readonly remove: (kind: Placeholder.Kind, id: string) => void
  /** Keeps it out of the requests, so that nothing happens to it. */
  readonly spare: (id: string) => void
  readonly isSpared: (id: string) => boolean
  /** Forgets those of a kind that are not among these. */
  readonly keepOnly: (kind: Placeholder.Kind, ids: ReadonlySet<string>) => void
  /** Other keys of the account, in clear. */
  readonly spareKeys: ReadonlyArray<string>
  /**
   * Takes up what a successful answer shows to be there.
   *
   * @param isOdd whether what it made came of a hostile request, so that it can't be used where all is to be in order
   */
  readonly learn: (body: unknown, isOdd: boolean) => void
}

const kindsByPrefix: ReadonlyMap<string, Placeholder.Kind> = new Map<string, Placeholder.Kind>([
  [prefixes.appAccount, "appAccount"],
  [prefixes.audit, "audit"],
  [prefixes.autoSubscription, "autoSubscription"],
  [prefixes.component, "component"],
  [prefixes.bulkAction, "bulkAction"],
  [prefixes.consumer, "consumer"],
  [prefixes.delivery, "delivery"],
  [prefixes.run, "run"],
  [prefixes.source, "source"],
  [prefixes.subscription, "subscription"],
  [prefixes.key, "key"],
  [prefixes.webhook, "webhook"],
  [prefixes.workflow, "workflow"]
])

const textAt = (item: object, name: string): string | undefined => {
  const value = Predicate.hasProperty(item, name) ? item[name] : undefined
  return Predicate.isString(value) ? value : undefined
}

/**
 * Whether it is shown that a component takes what requests in order set. A hostile one is listed before the answer that
 * tells of it.
 */
const hasWorkingProps = (component: object): boolean =>
  Predicate.hasProperty(component, "configurable_props") && Array.isArray(component.configurable_props) &&
  component.configurable_props.some((prop) => Predicate.isObject(prop) && textAt(prop, "name") === "text")

const endpointUrl = /\/http\/([0-9A-Za-z]{24})/

export const make = (
  options: { readonly name: string; readonly marker: string; readonly apiKey: string; readonly sinkUrl: string }
): Tenant => {
  const live = new Map<Placeholder.Kind, Array<string>>()
  const dead = new Map<Placeholder.Kind, Array<string>>()
  /** What goes with a source. */
  const parts = new Map<string, Array<readonly [Placeholder.Kind, string]>>()
  const listOf = (lists: Map<Placeholder.Kind, Array<string>>, kind: Placeholder.Kind): Array<string> => {
    const known = lists.get(kind) ?? []
    lists.set(kind, known)
    return known
  }
  const put = (list: Array<string>, id: string) => {
    if (list.includes(id)) return
    list.push(id)
    if (list.length > poolSize) list.shift()
  }
  const spared = new Set<string>()
  const add = (kind: Placeholder.Kind, id: string) => {
    if (!spared.has(id)) put(listOf(live, kind), id)
  }
  const forget = (kind: Placeholder.Kind, id: string) => {
    const list = listOf(live, kind)
    const at = list.indexOf(id)
    if (at >= 0) list.splice(at, 1)
  }
  const remove = (kind: Placeholder.Kind, id: string) => {
    if (kind === "source") forget("oddSource", id)
    forget(kind, id)
    put(listOf(dead, kind), id)
    for (const [part, text] of parts.get(id) ?? []) remove(part, text)
    parts.delete(id)
  }

  for (let index = 0; index < keyCount; index++) add("componentKey", `${options.marker}-k${index}`)

  const spareKeys: Array<string> = []

  const odd = new Set<string>()

  const learnItem = (item: unknown) => {
    if (Predicate.hasProperty(item, "key") && Predicate.isString(item.key) && item.key.startsWith("hw_")) {
      put(spareKeys, item.key)
    }
    if (!Predicate.hasProperty(item, "id") || !Predicate.isString(item.id)) return
    const { id } = item
    if (/^\d+-\d+$/.test(id)) return learnEvent(id, item)
    const kind = kindsByPrefix.get(id.slice(0, id.indexOf("_")))
    if (kind === undefined || listOf(dead, kind).includes(id)) return
    if (kind === "source") learnSource(id, item)
    if (kind === "component" && !hasWorkingProps(item)) return
    if (odd.has(id)) {
      if (kind === "source") add("oddSource", id)
      return
    }
    add(kind, id)
    if (kind === "subscription") learnSubscription(item)
  }

  const learnSource = (id: string, item: object) => {
    const found: Array<readonly [Placeholder.Kind, string]> = []
    const slug = textAt(item, "name_slug")
    if (slug?.includes(options.marker) === true && !odd.has(id)) found.push(["slug", slug])
    const endpoint = Predicate.hasProperty(item, "configured_props")
      ? endpointUrl.exec(JSON.stringify(item.configured_props))?.[1]
      : undefined
    if (endpoint !== undefined) found.push(["endpoint", endpoint])
    for (const [kind, part] of found) add(kind, part)
    parts.set(id, [...parts.get(id) ?? [], ...found])
  }

  const learnSubscription = (item: object) => {
    const [emitter, listener, stream] = ["emitter_id", "listener_id", "event_name"].map((name) => textAt(item, name))
    if (emitter === undefined || listener === undefined || stream === undefined) return
    // These stand in a query as they are.
    if (!/^[\w*$]*$/.test(emitter + stream)) return
    pair([["subscriptionEmitter", emitter], ["subscriptionListener", listener], ["subscriptionStream", stream]])
  }

  const learnEvent = (id: string, item: object) => {
    add("event", id)
    const emitter = Predicate.hasProperty(item, "metadata") && Predicate.isObject(item.metadata)
      ? textAt(item.metadata, "emitter_id")
      : undefined
    if (emitter?.startsWith("dc_") === true) pair([["eventSource", emitter], ["eventOfSource", id]])
  }

  /** Puts what belongs together at the same index of each kind. */
  const pair = (members: ReadonlyArray<readonly [Placeholder.Kind, string]>) => {
    for (const [kind, text] of members) {
      const list = listOf(live, kind)
      list.push(text)
      if (list.length > poolSize) list.shift()
    }
  }

  return {
    ...options,
    ids: (kind) => listOf(live, kind),
    gone: (kind) => listOf(dead, kind),
    add,
    remove,
    spare: (id) => {
      spared.add(id)
    },
    isSpared: (id) => spared.has(id),
    keepOnly: (kind, ids) => {
      for (const id of listOf(live, kind).filter((id) => !ids.has(id))) remove(kind, id)
    },
    spareKeys,
    learn: (body, isOdd) => {
      if (!Predicate.hasProperty(body, "data")) return
      if (isOdd && Predicate.isObject(body.data)) {
        // The component of a source is listed by itself too.
        for (const name of ["id", "component_id"]) odd.add(textAt(body.data, name) ?? "")
      }
      if (Array.isArray(body.data)) {
        for (const item of body.data) learnItem(item)
      } else learnItem(body.data)
    }
  }
}

const unknownPrefixes: Partial<Record<Placeholder.Kind, string>> = {
  account: prefixes.account,
  appAccount: prefixes.appAccount,
  audit: prefixes.audit,
  autoSubscription: prefixes.autoSubscription,
  component: prefixes.component,
  bulkAction: prefixes.bulkAction,
  consumer: prefixes.consumer,
  delivery: prefixes.delivery,
  eventSource: prefixes.source,
  key: prefixes.key,
  oddSource: prefixes.source,
  run: prefixes.run,
  source: prefixes.source,
  subscription: prefixes.subscription,
  webhook: prefixes.webhook,
  workflow: prefixes.workflow
}

/** What has the form of such an id and names nothing: the time in it is long past. */
export const unknownId = (kind: Placeholder.Kind, index: number): string => {
  const number = String(index).padStart(4, "0")
  const prefix = unknownPrefixes[kind]
  if (prefix !== undefined) return `${prefix}_0Uz10000Unknown0${number}`
  if (kind === "event" || kind === "eventOfSource") return `1500000000000-${index % 100}`
  if (kind === "endpoint") return `UnknownEndpoint00000${number}`
  return kind === "subscriptionStream" ? "" : `unknown-${number}`
}

const pick = (ids: ReadonlyArray<string>, { index, kind }: Placeholder.Reference): string =>
  ids.length === 0 ? unknownId(kind, index % 10_000) : ids[index % ids.length]!

/**
 * Puts the account's ids in the places of the placeholders.
 *
 * @param other the account whose ids stand for those of another, or undefined for ids that nobody has
 * @param onOther is told each of these
 */
export const resolver = (
  tenant: Tenant,
  other: Tenant | undefined,
  onOther: (id: string) => void = () => {}
): Placeholder.Resolver => ({
  reference: (reference) => {
    const { kind, whose } = reference
    const ids = whose === "own" ? tenant.ids(kind) : whose === "gone" ? tenant.gone(kind) : other?.ids(kind) ?? []
    const id = pick(ids, reference)
    if (whose === "other") onOther(id)
    return reference.isCursor ? Base64Url.encode(id) : id
  },
  word: (word) => {
    switch (word) {
      case "marker":
        return tenant.marker
      case "apiKey":
        return tenant.apiKey
      case "spareKey":
        return tenant.spareKeys.at(-1) ?? tenant.apiKey
      case "sinkUrl":
        return tenant.sinkUrl
      case "sinkHost":
        return new URL(tenant.sinkUrl).host
      default:
        return word
    }
  }
})
