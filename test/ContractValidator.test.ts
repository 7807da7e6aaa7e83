import { assert, describe, it } from "@effect/vitest"
import * as ContractValidator from "./ContractValidator.ts"

const thing = {
  type: "object",
  properties: {
    id: { type: "string" },
    at: { type: "string", format: "date-time" },
    more: { type: "object", properties: { a: { type: "integer" } }, required: ["a"] }
  },
  required: ["id"]
}

const envelope = {
  type: "object",
  properties: { data: { $ref: "#/components/schemas/Thing" }, page: { type: "integer" } },
  required: ["data", "page"]
}

const problem = { type: "object", properties: { code: { type: "string" } }, required: ["code"] }

const problemContent = { "application/problem+json": { schema: { $ref: "#/components/schemas/NotFoundProblem" } } }

const ok = {
  headers: {
    "X-Request-Id": { $ref: "#/components/headers/X-Request-Id" },
    "X-Count": { schema: { type: "integer", minimum: 1 } }
  },
  content: { "application/json": { schema: envelope } }
}

const { validate } = ContractValidator.make({
  paths: {
    "/things/{id}": { get: { responses: { "200": ok, "404": { content: problemContent } } } },
    "/things/$own/list": { get: { responses: { "200": { content: { "text/plain": {} } } } } },
    "/things": { delete: { responses: { "204": {} } }, post: { responses: {} } }
  },
  components: {
    headers: { "X-Request-Id": { required: true, schema: { type: "string", pattern: "^[a-z]+$" } } },
    responses: { MethodNotAllowed: { content: problemContent } },
    schemas: { Thing: thing, NotFoundProblem: problem }
  }
})

const json = { "content-type": "application/json; charset=utf-8", "x-request-id": "a" }
const exchange = { method: "GET", path: "/things/1", status: 200, headers: json, body: `{"data":{"id":"1"},"page":1}` }
const problemHeaders = { "content-type": "application/problem+json", allow: "GET, HEAD, OPTIONS" }

const faultsOf = (change: Partial<ContractValidator.Exchange>) => validate({ ...exchange, ...change })

describe("ContractValidator", () => {
  it("has nothing to say of answers that are as documented", () => {
    const fine: ReadonlyArray<Partial<ContractValidator.Exchange>> = [
      {},
      { path: "/things/a%2Fb/?x=1" },
      { headers: new Headers({ ...json, "X-Count": "2" }) },
      { method: "HEAD", body: "" },
      { status: 404, headers: problemHeaders, body: `{"code":"c"}` },
      { path: "/things/%24own/list", headers: { "content-type": "text/plain" }, body: "any" },
      { path: "/things?include=x", method: "DELETE", status: 204, headers: {}, body: "" },
      { path: "/things/1?include=more", body: `{"data":{"more":{}},"page":1}` },
      { projected: true, body: `{"data":{},"page":1}` },
      { path: "/nothing", status: 404, headers: problemHeaders, body: `{"code":"c"}` },
      { method: "PUT", status: 405, headers: problemHeaders, body: `{"code":"c"}` },
      { method: "OPTIONS", status: 204, headers: { allow: "OPTIONS, GET, HEAD" }, body: "" }
    ]
    for (const change of fine) assert.deepStrictEqual(faultsOf(change), [])
  })

  const wrong: ReadonlyArray<readonly [what: RegExp, change: Partial<ContractValidator.Exchange>]> = [
    [/status 201 is not in the document/, { status: 201 }],
    [/no such path/, { path: "/nothing" }],
    [/content type/, { path: "/nothing", status: 404 }],
    [/no PUT/, { method: "PUT" }],
    [/Allow is/, { method: "PUT", status: 405, headers: { ...problemHeaders, allow: "GET" }, body: `{"code":"c"}` }],
    [/Allow is/, { method: "OPTIONS", status: 204, headers: {}, body: "" }],
    [/OPTIONS is answered by 200/, { method: "OPTIONS" }],
    [/X-Request-Id is missing/, { headers: { "content-type": "application/json" } }],
    [/X-Request-Id: .*pattern/, { headers: { ...json, "x-request-id": "A" } }],
    [/X-Count: .*must be >= 1/, { headers: { ...json, "x-count": "0" } }],
    [/content type is text\/html/, { headers: { ...json, "content-type": "text/html" } }],
    [/no JSON/, { body: "{" }],
    [/HEAD is answered by a body/, { method: "HEAD" }],
    [/there is a body/, { path: "/things", method: "DELETE", status: 204 }],
    [/required property 'id'/, { body: `{"data":{}}` }],
    [/unevaluated properties .*"x"/, { body: `{"data":{"id":"1","x":1}}` }],
    [/unevaluated properties .*"x"/, { projected: true, body: `{"data":{"x":1}}` }],
    [/required property 'page'/, { projected: true, body: `{"data":{}}` }],
    [/has no data/, { path: "/things/1?exclude=id", body: "{}" }],
    [/\/data\/more\/a must be integer/, { body: `{"data":{"id":"1","more":{"a":"1"}}}` }],
    [/format "date-time"/, { body: `{"data":{"id":"1","at":"yesterday"}}` }],
    [/required property 'code'/, { status: 404, headers: problemHeaders, body: "{}" }]
  ]

  for (const [what, change] of wrong) {
    it(`finds ${what.source} in ${JSON.stringify(change)}`, () => {
      const faults = faultsOf(change)
      assert.isNotEmpty(faults)
      assert.match(faults.join("\n"), what)
    })
  }
})
