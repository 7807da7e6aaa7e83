import { assert, describe, it } from "@effect/vitest"
import { version } from "@headwater/domain/Version"
import * as Json from "@headwater/fixtures/Json"
import * as Document from "./Document.ts"

const document = Json.parse(JSON.stringify(Document.make("https://events.example.com")))

const entries = (json: Json.Json | undefined) => Object.entries(json ?? {})

const operations = entries(document["paths"]).flatMap(([path, item]) =>
  entries(item).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation }))
)

const operation = (name: string): Json.Json => {
  const found = operations.find((candidate) => candidate.name === name)
  assert.isDefined(found, name)
  return found!.operation
}

const resolved = (json: Json.Json): Json.Json => {
  if (json["$ref"] === undefined) return json
  const path = Json.textOf(json["$ref"]).slice(2).split("/")
  return path.reduce<Json.Json>((found, name) => found[name] ?? {}, document)
}

const responsesOf = ({ name, operation }: typeof operations[number]) =>
  entries(operation["responses"]).map(([status, given]) => ({
    where: `${name} ${status}`,
    status: Number(status),
    response: resolved(given)
  }))

const responses = operations.flatMap(responsesOf)

/** Every object schema below this one. */
const objectsIn = (schema: Json.Json): ReadonlyArray<Json.Json> => [
  ...(schema["properties"] === undefined ? [] : [schema]),
  ...Object.values(schema).flatMap((part) => typeof part === "object" && part !== null ? objectsIn(part) : [])
]

/** All of the API but the operation that begins a session. */
const needsAccess = (name: string): boolean => / \/v1\//.test(name) && name !== "POST /v1/session"

describe("Document", () => {
  it("says what it is and where the server is", () => {
    assert.strictEqual(Json.textOf(document["openapi"]).slice(0, 4), "3.1.")
    Json.assertHolds(document["info"], { title: "Headwater", version })
    assert.strictEqual(Json.textOf(document["info"]!["license"]!["identifier"]), "Apache-2.0")
    assert.deepStrictEqual<unknown>(document["servers"]![0]!["url"], "https://events.example.com")
  })

  it("tells of every operation in words, under a tag with a description and the key that it needs", () => {
    const tags = new Map(Json.listOf(document["tags"]).map((tag) => [Json.textOf(tag["name"]), tag["description"]]))
    for (const { name, operation } of operations) {
      for (const text of [operation["operationId"], operation["summary"], operation["description"]]) {
        assert.isNotEmpty(Json.textOf(text), name)
      }
      for (const tag of Json.listOf(operation["tags"])) assert.isNotEmpty(Json.textOf(tags.get(Json.textOf(tag))), name)
      const schemes = Json.listOf(operation["security"])
      const names = schemes.flatMap((scheme) => Object.keys(scheme))
      assert.deepStrictEqual(names, needsAccess(name) ? ["bearer", "session"] : [], name)
      for (const parameter of Json.listOf(operation["parameters"])) {
        assert.isNotEmpty(Json.textOf(parameter["description"]), `${name}: ${Json.textOf(parameter["name"])}`)
      }
    }
  })

  it("says of every operation under /v1 which scope its key needs", () => {
    const scopes = new Map<string, Array<string>>()
    for (const { name, operation } of operations.filter(({ name }) => needsAccess(name))) {
      const scope = Json.textOf(operation["x-headwater-scope"])
      assert.include(Json.textOf(operation["description"]), `Needs a key with the scope \`${scope}\`.`, name)
      scopes.set(scope, [...scopes.get(scope) ?? [], name])
    }
    assert.sameMembers([...scopes.keys()], ["read", "run", "write"])
    const [reads, runs, writes] = ["read", "run", "write"].map((scope) => scopes.get(scope)!)
    assert.sameMembers(reads!.filter((name) => !name.startsWith("GET ")), [
      "POST /v1/subscriptions/preview",
      "DELETE /v1/session"
    ])
    assert.sameMembers(runs!, [
      "POST /v1/components/{key}/configure",
      "POST /v1/code/check",
      "POST /v1/sources/{id}/trial",
      "POST /v1/workflows/{id}/trial",
      "GET /v1/consumers/{id}/events",
      "POST /v1/consumers/{id}/commit",
      "POST /v1/consumers/{id}/seek",
      "POST /v1/webhooks/{id}/test",
      "POST /v1/webhooks/{id}/pause",
      "POST /v1/webhooks/{id}/resume",
      "POST /v1/webhooks/{id}/force-next",
      "POST /v1/webhooks/{id}/replay",
      "POST /v1/deliveries/{id}/retry",
      "POST /v1/deliveries/{id}/skip",
      "POST /v1/bulk_actions",
      "PUT /v1/bulk_actions/{id}",
      "POST /v1/bulk_actions/{id}/pause",
      "POST /v1/bulk_actions/{id}/resume",
      "POST /v1/bulk_actions/{id}/cancel",
      "POST /v1/clock/freeze",
      "POST /v1/clock/advance",
      "DELETE /v1/clock",
      "POST /v1/workflows/{id}/invocations",
      "POST /v1/workflows/{id}/runs/{run_id}/rerun",
      "POST /v1/workflows/{id}/runs/{run_id}/resume",
      "POST /v1/workflows/{id}/runs/{run_id}/cancel"
    ])
    assert.sameMembers(writes!.filter((name) => name.startsWith("GET ")), [
      "GET /v1/webhooks/{id}/secret",
      "GET /v1/workflows/{id}/secret"
    ])
  })

  it("gives an example of every request body and of every answer that has one", () => {
    for (const { name, operation } of operations) {
      for (const [type, media] of entries(operation["requestBody"]?.["content"])) {
        assert.isDefined(media["example"], `${name} ${type}`)
      }
    }
    for (const { response, where } of responses) {
      assert.isNotEmpty(Json.textOf(response["description"]), where)
      for (const [type, media] of entries(response["content"])) assert.isDefined(media["example"], `${where} ${type}`)
    }
  })

  it("describes every error as a problem document, and the headers that come with it", () => {
    for (const { response, status, where } of responses) {
      const headers = Object.keys(response["headers"] ?? {})
      assert.include(headers, "X-Request-Id", where)
      if (status === 401) assert.include(headers, "WWW-Authenticate", where)
      if (status === 405) assert.include(headers, "Allow", where)
      if (status === 429 || status === 503) assert.include(headers, "Retry-After", where)
      if (status >= 400) assert.hasAllKeys(response["content"], ["application/problem+json"], where)
    }
  })

  it("names the errors that each operation can have and no others", () => {
    const everywhere = [400, 401, 405, 500, 503]
    for (const candidate of operations.filter(({ name }) => / \/v1\//.test(name))) {
      const statuses = responsesOf(candidate).map(({ status }) => status)
      assert.includeMembers(statuses, everywhere, candidate.name)
      const hasBody = candidate.operation["requestBody"] !== undefined
      assert.strictEqual(statuses.includes(415), hasBody, candidate.name)
      assert.strictEqual(statuses.includes(413), hasBody || candidate.name.startsWith("POST "), candidate.name)
      const takesId = Json.listOf(candidate.operation["parameters"]).some(({ in: place }) =>
        Json.textOf(place) === "path"
      )
      if (takesId) assert.include(statuses, 404, candidate.name)
    }
    const statusesOf = (name: string) => Object.keys(operation(name)["responses"] ?? {})
    assert.notInclude(statusesOf("GET /v1/users/me/components"), "404")
    assert.include(statusesOf("POST /v1/sources"), "422")
    assert.include(statusesOf("POST /v1/subscriptions"), "404")
  })

  it("closes the objects of answers and of requests to extensions, and leaves those of other requests open", () => {
    const answered = responses.flatMap(({ response }) => objectsIn(response["content"] ?? {}))
    const named = objectsIn(document["components"]!["schemas"]!)
    for (const schema of [...answered, ...named]) {
      assert.property(schema, "additionalProperties", JSON.stringify(schema).slice(0, 200))
    }
    for (const { name, operation } of operations) {
      for (const schema of objectsIn(operation["requestBody"] ?? {})) {
        const isOpen = operation["x-headwater-extension"] === undefined
        assert.strictEqual(schema["additionalProperties"] === undefined, isOpen, name)
      }
    }
  })

  it("says of an object without named fields that it may have any, so that generated clients let them through", () => {
    const bare = (schema: Json.Json): ReadonlyArray<Json.Json> => [
      ...(schema["type"] !== undefined && JSON.stringify(schema["type"]) === "\"object\"" ? [schema] : []),
      ...Object.values(schema).flatMap((part) => typeof part === "object" && part !== null ? bare(part) : [])
    ]
    const found = bare(document).filter((schema) => schema["properties"] === undefined)
    assert.isAbove(found.length, 10)
    for (const schema of found) {
      const { additionalProperties } = schema
      const isOfTexts = typeof additionalProperties === "object" &&
        (additionalProperties["type"] !== undefined || additionalProperties["anyOf"] !== undefined)
      if (!isOfTexts) assert.deepStrictEqual<unknown>(additionalProperties, true, JSON.stringify(schema))
    }
    const given = operation("POST /v1/accounts")["requestBody"]!["content"]!["application/json"]!["schema"]
    assert.deepStrictEqual<unknown>(given!["properties"]!["credentials"]!["additionalProperties"], true)
  })

  it("has each named schema once, whatever is said of it where it is used", () => {
    const names = Object.keys(document["components"]!["schemas"]!)
    assert.deepStrictEqual(names.filter((name) => !/^[A-Z][A-Za-z]+$/.test(name)), [])
    const { filter } = document["components"]!["schemas"]!["Subscription"]!["properties"]!
    assert.strictEqual(Json.textOf(filter!["$ref"]), "#/components/schemas/Filter")
    assert.match(Json.textOf(filter!["description"]), /^Extension: /)
  })

  it("names operations by their group and what they do, each once", () => {
    const ids = operations.map(({ operation }) => Json.textOf(operation["operationId"]))
    for (const id of ids) assert.match(id, /^[a-z][A-Za-z]*\.[a-z][A-Za-z]*$/)
    assert.strictEqual(new Set(ids).size, ids.length)
  })

  it("describes each problem once, for all operations that answer with it", () => {
    const paths = Object.values(document["paths"] ?? {}).flatMap((item) => Object.values(item))
    for (const { responses } of paths) {
      for (const [status, given] of entries(responses)) {
        if (Number(status) >= 400) assert.hasAllKeys(given, ["$ref"])
      }
    }
    assert.isBelow(JSON.stringify(document).length, 700_000)
  })

  it("tells of what is beside the API as well, and that it needs no key", () => {
    const beside = operations.map(({ name }) => name).filter((name) => !/ \/v1\//.test(name))
    assert.sameMembers(beside, [
      ...["GET", "POST", "PUT", "PATCH", "DELETE"].map((method) => `${method} /http/{endpoint_key}`),
      "GET /healthz",
      "GET /readyz",
      "GET /metrics"
    ])
  })

  it("marks what stands beside the contract, in data and in words", () => {
    const isMarked = (json: Json.Json | undefined): boolean => Boolean(json?.["x-headwater-extension"])
    assert.isTrue(isMarked(operation("GET /v1/sources/{id}")))
    assert.match(Json.textOf(operation("GET /v1/sources/{id}")["description"]), /^Extension: /)
    assert.isFalse(isMarked(operation("PUT /v1/sources/{id}")))
    const summaries = operation("GET /v1/sources/{id}/event_summaries")
    const marked = Json.listOf(summaries["parameters"]).filter(isMarked).map(({ name }) => Json.textOf(name))
    assert.deepStrictEqual(marked, ["event_name"])
    const metadata = document["components"]!["schemas"]!["EventSummary"]!["properties"]!["metadata"]!["properties"]
    const fields = entries(metadata).filter(([, field]) => isMarked(field)).map(([name]) => name)
    assert.sameMembers(fields, ["id", "summary", "ts", "truncated"])
    const all = JSON.stringify(document)
    assert.strictEqual(all.split("\"x-headwater-extension\":true").length, all.split("\"Extension").length)
  })

  it("describes parameters as what they are read as, not as the text that they are sent as", () => {
    const limit = Json.listOf(operation("GET /v1/users/me/sources")["parameters"])[0]
    assert.deepStrictEqual<unknown>(limit?.["schema"], { type: "integer", minimum: 1, maximum: 100, default: 10 })
  })

  it("asks for no body where the parameters may come in the query", () => {
    for (const name of ["POST /v1/webhooks", "POST /v1/subscriptions", "DELETE /v1/subscriptions"]) {
      Json.assertHolds(operation(name)["requestBody"], { required: false }, name)
    }
    Json.assertHolds(operation("POST /v1/sources")["requestBody"], { required: true })
  })
})
