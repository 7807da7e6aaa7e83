import { authority } from "@headwater/fixtures/TestCertificate"
import type { Schema } from "effect"
import * as FastCheck from "fast-check"
import type { Operation } from "./ApiDocument.ts"
import * as ComponentCodes from "./ComponentCodes.ts"
import * as Placeholder from "./Placeholder.ts"
import * as Texts from "./Texts.ts"

export type Place = "path" | "query" | "body" | "header"

type Value = FastCheck.Arbitrary<Schema.Json>

const index = FastCheck.nat({ max: 99 })

const own = (kind: Placeholder.Kind): FastCheck.Arbitrary<string> => index.map((at) => Placeholder.reference(kind, at))

/** Mostly what the account has, sometimes what it had, or what the other account has. */
const id = (kind: Placeholder.Kind): FastCheck.Arbitrary<string> =>
  FastCheck.oneof(
    { weight: 16, arbitrary: own(kind) },
    { weight: 1, arbitrary: index.map((at) => Placeholder.reference(kind, at, "gone")) },
    { weight: 2, arbitrary: index.map((at) => Placeholder.reference(kind, at, "other")) }
  )

const sourceId = FastCheck.oneof({ weight: 3, arbitrary: id("source") }, { weight: 1, arbitrary: id("slug") })

const globs = FastCheck.constantFrom("dc_*", "p_*", "*", "dc_?*", "dc_0*", "u_*", "wh_*", "dc_????????????????????")

const streams = FastCheck.oneof(
  { weight: 6, arbitrary: FastCheck.constantFrom("", "default", "$errors", "$logs", "s0", "s1", "$webhooks") },
  { weight: 1, arbitrary: Texts.marked(40) },
  { weight: 1, arbitrary: Texts.prototypeName }
)

/** Names of the fields of answers, and names that objects have by themselves. */
const fieldPath = FastCheck.array(
  FastCheck.oneof(
    FastCheck.constantFrom(
      "id",
      "name",
      "url",
      "event",
      "raw_event",
      "metadata",
      "configured_props",
      "http",
      "code",
      "secret",
      "nothing",
      "0",
      ""
    ),
    Texts.prototypeName
  ),
  { minLength: 1, maxLength: 3 }
).map((names) => names.join("."))

const fieldList = FastCheck.array(fieldPath, { maxLength: 4 }).map((paths) => paths.join(","))

/** Cursors of lists whose items are made by every other request. */
const knownCursors: Readonly<Record<string, FastCheck.Arbitrary<string>>> = {
  "/v1/couriers": FastCheck.constant(Buffer.from("cr_0Uz10000Unknown00000").toString("base64url")),
  "/v1/data_stores": FastCheck.constant(Buffer.from("ds_0Uz10000Unknown00000").toString("base64url")),
  "/v1/data_stores/{id}/entries": FastCheck.constant(Buffer.from("=k").toString("base64url")),
  "/v1/files": FastCheck.constant(Buffer.from("fl_0Uz10000Unknown00000").toString("base64url")),
  "/v1/projects": FastCheck.constant(Buffer.from("proj_0Uz10000Unknown00000").toString("base64url")),
  "/v1/events": FastCheck.constant(Buffer.from("1760000120000-0 dc_0Uz10000Unknown00000").toString("base64url"))
}

const position = FastCheck.constantFrom("0", "48121", "999999999")

const workflowSettings: Readonly<Record<string, Value>> = {
  attachments: FastCheck.constantFrom({}, { "letter.html": "templates/letter.html" }),
  // The server's most is what each step has.
  memory_mb: FastCheck.constantFrom(null, 128, 256),
  shadow_reads: FastCheck.constantFrom([], ["api.example.com"])
}

/** A cursor is of one order of a list, and those that are known are of that by creation. */
const narrowed = { q: FastCheck.constantFrom("a", "http", "_"), sort: FastCheck.constant("created_at") }

/** Fields of lists and figures over the whole account, and of what takes few of the values that its form allows. */
const overAccount: Readonly<Record<string, Readonly<Record<string, Value>>>> = {
  "/v1/accounts": { oauth: FastCheck.constant({ provider: "github", client_id: "c" }) },
  "/v1/accounts/{id}": { oauth: FastCheck.constant({ provider: "github", client_id: "c" }) },
  "/v1/accounts/{id}/connect": { return_to: FastCheck.constant("console") },
  "/v1/actions/run": {
    component_code: FastCheck.constant(`export default { type: "action", run() { return 1 } }`),
    configured_props: FastCheck.constant({})
  },
  "/v1/audit": { key: id("key") },
  "/v1/couriers": {
    stores: FastCheck.constant({}),
    variables: FastCheck.constantFrom([], ["SHOP"]),
    files: FastCheck.constant(true)
  },
  "/v1/events": {
    emitter: sourceId,
    id: id("event"),
    from: FastCheck.constantFrom(0, 1_760_000_000_000),
    to: FastCheck.constant(4_000_000_000_000)
  },
  "/v1/events/sse": { emitter: sourceId, after: position, "last-event-id": position },
  "/v1/events/{id}/journey": { emitter: sourceId },
  "/v1/figures": {
    emitter: sourceId,
    listener: FastCheck.oneof(id("webhook"), sourceId),
    from: FastCheck.constant(1_760_000_000_000),
    to: FastCheck.constant(1_790_000_000_000),
    step: FastCheck.constantFrom(86_400_000, 604_800_000)
  },
  "/v1/files/content": { path: FastCheck.constantFrom("b.csv", "shop/a.txt") },
  "/v1/files/url": { path: FastCheck.constantFrom("b.csv", "shop/a.txt") },
  "/v1/graph": { expand: id("subscription") },
  // Ids that were emitted are only for a component with a dedupe strategy.
  "/v1/sources": {
    initial_state: FastCheck.constantFrom({}, { db: { count: 1 } }, { emit_from_ms: 1_760_000_000_000 })
  },
  // A subscription to itself is refused there.
  "/v1/subscriptions/preview": { listener_id: id("webhook") },
  "/v1/users/me/sources": narrowed,
  "/v1/users/me/webhooks": narrowed,
  "/v1/users/me/workflows": narrowed,
  "/v1/workflows": workflowSettings,
  "/v1/workflows/{id}": workflowSettings
}

/** The kind of what a path names in the segment after this one. */
const kindsBySegment: Readonly<Record<string, FastCheck.Arbitrary<string>>> = {
  accounts: id("appAccount"),
  components: FastCheck.oneof(id("component"), id("componentKey")),
  bulk_actions: id("bulkAction"),
  consumers: id("consumer"),
  deliveries: id("delivery"),
  events: id("event"),
  imports: FastCheck.constantFrom("shop", "orders"),
  keys: id("key"),
  auto_subscriptions: id("autoSubscription"),
  registry: FastCheck.constantFrom("http-requests", "schedule", "rss-feed", "nothing", "__proto__"),
  run_books: sourceId,
  runs: id("run"),
  sources: sourceId,
  subscriptions: id("subscription"),
  webhooks: id("webhook"),
  workflows: id("workflow")
}

const listKind = (path: string): Placeholder.Kind => {
  if (/event_summaries|\/events|\/sse/.test(path)) return "event"
  if (/\/positions/.test(path)) return "source"
  if (/\/consumers/.test(path)) return "consumer"
  if (/\/audit/.test(path)) return "audit"
  if (/\/keys/.test(path)) return "key"
  if (/\/accounts/.test(path)) return "appAccount"
  if (/\/auto_subscriptions/.test(path)) return "autoSubscription"
  if (/\/deliveries/.test(path)) return "delivery"
  if (/\/bulk_actions/.test(path)) return "bulkAction"
  if (/\/webhooks/.test(path)) return "webhook"
  if (/\/runs/.test(path)) return "run"
  if (/\/workflows/.test(path)) return "workflow"
  if (/\/components|\/registry/.test(path)) return "component"
  return "source"
}

const cursorOf = (path: string): FastCheck.Arbitrary<string> => {
  const known = knownCursors[path]
  if (known !== undefined) return known
  const kind = listKind(path)
  return kind === "event" ? id("event") : FastCheck.oneof(
    { weight: 8, arbitrary: index.map((at) => Placeholder.cursor(kind, at)) },
    { weight: 1, arbitrary: index.map((at) => Placeholder.cursor(kind, at, "gone")) },
    { weight: 1, arbitrary: index.map((at) => Placeholder.cursor(kind, at, "other")) }
  )
}

const webhookUrl = FastCheck.oneof(
  { weight: 8, arbitrary: FastCheck.constant(`${Placeholder.sinkUrl}/hook/${Placeholder.marker}`) },
  { weight: 1, arbitrary: FastCheck.constant(`HTTPS://example.test/${Placeholder.marker}?a=b#c`) },
  { weight: 1, arbitrary: FastCheck.constant(`http://user:pass@example.test:8080/${Placeholder.marker}`) },
  { weight: 1, arbitrary: FastCheck.constant(`${Placeholder.sinkUrl}/gone/${Placeholder.marker}`) }
)

const componentUrl = FastCheck.constantFrom("component.mjs", "with-import.mjs").map((file) =>
  `${Placeholder.sinkUrl}/code/${Placeholder.marker}/${file}`
)

/** Code of workflows that load, each with a step `run`. */
const workflowCode = FastCheck.constantFrom(
  `export default { name: "${Placeholder.marker}", run({ steps, $ }) { $.emit(steps.trigger.event ?? null); return 1 } }`,
  `export default { props: { http: "$.interface.http", db: "$.service.db" }, steps: {
    first: { run({ $ }) { console.log("${Placeholder.marker}"); this.db.set("n", (this.db.get("n") ?? 0) + 1) } },
    run: { run({ $ }) { $.flow.delay(2000); $.export("n", this.db.get("n")) } },
    last: { run({ steps, $ }) { $.emit(steps, { name: "last" }) } }
  } }`,
  `export default { steps: { run: { run({ steps }) { throw new Error("${Placeholder.marker}") } } } }`
)

/** Some are used again, for other requests and by the other account. */
const idempotencyKey = FastCheck.oneof(
  { weight: 1, arbitrary: FastCheck.nat({ max: 30 }).map((at) => `same-key-${at}`) },
  { weight: 3, arbitrary: FastCheck.uuid() }
)

const seconds = FastCheck.constantFrom(0, 1_760_000_000, 4_000_000_000)

/** Filters that are well formed, whatever passes them. */
const filter = FastCheck.constantFrom<Schema.Json>(
  {},
  { count: { $gte: 2, $lt: 100 }, $not: { constructor: { $exist: true } } },
  { $or: [{ n: { $in: [1, 2, "3", null] } }, { $metadata: { name: { $startsWith: ["s", "$"] } } }] },
  JSON.parse(`{ "__proto__": "${Placeholder.marker}", "toString": { "$neq": { "$ref": "a[$index].b" } } }`),
  { original_event: { body: [{ a: [] }, Placeholder.marker] }, $and: [{ error: { $exist: false } }] }
)

/** Batches, most of which go within the time of a request. */
const batch = FastCheck.constantFrom<Schema.Json>(
  {},
  { max_events: 2 },
  { max_events: 1_000, max_wait_ms: 0 },
  { max_wait_ms: 50, max_bytes: 1_024 },
  { max_events: 3, max_wait_ms: 3_600_000, max_bytes: 4_194_304 }
)

/** Headers that a webhook may have. */
const headers = FastCheck.constantFrom<Schema.Json>(
  null,
  {},
  { "X-Fuzz": Placeholder.marker },
  { "content-type": "text/plain" }
)

/** None of them is among the others. */
const secretHeaders = FastCheck.constantFrom<Schema.Json>(
  null,
  {},
  { Authorization: `Bearer ${Placeholder.marker}`, "x-secret": "b" }
)

/** What a field means where its schema alone does not tell; undefined where the schema says it all. */
export const valueOf = ({ method, path }: Operation, place: Place, field: string): Value | undefined => {
  const name = field.toLowerCase()
  if (place === "path") {
    const segments = path.split("/")
    const segment = segments[segments.indexOf(`{${field}}`) - 1] ?? ""
    // Those that hostile code made are looked at, but nothing that is to be in order is done with them.
    return method === "GET" && segment === "sources"
      ? FastCheck.oneof({ weight: 3, arbitrary: sourceId }, { weight: 1, arbitrary: own("oddSource") })
      : kindsBySegment[segment]
  }
  const hint = overAccount[path]?.[name]
  if (hint !== undefined) return hint
  switch (name) {
    case "component_code":
      return ComponentCodes.working
    case "workflow_code":
      return workflowCode
    case "component_id":
      return id("component")
    case "deployment_id":
      return FastCheck.constantFrom("d_0Uz10000Unknown00000", "")
    case "component_url":
    case "workflow_url":
      return componentUrl
    case "configured_props":
      return path.includes("/workflows") ? FastCheck.constant({}) : ComponentCodes.configuredProps
    case "emitter_id":
      return FastCheck.oneof(
        { weight: 5, arbitrary: sourceId },
        { weight: 2, arbitrary: globs },
        { weight: 1, arbitrary: own("oddSource") }
      )
    case "webhook_id":
      return id("webhook")
    case "subscription_id":
      return id("subscription")
    case "event_id":
      return id("event")
    case "listener_id":
      return FastCheck.oneof({ weight: 4, arbitrary: id("webhook") }, { weight: 1, arbitrary: sourceId })
    case "event_name":
      return streams
    case "filter":
      return filter
    case "batch":
      return batch
    case "headers":
      return headers
    case "secret_headers":
      return secretHeaders
    case "tls":
      return FastCheck.constantFrom<Schema.Json>(null, {}, { ca: authority })
    case "from":
      if (path.endsWith("/audit")) return seconds
      return path.endsWith("/resume")
        ? FastCheck.constantFrom("place", "now")
        : FastCheck.oneof(FastCheck.constant("beginning"), id("event"))
    case "start":
    case "to":
      if (path.endsWith("/audit")) return seconds
      return FastCheck.oneof(
        FastCheck.constantFrom<Schema.Json>("beginning", "end", 0, 1_760_000_000_000),
        id("event")
      )
    case "positions":
      return FastCheck.dictionary(sourceId, id("event"), { maxKeys: 3 })
    case "wait":
      return FastCheck.constantFrom(0, 0, 0, 1)
    case "last-event-id":
    case "start_id":
    case "end_id":
      return id("event")
    case "after":
    case "before":
      return cursorOf(path)
    case "limit":
      return FastCheck.oneof(FastCheck.constantFrom(1, 10, 100), FastCheck.integer({ min: 1, max: 100 }))
    case "include":
    case "exclude":
      return fieldList
    case "url":
      return webhookUrl
    case "key":
      return FastCheck.constantFrom("http-requests", "schedule", "rss-feed")
    case "idempotency-key":
      return idempotencyKey
    default:
      return undefined
  }
}

/** A source and an event of it, in a path that names one of each; nothing for other paths. */
export const pathTogether = ({ path }: Operation): FastCheck.Arbitrary<Readonly<Record<string, string>>> =>
  /\/sources\/\{id\}\/events\/\{event_id\}/.test(path)
    ? FastCheck.tuple(FastCheck.boolean(), index).map(([isPair, at]): Readonly<Record<string, string>> =>
      isPair
        ? { id: Placeholder.reference("eventSource", at), event_id: Placeholder.reference("eventOfSource", at) }
        : {}
    )
    : FastCheck.constant({})

type Pairs = ReadonlyArray<readonly [string, string]>

const subscription: FastCheck.Arbitrary<Pairs> = index.map((at) => [
  ["emitter_id", Placeholder.reference("subscriptionEmitter", at)],
  ["listener_id", Placeholder.reference("subscriptionListener", at)],
  ["event_name", Placeholder.reference("subscriptionStream", at)]
])

/** With both ids they are one: of two, which comes first is not known. */
const eventRange: FastCheck.Arbitrary<Pairs> = FastCheck.tuple(
  id("event"),
  FastCheck.constantFrom<ReadonlyArray<string>>([], ["start_id"], ["end_id"], ["start_id", "end_id"]),
  FastCheck.option(streams, { nil: undefined })
).map(([event, names, stream]) => [
  ...names.map((name) => [name, event] as const),
  ...(stream === undefined ? [] : [["event_name", stream] as const])
])

/** Of a program or of a project, or of the account. */
const variableOwner = FastCheck.oneof(
  FastCheck.constant<Readonly<Record<string, string>>>({}),
  FastCheck.record({ program_id: FastCheck.oneof(sourceId, id("workflow")) }),
  FastCheck.constant({ project_id: Placeholder.marker })
)

/** Query parameters that make sense only together; undefined where each stands for itself. */
export const together = (operation: Operation): FastCheck.Arbitrary<Pairs | undefined> => {
  switch (operation.id) {
    case "subscriptions.delete":
    case "subscriptions.update":
      return FastCheck.option(subscription, { nil: undefined })
    case "environment.list":
    case "environment.get":
    case "environment.delete":
      return variableOwner.map((owner) => Object.entries(owner))
    case "events.deleteSourceEvents":
      return eventRange
    default:
      return FastCheck.constant(undefined)
  }
}

/** Bodies whose fields make sense only together; undefined where each stands for itself. */
export const bodyTogether = ({ id: operation }: Operation): FastCheck.Arbitrary<Schema.Json | undefined> => {
  const event = FastCheck.record({ emitter_id: sourceId, event_id: id("event") })
  const events = FastCheck.record({ emitter_id: sourceId, from: id("event") })
  const span = FastCheck.constantFrom({ since: 0 }, { since: 1_760_000_000_000, until: 1_760_003_600_000 })
  const code = FastCheck.oneof(
    FastCheck.record({ component_code: ComponentCodes.working }),
    FastCheck.record({ workflow_code: workflowCode }),
    FastCheck.record({ component_url: componentUrl })
  )
  const sample = FastCheck.oneof(
    event,
    FastCheck.constantFrom<Schema.JsonObject>(
      {},
      { event: { body: Placeholder.marker }, requests: "refuse" },
      { event: [Placeholder.marker], trigger: "event", at_ms: 1_760_000_000_000 }
    )
  )
  switch (operation) {
    case "clock.advance":
      return FastCheck.constantFrom<Schema.JsonObject>(
        { by: 60_000 },
        { to_next: true, max_fired: 10 },
        { to: 4_000_000_000_000 }
      )
    case "code.check":
      return code
    case "code.tryCode":
      return FastCheck.tuple(code, sample).map(([code, sample]): Schema.Json => ({ ...code, ...sample }))
    case "code.trySource":
    case "code.tryWorkflow":
      return sample
    case "workflowRuns.rerun":
      return FastCheck.constantFrom<Schema.JsonObject>(
        {},
        { from_step: "run", code: "own" },
        { from: "failed_step", code: "current" },
        { event: { body: Placeholder.marker } }
      )
    case "environment.set":
      return FastCheck.tuple(variableOwner, FastCheck.boolean()).map(([owner, secret]): Schema.Json => ({
        value: Placeholder.marker,
        secret,
        ...owner
      }))
    case "users.update":
      // None that would stop what the account runs.
      return FastCheck.constantFrom<Schema.JsonObject>(
        {},
        { username: "fuzz" },
        { email: "fuzz@example.com", own_limits: { daily_invocations: 1_000_000_000, daily_compute_time: null } }
      )
    case "webhooks.test":
      return FastCheck.oneof(FastCheck.constantFrom({}, { payload: Placeholder.marker }), event)
    case "bulkActions.replay":
      return FastCheck.oneof(events, span)
    case "bulkActions.create":
      return FastCheck.oneof(
        FastCheck.record({
          action: FastCheck.constantFrom("rerun", "cancel_runs"),
          filter: FastCheck.record({ program_id: sourceId }),
          dry_run: FastCheck.boolean()
        }),
        FastCheck.record({
          action: FastCheck.constantFrom("retry", "replay", "skip", "cancel"),
          filter: FastCheck.oneof(
            FastCheck.record({ webhook_id: id("webhook") }),
            FastCheck.record({ event_id: id("event"), state: FastCheck.constant("pending") }),
            events,
            span
          ),
          dry_run: FastCheck.boolean()
        })
      ) as FastCheck.Arbitrary<Schema.Json>
    default:
      return FastCheck.constant(undefined)
  }
}

/** A field that may be left out is there in one of so many requests, and one more. */
export const rarity = (name: string): number => {
  switch (name.toLowerCase()) {
    case "include":
    case "exclude":
    case "after":
    case "before":
    // Filters of a list that finds nothing where most of them are given.
    case "webhook_id":
    case "subscription_id":
    case "event_id":
    case "state":
    case "error_class":
    case "status":
    case "q":
    case "active":
    case "since":
    case "until":
    case "last_attempt_since":
    case "text":
    case "key":
    case "session":
    case "operation":
    case "component_code":
    case "component_url":
    case "workflow_code":
    case "workflow_url":
      return 5
    case "idempotency-key":
      return 6
    default:
      return 1
  }
}

/** Fields that the operation asks for in words: one of several, or in the query or the body. */
export const needed = ({ id: operation }: Operation): FastCheck.Arbitrary<ReadonlyArray<string>> => {
  switch (operation) {
    case "components.create":
      return FastCheck.constantFrom(["component_code"], ["component_code"], ["component_url"])
    case "sources.create":
      return FastCheck.constantFrom(["component_id"], ["component_id"], ["component_code"], ["component_url"])
    case "couriers.create":
      return FastCheck.constant(["files"])
    case "subscriptions.create":
    case "subscriptions.preview":
    case "subscriptions.delete":
    case "subscriptions.update":
      return FastCheck.constant(["emitter_id", "listener_id"])
    case "workflows.create":
      return FastCheck.constantFrom(["workflow_code"], ["workflow_code"], ["workflow_url"])
    case "webhooks.create":
      return FastCheck.constant(["url"])
    case "webhooks.update":
      // Secrets are asked for again where the URL moves to another origin.
      return FastCheck.constant(["secret_headers"])
    case "journey.event":
      // Several emitters may have an event with the same id.
      return FastCheck.constant(["emitter"])
    case "code.runAction":
      return FastCheck.constant(["component_code"])
    case "consumers.create":
      return FastCheck.constant(["emitter_id"])
    case "consumers.commit":
      return FastCheck.constant(["lease"])
    case "consumers.seek":
      return FastCheck.constant(["to"])
    default:
      return FastCheck.constant(/auto/i.test(operation) ? ["listener_id"] : [])
  }
}
