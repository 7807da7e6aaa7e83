import assert from "node:assert/strict"
import { readFileSync } from "node:fs"

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
export const run = async (client: ScenarioClient, sinkUrl: string): Promise<number> => {
  const steps: ReadonlyArray<Step> = JSON.parse(readFileSync(new URL("scenario.json", import.meta.url), "utf8"))
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
        assert.equal(at(problem, "code"), step.refused, name)
        if (step.until === undefined || Date.now() > deadline) break
        if (JSON.stringify(valuesAt(found, step.until)) === JSON.stringify(step.until)) break
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
      const expected = { ...step.until, ...step.expect as object }
      assert.deepEqual(valuesAt(found, expected), expected, name)
    }
    if (step.items !== undefined) {
      const items = await client.items(step.items, { path: step.path, query: step.query })
      assert.deepEqual(items.map((item) => at(item, step.at!)), step.expect, name)
      found = items
    }
    if (step.tail !== undefined) next = await client.tail(step.tail)
    if (step.tailed !== undefined) {
      const events = await next!(step.tailed.length)
      assert.deepEqual(events.map((event) => at(event, "event.raw_event")), step.tailed, name)
    }
    for (const body of step.bodies ?? []) {
      const headers = { "content-type": "application/json" }
      const response = await fetch(step.post!, { method: "POST", headers, body: JSON.stringify(body) })
      assert.equal(response.status, 200, name)
      await response.body?.cancel()
    }
    if (step.received !== undefined) {
      const received: ReadonlyArray<Received> = await (await fetch(sinkUrl)).json()
      for (const key of step.keys!) {
        const texts = await Promise.all(received.map((request) => client.verify(request, key)))
        assert.deepEqual(texts.map((text) => at(JSON.parse(text), "order")), step.received, name)
      }
    }
    for (const [kind, path] of Object.entries(step.keep ?? {})) kept[kind] = String(at(found, path))
  }
  return steps.length
}
