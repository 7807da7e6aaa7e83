import * as Json from "@headwater/testing/Json"
import { Effect } from "effect"
import type { ServerProcess } from "../ServerProcess.ts"
import * as Components from "./Components.ts"
import type { Endpoints, Manner } from "./Endpoints.ts"
import type { Findings } from "./Findings.ts"
import type { Requests } from "./Requests.ts"
import * as RunCheck from "./RunCheck.ts"

/** A source or workflow that stays, with what follows its runs. */
export interface StandingSource {
  readonly id: string
  readonly name: string
  /** None where it has no HTTP interface. */
  readonly endpoint: string | undefined
  readonly check: RunCheck.RunCheck
  /** The standing sources that listen to its default stream. */
  readonly listeners: Array<StandingSource>
}

/** A standing webhook's subscription. */
export interface Route {
  readonly subscriptionId: string
  readonly stream: string
  /** Of a literal subscription; none for all sources. */
  readonly emitterId: string | undefined
}

/** What is there from the beginning of a run to its end. */
export interface Topology {
  /** In the order of their events: none before what it listens to. */
  readonly sources: ReadonlyArray<StandingSource>
  readonly routes: ReadonlyArray<Route>
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
}) {
  const { endpoints, findings, requests } = options

  const deployed = Effect.fnUntraced(function*(
    name: string,
    code: string,
    check: (sourceId: string) => RunCheck.RunCheck
  ) {
    const { data } = yield* api("POST", "/sources", { component_code: code, name })
    const id = Json.textOf(data!["id"])
    const source: StandingSource = { id, name, endpoint: endpointOf(data!), check: check(id), listeners: [] }
    return source
  })

  const workflow = Effect.fnUntraced(function*(
    name: string,
    code: string,
    check: (sourceId: string) => RunCheck.RunCheck
  ) {
    const { data } = yield* api("POST", "/workflows", { workflow_code: code, name })
    const id = Json.textOf(data!["id"])
    return { id, name, endpoint: undefined, check: check(id), listeners: [] } as StandingSource
  })

  const ofRequests = (name: string, code: string, parts: 1 | 2) =>
    deployed(name, code, (sourceId) => RunCheck.ofRequests(findings, requests, { name, sourceId, parts }))

  const routes: Array<Route> = []
  const subscribe = Effect.fnUntraced(function*(emitterId: string, listenerId: string, stream = "") {
    const { data } = yield* api(
      "POST",
      `/subscriptions?${query({ emitter_id: emitterId, listener_id: listenerId, event_name: stream })}`
    )
    return Json.textOf(data!["id"])
  })

  const webhook = Effect.fnUntraced(function*(
    name: string,
    manner: Manner,
    wanted: ReadonlyArray<{ readonly emitter: StandingSource | "all"; readonly stream?: string }>
  ) {
    const { data } = yield* api("POST", `/webhooks?${query({ url: endpoints.url(name, manner), name })}`)
    for (const { emitter, stream = "" } of wanted) {
      const emitterId = emitter === "all" ? "dc_*" : emitter.id
      routes.push({
        subscriptionId: yield* subscribe(emitterId, Json.textOf(data!["id"]), stream),
        stream,
        emitterId: emitter === "all" ? undefined : emitterId
      })
    }
  })

  const first = yield* ofRequests("first", Components.intake, 2)
  const second = yield* ofRequests("second", Components.intake, 2)
  const unique = yield* ofRequests("unique", Components.unique, 1)
  const answering = yield* ofRequests("answering", Components.answering, 1)
  const ledger = yield* deployed(
    "ledger",
    Components.ledger,
    (sourceId) => RunCheck.ofEvents(findings, { name: "ledger", sourceId })
  )
  const totals = yield* deployed(
    "totals",
    Components.ledger,
    (sourceId) => RunCheck.ofEvents(findings, { name: "totals", sourceId })
  )
  const ticking = yield* deployed(
    "ticking",
    Components.ticking,
    (sourceId) => RunCheck.ofTicks(findings, { name: "ticking", sourceId })
  )
  yield* subscribe(first.id, ledger.id)
  first.listeners.push(ledger)
  const stepped = yield* workflow(
    "stepped",
    Components.stepped,
    (sourceId) => RunCheck.ofSteps(findings, { name: "stepped", sourceId })
  )
  const summed = yield* workflow(
    "summed",
    Components.ledgerWorkflow,
    (sourceId) => RunCheck.ofEvents(findings, { name: "summed", sourceId })
  )
  for (const [emitter, listener] of [[ledger, stepped], [stepped, totals], [totals, summed]] as const) {
    yield* subscribe(emitter.id, listener.id)
    emitter.listeners.push(listener)
  }

  yield* webhook("all", "steady", [{ emitter: "all" }, { emitter: "all", stream: "$errors" }])
  yield* webhook("some", "steady", [{ emitter: first }, { emitter: second }, { emitter: unique, stream: "ids" }])
  yield* webhook("flaky", "flaky", [{ emitter: first }, { emitter: second }, { emitter: second, stream: "$logs" }])
  yield* webhook("end", "steady", [{ emitter: summed }, { emitter: ticking }, { emitter: second, stream: "later" }])
  return {
    sources: [first, second, unique, answering, ticking, ledger, stepped, totals, summed],
    routes
  } satisfies Topology
})
