import type { Ordering } from "@headwater/domain/WebhookSettings"
import * as Json from "@headwater/fixtures/Json"
import { Effect } from "effect"
import type { ServerProcess } from "../ServerProcess.ts"
import * as Components from "./Components.ts"
import type { Endpoints, Manner } from "./Endpoints.ts"
import * as FileCheck from "./FileCheck.ts"
import type { Findings } from "./Findings.ts"
import { leaseSeconds } from "./Reader.ts"
import type { Requests } from "./Requests.ts"
import type { Resumes } from "./Resumes.ts"
import * as RunCheck from "./RunCheck.ts"
import type { TokenProvider } from "./TokenProvider.ts"

/** A source or workflow that stays, with what follows its runs. */
export interface StandingProgram {
  readonly id: string
  readonly name: string
  /** None where it has no HTTP interface. */
  readonly endpoint: string | undefined
  readonly check: RunCheck.RunCheck
  /** The standing programs that listen to its default stream. */
  readonly listeners: Array<StandingProgram>
}

/** A standing webhook's subscription, or the consumer's. */
export interface Route {
  readonly subscriptionId: string
  readonly stream: string
  /** Of a literal subscription; none for all sources. */
  readonly emitterId: string | undefined
  readonly ordering: Ordering
  /** Whether its events go in lists. */
  readonly lists: boolean
}

/** How a subscription's events go together, as the API has it. */
interface Batch {
  readonly max_events: number
  readonly max_wait_ms: number
}

/** What is there from the beginning of a run to its end. */
export interface Topology {
  /** In the order of their events: none before what it listens to. */
  readonly programs: ReadonlyArray<StandingProgram>
  readonly routes: ReadonlyArray<Route>
  /** Of all sources. Its route goes by its own id. */
  readonly consumerId: string
}

export const endpointOf = (source: Json.Json): string | undefined => {
  const { http } = source["configured_props"] ?? {}
  return http === undefined ? undefined : Json.textOf(http["endpoint_url"])
}

export const query = (parameters: Readonly<Record<string, string>>): string => String(new URLSearchParams(parameters))

/**
 * Deploys sources of every kind, a chain of sources and workflows in turn, webhooks with one and several sources, on one and all streams, by name
 * and by glob, one of which fails now and then.
 */
export const deploy = Effect.fnUntraced(function*(api: ServerProcess["api"], options: {
  readonly endpoints: Endpoints
  readonly findings: Findings
  readonly requests: Requests
  readonly resumes: Resumes
  readonly provider: TokenProvider
}) {
  const { endpoints, findings, provider, requests, resumes } = options

  const deployed = Effect.fnUntraced(function*(
    name: string,
    code: string,
    check: (programId: string) => RunCheck.RunCheck,
    given: object = {}
  ) {
    const { data } = yield* api("POST", "/sources", { component_code: code, name, ...given })
    const id = Json.textOf(data!["id"])
    const source: StandingProgram = { id, name, endpoint: endpointOf(data!), check: check(id), listeners: [] }
    return source
  })

  const workflow = Effect.fnUntraced(function*(
    name: string,
    code: string,
    check: (programId: string) => RunCheck.RunCheck,
    given: object = {}
  ) {
    const { data } = yield* api("POST", "/workflows", { workflow_code: code, name, ...given })
    const id = Json.textOf(data!["id"])
    return { id, name, endpoint: undefined, check: check(id), listeners: [] } as StandingProgram
  })

  const ofRequests = (name: string, code: string, parts: 1 | 2, given: object = {}) =>
    deployed(name, code, (programId) => RunCheck.ofRequests(findings, requests, { name, programId, parts }), given)

  const routes: Array<Route> = []
  const subscribe = Effect.fnUntraced(function*(emitterId: string, listenerId: string, stream = "", batch?: Batch) {
    const parameters = { emitter_id: emitterId, listener_id: listenerId, event_name: stream }
    const { data } = yield* batch === undefined
      ? api("POST", `/subscriptions?${query(parameters)}`)
      : api("POST", "/subscriptions", { ...parameters, batch })
    return Json.textOf(data!["id"])
  })

  const webhook = Effect.fnUntraced(function*(
    name: string,
    manner: Manner,
    wanted: ReadonlyArray<{ readonly emitter: StandingProgram | "all"; readonly stream?: string }>,
    ordering: Ordering = "ordered",
    batch?: Batch
  ) {
    const settings = ordering === "strict"
      ? { ordering, retry_schedule: Array.from({ length: 20 }, () => 1) }
      : { ordering }
    const { data } = yield* api("POST", "/webhooks", { url: endpoints.url(name, manner), name, ...settings })
    for (const { emitter, stream = "" } of wanted) {
      const emitterId = emitter === "all" ? "dc_*" : emitter.id
      routes.push({
        subscriptionId: yield* subscribe(emitterId, Json.textOf(data!["id"]), stream, batch),
        stream,
        emitterId: emitter === "all" ? undefined : emitterId,
        ordering,
        lists: batch !== undefined
      })
    }
  })

  const first = yield* ofRequests("first", Components.intake, 2)
  const second = yield* ofRequests("second", Components.intake, 2)
  const unique = yield* ofRequests("unique", Components.unique, 1)
  const answering = yield* ofRequests("answering", Components.answering, 1)
  const appAccounts: Record<string, object> = {}
  for (const account of Components.accounts) {
    const { data } = yield* api("POST", "/accounts", { app: "shop", name: account, oauth: provider.oauth(account) })
    appAccounts[account] = { authProvisionId: Json.textOf(data!["id"]) }
  }
  const calling = yield* ofRequests("calling", Components.calling, 1, {
    configured_props: { url: provider.apiUrl, ...appAccounts }
  })
  const ledger = yield* deployed(
    "ledger",
    Components.ledger,
    (programId) => RunCheck.ofEvents(findings, { name: "ledger", programId })
  )
  // Two programs add to it at the same time.
  const { data: store } = yield* api("POST", "/data_stores", { name: "counts" })
  const configured_props = { counts: Json.textOf(store!["id"]) }
  const totals = yield* deployed(
    "totals",
    Components.ledger,
    (programId) => RunCheck.ofEvents(findings, { name: "totals", programId }),
    { configured_props }
  )
  const ticking = yield* deployed(
    "ticking",
    Components.ticking,
    (programId) => RunCheck.ofTicks(findings, { name: "ticking", programId })
  )
  yield* subscribe(first.id, ledger.id)
  first.listeners.push(ledger)
  const stepped = yield* workflow(
    "stepped",
    Components.stepped,
    (programId) =>
      RunCheck.ofSteps(findings, {
        name: "stepped",
        programId,
        onBegun: ({ count, resume_url }) => {
          if (resume_url !== undefined) resumes.waits(count, String(resume_url))
        },
        onTold: ({ count, resumed }) => resumes.told(count, resumed)
      }),
    { configured_props, suspension_timeout: "resume" }
  )
  const summed = yield* workflow(
    "summed",
    Components.ledgerWorkflow,
    (programId) => RunCheck.ofEvents(findings, { name: "summed", programId })
  )
  for (const [emitter, listener] of [[ledger, stepped], [stepped, totals], [totals, summed]] as const) {
    yield* subscribe(emitter.id, listener.id)
    emitter.listeners.push(listener)
  }

  const filed = yield* workflow(
    "filed",
    Components.filed,
    (programId) =>
      RunCheck.ofSteps(findings, {
        name: "filed",
        programId,
        sides: Components.sides,
        onTold: ({ count, files }) => FileCheck.ofRun(findings, count, files)
      }),
    { retry_delays: [1], suspension_timeout: "resume" }
  )
  yield* subscribe(unique.id, filed.id)
  unique.listeners.push(filed)

  const lister = yield* deployed(
    "lister",
    Components.lister,
    (programId) => RunCheck.ofLists(findings, { name: "lister", programId, most: 4 })
  )
  const listed = yield* workflow(
    "listed",
    Components.listerWorkflow,
    (programId) => RunCheck.ofLists(findings, { name: "listed", programId, most: 4 })
  )
  for (const [emitter, listener] of [[second, lister], [lister, listed]] as const) {
    yield* subscribe(emitter.id, listener.id)
    emitter.listeners.push(listener)
  }

  yield* webhook("all", "steady", [{ emitter: "all" }, { emitter: "all", stream: "$errors" }])
  yield* webhook("some", "steady", [{ emitter: first }, { emitter: second }, { emitter: unique, stream: "ids" }])
  yield* webhook("flaky", "flaky", [{ emitter: first }, { emitter: second }, { emitter: second, stream: "$logs" }])
  yield* webhook("end", "steady", [{ emitter: summed }, { emitter: ticking }, { emitter: second, stream: "later" }])
  yield* webhook("strict", "seldom", [{ emitter: unique, stream: "ids" }, { emitter: ticking }], "strict")
  yield* webhook("none", "flaky", [{ emitter: first }, { emitter: second }], "none")
  yield* webhook("lists", "flaky", [{ emitter: first }, { emitter: listed }], "ordered", {
    max_events: 5,
    max_wait_ms: 400
  })
  yield* webhook("long-lists", "seldom", [{ emitter: unique, stream: "ids" }, { emitter: ticking }], "strict", {
    max_events: 20,
    max_wait_ms: 1_500
  })
  const { data: consumer } = yield* api("POST", "/consumers", {
    emitter_id: "dc_*",
    start: "beginning",
    lease_seconds: leaseSeconds
  })
  const consumerId = Json.textOf(consumer!["id"])
  routes.push({ subscriptionId: consumerId, stream: "", emitterId: undefined, ordering: "ordered", lists: false })
  return {
    consumerId,
    programs: [
      first,
      second,
      unique,
      answering,
      calling,
      ticking,
      ledger,
      stepped,
      totals,
      summed,
      lister,
      listed,
      filed
    ],
    routes
  } satisfies Topology
})
