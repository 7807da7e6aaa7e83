import { NodeServices } from "@effect/platform-node"
import * as ComponentFiles from "@headwater/cli/ComponentFiles"
import type { DataStoreEntry } from "@headwater/domain/DataStore"
import * as EventId from "@headwater/domain/EventId"
import * as Stream from "@headwater/domain/Stream"
import * as CrashPoint from "@headwater/log/commit/CrashPoint"
import { EventLog } from "@headwater/log/logs/EventLog"
import { ProgramState } from "@headwater/log/logs/ProgramState"
import { DataStoreEntries } from "@headwater/log/resources/DataStoreEntries"
import { Clock, Context, Duration, Effect, Exit, Layer, Scope } from "effect"
import { readFile } from "node:fs/promises"
import * as Path from "node:path"
import { fileURLToPath } from "node:url"
import * as Effectful from "./Effectful.ts"
import * as EmittedEvent from "./EmittedEvent.ts"
import type { ParsedJson } from "./ParsedJson.ts"
import * as Received from "./Received.ts"
import { recorded } from "./Recording.ts"
import { stable } from "./Snapshot.ts"
import type { FetchHandler, MadeRequest, Requester } from "./TestNetwork.ts"
import * as TestServer from "./TestServer.ts"

export type { CrashPoint } from "@headwater/log/commit/CrashPoint"
export type { EmittedEvent } from "./EmittedEvent.ts"
export type { Received } from "./Received.ts"
export type { Exchange, RecordingOptions } from "./Recording.ts"
export type { FetchHandler, MadeRequest } from "./TestNetwork.ts"
export { recorded, stable }

/** The module of a component: a file, by a URL or a path from the current folder, or its code. */
export type ComponentModule = string | URL | { readonly code: string }

export interface ProgramOptions {
  /** In place of the component's own name. */
  readonly name?: string
  /** Values of its props. Those of an app are the credentials that the code gets as `$auth`. */
  readonly props?: Readonly<Record<string, unknown>>
  /** Answers its requests, whatever their host. Without one, whatever it asks can't be reached. */
  readonly fetch?: FetchHandler
}

export interface WorkflowOptions extends ProgramOptions {
  /** Further fields of `POST /workflows`, such as `retry_delays`. */
  readonly settings?: Readonly<Record<string, unknown>>
}

export interface WebhookOptions {
  /** The stream that it hears; the default one where left out. */
  readonly stream?: string
  /** Answers the nth request, counted from 1: a status, or a response; 200 where left out. */
  readonly respond?: (request: Request, nth: number) => number | Response | Promise<number | Response>
  /** Further fields of `POST /webhooks`, such as `retry_schedule`. */
  readonly settings?: Readonly<Record<string, unknown>>
}

export interface StartOptions {
  /** The time at first; that of the system where left out. */
  readonly at?: string | number | Date
  /** Environment variables of the account, which code finds in `process.env`. */
  readonly env?: Readonly<Record<string, string>>
  /** Data stores of the account by name, with their values by key. */
  readonly stores?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

/** A line that code wrote to its console. */
export interface ConsoleLine {
  readonly level: string
  readonly message: string
}

/** An error that code threw. */
export interface ProgramError {
  readonly name: string
  readonly message: string
  readonly stack: string
}

/** A run of a workflow. */
export interface WorkflowRun {
  readonly id: string
  readonly status: "running" | "waiting" | "success" | "error" | "cancelled"
  /** The time at which a waiting run goes on; a suspended one ends then, unless its workflow resumes it. */
  readonly dueAt?: string
  /** The reason for which a run waits. */
  readonly waitsFor?: "suspend" | "delay" | "rerun" | "retry"
  readonly error?: { readonly name: string; readonly message: string }
  readonly steps: ReadonlyArray<
    { readonly name: string; readonly status: "success" | "error"; readonly at: string; readonly result: ParsedJson }
  >
}

/** An import of something that is no module of Node's. */
const imported = /\b(?:from|import|require)\s*\(?\s*["'`](?!node:)/

/** Rows of a page of a log, and their bytes. */
const pageRows = 1_000
const pageBytes = 64 * 1024 * 1024

const msOf = (time: string | number | Date): number => {
  const ms = new Date(time).getTime()
  if (Number.isNaN(ms)) throw new RangeError(`${String(time)} is not a time`)
  return ms
}

/** A refusal of the server, in its own words. */
export class Refused extends Error {
  readonly status: number
  /** The problem, as the API tells it. */
  readonly problem: ParsedJson

  constructor(status: number, problem: ParsedJson) {
    super(problem?.detail ?? `The server answered ${status}`)
    this.name = "Refused"
    this.status = status
    this.problem = problem
  }
}

const refusedOf = (status: number, problem: ParsedJson) => new Refused(status, problem)

/** A source or workflow of the test. */
abstract class Program extends Effectful.Handle {
  readonly id: string
  /** The URL of its HTTP interface, if it has one. */
  readonly endpoint: string | undefined
  /** The requests that it made to others, also by `$.send.http`, in order. */
  readonly requests: ReadonlyArray<MadeRequest>
  protected readonly hw: Headwater
  protected abstract readonly path: string

  constructor(hw: Headwater, resource: ParsedJson, requests: ReadonlyArray<MadeRequest>) {
    super()
    this.hw = hw
    this.id = resource.id
    this.requests = requests
    this.endpoint = Object.values<ParsedJson>(resource.configured_props ?? {}).find((value) =>
      typeof value?.endpoint_url === "string"
    )?.endpoint_url
  }

  /** The events that it emitted on a stream, the default one where left out, oldest first. */
  async events(stream = "default"): Promise<ReadonlyArray<EmittedEvent.EmittedEvent>> {
    return this.hw.eventsOf(this.id, stream)
  }

  /** The errors that its code threw, oldest first. */
  async errors(): Promise<ReadonlyArray<ProgramError>> {
    const events = await this.hw.eventsOf(this.id, Stream.errors)
    return events.map(({ data: { error } }) => ({ name: error.code, message: error.message, stack: error.stack }))
  }

  /** The lines that its code wrote to the console, oldest first. */
  async console(): Promise<ReadonlyArray<ConsoleLine>> {
    const events = await this.hw.eventsOf(this.id, Stream.logs)
    return events.map(({ data }) => ({ level: data.level, message: data.message }))
  }

  /** The values that it keeps in `$.service.db`, by key. */
  async db(): Promise<Readonly<Record<string, ParsedJson>>> {
    return this.hw.dbOf(this.id)
  }

  /** Sends a request to its HTTP interface, and returns when all that came of it is done. */
  async request(
    init: RequestInit & { readonly path?: string; readonly json?: unknown } = {}
  ): Promise<Response> {
    if (this.endpoint === undefined) throw new TypeError(`${this.id} has no HTTP interface`)
    const { json, path = "", ...rest } = init
    const headers = new Headers(rest.headers)
    if (json !== undefined && !headers.has("content-type")) headers.set("content-type", "application/json")
    return this.hw.fetch(this.endpoint + path, {
      method: json === undefined && rest.body === undefined ? "GET" : "POST",
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      ...rest,
      headers
    })
  }

  /** Takes it away, as a deletion by the API does. */
  async remove(): Promise<void> {
    await this.hw.api("DELETE", `${this.path}/${this.id}`)
  }
}

/** A source of the test. */
export class Source extends Program {
  protected readonly path = "/sources"

  /** Gives it other code, other props, or both. */
  async update(component: ComponentModule | undefined, options: Pick<ProgramOptions, "props"> = {}): Promise<void> {
    const code = component === undefined ? {} : { component_code: await this.hw.codeOf(component) }
    await this.hw.api("PUT", `${this.path}/${this.id}`, { ...code, configured_props: options.props ?? {} })
  }
}

/** A workflow of the test. */
export class Workflow extends Program {
  protected readonly path = "/workflows"

  /** Begins a run with an event, and does what is to be done of it until it waits or ends. Answers its id. */
  async trigger(event: unknown = null): Promise<string> {
    const { id } = await this.hw.api("POST", `${this.path}/${this.id}/invocations`, { event })
    return id
  }

  /** Its runs, oldest first. */
  async runs(): Promise<ReadonlyArray<WorkflowRun>> {
    const runs: ReadonlyArray<ParsedJson> = await this.hw.api("GET", `${this.path}/${this.id}/runs?limit=100`)
    const details: Array<WorkflowRun> = []
    // One after the other: each waits until nothing is under way, the other questions included.
    for (const { id } of runs.toReversed()) details.push(await this.run(id))
    return details
  }

  /** One of its runs. */
  async run(id: string): Promise<WorkflowRun> {
    const run = await this.hw.api("GET", `${this.path}/${this.id}/runs/${id}`)
    return {
      id: run.id,
      status: run.status,
      ...(run.due_at_ms === null ? {} : { dueAt: new Date(run.due_at_ms).toISOString() }),
      ...(run.waits_for === null ? {} : { waitsFor: run.waits_for }),
      ...(run.error === null ? {} : { error: run.error }),
      steps: run.steps.map(({ name, result, started_at_ms, status }: ParsedJson) => ({
        name,
        status,
        at: new Date(started_at_ms).toISOString(),
        result: result?.$return_value
      }))
    }
  }

  /** Has a run that waits go on, and does what is to be done of it. Its steps find the body in `$resume_data`. */
  async resume(id: string, body?: unknown): Promise<void> {
    await this.hw.api("POST", `${this.path}/${this.id}/runs/${id}/resume`, { body })
  }

  /** Ends a run that waits. */
  async cancel(id: string): Promise<void> {
    await this.hw.api("POST", `${this.path}/${this.id}/runs/${id}/cancel`)
  }
}

/** The endpoint of a webhook of the test. */
export class Webhook extends Effectful.Handle {
  readonly id: string
  readonly url: string
  /** The requests that came, in order. */
  readonly received: ReadonlyArray<Received.Received>

  constructor(id: string, url: string, received: ReadonlyArray<Received.Received>) {
    super()
    this.id = id
    this.url = url
    this.received = received
  }
}

/** A whole Headwater server in this process, for one test: the real engine, log, Postgres and sandbox, at the test's own time. */
export class Headwater extends Effectful.Handle implements AsyncDisposable {
  /** The URL at which its API and its endpoints answer. */
  readonly url: string
  /** An API key of its one account. */
  readonly key: string
  private readonly server: TestServer.TestServer
  private readonly scope: Scope.Closeable
  private webhooks = 0

  private constructor(server: TestServer.TestServer, scope: Scope.Closeable) {
    super()
    this.server = server
    this.scope = scope
    this.url = server.url
    this.key = server.key
  }

  /** Starts one. The Postgres is shared by all of this process; each has a database of its own. */
  static async start(options: StartOptions = {}): Promise<Headwater> {
    const scope = Scope.makeUnsafe()
    const at = options.at === undefined ? Date.now() : msOf(options.at)
    const exit = await Effect.runPromiseExit(Effect.provideService(TestServer.make({ at }), Scope.Scope, scope))
    if (Exit.isFailure(exit)) {
      await Effect.runPromise(Scope.close(scope, exit))
      return Effect.runPromise(Effect.failCause(exit.cause))
    }
    const headwater = new Headwater(exit.value, scope)
    for (const [name, value] of Object.entries(options.env ?? {})) {
      await headwater.api("PUT", `/environment_variables/${name}`, { value })
    }
    for (const [name, values] of Object.entries(options.stores ?? {})) {
      const { id } = await headwater.api("POST", "/data_stores", { name })
      for (const [key, value] of Object.entries(values)) {
        await headwater.api("PUT", `/data_stores/${id}/entry`, { key, value })
      }
    }
    return headwater
  }

  /**
   * The same for Effect: its asynchronous methods answer an Effect. An effect that this is provided to has the server's
   * clock, which stands still while nobody advances it.
   */
  static layerTest(options: StartOptions = {}): Layer.Layer<HeadwaterTest> {
    return Layer.effectContext(
      Effect.map(
        Effect.acquireRelease(
          Effect.promise(() => Headwater.start(options)),
          (headwater) => Effect.promise(() => headwater.close())
        ),
        (headwater) =>
          Context.make(HeadwaterTest, Effectful.make(headwater)).pipe(
            Context.add(Clock.Clock, headwater.server.clock)
          ) as Context.Context<HeadwaterTest>
      )
    )
  }

  /** The time at present. */
  get now(): Date {
    return new Date(this.server.clock.currentTimeMillisUnsafe())
  }

  private async perform<A>(effect: Effect.Effect<A>): Promise<A> {
    const value = await Effect.runPromise(effect)
    this.throwFailures()
    return value
  }

  /** An error that a handler of the test threw fails the test. */
  private throwFailures(): void {
    const [failure] = this.server.network.failures.splice(0)
    if (failure !== undefined) throw failure
  }

  /** Returns when nothing is left to do at this time. All that follows calls it itself. */
  async rest(): Promise<void> {
    await this.perform(this.server.rest)
  }

  /** Lets so much time pass, and does all that becomes due in it, each thing at its time. */
  async advance(by: Duration.Input): Promise<void> {
    await this.advanceTo(this.now.getTime() + Duration.toMillis(Duration.fromInputUnsafe(by)))
  }

  /** The same up to a time. It goes forward only. */
  async advanceTo(time: string | number | Date): Promise<void> {
    const to = msOf(time)
    if (to < this.now.getTime()) {
      throw new RangeError(
        `The clock stands at ${this.now.toISOString()} and goes forward only, not to ${new Date(to).toISOString()}`
      )
    }
    await this.perform(this.server.advanceTo(to))
  }

  /**
   * Cuts the engine off between two commits, as a kill of its process does, and starts it again on the same database.
   *
   * @param at where it is cut off, the next time that it comes there, or the nth time; at once where left out
   */
  async crash(at?: { readonly point: CrashPoint.CrashPoint; readonly nth?: number }): Promise<void> {
    if (at !== undefined && !CrashPoint.names.includes(at.point)) {
      throw new TypeError(
        `There is no crash point ${JSON.stringify(at.point)}. There are ${CrashPoint.names.join(", ")}`
      )
    }
    if (at === undefined) await this.perform(Effect.andThen(this.server.crash, this.server.rest))
    else await this.perform(this.server.crashAt(at.point, at.nth ?? 1))
  }

  /** Makes a request to the server, and returns when all that came of it is done. */
  async fetch(url: string, init: RequestInit = {}): Promise<Response> {
    const answer = async () => {
      const response = await fetch(url, { redirect: "manual", ...init })
      return { response, body: await response.arrayBuffer() }
    }
    const answered = await answer().catch((cause: unknown) =>
      new Error("The server ended before it answered", { cause })
    )
    await this.rest()
    if (answered instanceof Error) throw answered
    const { body, response } = answered
    return new Response(body.byteLength === 0 ? null : body, response)
  }

  /** Makes a request to the API, such as `("GET", "/users/me/sources")`, and answers its `data`. */
  async api(method: string, path: string, body?: unknown): Promise<ParsedJson> {
    const response = await this.fetch(`${this.url}/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${this.key}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    const text = await response.text()
    const answer = text === "" ? undefined : JSON.parse(text)
    if (!response.ok) throw refusedOf(response.status, answer)
    return answer?.data
  }

  /** The entries of a data store at present, by key. */
  async store(name: string): Promise<Readonly<Record<string, ParsedJson>>> {
    const { id } = await this.api("GET", `/data_stores/${encodeURIComponent(name)}`)
    const now = this.now.getTime()
    return this.perform(this.server.use(Effect.gen(function*() {
      const store = yield* DataStoreEntries
      const found: Array<DataStoreEntry> = []
      while (true) {
        const after = found.at(-1)?.key ?? null
        const { entries, isLast } = yield* Effect.orDie(store.entries(id, { after, limit: pageRows }, now))
        found.push(...entries)
        if (isLast) return Object.fromEntries(found.map(({ key, value }) => [key, JSON.parse(value)]))
      }
    })))
  }

  /** @internal */
  async eventsOf(id: string, stream: string): Promise<ReadonlyArray<EmittedEvent.EmittedEvent>> {
    const address = { emitterId: id, stream: Stream.normalize(stream) }
    return this.perform(this.server.use(Effect.gen(function*() {
      const log = yield* EventLog
      const events: Array<EmittedEvent.EmittedEvent> = []
      let last = EventId.make(0, 0)
      while (true) {
        const page = yield* Effect.orDie(log.after(address, last, pageRows, pageBytes))
        if (page.length === 0) return events
        events.push(...page.map(EmittedEvent.make))
        last = page.at(-1)!.id
      }
    })))
  }

  /** @internal */
  async dbOf(id: string): Promise<Readonly<Record<string, ParsedJson>>> {
    const rows = await this.perform(
      this.server.use(Effect.flatMap(ProgramState, (state) => Effect.orDie(state.load(id))))
    )
    return Object.fromEntries(Object.entries(rows).map(([key, json]) => [key, JSON.parse(json)]))
  }

  /** @internal */
  async codeOf(component: ComponentModule): Promise<string> {
    if (typeof component === "object" && "code" in component) return component.code
    const file = component instanceof URL ? fileURLToPath(component) : Path.resolve(component)
    const text = await readFile(file, "utf8")
    // One file that needs no other is a module by itself.
    if (!imported.test(text) && !file.endsWith(".py")) return text
    const { code } = await Effect.runPromise(
      Effect.flatMap(ComponentFiles.ComponentFiles, (files) => files.bundle(file, new Set())).pipe(
        Effect.provide(ComponentFiles.ComponentFiles.layer.pipe(Layer.provide(NodeServices.layer)))
      )
    )
    return code
  }

  private async create(path: string, options: ProgramOptions, body: object): Promise<[ParsedJson, Requester]> {
    const requester: Requester = { handler: options.fetch, requests: [] }
    let resource: ParsedJson
    await this.server.network.forNew(requester, async () => {
      resource = await this.api("POST", path, {
        ...body,
        ...(options.name === undefined ? {} : { name: options.name }),
        configured_props: options.props ?? {}
      })
      return resource.id
    })
    return [resource, requester]
  }

  /** Makes a source, whose hooks have run when this returns. */
  async source(component: ComponentModule, options: ProgramOptions = {}): Promise<Source> {
    const component_code = await this.codeOf(component)
    const [resource, { requests }] = await this.create("/sources", options, { component_code })
    return new Source(this, resource, requests)
  }

  /** Makes a workflow. */
  async workflow(component: ComponentModule, options: WorkflowOptions = {}): Promise<Workflow> {
    const workflow_code = await this.codeOf(component)
    const [resource, { requests }] = await this.create("/workflows", options, { workflow_code, ...options.settings })
    return new Workflow(this, resource, requests)
  }

  /** Has a source or workflow hear what another emits from now on. */
  async subscribe(emitter: Source | Workflow, listener: Source | Workflow, stream = ""): Promise<void> {
    await this.listen(emitter.id, listener.id, stream)
  }

  private async listen(emitter_id: string, listener_id: string, stream: string): Promise<void> {
    const query = new URLSearchParams({ emitter_id, listener_id, ...(stream === "" ? {} : { event_name: stream }) })
    await this.api("POST", `/subscriptions?${query}`)
  }

  /** Makes a webhook that gets what a source or workflow emits from now on, and plays its endpoint. */
  async webhook(emitter: Source | Workflow, options: WebhookOptions = {}): Promise<Webhook> {
    const received: Array<Received.Received> = []
    this.webhooks += 1
    const host = `webhook-${this.webhooks}.test`
    const url = `https://${host}/`
    let secret = ""
    const handler: FetchHandler = async (request) => {
      const text = await request.clone().text()
      const headers = Object.fromEntries(request.headers)
      const fault = Received.faultOf(secret, headers, text, this.now.getTime())
      if (fault !== undefined) throw new Error(`A request to ${url} is not what the webhook signed: ${fault}`)
      const answer = await (options.respond?.(request, received.length + 1) ?? 200)
      const response = typeof answer === "number" ? new Response(null, { status: answer }) : answer
      received.push({
        at: this.now.toISOString(),
        id: headers["webhook-id"] ?? "",
        headers,
        body: JSON.parse(text),
        status: response.status
      })
      return response
    }
    this.server.network.play(host, { handler, requests: [] })
    const { id } = await this.api("POST", "/webhooks", { url, ...options.settings })
    secret = (await this.api("GET", `/webhooks/${id}/secret`)).secret
    await this.listen(emitter.id, id, options.stream ?? "")
    return new Webhook(id, url, received)
  }

  /** Ends the server and removes its database. */
  async close(): Promise<void> {
    await Effect.runPromise(Scope.close(this.scope, Exit.void))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }
}

/** `Headwater` for Effect, as `Headwater.layerTest` provides it. */
export class HeadwaterTest extends Context.Service<HeadwaterTest, Effectful.Effectful<Headwater>>()(
  "@headwater/testing/HeadwaterTest"
) {}
