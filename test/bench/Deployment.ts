/** What a scenario sets up on a server, through its API. */
import { Effect, Schema } from "effect"
import type { BenchServer } from "./BenchServer.ts"

const Created = Schema.Struct({ data: Schema.Struct({ id: Schema.String }) })

const CreatedSource = Schema.Struct({
  data: Schema.Struct({
    id: Schema.String,
    configured_props: Schema.Struct({
      http: Schema.optionalKey(Schema.Struct({ endpoint_url: Schema.String }))
    })
  })
})

const Nothing = Schema.Unknown

export interface DeployedSource {
  readonly id: string
  /** Where it takes requests; empty without an HTTP interface. */
  readonly endpoint: string
}

/** Calls at once while setting up. */
const concurrency = 8

export const component = (server: BenchServer, code: string) =>
  Effect.map(server.api(Created, "POST", "/components", { component_code: code }), ({ data }) => data.id)

export const source = (server: BenchServer, componentId: string, props: Record<string, unknown> = {}) =>
  Effect.map(
    server.api(CreatedSource, "POST", "/sources", { component_id: componentId, configured_props: props }),
    ({ data }): DeployedSource => ({ id: data.id, endpoint: data.configured_props.http?.endpoint_url ?? "" })
  )

/** Gives a source other values for some of its props. */
export const changeProps = (server: BenchServer, id: string, props: Record<string, unknown>) =>
  server.api(Nothing, "PUT", `/sources/${id}`, { configured_props: props })

/** So many sources of one component. */
export const sources = Effect.fnUntraced(function*(server: BenchServer, code: string, count: number) {
  const id = yield* component(server, code)
  return yield* Effect.forEach(Array.from({ length: count }), () => source(server, id), { concurrency })
})

/** So many workflows of the same code. */
export const workflows = Effect.fnUntraced(function*(server: BenchServer, code: string, count: number) {
  const create = server.api(CreatedSource, "POST", "/workflows", { workflow_code: code })
  const one = Effect.map(
    create,
    ({ data }): DeployedSource => ({ id: data.id, endpoint: data.configured_props.http?.endpoint_url ?? "" })
  )
  return yield* Effect.forEach(Array.from({ length: count }), () => one, { concurrency })
})

export const removeSource = (server: BenchServer, id: string) => server.api(Nothing, "DELETE", `/sources/${id}`)

export const removeWorkflow = (server: BenchServer, id: string) => server.api(Nothing, "DELETE", `/workflows/${id}`)

export const webhook = (server: BenchServer, url: string) =>
  Effect.map(server.api(Created, "POST", `/webhooks?url=${encodeURIComponent(url)}`), ({ data }) => data.id)

export const removeWebhook = (server: BenchServer, id: string) => server.api(Nothing, "DELETE", `/webhooks/${id}`)

export const subscribe = (server: BenchServer, emitterId: string, listenerId: string) =>
  server.api(Nothing, "POST", `/subscriptions?emitter_id=${emitterId}&listener_id=${listenerId}`)

/** Subscribes each of the listeners to each of the emitters. */
export const subscribeAll = (
  server: BenchServer,
  emitters: ReadonlyArray<DeployedSource>,
  listeners: ReadonlyArray<string>
) =>
  Effect.forEach(
    emitters.flatMap(({ id }) => listeners.map((listener) => [id, listener] as const)),
    ([emitter, listener]) => subscribe(server, emitter, listener),
    { concurrency, discard: true }
  )
