import type { AppAccountResource } from "@headwater/api/AppAccountsApi"
import type { DeployedCode } from "@headwater/api/CodeApi"
import * as ListItems from "@headwater/api/ListItems"
import type { SourceResource } from "@headwater/api/SourcesApi"
import type { WorkflowResource } from "@headwater/api/WorkflowsApi"
import type { ConfigurableProp } from "@headwater/domain/Component"
import * as ConfiguredProps from "@headwater/domain/ConfiguredProps"
import * as DataStore from "@headwater/domain/DataStore"
import { slugOf } from "@headwater/domain/Program"
import * as StreamName from "@headwater/domain/Stream"
import * as UrlPassword from "@headwater/domain/UrlPassword"
import { Effect, Predicate, type Schema, Stream } from "effect"
import { createHash } from "node:crypto"
import { ApiAccess } from "../access/ApiAccess.ts"
import * as Setup from "./Setup.ts"

/** A thing as the account has it. */
export interface AccountThing extends Setup.Thing {
  readonly id: string
  /** Of what runs code. */
  readonly code?: DeployedCode
}

export interface SetupOfAccount {
  readonly accountId: string
  /** By kind, and within a kind in the order in which they were created. */
  readonly things: ReadonlyArray<AccountThing>
  /** Ids of saved components by the hash of their code. */
  readonly components: ReadonlyMap<string, string>
}

/** A file system takes 255 bytes for a file's name (pathconf(3), NAME_MAX): the rest is for endings and numbers. */
const longestName = 200
const digestLength = 12

/** A name that a file can have. One that is too long is cut off, and ends like no other that begins alike. */
const bounded = (name: string): string =>
  name.length <= longestName
    ? name
    : `${name.slice(0, longestName - digestLength - 1)}-${
      createHash("sha256").update(name).digest("hex").slice(0, digestLength)
    }`

/**
 * Gives each a name of its own: the first of a name has it as it is, the next ones with a number. File systems differ in
 * whether they tell small letters from large ones.
 */
export const distinctly = (kind: string) => {
  const taken = new Set<string>()
  return (name: string): string => {
    const base = `${kind}/${bounded(name)}`
    let ref = base
    for (let n = 2; taken.has(ref.toLowerCase()); n++) ref = `${base}-${n}`
    taken.add(ref.toLowerCase())
    return ref
  }
}

const asJson = (value: unknown) => value as Schema.Json

/** The client of an account over OAuth 2, without the fields that are its provider's. */
const clientOf = (oauth: NonNullable<AppAccountResource["oauth"]>): Setup.Fields => {
  const { authorization_url, client_authentication, client_id, device_url, parameters, provider, scopes, token_url } =
    oauth
  const own = { provider, authorization_url, token_url, device_url, client_authentication }
  return {
    client_id,
    ...Object.fromEntries(Object.entries(own).filter(([, value]) => value !== null)),
    scopes,
    parameters
  }
}

/** The value of a prop, with the names in the set-up of the account with an app or the data store that it is. */
const withRefs = (
  { type }: Pick<ConfigurableProp, "type">,
  value: Schema.Json,
  refs: ReadonlyMap<string, string>
): Schema.Json => {
  if (type === DataStore.propType) {
    const ref = typeof value === "string" ? refs.get(value) : undefined
    return ref === undefined ? value : { storeId: ref }
  }
  if (!Predicate.isObject(value) || !("authProvisionId" in value)) return value
  const id = value["authProvisionId"]
  return {
    ...value as Setup.Fields,
    authProvisionId: (typeof id === "string" ? refs.get(id) : undefined) ?? asJson(id)
  }
}

/** Values as a file has them: without what the server itself gives. */
export const shownProps = (
  declared: ReadonlyArray<ConfigurableProp>,
  values: Setup.Fields,
  refs: ReadonlyMap<string, string>
): Setup.Fields =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => {
      const prop = declared.find((prop) => prop.name === name)
      const own = prop === undefined ? value : ConfiguredProps.ofFile(prop, value)
      return own === undefined ? [] : [[name, withRefs(prop ?? { type: "any" }, own, refs)]]
    })
  )

/** Gives each secret a variable of its own. */
const secretsDistinctly = () => {
  const taken = new Set<string>()
  return (ref: string, places: ReadonlyArray<string>) =>
    Object.fromEntries(places.map((place) => {
      const base = Setup.variableOf(ref, place)
      let variable = base
      for (let n = 2; taken.has(variable); n++) variable = `${base}_${n}`
      taken.add(variable)
      return [place, variable]
    }))
}

/** Places of secret props, which may have a value. */
export const secretPlaces = (declared: ReadonlyArray<ConfigurableProp>): ReadonlyArray<string> =>
  declared.filter((prop) => prop["secret"] === true).map(({ name }) => `configured_props.${name}`)

const sanitized = (ref: string) => ref.replace(/^[a-z_]+\//, "").replace(/\*/g, "all").replace(/[^\w.-]+/g, "_")

/** The environment variables of the account, or of one source or workflow. */
const readVariables = Effect.fnUntraced(function*(
  refOf: (name: string) => string,
  secretsOf: ReturnType<typeof secretsDistinctly>,
  program?: { readonly id: string; readonly ref: string }
) {
  const { call } = yield* ApiAccess
  const query = program === undefined ? {} : { program_id: program.id }
  const { data } = yield* call(({ environment }) => environment.list({ query }))
  return data.map(({ name, secret, value }): AccountThing => {
    const ref = refOf(program === undefined ? name : `${name}--${sanitized(program.ref)}`)
    return {
      kind: "environment_variables",
      ref,
      id: `${program?.id ?? ""} ${name}`,
      fields: {
        name,
        ...(value === null ? {} : { value }),
        secret,
        ...(program === undefined ? {} : { program: program.ref })
      },
      secrets: secretsOf(ref, secret ? ["value"] : [])
    }
  })
})

/** Reads everything of an account that a set-up holds. Secrets can't be read. */
export const read = Effect.fnUntraced(function*() {
  const { call } = yield* ApiAccess
  const oldestFirst = <Item, E, R>(items: Stream.Stream<Item, E, R>) =>
    Effect.map(Stream.runCollect(items), (all) => all.toReversed())

  const { data: me } = yield* call(({ users }) => users.me({ query: {} }))
  const refs = new Map<string, string>([[me.id, Setup.account]])
  const things: Array<AccountThing> = []
  const secretsOf = secretsDistinctly()
  const add = (thing: AccountThing) => {
    refs.set(thing.id, thing.ref)
    things.push(thing)
  }

  const accounts = yield* call(({ appAccounts }) =>
    oldestFirst(ListItems.items((place) => appAccounts.list({ query: { limit: 100, ...place } })))
  )
  const accountRef = distinctly("accounts")
  for (const { app, id, name, oauth } of accounts) {
    const ref = accountRef(slugOf(name === "" ? app : `${app}-${name}`))
    const fields = { app, name, ...(oauth === null ? {} : { oauth: clientOf(oauth) }) }
    const places = oauth === null ? ["credentials"] : ["credentials", "oauth.client_secret"]
    add({ kind: "accounts", ref, id, fields, secrets: secretsOf(ref, places) })
  }

  const variableRef = distinctly("environment_variables")
  for (const variable of yield* readVariables(variableRef, secretsOf)) add(variable)

  const dataStores = yield* call(({ dataStores }) =>
    oldestFirst(ListItems.items((place) => dataStores.list({ query: { limit: 100, ...place } })))
  )
  const dataStoreRef = distinctly("data_stores")
  for (const { id, name } of dataStores) {
    add({ kind: "data_stores", ref: dataStoreRef(slugOf(name)), id, fields: { name }, secrets: {} })
  }

  const webhooks = yield* call(({ webhooks }) =>
    oldestFirst(ListItems.items((place) => webhooks.list({ query: { limit: 100, ...place } })))
  )
  const webhookRef = distinctly("webhooks")
  for (const { id, name, url } of webhooks) {
    const { data } = yield* call(({ webhooks }) => webhooks.get({ params: { id }, query: {} }))
    const ref = webhookRef(slugOf(name === null || name === "" ? new URL(url).host : name))
    const places = [
      ...(UrlPassword.isMasked(data.url) ? ["url"] : []),
      ...Object.keys(data.secret_headers).map((header) => `secret_headers.${header}`),
      ...(data.tls?.key === undefined ? [] : ["tls.key"])
    ]
    add({
      kind: "webhooks",
      ref,
      id,
      fields: {
        name: data.name,
        description: data.description,
        url: data.url,
        active: data.active,
        ...Object.fromEntries(Setup.webhookSettings.map((setting) => [setting, asJson(data[setting])]))
      },
      secrets: secretsOf(ref, places)
    })
  }

  const listed = yield* call(({ components }) =>
    oldestFirst(ListItems.items((place) => components.list({ query: { limit: 100, ...place } })))
  )
  const own = new Set<string>(listed.map(({ id }) => id))
  const components = new Map<string, string>(listed.map(({ code_hash, id }) => [code_hash, id]))

  const sources = yield* call(({ sources }) =>
    oldestFirst(ListItems.items((place) => sources.list({ query: { limit: 100, ...place } })))
  )
  const workflows = yield* call(({ workflows }) =>
    oldestFirst(ListItems.items((place) => workflows.list({ query: { limit: 100, ...place } })))
  )

  const codeRef = distinctly("components")
  const codeFiles = new Map<string, string>()
  const fileOf = (hash: string, name: string) => {
    const file = codeFiles.get(hash) ?? codeRef(slugOf(name))
    codeFiles.set(hash, file)
    return `${file}.mjs`
  }

  const programRefs = { sources: distinctly("sources"), workflows: distinctly("workflows") }
  const program = (
    kind: "sources" | "workflows",
    { active, configured_props, id, name, name_slug }: SourceResource | WorkflowResource,
    code: DeployedCode,
    where: (ref: string) => Setup.Fields,
    settings: Setup.Fields
  ) => {
    const ref = programRefs[kind](name_slug)
    const declared = code.configurable_props
    add({
      kind,
      ref,
      id,
      code,
      fields: {
        name,
        ...where(ref),
        active,
        ...settings,
        configured_props: shownProps(declared, configured_props, refs)
      },
      secrets: secretsOf(ref, secretPlaces(declared))
    })
  }

  // By slug, since files of code are named after the first source that runs it.
  for (const source of sources.toSorted((one, other) => one.name_slug < other.name_slug ? -1 : 1)) {
    const params = { id: source.id }
    const { data } = yield* call(({ code }) => code.sourceCode({ params, query: {} }))
    program(
      "sources",
      source,
      data,
      () =>
        !own.has(source.component_id) && data.key !== null
          ? { registry: data.key }
          : data.url !== null
          ? { url: data.url }
          : { code: fileOf(data.code_hash, data.key ?? source.name_slug) },
      {}
    )
  }
  for (const workflow of workflows) {
    const { data } = yield* call(({ code }) => code.workflowCode({ params: { id: workflow.id }, query: {} }))
    program(
      "workflows",
      workflow,
      data,
      (ref) => data.url !== null ? { url: data.url } : { code: `${ref}.mjs` },
      Object.fromEntries(Setup.workflowSettings.map((setting) => [setting, asJson(workflow[setting])]))
    )
  }

  for (const program of things.filter(({ kind }) => kind === "sources" || kind === "workflows")) {
    for (const variable of yield* readVariables(variableRef, secretsOf, program)) add(variable)
  }

  // Of components that no source runs, the newest of each key.
  const used = new Set<string>(sources.map(({ component_id }) => component_id))
  const newest = new Map(listed.flatMap((component) => component.key === null ? [] : [[component.key, component]]))
  for (const { code_hash, id, key } of newest.values()) {
    if (used.has(id) || codeFiles.has(code_hash) || key === null) continue
    const { data } = yield* call(({ components }) => components.get({ params: { key: id }, query: {} }))
    const file = fileOf(code_hash, key)
    add({
      kind: "components",
      ref: file.replace(/\.mjs$/, ""),
      id,
      code: { ...data, url: null },
      fields: { code: file },
      secrets: {}
    })
  }

  const subscriptions = yield* call(({ subscriptions }) => subscriptions.list({ query: {} }))
  const subscriptionRef = distinctly("subscriptions")
  // In the order of what they connect, since only that is the same on another server.
  const named = subscriptions.data.map((subscription) => {
    const emitter = refs.get(subscription.emitter_id) ?? subscription.emitter_id
    const listener = refs.get(subscription.listener_id) ?? subscription.listener_id
    const stream = StreamName.normalize(subscription.event_name)
    return { subscription, emitter, listener, stream, order: [emitter, listener, stream].join("\n") }
  }).sort((one, other) => one.order < other.order ? -1 : 1)
  for (const { emitter, listener, stream, subscription } of named) {
    const name = [emitter, listener, ...(stream === "" ? [] : [stream])].map(sanitized).join("--")
    add({
      kind: "subscriptions",
      ref: subscriptionRef(name),
      id: subscription.id,
      fields: {
        emitter,
        listener,
        stream,
        filter: subscription.filter ?? null,
        batch: asJson(subscription.batch ?? null)
      },
      secrets: {}
    })
  }

  const rules = yield* call(({ autoSubscriptions }) =>
    oldestFirst(ListItems.items((place) => autoSubscriptions.list({ query: { limit: 100, ...place } })))
  )
  const ruleRef = distinctly("auto_subscriptions")
  for (const { batch, event_name, filter, id, listener_id } of rules) {
    const listener = refs.get(listener_id) ?? listener_id
    const stream = StreamName.normalize(event_name)
    add({
      kind: "auto_subscriptions",
      ref: ruleRef([listener, ...(stream === "" ? [] : [stream])].map(sanitized).join("--")),
      id,
      fields: { listener, stream, filter: filter ?? null, batch: asJson(batch ?? null) },
      secrets: {}
    })
  }
  return { accountId: me.id, things, components } satisfies SetupOfAccount as SetupOfAccount
})
