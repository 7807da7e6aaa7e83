import { assert } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import { Effect } from "effect"
import { assertInvalid, assertProblem, ContractServer, type It } from "./ContractServer.ts"

interface Operation {
  readonly method: string
  /** As in the document, without `/v1`. */
  readonly template: string
  /** With ids that nothing has in place of the parameters. */
  readonly path: string
  /** The parameters that it asks for, behind their question mark; empty if there are none. */
  readonly query: string
  /** Undefined where it takes no body. */
  readonly body: "required" | "optional" | undefined
  /** The body's example in the document. */
  readonly example: unknown
  /** True if the body is JSON. */
  readonly takesJson: boolean
  readonly statuses: ReadonlyArray<number>
  /** Whether it needs neither key nor session. */
  readonly isOpen: boolean
  /** Whether `include` and `exclude` are read from the query. */
  readonly projects: boolean
}

const unknownIds: Readonly<Record<string, string>> = {
  accounts: "apn_0Uz7P0aRk3WnXc5TzQmB",
  sources: "dc_0Uz7Me6SAe7TzXw9LrNf",
  webhooks: "wh_0Uz7MtBwGh3VyUc8PqJk",
  workflows: "p_0Uz7N0zoHs9PzYd3NwKc",
  keys: "key_0Uz1W6zoKv4NcFg6SyMe",
  auto_subscriptions: "as_0Uz7N2ISJt2QmZb7RxLd",
  events: "1760000120000-0",
  runs: "run_0Uz7N5cVwQ2KpXs9TzLd"
}

const withIds = (template: string): string =>
  template.replace(
    /([^/]+)\/\{[^}]+\}/g,
    (_, collection: string) => `${collection}/${unknownIds[collection] ?? "unknown"}`
  )

const operationsOf = (document: Json.Json): ReadonlyArray<Operation> =>
  Object.entries(document["paths"] ?? {}).filter(([path]) => path.startsWith("/v1/")).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => {
      const template = path.slice("/v1".length)
      const body = operation["requestBody"]
      const parameters = Json.listOf(operation["parameters"])
      const asked = parameters.filter(({ in: place, required }) => Json.textOf(place) === "query" && Boolean(required))
      return {
        method: method.toUpperCase(),
        template,
        path: withIds(template),
        query: asked.length === 0 ? "" : `?${asked.map(({ name }) => `${Json.textOf(name)}=x`).join("&")}`,
        example: body?.["content"]?.["application/json"]?.["example"],
        takesJson: body?.["content"]?.["application/json"] !== undefined,
        body: body === undefined ? undefined : body["required"] ? "required" : "optional",
        statuses: Object.keys(operation["responses"] ?? {}).map(Number),
        isOpen: Json.listOf(operation["security"]).length === 0,
        projects: parameters.some(({ name }) => Json.textOf(name) === "include")
      }
    })
  )

const json = { "content-type": "application/json" }

/** A body in order as far as its form goes, where one is asked for. */
const formOf = ({ body, example }: Operation) => body === "required" ? { body: example ?? {} } : {}

/** True of an operation whose path has the name of what it makes, and no id. */
const makesWhatItNames = ({ method, template }: { readonly method: string; readonly template: string }): boolean =>
  method === "PUT" && /\/(environment_variables|imports)\/\{name\}$/.test(template)

/** decisions.md, the error table, for every operation of the document. */
export const rows = (it: It): void => {
  it.effect("every operation refuses what carries no live key, before it looks at anything else", () =>
    Effect.gen(function*() {
      const { ann, document } = yield* ContractServer
      for (const { isOpen, method, path } of operationsOf(document)) {
        if (isOpen) continue
        for (const authorization of [undefined, "", "Bearer", `Bearer ${ann.key}x`, `Basic ${ann.key}`, ann.key]) {
          const headers = authorization === undefined ? {} : { authorization }
          const answer = yield* ann.send(method, `${path}?limit=0`, { key: null, headers })
          assertProblem(answer, 401, "unauthorized")
          assert.strictEqual(answer.headers.get("www-authenticate"), "Bearer")
        }
      }
    }))

  it.effect("every path answers other methods with 405 and Allow, OPTIONS with 204, and HEAD as GET", () =>
    Effect.gen(function*() {
      const { ann, document } = yield* ContractServer
      const operations = operationsOf(document)
      for (const template of new Set(operations.map((operation) => operation.template))) {
        const path = withIds(template)
        const known = operations.filter((operation) => operation.template === template).map(({ method }) => method)
        const allow = [...known, ...(known.includes("GET") ? ["HEAD"] : []), "OPTIONS"].toSorted()
        for (
          const method of ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"].filter((other) => !allow.includes(other))
        ) {
          for (const place of [path, `${path}/`]) {
            const answer = yield* ann.send(method, place)
            assert.strictEqual(answer.status, 405, `${method} ${place}`)
            assert.strictEqual(answer.headers.get("allow"), allow.join(", "))
            if (method === "HEAD") continue
            assertProblem(answer, 405, "method_not_allowed")
            assert.deepStrictEqual<unknown>(answer.json["details"], { allow })
          }
        }
        const preflight = yield* ann.send("OPTIONS", path, { key: null })
        assert.deepStrictEqual([preflight.status, preflight.text], [204, ""])
        if (!known.includes("GET")) continue
        // A tail that is not refused does not end.
        const query = path.endsWith("/sse") ? "?after=x" : ""
        const [get, head] = [yield* ann.send("GET", path + query), yield* ann.send("HEAD", `${path}/${query}`)]
        assert.deepStrictEqual([head.status, head.text], [get.status, ""])
        assert.strictEqual(head.headers.get("content-type"), get.headers.get("content-type"))
      }
    }))

  it.effect("every operation that takes an id answers 404 to one that nothing has, with or without a slash", () =>
    Effect.gen(function*() {
      const { ann, document } = yield* ContractServer
      const named = operationsOf(document).filter(({ template }) => template.includes("{"))
      for (const operation of named.filter((operation) => !makesWhatItNames(operation))) {
        const { method, path, query, template } = operation
        const odd = ["x", "dc_", "u_0Uz1W6zoEr8WsXj4LtGp", "%00", "%F0%9F%98%80", "a%2Fb", "..%2F..", "x".repeat(1_500)]
        for (const place of [path, `${path}/`, ...odd.map((id) => template.replace(/\{[^}]+\}/g, id))]) {
          assertProblem(yield* ann.send(method, place + query, formOf(operation)), 404, "not_found")
        }
      }
    }))

  it.effect("every operation that takes JSON asks for it, in form and in size", () =>
    Effect.gen(function*() {
      const { ann, document } = yield* ContractServer
      for (const { body, method, path } of operationsOf(document).filter(({ takesJson }) => takesJson)) {
        for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/jsonp"]) {
          const answer = yield* ann.send(method, path, { raw: "{}", headers: { "content-type": type } })
          assertProblem(answer, 415, "unsupported_media_type")
        }
        const bare = yield* ann.send(method, path)
        assert.strictEqual(bare.status === 415, body === "required", bare.text)
        const deep = `{"include":${"[".repeat(200)}${"]".repeat(200)}}`
        for (const raw of ["{", "nope", "{\"a\":1,}", deep]) {
          assertProblem(yield* ann.send(method, path, { raw, headers: json }), 400, "invalid_request")
        }
        for (const raw of ["[]", "\"text\"", "7"]) {
          assertProblem(yield* ann.send(method, path, { raw, headers: json }), 400, "invalid_request")
        }
        const misread = yield* ann.send(method, path, { body: { include: 1, exclude: {} } })
        assertProblem(misread, 400, "invalid_request")
        const paths = Json.listOf(misread.json["details"]).map((issue) => Json.textOf(issue["path"]))
        assert.includeMembers(paths, ["include", "exclude"])
        const charset = { "content-type": "Application/JSON; charset=utf-8" }
        assert.notStrictEqual((yield* ann.send(method, path, { raw: "{}", headers: charset })).status, 415)
        const large = yield* ann.send(method, path, {
          raw: `{"include":"${"x".repeat(8 * 1024 * 1024)}"}`,
          headers: json
        })
        assertProblem(large, 413, "payload_too_large")
      }
    }))

  it.effect("every POST without a body of its own reads what comes with an Idempotency-Key, and refuses it in size", () =>
    Effect.gen(function*() {
      const { ann, document } = yield* ContractServer
      const raw = "x".repeat(8 * 1024 * 1024)
      const posts = operationsOf(document).filter(({ body, method }) => method === "POST" && body === undefined)
      assert.isNotEmpty(posts)
      for (const { method, path, statuses } of posts) {
        const headers = { ...json, "idempotency-key": `large ${path}` }
        if (statuses.includes(413)) {
          assertProblem(yield* ann.send(method, path, { raw, headers }), 413, "payload_too_large")
        }
      }
    }))

  it.effect("every operation that reads include and exclude from its query refuses lists that are too long or twice there", () =>
    Effect.gen(function*() {
      const { ann, document } = yield* ContractServer
      for (const { method, path, query } of operationsOf(document).filter(({ projects }) => projects)) {
        const long = "x".repeat(4_097)
        const place = `${path}${query === "" ? "?" : `${query}&`}`
        assertInvalid(yield* ann.send(method, `${place}include=${long}&exclude=${long}`), "include", "exclude")
        assertInvalid(yield* ann.send(method, `${place}include=a&include=b`), "include")
      }
    }))

  it.effect("unknown paths answer 404 in the same shape", () =>
    Effect.gen(function*() {
      const { ann } = yield* ContractServer
      for (const path of ["/", "/nothing", "/sources/a/b/c", "/Sources", "/users/me/", "/users//me", "/users/you"]) {
        const answer = yield* ann.send("GET", path)
        if (path === "/users/me/") assert.strictEqual(answer.status, 200)
        else assertProblem(answer, 404, "not_found")
      }
    }))

  it.effect("every operation has answered by its success and by each of its errors that a request can bring about", () =>
    Effect.gen(function*() {
      const { document, hasAnswered } = yield* ContractServer
      const broughtAbout = new Set([200, 201, 202, 204, 400, 401, 404, 413, 415, 422])
      // This server's clock can't be moved, it knows no provider of tokens, and it has room for files: `DevClock.test.ts`,
      // `AppAccountsHandlers.test.ts` and `FilesHandlers.test.ts` have these.
      const ofOtherServers = new Set([
        "DELETE /clock 200",
        "POST /clock/freeze 200",
        "POST /clock/advance 202",
        "GET /clock/operations/{id} 200",
        "POST /accounts/{id}/complete_connection 200",
        "PUT /files/content 413"
      ])
      const missing = operationsOf(document).flatMap(({ method, statuses, template }) =>
        statuses
          .filter((status) => broughtAbout.has(status) && !hasAnswered(method, `/v1${template}`, status))
          .map((status) => `${method} ${template} ${status}`)
          .filter((answer) => !ofOtherServers.has(answer))
      )
      assert.deepStrictEqual(missing, [])
    }))
}
