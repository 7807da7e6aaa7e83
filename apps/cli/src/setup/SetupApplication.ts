import type { InitialState } from "@headwater/api/SourcesApi"
import { Effect, FileSystem, Predicate, Schema, Stream } from "effect"
import * as Path from "node:path"
import { ApiAccess, ServerAway } from "../access/ApiAccess.ts"
import { CommandRefused } from "../CommandRefused.ts"
import * as ContentType from "../given/ContentType.ts"
import * as EndpointUrl from "../resource/EndpointUrl.ts"
import * as Setup from "./Setup.ts"
import * as SetupFiles from "./SetupFiles.ts"
import * as SetupPlan from "./SetupPlan.ts"
import { propsWithIds } from "./SetupRefs.ts"

const refuse = (message: string) => new CommandRefused({ message })

/** The outcome of a change. */
export interface Applied {
  readonly action: SetupPlan.Change["action"]
  readonly thing: string
  readonly id: string
  /** The URL at which the HTTP interface of a created program answers. */
  readonly endpoint_url: string | null
}

/** Puts a secret at its dotted place, of which only the last part may hold dots. */
const put = (fields: Record<string, Schema.Json>, place: string, value: Schema.Json) => {
  const dot = place.indexOf(".")
  const [name, inner] = dot < 0 ? [place, undefined] : [place.slice(0, dot), place.slice(dot + 1)]
  fields[name] = inner === undefined ? value : { ...(fields[name] as object | null), [inner]: value } as Schema.Json
}

const propsOf = ({ fields }: Setup.Thing) => (fields["configured_props"] ?? {}) as Setup.Fields

/** The client of an account, as its file, which was checked, has it. */
const clientOf = (oauth: Schema.Json) => Effect.orDie(Schema.decodeUnknownEffect(Setup.OAuthClient)(oauth))

/** As its file names accounts, not as the account itself does. */
const propOf = (thing: Setup.Thing, field: string, after: Schema.Json) =>
  propsOf(thing)[field.slice("configured_props.".length)] ?? after

/** The changes of a plan, and the ids of what is there and of what they have made so far. */
class Application {
  private readonly ids: Map<string, string>
  private readonly components: Map<string, string>
  private readonly presentIds: ReadonlyMap<string, string>
  private readonly plan: SetupPlan.Plan
  private readonly call: ApiAccess["Service"]["call"]

  constructor(plan: SetupPlan.Plan, call: ApiAccess["Service"]["call"]) {
    const { account, matches } = plan
    this.plan = plan
    this.call = call
    this.ids = new Map([[Setup.account, account.accountId], ...[...matches].map(([ref, { id }]) => [ref, id] as const)])
    this.components = new Map(account.components)
    this.presentIds = new Map(account.things.map(({ id, ref }) => [ref, id]))
  }

  /** Does them in their order, up to the first that fails, or each by itself. */
  run(each: boolean) {
    return Effect.gen({ self: this }, function*() {
      const { changes } = this.plan
      const applied: Array<Applied> = []
      const failed: Array<SetupPlan.LeftOut> = []
      for (const change of changes) {
        const { action, thing } = change
        const told = (detail: string) =>
          each
            ? `${Setup.fileOf(thing)}: ${detail}`
            : `${
              Setup.fileOf(thing)
            }: ${detail} (${applied.length} of ${changes.length} changes are done; apply again to go on)`
        const made = yield* this.make(change).pipe(
          Effect.mapError((error) =>
            Predicate.isTagged(error, "ServerAway")
              ? new ServerAway({ message: told(error.message) })
              : Predicate.isTagged(error, "CommandRefused")
              ? refuse(told(error.message))
              : Predicate.hasProperty(error, "detail")
              ? refuse(told(String(error.detail)))
              : error
          ),
          Effect.catchTag("CommandRefused", (refused) => {
            if (!each) return Effect.fail(refused)
            failed.push({ ref: thing.ref, faults: [refused.message] })
            return Effect.undefined
          })
        )
        if (made === undefined) continue
        this.ids.set(thing.ref, made.id)
        applied.push({ action, thing: thing.ref, id: made.id, endpoint_url: made.endpoint })
      }
      return { applied, failed }
    })
  }

  private make(change: SetupPlan.Change) {
    return Effect.gen({ self: this }, function*() {
      if (change.action === "delete") return yield* this.remove(change, change.present?.id ?? "")
      switch (change.thing.kind) {
        case "files":
          return yield* this.storedFile(change)
        case "accounts":
          return yield* this.appAccount(change)
        case "environment_variables":
          return yield* this.environmentVariable(change)
        case "projects":
          return yield* this.project(change)
        case "data_stores":
          return yield* this.dataStore(change)
        case "webhooks":
          return yield* this.webhook(change)
        case "components":
          return yield* this.component(change)
        case "sources":
        case "workflows":
          return yield* this.program(change)
        case "subscriptions":
          return yield* this.subscription(change)
        case "auto_subscriptions":
          return yield* this.autoSubscription(change)
      }
    })
  }

  private idOf(ref: Schema.Json | undefined): string {
    return typeof ref === "string" ? this.ids.get(ref) ?? ref : ""
  }

  private presentId(ref: Schema.Json | undefined): string {
    return ref === Setup.account ? this.plan.account.accountId : this.presentIds.get(String(ref)) ?? String(ref)
  }

  /** Fields of a request: those that are given, with the secrets that the environment has. */
  private payloadOf({ fields, secrets }: Setup.Thing, names: ReadonlyArray<string>, places: ReadonlyArray<string>) {
    return Effect.gen({ self: this }, function*() {
      const payload: Record<string, Schema.Json> = {}
      for (const name of names) {
        const value = fields[name]
        if (value !== undefined) payload[name] = value
      }
      for (const place of places) {
        const text = yield* SetupPlan.variable(secrets[place] ?? "")
        if (text === undefined) continue
        put(payload, place, text)
      }
      return payload
    })
  }

  private componentOf(code: string) {
    return Effect.gen({ self: this }, function*() {
      const hash = SetupPlan.hashOf(code)
      const known = this.components.get(hash)
      if (known !== undefined) return known
      const { data } = yield* this.call(({ components }) =>
        components.create({ headers: {}, payload: { component_code: code } })
      )
      this.components.set(hash, data.id)
      return data.id
    })
  }

  /** The field of a request for the project that a program belongs to. */
  private projectOf({ fields: { project } }: Setup.Thing): { readonly project_id?: string | null } {
    if (project === undefined) return {}
    return { project_id: project === null ? null : this.idOf(project) }
  }

  private program(change: SetupPlan.Change) {
    return Effect.gen({ self: this }, function*() {
      const { action, code, fields, present, secretProps, thing } = change
      const isNew = action === "create"
      const isSource = thing.kind === "sources"
      const settings = isSource ? [] : Setup.workflowSettings.filter((name) => name in thing.fields)
      const changed = Object.fromEntries(
        fields.flatMap(({ after, field }) =>
          field.startsWith("configured_props.") && !Object.hasOwn(thing.secrets, field)
            ? [
              [
                field.slice("configured_props.".length),
                after === undefined ? null : propOf(thing, field, after)
              ] as const
            ]
            : []
        )
      )
      const props = isNew ? { ...propsOf(thing), ...secretProps } : { ...changed, ...secretProps }
      const where = yield* Effect.gen({ self: this }, function*() {
        if (!isNew && !fields.some(({ field }) => ["code", "url", "registry"].includes(field))) return {}
        const { registry, url } = thing.fields
        if (code !== undefined) {
          return isSource
            ? { component_id: yield* this.componentOf(code) }
            : { workflow_code: code }
        }
        if (typeof registry === "string") return { key: registry }
        return isSource ? { component_url: String(url) } : { workflow_url: String(url) }
      })
      const payload = {
        ...where,
        name: String(thing.fields["name"]),
        ...this.projectOf(thing),
        ...(typeof thing.fields["shadow"] === "boolean" ? { shadow: thing.fields["shadow"] } : {}),
        configured_props: propsWithIds(props, (ref) => this.ids.get(ref) ?? this.presentIds.get(ref)),
        ...Object.fromEntries(settings.map((name) => [name, thing.fields[name]]))
      } as const
      const active = (thing.fields["active"] ?? present?.fields["active"] ?? true) === true
      if (present !== undefined) {
        const params = { id: present.id }
        const { data } = yield* this.call(({ sources, workflows }) =>
          isSource
            ? Effect.map(
              sources.update({ params, payload: { ...payload, active } }),
              ({ data }) => ({ data: { id: data.id } })
            )
            : Effect.map(
              workflows.update({ params, payload: { ...payload, active } }),
              ({ data }) => ({ data: { id: data.id } })
            )
        )
        return { id: data.id, endpoint: null }
      }
      if (!isSource) {
        const { data } = yield* this.call(({ workflows }) =>
          workflows.create({ headers: {}, payload: { ...payload, active } })
        )
        return { id: data.id, endpoint: EndpointUrl.of(data.configured_props) }
      }
      // It was checked when the file was read.
      const initial = thing.fields["initial_state"] as InitialState | undefined
      const { data } = yield* this.call(({ sources }) =>
        sources.create({
          headers: {},
          payload: { ...payload, active, ...(initial === undefined ? {} : { initial_state: initial }) }
        })
      )
      return { id: data.id, endpoint: EndpointUrl.of(data.configured_props) }
    })
  }

  private webhook({ fields: changes, present, thing }: SetupPlan.Change) {
    return Effect.gen({ self: this }, function*() {
      const names = ["name", "description", "url", ...Setup.webhookSettings]
      const active = (thing.fields["active"] ?? present?.fields["active"] ?? true) === true
      if (present === undefined) {
        const given = names.filter((name) => (name !== "name" && name !== "description") || thing.fields[name] !== null)
        const payload = yield* this.payloadOf(thing, given, Object.keys(thing.secrets))
        const { data } = yield* this.call(({ webhooks }) =>
          webhooks.create({ headers: {}, query: {}, payload: payload as { url?: string } })
        )
        if (!active) {
          yield* this.call(({ webhooks }) => webhooks.update({ params: { id: data.id }, payload: { active: false } }))
        }
        return { id: data.id, endpoint: null }
      }
      const changed = new Set(changes.map(({ field }) => field.replace(/\..*$/, "")))
      const places = Object.keys(thing.secrets).filter((place) => changed.has(place.replace(/\..*$/, "")))
      const payload = yield* this.payloadOf(thing, names.filter((name) => changed.has(name)), places)
      yield* this.call(({ webhooks }) =>
        webhooks.update({ params: { id: present.id }, payload: { ...payload, active } })
      )
      return { id: present.id, endpoint: null }
    })
  }

  private appAccount({ fields, present, thing }: SetupPlan.Change) {
    return Effect.gen({ self: this }, function*() {
      const { app, name, oauth } = thing.fields
      const givenAt = Effect.fnUntraced(function*(place: string) {
        if (present !== undefined && !fields.some(({ field }) => field === place)) return undefined
        const variable = thing.secrets[place] ?? Setup.variableOf(thing.ref, place)
        const text = yield* SetupPlan.variable(variable)
        return text === undefined ? undefined : { variable, text }
      })
      const credentials = yield* givenAt("credentials")
      const secret = oauth === undefined ? undefined : yield* givenAt("oauth.client_secret")
      const payload = {
        ...(typeof name === "string" ? { name } : {}),
        ...(credentials === undefined
          ? {}
          : { credentials: yield* credentialsOf(credentials.variable, credentials.text) })
      }
      const client = oauth === undefined ? {} : {
        oauth: {
          ...yield* clientOf(oauth),
          ...(secret === undefined ? {} : { client_secret: secret.text })
        }
      }
      if (present !== undefined) {
        yield* this.call(({ appAccounts }) =>
          appAccounts.update({ params: { id: present.id }, payload: { ...payload, ...client } })
        )
        return { id: present.id, endpoint: null }
      }
      const { data } = yield* this.call(({ appAccounts }) =>
        appAccounts.create({ headers: {}, payload: { credentials: {}, ...payload, ...client, app: String(app) } })
      )
      return { id: data.id, endpoint: null }
    })
  }

  private environmentVariable({ present, thing }: SetupPlan.Change) {
    return Effect.gen({ self: this }, function*() {
      const { program, project, secret } = thing.fields
      const name = String(thing.fields["name"])
      const text = yield* SetupPlan.variable(thing.secrets["value"] ?? "")
      const payload = {
        value: text ?? String(thing.fields["value"] ?? present?.fields["value"]),
        ...(typeof secret === "boolean" ? { secret } : {}),
        ...(program === undefined ? {} : { program_id: this.idOf(program) }),
        ...(project === undefined ? {} : { project_id: this.idOf(project) })
      }
      yield* this.call(({ environment }) => environment.set({ params: { name }, payload }))
      return { id: name, endpoint: null }
    })
  }

  private project({ present, thing }: SetupPlan.Change) {
    return Effect.gen({ self: this }, function*() {
      const payload = { name: String(thing.fields["name"]) }
      const { data } = yield* this.call(({ projects }) =>
        present === undefined
          ? projects.create({ headers: {}, payload })
          : projects.update({ params: { id: present.id }, payload })
      )
      return { id: data.id, endpoint: null }
    })
  }

  private dataStore({ present, thing }: SetupPlan.Change) {
    return Effect.gen({ self: this }, function*() {
      const payload = { name: String(thing.fields["name"]) }
      if (present !== undefined) {
        yield* this.call(({ dataStores }) => dataStores.update({ params: { id: present.id }, payload }))
        return { id: present.id, endpoint: null }
      }
      const { data } = yield* this.call(({ dataStores }) => dataStores.create({ headers: {}, payload }))
      return { id: data.id, endpoint: null }
    })
  }

  private storedFile({ thing }: SetupPlan.Change) {
    return Effect.gen({ self: this }, function*() {
      const { stream } = yield* FileSystem.FileSystem
      const path = SetupFiles.pathOf(thing)
      const { content_type: type } = thing.fields
      const { data } = yield* this.call(({ files }) =>
        files.write({
          headers: { "content-type": type === undefined ? ContentType.ofPath(path) : String(type ?? ContentType.any) },
          query: { path },
          payload: Stream.mapError(stream(Path.join(this.plan.folder, thing.ref)), ({ message }) => refuse(message))
        })
      )
      return { id: data.id, endpoint: null }
    })
  }

  private subscription({ action, present, thing }: SetupPlan.Change) {
    return Effect.gen({ self: this }, function*() {
      const { batch, emitter, filter, listener, stream } = thing.fields
      const ends = {
        emitter_id: this.idOf(emitter),
        listener_id: this.idOf(listener),
        ...(typeof stream === "string" && stream !== "" ? { event_name: stream } : {})
      }
      if (present !== undefined && action === "change") {
        yield* this.call(({ subscriptions }) =>
          subscriptions.update({
            query: {},
            payload: {
              ...ends,
              ...(filter === undefined ? {} : { filter: filter as Setup.Fields | null }),
              ...(batch === undefined ? {} : { batch: batch as Setup.Fields | null })
            }
          })
        )
        return { id: present.id, endpoint: null }
      }
      const { data } = yield* this.call(({ subscriptions }) =>
        subscriptions.create({ headers: {}, query: {}, payload: { ...ends, ...given({ batch, filter }) } })
      )
      return { id: data.id, endpoint: null }
    })
  }

  /** A rule can't be changed: it is made anew, which leaves the subscriptions that it has made. */
  private autoSubscription({ present, thing }: SetupPlan.Change) {
    return Effect.gen({ self: this }, function*() {
      const { batch, filter, listener, stream } = thing.fields
      const before = present?.fields ?? {}
      if (present !== undefined) {
        yield* this.call(({ autoSubscriptions }) => autoSubscriptions.delete({ params: { id: present.id }, query: {} }))
      }
      const { data } = yield* this.call(({ autoSubscriptions }) =>
        autoSubscriptions.create({
          headers: {},
          query: {},
          payload: {
            listener_id: this.idOf(listener),
            ...(typeof stream === "string" && stream !== "" ? { event_name: stream } : {}),
            ...given({
              batch: batch === undefined ? before["batch"] : batch,
              filter: filter === undefined ? before["filter"] : filter
            })
          }
        })
      )
      return { id: data.id, endpoint: null }
    })
  }

  private component({ code }: SetupPlan.Change) {
    return Effect.gen({ self: this }, function*() {
      return { id: yield* this.componentOf(code ?? ""), endpoint: null }
    })
  }

  private remove({ thing }: SetupPlan.Change, id: string) {
    return Effect.gen({ self: this }, function*() {
      const params = { id }
      const request = { params, query: {} }
      yield* this.call((client) => {
        switch (thing.kind) {
          case "files":
            return client.files.delete({ query: { path: SetupFiles.pathOf(thing) } })
          case "accounts":
            return client.appAccounts.delete(request)
          case "environment_variables": {
            const { name, program, project } = thing.fields
            const query = {
              ...(program === undefined ? {} : { program_id: this.presentId(program) }),
              ...(project === undefined ? {} : { project_id: this.presentId(project) })
            }
            return client.environment.delete({ params: { name: String(name) }, query })
          }
          case "projects":
            return client.projects.delete(request)
          case "data_stores":
            return client.dataStores.delete(request)
          case "webhooks":
            return client.webhooks.delete(request)
          case "sources":
            return client.sources.delete(request)
          case "workflows":
            return client.workflows.delete(request)
          case "auto_subscriptions":
            return client.autoSubscriptions.delete(request)
          case "components":
            return Effect.void
          case "subscriptions":
            return client.subscriptions.delete({
              query: {},
              payload: {
                emitter_id: this.presentId(thing.fields["emitter"]),
                listener_id: this.presentId(thing.fields["listener"]),
                event_name: String(thing.fields["stream"] ?? "")
              }
            })
        }
      }).pipe(Effect.catchTag("NotFoundProblem", () => Effect.void))
      return { id, endpoint: null }
    })
  }
}

/** Does what a plan says, in its order. Changes before a failure stay: to plan and apply anew goes on from there. */
export const apply = (plan: SetupPlan.Plan) =>
  Effect.flatMap(ApiAccess, ({ call }) => Effect.map(new Application(plan, call).run(false), ({ applied }) => applied))

/** Does of it what can be done, and tells of the rest. */
export const applyEach = (plan: SetupPlan.Plan) =>
  Effect.flatMap(ApiAccess, ({ call }) => new Application(plan, call).run(true))

const given = (values: Readonly<Record<"batch" | "filter", Schema.Json | undefined>>) =>
  Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined && value !== null)
  ) as { readonly filter?: Setup.Fields; readonly batch?: { readonly max_events?: number } }

const credentialsOf = (variable: string, text: string) =>
  Effect.try({
    try: (): unknown => JSON.parse(text),
    catch: () => refuse(`${variable} is not JSON`)
  }).pipe(
    Effect.filterOrFail(
      (value): value is Setup.Fields => Predicate.isObject(value) && !Array.isArray(value),
      () => refuse(`${variable} is not a JSON object`)
    )
  )

/** The lines about the changes that somebody has to know. */
export const linesOf = (applied: ReadonlyArray<Applied>): string => {
  const made = applied.flatMap(({ endpoint_url, thing }) =>
    endpoint_url === null ? [] : [`  ${thing}: ${endpoint_url}`]
  )
  const webhooks = applied.filter(({ action, thing }) => action === "create" && thing.startsWith("webhooks/"))
  return [
    `${applied.length} changes are done`,
    ...(made.length === 0 ? [] : ["New endpoints:", ...made]),
    ...(webhooks.length === 0
      ? []
      : ["New webhooks sign with a secret of their own: give their receivers the one of GET /v1/webhooks/{id}/secret"])
  ].join("\n")
}
