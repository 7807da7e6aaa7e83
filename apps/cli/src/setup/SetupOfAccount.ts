import type { AppAccountResource } from "@headwater/api/AppAccountsApi"
import type { DeployedCode } from "@headwater/api/CodeApi"
import * as ListItems from "@headwater/api/ListItems"
import type { SourceResource } from "@headwater/api/SourcesApi"
import type { WorkflowResource } from "@headwater/api/WorkflowsApi"
import type { ConfigurableProp } from "@headwater/domain/Component"
import * as ConfiguredProps from "@headwater/domain/ConfiguredProps"
import * as DataStore from "@headwater/domain/DataStore"
import { slugOf } from "@headwater/domain/Program"
import { isOfEvents } from "@headwater/domain/StoredFile"
import * as StreamName from "@headwater/domain/Stream"
import * as UrlPassword from "@headwater/domain/UrlPassword"
import { Effect, Predicate, type Schema, Stream } from "effect"
import { createHash } from "node:crypto"
import { ApiAccess } from "../access/ApiAccess.ts"
import * as DistinctNames from "../text/DistinctNames.ts"
import * as Setup from "./Setup.ts"
import * as SetupFiles from "./SetupFiles.ts"

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

/** Gives each of a kind a file of its own. */
export const distinctly = (kind: string) => {
  const free = DistinctNames.make({ isCaseless: true, separator: "-" })
  return (name: string): string => free(`${kind}/${bounded(name)}`)
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
  const free = DistinctNames.make()
  return (ref: string, places: ReadonlyArray<string>) =>
    Object.fromEntries(places.map((place) => [place, free(Setup.variableOf(ref, place))]))
}

/** Places of secret props, which may have a value. */
export const secretPlaces = (declared: ReadonlyArray<ConfigurableProp>): ReadonlyArray<string> =>
  declared.filter((prop) => prop["secret"] === true).map(({ name }) => `configured_props.${name}`)

const sanitized = (ref: string) => ref.replace(/^[a-z_]+\//, "").replace(/\*/g, "all").replace(/[^\w.-]+/g, "_")

/** The reading of an account: each thing is read after those that it names. */
class Reading {
  readonly things: Array<AccountThing> = []
  private readonly refs: Map<string, string>
  private readonly secretsOf = secretsDistinctly()
  private readonly variableRef = distinctly("environment_variables")
  private readonly codeRef = distinctly("components")
  /** By the hash of the code. */
  private readonly codeFiles = new Map<string, string>()
  private readonly call: ApiAccess["Service"]["call"]

  constructor(accountId: string, call: ApiAccess["Service"]["call"]) {
    this.refs = new Map([[accountId, Setup.account]])
    this.call = call
  }

  private add(thing: AccountThing): void {
    this.refs.set(thing.id, thing.ref)
    this.things.push(thing)
  }

  readonly appAccounts = Effect.gen({ self: this }, function*() {
    const accounts = yield* this.call(({ appAccounts }) =>
      oldestFirst(ListItems.items((place) => appAccounts.list({ query: { limit: 100, ...place } })))
    )
    const refOf = distinctly("accounts")
    for (const { app, id, name, oauth } of accounts) {
      const ref = refOf(slugOf(name === "" ? app : `${app}-${name}`))
      const fields = { app, name, ...(oauth === null ? {} : { oauth: clientOf(oauth) }) }
      const places = oauth === null ? ["credentials"] : ["credentials", "oauth.client_secret"]
      this.add({ kind: "accounts", ref, id, fields, secrets: this.secretsOf(ref, places) })
    }
  })

  readonly projects = Effect.gen({ self: this }, function*() {
    const projects = yield* this.call(({ projects }) =>
      oldestFirst(ListItems.items((place) => projects.list({ query: { limit: 100, ...place } })))
    )
    const refOf = distinctly("projects")
    for (const { id, name, name_slug } of projects) {
      this.add({ kind: "projects", ref: refOf(name_slug), id, fields: { name }, secrets: {} })
    }
  })

  /** Those of the account, or those of one project, source or workflow alone. */
  variables(owner?: AccountThing) {
    return Effect.gen({ self: this }, function*() {
      const field = owner?.kind === "projects" ? "project" : "program"
      const query = owner === undefined ? {} : { [`${field}_id`]: owner.id }
      const { data } = yield* this.call(({ environment }) => environment.list({ query }))
      for (const { name, secret, value } of data) {
        const ref = this.variableRef(owner === undefined ? name : `${name}--${sanitized(owner.ref)}`)
        this.add({
          kind: "environment_variables",
          ref,
          id: `${owner?.id ?? ""} ${name}`,
          fields: {
            name,
            ...(value === null ? {} : { value }),
            secret,
            ...(owner === undefined ? {} : { [field]: owner.ref })
          },
          secrets: this.secretsOf(ref, secret ? ["value"] : [])
        })
      }
    })
  }

  variablesOf(kinds: ReadonlyArray<Setup.Kind>) {
    return Effect.gen({ self: this }, function*() {
      for (const thing of this.things.filter(({ kind }) => kinds.includes(kind))) yield* this.variables(thing)
    })
  }

  readonly dataStores = Effect.gen({ self: this }, function*() {
    const stores = yield* this.call(({ dataStores }) =>
      oldestFirst(ListItems.items((place) => dataStores.list({ query: { limit: 100, ...place } })))
    )
    const refOf = distinctly("data_stores")
    for (const { id, name } of stores) {
      this.add({ kind: "data_stores", ref: refOf(slugOf(name)), id, fields: { name }, secrets: {} })
    }
  })

  /** Those of events come and go with the events. */
  readonly storedFiles = Effect.gen({ self: this }, function*() {
    const files = yield* this.call(({ files }) =>
      Stream.runCollect(ListItems.items((place) => files.list({ query: { limit: 100, ...place } })))
    )
    for (const { content_type, id, path, sha256 } of files.toSorted((one, other) => one.path < other.path ? -1 : 1)) {
      if (isOfEvents(path)) continue
      this.add({ kind: "files", ref: SetupFiles.refOf(path), id, fields: { sha256, content_type }, secrets: {} })
    }
  })

  readonly webhooks = Effect.gen({ self: this }, function*() {
    const webhooks = yield* this.call(({ webhooks }) =>
      oldestFirst(ListItems.items((place) => webhooks.list({ query: { limit: 100, ...place } })))
    )
    const refOf = distinctly("webhooks")
    for (const { id, name, url } of webhooks) {
      const { data } = yield* this.call(({ webhooks }) => webhooks.get({ params: { id }, query: {} }))
      const ref = refOf(slugOf(name === null || name === "" ? new URL(url).host : name))
      const places = [
        ...(UrlPassword.isMasked(data.url) ? ["url"] : []),
        ...Object.keys(data.secret_headers).map((header) => `secret_headers.${header}`),
        ...(data.tls?.key === undefined ? [] : ["tls.key"])
      ]
      this.add({
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
        secrets: this.secretsOf(ref, places)
      })
    }
  })

  private fileOf(hash: string, name: string): string {
    const file = this.codeFiles.get(hash) ?? this.codeRef(slugOf(name))
    this.codeFiles.set(hash, file)
    return `${file}.mjs`
  }

  private program(
    kind: "sources" | "workflows",
    ref: string,
    { active, configured_props, id, name, project_id, shadow }: SourceResource | WorkflowResource,
    code: DeployedCode,
    where: Setup.Fields,
    settings: Setup.Fields
  ): void {
    const declared = code.configurable_props
    const props = shownProps(declared, configured_props, this.refs)
    const project = project_id === undefined ? null : this.refs.get(project_id) ?? project_id
    this.add({
      kind,
      ref,
      id,
      code,
      fields: {
        name,
        ...where,
        project,
        active,
        ...(shadow === true ? { shadow } : {}),
        ...settings,
        configured_props: props
      },
      secrets: this.secretsOf(ref, secretPlaces(declared))
    })
  }

  /** Sources, with the code of those that run saved components, and the components that no source runs. */
  readonly sources = Effect.gen({ self: this }, function*() {
    const listed = yield* this.call(({ components }) =>
      oldestFirst(ListItems.items((place) => components.list({ query: { limit: 100, ...place } })))
    )
    const own = new Set<string>(listed.map(({ id }) => id))
    const sources = yield* this.call(({ sources }) =>
      oldestFirst(ListItems.items((place) => sources.list({ query: { limit: 100, ...place } })))
    )
    const refOf = distinctly("sources")
    // By slug, since files of code are named after the first source that runs it.
    for (const source of sources.toSorted((one, other) => one.name_slug < other.name_slug ? -1 : 1)) {
      const { data } = yield* this.call(({ code }) => code.sourceCode({ params: { id: source.id }, query: {} }))
      const where = !own.has(source.component_id) && data.key !== null
        ? { registry: data.key }
        : data.url !== null
        ? { url: data.url }
        : { code: this.fileOf(data.code_hash, data.key ?? source.name_slug) }
      this.program("sources", refOf(source.name_slug), source, data, where, {})
    }
    return { listed, used: new Set<string>(sources.map(({ component_id }) => component_id)) }
  })

  readonly workflows = Effect.gen({ self: this }, function*() {
    const workflows = yield* this.call(({ workflows }) =>
      oldestFirst(ListItems.items((place) => workflows.list({ query: { limit: 100, ...place } })))
    )
    const refOf = distinctly("workflows")
    for (const workflow of workflows) {
      const { data } = yield* this.call(({ code }) => code.workflowCode({ params: { id: workflow.id }, query: {} }))
      const ref = refOf(workflow.name_slug)
      const where = data.url !== null ? { url: data.url } : { code: `${ref}.mjs` }
      const settings = Setup.workflowSettings.map((setting) => [setting, asJson(workflow[setting])])
      this.program("workflows", ref, workflow, data, where, Object.fromEntries(settings))
    }
  })

  /** Of those that no source runs, the newest of each key. */
  components({ listed, used }: Effect.Success<Reading["sources"]>) {
    return Effect.gen({ self: this }, function*() {
      const newest = new Map(listed.flatMap((component) => component.key === null ? [] : [[component.key, component]]))
      for (const { code_hash, id, key } of newest.values()) {
        if (used.has(id) || this.codeFiles.has(code_hash) || key === null) continue
        const { data } = yield* this.call(({ components }) => components.get({ params: { key: id }, query: {} }))
        const file = this.fileOf(code_hash, key)
        this.add({
          kind: "components",
          ref: file.replace(/\.mjs$/, ""),
          id,
          code: { ...data, url: null },
          fields: { code: file },
          secrets: {}
        })
      }
    })
  }

  readonly subscriptions = Effect.gen({ self: this }, function*() {
    const { data } = yield* this.call(({ subscriptions }) => subscriptions.list({ query: {} }))
    const refOf = distinctly("subscriptions")
    // In the order of what they connect, since only that is the same on another server.
    const named = data.map((subscription) => {
      const emitter = this.refs.get(subscription.emitter_id) ?? subscription.emitter_id
      const listener = this.refs.get(subscription.listener_id) ?? subscription.listener_id
      const stream = StreamName.normalize(subscription.event_name)
      return { subscription, emitter, listener, stream, order: [emitter, listener, stream].join("\n") }
    }).sort((one, other) => one.order < other.order ? -1 : 1)
    for (const { emitter, listener, stream, subscription: { batch, filter, id } } of named) {
      const name = [emitter, listener, ...(stream === "" ? [] : [stream])].map(sanitized).join("--")
      const fields = { emitter, listener, stream, filter: filter ?? null, batch: asJson(batch ?? null) }
      this.add({ kind: "subscriptions", ref: refOf(name), id, fields, secrets: {} })
    }
  })

  readonly autoSubscriptions = Effect.gen({ self: this }, function*() {
    const rules = yield* this.call(({ autoSubscriptions }) =>
      oldestFirst(ListItems.items((place) => autoSubscriptions.list({ query: { limit: 100, ...place } })))
    )
    const refOf = distinctly("auto_subscriptions")
    for (const { batch, event_name, filter, id, listener_id } of rules) {
      const listener = this.refs.get(listener_id) ?? listener_id
      const stream = StreamName.normalize(event_name)
      const ref = refOf([listener, ...(stream === "" ? [] : [stream])].map(sanitized).join("--"))
      const fields = { listener, stream, filter: filter ?? null, batch: asJson(batch ?? null) }
      this.add({ kind: "auto_subscriptions", ref, id, fields, secrets: {} })
    }
  })
}

const oldestFirst = <Item, E, R>(items: Stream.Stream<Item, E, R>) =>
  Effect.map(Stream.runCollect(items), (all) => all.toReversed())

/** Reads everything of an account that a set-up holds, with its files if they are asked for. Secrets can't be read. */
export const read = Effect.fnUntraced(function*(withFiles = false) {
  const { call } = yield* ApiAccess
  const { data: me } = yield* call(({ users }) => users.me({ query: {} }))
  const reading = new Reading(me.id, call)
  if (withFiles) yield* reading.storedFiles
  yield* reading.appAccounts
  yield* reading.projects
  yield* reading.variables()
  yield* reading.variablesOf(["projects"])
  yield* reading.dataStores
  yield* reading.webhooks
  const sources = yield* reading.sources
  yield* reading.workflows
  yield* reading.variablesOf(["sources", "workflows"])
  yield* reading.components(sources)
  yield* reading.subscriptions
  yield* reading.autoSubscriptions
  const components = new Map<string, string>(sources.listed.map(({ code_hash, id }) => [code_hash, id]))
  return { accountId: me.id, things: reading.things, components } satisfies SetupOfAccount as SetupOfAccount
})
