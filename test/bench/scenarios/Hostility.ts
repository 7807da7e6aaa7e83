/** What a hostile account does beside a healthy one (`noisy --hostile`). */
import { Effect, Schedule, Schema, type Scope } from "effect"
import * as OperatorAccount from "../../OperatorAccount.ts"
import { BenchFailed } from "../BenchFailed.ts"
import type { BenchServer } from "../BenchServer.ts"
import * as Deployment from "../Deployment.ts"
import { hostile } from "../HostileCall.ts"
import * as Program from "../Program.ts"
import type { Workbench } from "../Workbench.ts"

/**
 * Large JSON, large forms, projections of large events, runs that emit very much, large API requests, and filters that
 * compare what is large with what is large.
 */
export const kinds = ["json", "form", "include", "emits", "api", "filter"] as const
export type Kind = typeof kinds[number]

export interface Hostility {
  /** Does something while the hostile account is at it. Answers that, and what the account was answered, by status. */
  readonly during: <A>(
    effect: Effect.Effect<A, BenchFailed>
  ) => Effect.Effect<readonly [A, Readonly<Record<string, number>>], BenchFailed>
}

const ignoring = `
export default {
  name: "Bench hostile",
  props: { http: "$.interface.http" },
  async run() {}
}`

const invoked = `
export default {
  name: "Bench hostile invoked",
  async run() {}
}`

const emitting = `
export default {
  name: "Bench hostile emits",
  props: { http: "$.interface.http" },
  async run() {
    for (let i = 0; i < 20000; i++) this.$emit({ i })
  }
}`

/** JSON of about so many bytes, made of small objects. */
const json = (bytes: number): string => {
  const item = "{\"name\":\"some name\",\"on\":true,\"size\":12345}"
  return `[${Array.from({ length: Math.floor(bytes / (item.length + 1)) }, () => item).join(",")}]`
}

/** A form of about so many bytes, of as many fields as fit. */
const form = (bytes: number): string => "a=1&".repeat(bytes / 4).slice(0, -1)

const jsonType = { "content-type": "application/json" }
const formType = { "content-type": "application/x-www-form-urlencoded" }

/** Emits large events, of which one run may emit so many. */
const large = `
export default {
  name: "Bench hostile large",
  props: { http: "$.interface.http" },
  async run() {
    const list = Array.from({ length: 11000 }, () => ({ name: "some name", on: true, size: 12345 }))
    for (let i = 0; i < 10; i++) this.$emit({ list })
  }
}`
const largeRuns = 4
const largeEvents = 10 * largeRuns

const Events = Schema.Struct({ page_info: Schema.Struct({ total_count: Schema.Int }) })

const posts =
  (connections: number, headers: Readonly<Record<string, string>>, body: string, restMs = 0) =>
  (urls: ReadonlyArray<string>) => ({
    _tag: "Begin" as const,
    urls,
    method: "POST" as const,
    headers,
    body,
    connections,
    restMs
  })

/** Sources are made for each attack and go with it, so that what is left to be run does not outlast it. */
const attacks: Record<Exclude<Kind, "include" | "api" | "filter">, {
  readonly code: string
  readonly sources: number
  readonly load: ReturnType<typeof posts>
}> = {
  json: { code: ignoring, sources: 1, load: posts(60, jsonType, json(500_000)) },
  form: { code: ignoring, sources: 1, load: posts(60, formType, form(480_000)) },
  // Few requests, of more runs than there is time for: beside many, what runs emit can't be told from what requests cost.
  emits: { code: emitting, sources: 4, load: posts(8, jsonType, "{}", 250) }
}

/** A source with large events in its log. */
const fill = Effect.fnUntraced(function*(server: BenchServer) {
  const [source] = yield* Deployment.sources(server, large, 1)
  const { endpoint = "", id = "" } = source ?? {}
  for (let run = 0; run < largeRuns; run++) {
    yield* Effect.tryPromise({
      try: () => fetch(endpoint, { method: "POST" }).then((response) => response.text()),
      catch: (cause) => new BenchFailed({ message: String(cause) })
    })
  }
  yield* server.api(Events, "GET", `/sources/${id}/events?limit=1&include=id`).pipe(
    Effect.repeat({
      schedule: Schedule.spaced("100 millis"),
      until: (page) => page.page_info.total_count >= largeEvents
    })
  )
  return id
})

export const make = Effect.fnUntraced(function*(
  workbench: Workbench,
  kind: Kind
): Effect.fn.Return<Hostility, BenchFailed, Scope.Scope> {
  const { key } = yield* OperatorAccount.create(workbench.server.dataDirectory, { username: "mallory", plan: "paid" })
  const server = workbench.server.withKey(key)
  const program = yield* Program.start("Hostile.ts")
  workbench.watch("hostile load", program.pid)

  const whileSending = <A>(load: typeof hostile.request.Type, effect: Effect.Effect<A, BenchFailed>) =>
    Effect.gen(function*() {
      yield* program.ask(hostile, load)
      // It is at full strength when anything is measured.
      yield* Effect.sleep("1 second")
      const done = yield* effect
      return [done, yield* program.ask(hostile, { _tag: "End" })] as const
    })

  if (kind === "include") {
    const id = yield* fill(server)
    const url = `${server.url}/v1/sources/${id}/events?limit=10&expand=event&include=id`
    const load = {
      _tag: "Begin" as const,
      urls: [url],
      method: "GET" as const,
      headers: { authorization: `Bearer ${key}` },
      body: "",
      connections: 20,
      restMs: 0
    }
    return { during: (effect) => whileSending(load, effect) }
  }
  if (kind === "filter") {
    const id = yield* fill(server)
    const headers = { ...jsonType, authorization: `Bearer ${key}` }
    // Each of 11,000 elements with each of them.
    const filter = { list: { size: { $not: { $in: { $ref: "list" } } }, name: { $in: { $ref: "list" } } } }
    const load = posts(20, headers, JSON.stringify({ emitter_id: id, listener_id: id, filter }))
    return { during: (effect) => whileSending(load([`${server.url}/v1/subscriptions/preview?limit=10`]), effect) }
  }
  if (kind === "api") {
    const headers = { ...jsonType, authorization: `Bearer ${key}` }
    const load = posts(20, headers, `{"event":${json(500_000)}}`)
    return {
      during: (effect) =>
        Effect.acquireUseRelease(
          Deployment.workflows(server, invoked, 1),
          (workflows) =>
            whileSending(load(workflows.map(({ id }) => `${server.url}/v1/workflows/${id}/invocations`)), effect),
          (workflows) =>
            Effect.forEach(workflows, ({ id }) => Deployment.removeWorkflow(server, id), { discard: true })
              .pipe(Effect.andThen(Effect.sleep("3 seconds")), Effect.orDie)
        )
    }
  }
  const attack = attacks[kind]
  return {
    during: (effect) =>
      Effect.acquireUseRelease(
        Deployment.sources(server, attack.code, attack.sources),
        (sources) => whileSending(attack.load(sources.map(({ endpoint }) => endpoint)), effect),
        (sources) =>
          Effect.forEach(sources, ({ id }) => Deployment.removeSource(server, id), { concurrency: 4, discard: true })
            .pipe(Effect.andThen(Effect.sleep("3 seconds")), Effect.orDie)
      )
  }
})
