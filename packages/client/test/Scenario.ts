import scenario from "./scenario.json" with { type: "json" }

/** What an operation is called with. */
export interface Call {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** What the scenario does with a client, whichever it is. */
export interface ScenarioClient {
  /** Calls an operation by its id, and answers with the body of the response. */
  readonly call: (operation: string, call: Call) => Promise<unknown>
  /** All items of a list. */
  readonly items: (operation: string, call: Call) => Promise<ReadonlyArray<unknown>>
  /** Begins to follow a log; then answers what gives the next so many events. */
  readonly tail: (options: { readonly source: string }) => Promise<(count: number) => Promise<ReadonlyArray<unknown>>>
  /** The text of a request that is signed by a key. */
  readonly verify: (request: Received, key: string) => Promise<string>
  /** The problem of a refusal; undefined of anything else. */
  readonly problemOf: (error: unknown) => unknown
}

/** What the scenario does past the client: sends orders to the endpoint of a source, and looks at what came to the sink. */
export interface Surroundings {
  /** Answers the status. */
  readonly post: (url: string, json: string) => Promise<number>
  readonly received: (sinkUrl: string) => Promise<ReadonlyArray<Received>>
}

/** By requests of this process itself. */
export const byFetch: Surroundings = {
  post: async (url, body) => {
    const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body })
    await response.body?.cancel()
    return response.status
  },
  received: async (sinkUrl) => (await fetch(sinkUrl)).json()
}

/** A request that came to the sink. */
export interface Received {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

interface Step extends Call {
  readonly call?: string
  readonly items?: string
  readonly tail?: { readonly source: string }
  readonly tailed?: ReadonlyArray<unknown>
  readonly post?: string
  readonly bodies?: ReadonlyArray<unknown>
  readonly received?: ReadonlyArray<number>
  readonly keys?: ReadonlyArray<string>
  readonly refused?: string
  readonly until?: Readonly<Record<string, unknown>>
  readonly expect?: unknown
  readonly at?: string
  readonly keep?: Readonly<Record<string, string>>
}

const at = (value: unknown, path: string): unknown =>
  path.split(".").reduce<unknown>((found, name) => (found as Record<string, unknown> | null | undefined)?.[name], value)

const valuesAt = (value: unknown, paths: object): unknown =>
  Object.fromEntries(Object.keys(paths).map((path) => [path, at(value, path)]))

/** With what was kept in place of names in braces. */
const filled = (step: Step, kept: Readonly<Record<string, string>>): Step =>
  JSON.parse(
    JSON.stringify(step),
    (_, value) =>
      typeof value === "string" ? value.replace(/^\{(\w+)\}$/, (_, name: string) => kept[name] ?? name) : value
  )

/** Of JSON, whatever the order of members. */
const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) =>
    typeof member === "object" && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([one], [other]) => one < other ? -1 : 1))
      : member)

const hold = (found: unknown, expected: unknown, step: string): void => {
  if (textOf(found) !== textOf(expected)) {
    throw new Error(`${textOf(found)} came in place of ${textOf(expected)} of ${step}`)
  }
}

const outcomeOf = async (
  { call, problemOf }: ScenarioClient,
  { body, call: operation, headers, path, query }: Step
) => {
  const [outcome] = await Promise.allSettled([call(operation!, { body, headers, path, query })])
  if (outcome.status === "fulfilled") return { answer: outcome.value }
  const problem = problemOf(outcome.reason)
  if (problem === undefined) throw outcome.reason
  return { problem }
}

/**
 * Does what the scenario says with a client, step by step, and throws if something else comes of a step.
 *
 * @param sinkUrl where deliveries come to, and `GET` answers with what came, as JSON
 */
export const run = async (
  client: ScenarioClient,
  sinkUrl: string,
  surroundings: Surroundings = byFetch
): Promise<number> => {
  const steps = scenario as ReadonlyArray<unknown> as ReadonlyArray<Step>
  const kept: Record<string, string> = { sink: sinkUrl, run: crypto.randomUUID() }
  let next: ((count: number) => Promise<ReadonlyArray<unknown>>) | undefined
  for (const given of steps) {
    const step = filled(given, kept)
    const name = JSON.stringify(given)
    let found: unknown
    if (step.call !== undefined) {
      for (const deadline = Date.now() + 15_000;;) {
        const { answer, problem } = await outcomeOf(client, step)
        found = answer ?? problem
        hold(at(problem, "code"), step.refused, name)
        if (step.until === undefined || Date.now() > deadline) break
        if (textOf(valuesAt(found, step.until)) === textOf(step.until)) break
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
      const expected = { ...step.until, ...step.expect as object }
      hold(valuesAt(found, expected), expected, name)
    }
    if (step.items !== undefined) {
      const items = await client.items(step.items, { path: step.path, query: step.query })
      hold(items.map((item) => at(item, step.at!)), step.expect, name)
      found = items
    }
    if (step.tail !== undefined) next = await client.tail(step.tail)
    if (step.tailed !== undefined) {
      const events = await next!(step.tailed.length)
      hold(events.map((event) => at(event, "event.raw_event")), step.tailed, name)
    }
    for (const body of step.bodies ?? []) {
      hold(await surroundings.post(step.post!, JSON.stringify(body)), 200, name)
    }
    if (step.received !== undefined) {
      const received = await surroundings.received(sinkUrl)
      for (const key of step.keys!) {
        const texts = await Promise.all(received.map((request) => client.verify(request, key)))
        hold(texts.map((text) => at(JSON.parse(text), "order")), step.received, name)
      }
    }
    for (const [kind, path] of Object.entries(step.keep ?? {})) kept[kind] = String(at(found, path))
  }
  return steps.length
}
