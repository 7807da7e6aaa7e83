import { assert, type Vitest } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import { Context, Effect, Layer, Schedule, Stream } from "effect"
import * as ContractValidator from "../ContractValidator.ts"
import * as OperatorAccount from "../OperatorAccount.ts"
import * as ServerProcess from "../ServerProcess.ts"

export interface RequestOptions {
  /** Sent as JSON. */
  readonly body?: unknown
  /** Sent as it is, in place of `body`. */
  readonly raw?: string
  readonly headers?: Record<string, string>
  /** In place of the account's own; null for none. */
  readonly key?: string | null
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** An empty object where the body is no JSON. */
  readonly json: Json.Json
}

/** Requests in the name of an account. Paths are those of the contract: below the base URL. */
export interface Client {
  readonly id: string
  readonly key: string
  /** Every answer is held against the server's own document, whatever its status. */
  readonly send: (method: string, path: string, options?: RequestOptions) => Effect.Effect<Answer>
  /** The lines of a stream; its head is held against the document too. */
  readonly follow: (path: string, headers?: Record<string, string>) => Stream.Stream<string>
  /** Sends what must be answered by 200, and gives its `data`. */
  readonly ok: (method: string, path: string, body?: unknown) => Effect.Effect<Json.Json>
  /** The `data` of a list, newest first, once it has so many items. */
  readonly listed: (path: string, atLeast: number) => Effect.Effect<Array<Json.Json>>
}

/** What the tests of the contract may ask for. */
export type It = Vitest.MethodsNonLive<ContractServer>

/** An operation of the document and a status it was seen to answer by. */
const seenKey = (method: string, path: string, status: number): string => `${method} ${path} ${status}`

/** One real server, and three accounts that see nothing of each other. */
export class ContractServer extends Context.Service<ContractServer, {
  /** Without `/v1`. */
  readonly url: string
  readonly document: Json.Json
  /** The first account, on the free plan. */
  readonly ann: Client
  /** Another account, on the paid plan. */
  readonly bob: Client
  /** An account whose lists hold only what one test puts there. */
  readonly fresh: (username: string) => Effect.Effect<Client>
  /** Whether an operation, by its path in the document, has answered by this status. */
  readonly hasAnswered: (method: string, path: string, status: number) => boolean
}>()("headwater/test/ContractServer") {
  static readonly layer: Layer.Layer<ContractServer, ServerProcess.ServerProcessError> = Layer.effect(
    ContractServer,
    Effect.gen(function*() {
      const dataDirectory = yield* TemporaryDirectory.make("contract")
      const server = yield* ServerProcess.makeIn(dataDirectory)
      yield* server.start
      const served = yield* Effect.promise(() => fetch(`${server.url}/openapi.json`).then((answer) => answer.text()))
      const document = Json.parse(served)
      const validator = ContractValidator.make(JSON.parse(served))
      const seen = new Set<string>()

      const check = (exchange: ContractValidator.Exchange) => {
        assert.deepStrictEqual(validator.validate(exchange), [], exchange.body)
        assert.strictEqual(new Headers(exchange.headers).get("access-control-allow-origin"), "*")
        const template = validator.pathOf(exchange.path)
        if (template !== undefined) seen.add(seenKey(exchange.method, template, exchange.status))
      }

      const sendAs = (accountKey: string): Client["send"] =>
        Effect.fnUntraced(function*(method, path, options = {}) {
          const token = options.key === undefined ? accountKey : options.key
          const body = options.raw ?? (options.body === undefined ? undefined : JSON.stringify(options.body))
          const response = yield* Effect.promise(() =>
            fetch(`${server.url}/v1${path}`, {
              method,
              redirect: "manual",
              headers: {
                ...(token === null ? {} : { authorization: `Bearer ${token}` }),
                ...(options.body === undefined ? {} : { "content-type": "application/json" }),
                ...options.headers
              },
              ...(body === undefined ? {} : { body })
            })
          )
          const text = yield* Effect.promise(() => response.text())
          const { headers, status } = response
          const projected = /"(include|exclude)":/.test(body ?? "")
          check({ method, path: `/v1${path}`, projected, status, headers, body: text })
          const isJson = /json/.test(headers.get("content-type") ?? "") && text !== ""
          return { status, headers, text, json: isJson ? Json.parse(text) : {} }
        })

      const followAs = (accountKey: string): Client["follow"] => (path, headers = {}) =>
        Stream.unwrap(
          Effect.map(
            Effect.promise((signal) =>
              fetch(`${server.url}/v1${path}`, {
                signal,
                headers: { authorization: `Bearer ${accountKey}`, ...headers }
              })
            ),
            (response) => {
              check({ method: "GET", path: `/v1${path}`, status: response.status, headers: response.headers, body: "" })
              assert.strictEqual(response.status, 200)
              return Stream.fromReadableStream({ evaluate: () => response.body!, onError: (error) => error }).pipe(
                Stream.orDie,
                Stream.decodeText(),
                Stream.splitLines
              )
            }
          )
        )

      const clientOf = ({ id, key }: OperatorAccount.OperatorAccount): Client => {
        const send = sendAs(key)
        return {
          id,
          key,
          send,
          follow: followAs(key),
          ok: Effect.fnUntraced(function*(method, path, body) {
            const answer = yield* send(method, path, body === undefined ? {} : { body })
            assert.strictEqual(answer.status, 200, `${method} ${path}: ${answer.text}`)
            return answer.json["data"]!
          }),
          listed: (path, atLeast) =>
            send("GET", path).pipe(
              Effect.map(({ json }) => Json.listOf(json["data"])),
              Effect.repeat({ until: (found) => found.length >= atLeast, schedule: Schedule.spaced("20 millis") }),
              Effect.timeout("60 seconds"),
              Effect.orDie
            )
        }
      }

      const me = yield* sendAs(ServerProcess.key)("GET", "/users/me")
      return {
        url: server.url,
        document,
        ann: clientOf({ id: Json.textOf(me.json["data"]!["id"]), key: ServerProcess.key }),
        bob: clientOf(yield* OperatorAccount.create(dataDirectory, { username: "bob", plan: "paid" })),
        fresh: (username) => Effect.map(OperatorAccount.create(dataDirectory, { username, plan: "free" }), clientOf),
        hasAnswered: (method, path, status) => seen.has(seenKey(method, path, status))
      }
    })
  )
}

/** That an answer is an error in its one shape, with this status and code. */
export const assertProblem = (answer: Answer, status: number, code: string): void => {
  assert.strictEqual(answer.status, status, answer.text)
  assert.match(answer.headers.get("content-type") ?? "", /^application\/problem\+json/)
  assert.hasAllKeys(answer.json, ["type", "title", "status", "detail", "error", "code", "details"])
  Json.assertHolds(answer.json, { status, code, error: answer.json["detail"] })
}

/** That a request was refused because of just these fields. */
export const assertInvalid = (answer: Answer, ...paths: ReadonlyArray<string>): void => {
  assertProblem(answer, 400, "invalid_request")
  const issues = Json.listOf(answer.json["details"])
  assert.sameMembers([...new Set(issues.map(({ path }) => Json.textOf(path)))], [...paths], answer.text)
  for (const { message } of issues) assert.isNotEmpty(Json.textOf(message))
}

/** That it is a time in Unix seconds not long ago. */
export const assertRecent = (json: Json.Json | undefined): void => {
  assert.isTrue(Number.isInteger(json), String(json))
  assert.closeTo(Number(json), Date.now() / 1000, 600)
}

/** Code of a component that does nothing, with these props. */
export const code = (key: string, props: Record<string, unknown> = {}): string =>
  `export default {
  name: "My Feed", key: ${JSON.stringify(key)}, version: "1.2.3",
  props: ${JSON.stringify(props)},
  async run() {}
}`

/** Code of a component that emits what is in the bodies it is sent, `{n}` so many times, and does what else they say. */
export const emitting = `export default {
  name: "Emitting",
  props: { http: "$.interface.http" },
  async run(event) {
    const { count = 0, emit, log, meta, thrown } = event.body
    for (let n = 0; n < count; n++) this.$emit({ n })
    if (log !== undefined) console.log(log)
    if (emit !== undefined) this.$emit(emit, meta)
    if (thrown !== undefined) throw new RangeError(thrown)
  }
}`
