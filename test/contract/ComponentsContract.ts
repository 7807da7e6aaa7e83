import { assert } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import * as ModuleServer from "@headwater/fixtures/ModuleServer"
import { Effect, Schedule } from "effect"
import { createHash } from "node:crypto"
import { assertInvalid, assertProblem, assertRecent, code, ContractServer, type It } from "./ContractServer.ts"

const fields = [
  "id",
  "code",
  "code_hash",
  "key",
  "name",
  "version",
  "description",
  "configurable_props",
  "created_at",
  "updated_at"
]

const props = {
  timer: { type: "$.interface.timer", default: { intervalSeconds: 900 } },
  http: "$.interface.http",
  region: { type: "string", label: "Region", description: "Where to look.", default: "eu" }
}

const shownProps = [
  { name: "timer", type: "$.interface.timer", default: { intervalSeconds: 900 } },
  { name: "http", type: "$.interface.http" },
  { name: "region", type: "string", label: "Region", description: "Where to look.", default: "eu" }
]

/** rest-api.md, "Components". */
export const rows = (it: It): void => {
  it.effect("POST /components saves code and answers with all a source needs", () =>
    Effect.gen(function*() {
      const { ann } = yield* ContractServer
      const component_code = code("contract-feed", props)
      const component = yield* ann.ok("POST", "/components", { component_code })
      assert.hasAllKeys(component, fields)
      assert.match(Json.textOf(component["id"]), /^sc_/)
      Json.assertHolds(component, {
        code: component_code,
        code_hash: createHash("sha256").update(component_code).digest("hex"),
        name: "My Feed",
        version: "1.2.3",
        configurable_props: shownProps
      })
      assertRecent(component["created_at"])
      assertRecent(component["updated_at"])
    }))

  it.effect("POST /components needs one of component_code and component_url", () =>
    Effect.gen(function*() {
      const { ann } = yield* ContractServer
      assertInvalid(yield* ann.send("POST", "/components", { body: {} }), "component_code")
      assertInvalid(yield* ann.send("POST", "/components", { body: { component_code: 1 } }), "component_code")
      assertInvalid(yield* ann.send("POST", "/components", { body: { component_url: {} } }), "component_url")
      assertInvalid(yield* ann.send("POST", "/components", { body: { component_url: "ftp://x/" } }), "component_url")
    }))

  it.effect("POST /components takes component_code where both are given, and never looks at the URL", () =>
    Effect.gen(function*() {
      const { ann } = yield* ContractServer
      const component_code = code("contract-both")
      const component = yield* ann.ok("POST", "/components", { component_code, component_url: "http://127.0.0.1:9/" })
      assert.strictEqual(Json.textOf(component["code"]), component_code)
    }))

  it.effect("POST /components fetches component_url, with what it imports of its origin", () =>
    Effect.gen(function*() {
      const { ann } = yield* ContractServer
      const { origin: url } = yield* ModuleServer.make({
        "/feed/main.mjs": `import { name } from "./name.mjs"; export default { key: "hosted", name, run() {} }`,
        "/feed/name.mjs": `export const name = "Hosted"`,
        "/feed/broken.mjs": `import "./away.mjs"; export default { run() {} }`,
        "/feed/odd.mjs": `export default {\n  run( {}\n}`
      })
      const component = yield* ann.ok("POST", "/components", { component_url: `${url}/feed/main.mjs` })
      assert.hasAllKeys(component, fields)
      Json.assertHolds(component, { name: "Hosted", version: "0.0.0", configurable_props: [] })
      assert.deepStrictEqual(yield* ann.ok("GET", "/components/hosted"), component)
      for (
        const [file, at] of [["away.mjs", "away.mjs"], ["broken.mjs", "broken.mjs"], ["odd.mjs", "odd.mjs"]] as const
      ) {
        const answer = yield* ann.send("POST", "/components", { body: { component_url: `${url}/feed/${file}` } })
        assertProblem(answer, 422, "component_invalid")
        assert.include(Json.textOf(answer.json["details"]!["file"]), at)
      }
    }))

  it.effect("POST /components refuses code that does not parse, load or export a component, and says where", () =>
    Effect.gen(function*() {
      const { ann } = yield* ContractServer
      const wrong = [
        ["export default {\n  run( {\n}", 2],
        ["\n\nthrow new Error(\"no\")\nexport default { run() {} }", 3],
        ["export const run = 1", 1]
      ] as const
      for (const [component_code, line] of wrong) {
        const answer = yield* ann.send("POST", "/components", { body: { component_code } })
        assertProblem(answer, 422, "component_invalid")
        const details = answer.json["details"]!
        for (const text of [details["message"], details["file"]]) assert.isNotEmpty(Json.textOf(text))
        assert.isAtLeast(Number(details["line"]), line, answer.text)
        assert.isAtLeast(Number(details["column"]), 1, answer.text)
      }
      const byUrl = { component_code: `/*${"x".repeat(1024 * 1024)}*/` }
      assertProblem(yield* ann.send("POST", "/components", { body: byUrl }), 413, "payload_too_large")
    }))

  it.effect("GET /components/{key|id} answers by id with that version, by key with the newest, to its account", () =>
    Effect.gen(function*() {
      const { ann, bob } = yield* ContractServer
      const first = yield* ann.ok("POST", "/components", { component_code: code("contract-versions") })
      const second = yield* ann.ok("POST", "/components", { component_code: code("contract-versions", props) })
      assert.deepStrictEqual(yield* ann.ok("GET", `/components/${Json.textOf(first["id"])}`), first)
      assert.deepStrictEqual(yield* ann.ok("GET", "/components/contract-versions"), second)
      assert.deepStrictEqual(yield* ann.ok("GET", "/components/contract-versions/"), second)
      for (const name of [Json.textOf(first["id"]), "contract-versions", "sc_0Uz7MdaCCd5QvTf7KzHb", "unknown"]) {
        assertProblem(yield* bob.send("GET", `/components/${name}`), 404, "not_found")
      }
    }))

  it.effect("GET /components/registry/{key} answers with a published component, which any account can use", () =>
    Effect.gen(function*() {
      const { ann, bob } = yield* ContractServer
      // The server publishes its own beside its start.
      yield* ann.send("GET", "/components/registry/headwater-schedule").pipe(
        Effect.repeat({ until: ({ status }) => status === 200, schedule: Schedule.spaced("50 millis") }),
        Effect.timeout("60 seconds")
      )
      const component = yield* ann.ok("GET", "/components/registry/headwater-schedule")
      assert.hasAllKeys(component, fields)
      assert.deepStrictEqual(yield* bob.ok("GET", "/components/registry/headwater-schedule/"), component)
      const source = yield* bob.ok("POST", "/sources", { key: "headwater-schedule" })
      assert.strictEqual(Json.textOf(source["component_id"]), Json.textOf(component["id"]))
      yield* bob.send("DELETE", `/sources/${Json.textOf(source["id"])}`)
      yield* ann.ok("POST", "/components", { component_code: code("contract-private") })
      assertProblem(yield* ann.send("GET", "/components/registry/contract-private"), 404, "not_found")
      assertProblem(yield* ann.send("POST", "/sources", { body: { key: "contract-private" } }), 404, "not_found")
    }))

  it.effect("include and exclude come in the body of POST /components and in the query of GET", () =>
    Effect.gen(function*() {
      const { ann } = yield* ContractServer
      const component_code = code("contract-fields", props)
      const few = yield* ann.ok("POST", "/components", { component_code, include: "id,name", exclude: "name" })
      assert.hasAllKeys(few, ["id"])
      const some = yield* ann.ok("GET", "/components/contract-fields?include=name,configurable_props.type,nonsense")
      assert.deepStrictEqual<unknown>(some, {
        name: "My Feed",
        configurable_props: shownProps.map(({ type }) => ({ type }))
      })
      const rest = yield* ann.ok("GET", "/components/contract-fields?exclude=code,code_hash")
      assert.hasAllKeys(rest, fields.filter((field) => !["code", "code_hash"].includes(field)))
    }))

  it.effect("extension: components are listed without their code, and deleted unless a source has them", () =>
    Effect.gen(function*() {
      const { bob, fresh } = yield* ContractServer
      const client = yield* fresh("components")
      const outline = ["id", "key", "name", "version", "description", "code_hash", "created_at", "updated_at"]
      const created = yield* client.ok("POST", "/components", { component_code: code("listed") })
      const path = `/components/${Json.textOf(created["id"])}`
      const [listed] = yield* client.listed("/users/me/components", 1)
      assert.hasAllKeys(listed, outline)
      Json.assertHolds(listed, { id: created["id"], code_hash: created["code_hash"] })
      const [published] = yield* client.listed("/registry/components", 1)
      assert.hasAllKeys(published, outline)
      assertProblem(yield* client.send("DELETE", `/components/${Json.textOf(published!["id"])}`), 404, "not_found")
      assertProblem(yield* bob.send("DELETE", path), 404, "not_found")
      const source = yield* client.ok("POST", "/sources", { component_id: created["id"] })
      const used = yield* client.send("DELETE", path)
      assertProblem(used, 409, "component_in_use")
      assert.deepStrictEqual<unknown>(used.json["details"], { sources: [source["id"]] })
      yield* client.ok("POST", "/sources", { component_code: code("another") })
      const ofComponent = `/users/me/sources?component_id=${Json.textOf(created["id"])}`
      assert.deepStrictEqual((yield* client.listed(ofComponent, 1)).map(({ id }) => id), [source["id"]])
      assert.deepStrictEqual<unknown>((yield* bob.send("GET", ofComponent)).json["data"], [])
      yield* client.send("DELETE", `/sources/${Json.textOf(source["id"])}`)
      assert.strictEqual((yield* client.send("DELETE", `${path}/`)).status, 204)
      assertProblem(yield* client.send("GET", path), 404, "not_found")
    }))
}
