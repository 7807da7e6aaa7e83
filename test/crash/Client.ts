import * as Json from "@headwater/fixtures/Json"
import { Effect } from "effect"
import { key } from "../ServerProcess.ts"
import type { Findings } from "./Findings.ts"

/** What became of a request: an answer, or none, after which nobody knows. */
export interface Answer {
  readonly status: number | undefined
  readonly json: Json.Json
}

/** Longer than the server takes to say that it can't. */
const patienceMs = 70_000

/** Answers that a server in trouble may give, with a time to try again. */
const excuses = new Set([429, 503])

/** What was to be answered by a run, and is durable, is run after all: at the next start, where the server is stopped. */
const late = 504

const isJson = (text: string): boolean => text.startsWith("{")

/** Sends requests to a server that may die at any time. */
export interface Client {
  /**
   * Posts JSON to a URL.
   *
   * @param expected statuses that are no refusal
   */
  readonly post: (url: string, body: unknown, expected?: ReadonlyArray<number>) => Effect.Effect<Answer>
  /**
   * Calls the API with the account's key.
   *
   * @param expected statuses that are no refusal
   */
  readonly call: (
    method: string,
    path: string,
    body?: unknown,
    expected?: ReadonlyArray<number>
  ) => Effect.Effect<Answer>
}

export const acknowledged = ({ status }: Answer): boolean => status !== undefined && status >= 200 && status < 300

/** @param baseUrl where the API is */
export const make = (baseUrl: string, findings: Findings): Client => {
  const send = (
    method: string,
    url: string,
    headers: Record<string, string>,
    body: unknown,
    expected: ReadonlyArray<number> = []
  ): Effect.Effect<Answer> =>
    Effect.promise(async () => {
      try {
        const response = await fetch(url, {
          method,
          headers: { ...headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
          signal: AbortSignal.timeout(patienceMs),
          ...(body === undefined ? {} : { body: JSON.stringify(body) })
        })
        const text = await response.text()
        const { status } = response
        const isExcused = status === late || expected.includes(status) ||
          excuses.has(status) && response.headers.has("retry-after")
        if (status >= 400 && !isExcused) findings.note("unavailable", `${method} ${url} was refused`, { status, text })
        return { status, json: isJson(text) ? Json.parse(text) : {} }
      } catch (cause) {
        if (cause instanceof Error && cause.name === "TimeoutError") {
          findings.note("unavailable", `${method} ${url} was not answered in ${patienceMs} ms`)
        }
        return { status: undefined, json: {} }
      }
    })
  return {
    post: (url, body, expected) => send("POST", url, {}, body, expected),
    call: (method, path, body, expected) =>
      send(method, `${baseUrl}/v1${path}`, { authorization: `Bearer ${key}` }, body, expected)
  }
}
