/** Fetches what a hosted service gives of an account into a folder that can be kept. */
import { Effect, Option, Predicate, Schema } from "effect"
import * as AccountsToConnect from "./AccountsToConnect.ts"
import { mostEvents } from "./ArchivedBeginning.ts"
import * as ArchiveFetch from "./ArchiveFetch.ts"
import { idOf } from "./ArchiveFetch.ts"
import * as ArchiveFolder from "./ArchiveFolder.ts"
import type { Passphrase } from "./ArchivePassphrase.ts"
import type { Answer, HostedApi } from "./HostedApi.ts"
import * as SealedFile from "./SealedFile.ts"

type Json = Schema.Json
type Resource = Readonly<Record<string, Json>>

const nullable = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

const Me = Schema.Struct({ data: Schema.Struct({ id: Schema.String, username: nullable(Schema.String) }) })
const ComponentId = idOf("sc")
const Source = Schema.Struct({ id: idOf("dc"), component_id: nullable(Schema.String) })
const Component = Schema.Struct({ data: Schema.Struct({ id: ComponentId, code: Schema.String }) })
const Subscription = Schema.Struct({ emitter_id: Schema.String, listener_id: Schema.String })
const Webhook = Schema.Struct({ id: idOf("wh"), url: Schema.String })
const EventSummary = Schema.Struct({ id: Schema.String })
const Summaries = Schema.Struct({ data: Schema.Array(EventSummary) })
const Workflow = Schema.Record(Schema.String, Schema.Json)

const isComponentId: (id: unknown) => id is string = Schema.is(ComponentId)

/** True if this can be the id of a workflow. */
export const isWorkflowId: (id: unknown) => id is string = Schema.is(idOf("p"))

/** The owner of a key. It is asked for first: without an answer there is no archive. */
export const ownerOf = Effect.fnUntraced(function*(api: HostedApi, org: string | undefined) {
  const { known: { data: { id, username } } } = yield* api.get("/users/me", {}, Me)
  return {
    id,
    ...(Predicate.isString(username) ? { username } : {}),
    ...(org === undefined ? {} : { org })
  } satisfies ArchiveFolder.Archive["owner"] as ArchiveFolder.Archive["owner"]
})

const objectOf = (value: unknown): Resource | undefined =>
  Predicate.isObject(value) && !Array.isArray(value) ? value as Resource : undefined

/** The resource in an answer, which may be in an envelope. */
const resourceIn = (raw: Json): Resource => {
  const outer = objectOf(raw) ?? {}
  return outer["steps"] === undefined ? objectOf(outer["data"]) ?? outer : outer
}

/** All items of a list. Those that are not understood are noted. */
const list = Effect.fnUntraced(function*<A>(
  { api, ask, folder, query }: ArchiveFetch.ArchiveFetch,
  what: string,
  path: string,
  shape: Schema.Codec<A, unknown>,
  more: Readonly<Record<string, string>> = {}
) {
  const answer = yield* ask(what, "", api.list(path, { ...query, ...more }, shape))
  if (Option.isNone(answer)) return Option.none<ReadonlyArray<Answer<A>>>()
  yield* Effect.forEach(answer.value.faults, (why) => folder.miss({ what, id: "", why }), { discard: true })
  return Option.some(answer.value.items)
})

/** A list that is a file of its own. */
const listFile = Effect.fnUntraced(function*<A>(
  fetch: ArchiveFetch.ArchiveFetch,
  what: string,
  file: string,
  path: string,
  shape: Schema.Codec<A, unknown>
) {
  const before = yield* fetch.kept(file, [what, ""])
  if (Option.isSome(before) && Array.isArray(before.value)) {
    fetch.count(what, false, before.value.length)
    return before.value as ReadonlyArray<Json>
  }
  const items = yield* list(fetch, what, path, shape)
  if (Option.isNone(items)) return []
  const all = items.value.map(({ raw }) => raw)
  yield* fetch.folder.write(file, all)
  fetch.count(what, true, all.length)
  return all
})

/** Events newest last, by the time and the number of which an id is made. */
const inOrder = (summaries: ReadonlyArray<typeof EventSummary.Type>) =>
  summaries.map((summary) => {
    const [ms = 0, sequence = 0] = summary.id.split("-").map(Number)
    return { ms, sequence, summary }
  }).toSorted((one, other) => one.ms - other.ms || one.sequence - other.sequence).map(({ summary }) => summary)

const listIn = (value: Json | undefined): ReadonlyArray<Json> => Array.isArray(value) ? value : []

/** The newest events of an emitter, in one page: there are no more. Those that are there stay if it gives none. */
const eventsOf = Effect.fnUntraced(function*(
  { api, ask, query }: ArchiveFetch.ArchiveFetch,
  what: string,
  id: string,
  path: string,
  before: Json | undefined
) {
  const asked = { ...query, expand: "event", limit: String(mostEvents) }
  const answer = yield* ask(what, id, api.get(`${path}/event_summaries`, asked, Summaries))
  return Option.match(answer, {
    onNone: () => listIn(before),
    onSome: ({ raw }) => inOrder((raw as unknown as typeof Summaries.Type).data) as ReadonlyArray<Json>
  })
})

/** Fetches components, each once. One that the service no longer gives stays as it is there. */
const componentsOf = (fetch: ArchiveFetch.ArchiveFetch) => {
  const known = new Map<string, Resource | null>()
  return Effect.fnUntraced(function*(id: string) {
    const before = known.get(id)
    if (before !== undefined) return before
    const path = ArchiveFolder.componentFile(id)
    const kept = objectOf(Option.getOrUndefined(yield* fetch.kept(path, ["component", id])))
    const answer = kept === undefined
      ? yield* fetch.ask("component", id, fetch.api.get(`/components/${id}`, fetch.query, Component))
      : Option.none()
    const fetched = Option.isSome(answer) ? resourceIn(answer.value.raw) : undefined
    if (fetched !== undefined) yield* fetch.folder.write(path, fetched)
    const found = fetched ?? kept ?? objectOf(Option.getOrUndefined(yield* fetch.folder.read(path))) ?? null
    if (found !== null) fetch.count("components", fetched !== undefined)
    known.set(id, found)
    return found
  })
}

type ComponentById = ReturnType<typeof componentsOf>

const sources = Effect.fnUntraced(function*(fetch: ArchiveFetch.ArchiveFetch, component: ComponentById) {
  const { count, folder, kept, org } = fetch
  const path = org === undefined ? "/users/me/sources" : `/orgs/${org}/sources`
  const found = Option.getOrElse(yield* list(fetch, "sources", path, Source, { limit: "100" }), () => [])
  for (const { known: { component_id: componentId, id }, raw } of found) {
    const file = ArchiveFolder.sourceFile(id)
    const isNamed = isComponentId(componentId)
    const before = yield* kept(file, ["events", id], ...(isNamed ? [["component", componentId] as const] : []))
    if (Option.isSome(before)) {
      count("sources", false)
      continue
    }
    const code = isNamed ? yield* component(componentId) : null
    const last = objectOf(Option.getOrUndefined(yield* folder.read(file)))
    const events = yield* eventsOf(fetch, "events", id, `/sources/${id}`, last?.["events"])
    yield* folder.write(file, { source: raw, component: code, events })
    count("sources", true)
  }
})

/** The component that a step runs. */
const savedIn = (step: Json): Resource | undefined => objectOf(objectOf(step)?.["savedComponent"])

/** A workflow with the code that its steps have by the ids of components alone. */
const withCode = Effect.fnUntraced(function*(workflow: Resource, component: ComponentById) {
  const { steps } = workflow
  if (!Array.isArray(steps)) return workflow
  const whole = yield* Effect.forEach(steps as ReadonlyArray<Json>, (step) => {
    const saved = savedIn(step)
    const id = saved?.["id"]
    return saved === undefined || Predicate.isString(saved["code"]) || !isComponentId(id)
      ? Effect.succeed(step)
      : Effect.map(
        component(id),
        (found): Json =>
          found === null ? step : { ...objectOf(step), savedComponent: { ...saved, code: found["code"] ?? null } }
      )
  })
  return { ...workflow, steps: whole } satisfies Resource as Resource
})

const workflow = Effect.fnUntraced(function*(fetch: ArchiveFetch.ArchiveFetch, component: ComponentById, id: string) {
  const { api, ask, count, folder, kept, query } = fetch
  const file = ArchiveFolder.workflowFile(id)
  const before = objectOf(Option.getOrUndefined(yield* kept(file, ["workflow", id])))
  const answer = before === undefined
    ? yield* ask("workflow", id, api.get(`/workflows/${id}`, query, Workflow))
    : Option.none()
  const found = before ?? (Option.isSome(answer) ? resourceIn(answer.value.raw) : undefined)
  if (found === undefined) return
  // Also of one that is there: a component may have been missing.
  const whole = yield* withCode(found, component)
  if (before === undefined || JSON.stringify(whole) !== JSON.stringify(before)) yield* folder.write(file, whole)
  const eventsFile = ArchiveFolder.workflowEventsFile(id)
  const parts = ["workflow events", "workflow errors"] as const
  if (Option.isNone(yield* kept(eventsFile, ...parts.map((part) => [part, id] as const)))) {
    const last = objectOf(Option.getOrUndefined(yield* folder.read(eventsFile)))
    const events = yield* eventsOf(fetch, parts[0], id, `/workflows/${id}`, last?.["events"])
    const errors = yield* eventsOf(fetch, parts[1], id, `/workflows/${id}/$errors`, last?.["errors"])
    yield* folder.write(eventsFile, { events, errors })
  }
  count("workflows", before === undefined)
})

/** The accounts, of which those with credentials are sealed together. */
const accounts = Effect.fnUntraced(function*(
  fetch: ArchiveFetch.ArchiveFetch,
  passphrase: Passphrase
) {
  const { count, folder, kept } = fetch
  const before = yield* kept(ArchiveFolder.accountsFile, ["accounts", ""])
  if (Option.isSome(before) && Array.isArray(before.value)) {
    count("accounts", false, before.value.length)
    return
  }
  const found = yield* list(fetch, "accounts", "/accounts", AccountsToConnect.Account, {
    include_credentials: "true",
    limit: "100"
  })
  if (Option.isNone(found)) return
  const all = found.value.map(({ known }) => known)
  const credentials = AccountsToConnect.credentialsOf(all)
  if (Object.keys(credentials).length > 0) {
    yield* folder.write(ArchiveFolder.accountsSealed, yield* SealedFile.sealJson(yield* passphrase, credentials))
  }
  yield* folder.write(ArchiveFolder.accountsFile, all.map(AccountsToConnect.shownOf))
  count("accounts", true, all.length)
})

export interface Asked extends ArchiveFetch.Given {
  /** The ids of workflows, as far as somebody else than the service knows them. */
  readonly workflows: ReadonlyArray<string>
  /** Asked for only where there are credentials to be sealed. */
  readonly passphrase: Passphrase
}

/** Fetches all into the folder, and goes on after what is not given. */
export const run = Effect.fnUntraced(function*({ passphrase, workflows: named, ...given }: Asked) {
  const fetch = ArchiveFetch.make(given)
  const component = componentsOf(fetch)
  const { folder, org } = given
  // First: somebody who has to type a passphrase sits there at the beginning.
  yield* accounts(fetch, passphrase)
  yield* sources(fetch, component)
  const subscriptions = yield* listFile(
    fetch,
    "subscriptions",
    ArchiveFolder.subscriptionsFile,
    org === undefined ? "/users/me/subscriptions" : `/workspaces/${org}/subscriptions`,
    Subscription
  )
  yield* listFile(fetch, "webhooks", ArchiveFolder.webhooksFile, "/users/me/webhooks", Webhook)
  const ends = subscriptions.flatMap((subscription) => {
    const { emitter_id: emitter, listener_id: listener } = objectOf(subscription) ?? {}
    return [emitter, listener].filter(isWorkflowId)
  })
  for (const id of new Set([...named, ...ends])) yield* workflow(fetch, component, id)
  return { archive: yield* folder.finish, counts: fetch.counts }
})
