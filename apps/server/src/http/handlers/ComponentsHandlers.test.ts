import { assert, layer } from "@effect/vitest"
import * as Id from "@headwater/domain/Id"
import * as Json from "@headwater/fixtures/Json"
import { Components } from "@headwater/log/resources/Components"
import { Effect, Fiber, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { createHash } from "node:crypto"
import { inOpenTransaction } from "../../../../../packages/log/test/OpenTransaction.ts"
import * as Http from "../../../test/HttpAppFixture.ts"

/** Code is refused with the place, however it is given, and nothing is left behind. */
const refuses = Effect.fnUntraced(function*(
  http: Http.Tenant,
  component_code: string,
  message: RegExp,
  place: { readonly line: number; readonly column: number }
) {
  for (const path of ["/v1/components", "/v1/sources"]) {
    const answer = yield* http.request("POST", path, { body: { component_code } })
    Http.assertProblem(answer, 422, "component_invalid")
    assert.hasAllKeys(answer.json["details"], ["message", "file", "line", "column"])
    assert.match(Json.textOf(answer.json["details"]!["message"]), message)
    Json.assertHolds(answer.json["details"], { file: "component.mjs", ...place }, component_code)
  }
  const sql = yield* SqlClient.SqlClient
  const left = yield* sql`
    SELECT id FROM components WHERE account_id = ${http.accountId}
    UNION ALL SELECT id FROM programs WHERE account_id = ${http.accountId}`
  assert.deepStrictEqual(left, [])
})

layer(Http.layer, { excludeTestServices: true })("components", (it) => {
  it.effect("are saved with their hash and found by id, or the newest by key, in their account alone", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const stranger = yield* Http.tenant()
      const code = Http.code("feed", { timer: { type: "$.interface.timer", default: { intervalSeconds: 60 } } })
      const first = yield* http.created("/v1/components", { component_code: code })
      assert.hasAllKeys(first, [
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
      ])
      Json.assertHolds(first, {
        code,
        code_hash: createHash("sha256").update(code).digest("hex"),
        name: "My Feed!",
        version: "1.2.3",
        configurable_props: [{ name: "timer", type: "$.interface.timer", default: { intervalSeconds: 60 } }]
      })
      assert.match(first.id, /^sc_/)
      yield* Effect.sleep("2 millis")
      const second = yield* http.created("/v1/components/", {
        component_code: Http.code("feed"),
        component_url: "https://example.com/feed.mjs"
      })
      assert.deepStrictEqual<unknown>((yield* http.request("GET", `/v1/components/${first.id}`)).json["data"], first)
      assert.deepStrictEqual<unknown>((yield* http.request("GET", "/v1/components/feed/")).json["data"], second)
      for (const name of ["feed", first.id]) {
        assert.strictEqual((yield* stranger.request("GET", `/v1/components/${name}`)).status, 404)
      }
    }))

  it.effect("show their props with all that the code says of them, and labels only where they are text", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const component_code = `export default {
        props: {
          timer: { type: "$.interface.timer", label: "When", description: "How often", default: { intervalSeconds: 60 } },
          team: { type: "string", options() { return [] }, useQuery: true, default: "all" },
          odd: { type: "integer", label: 5, description: null, default: 1, name: "other" },
          http: "$.interface.http",
          none: null
        }
      }`
      const component = yield* http.created("/v1/components", { component_code })
      assert.deepStrictEqual<unknown>(component["configurable_props"], [
        {
          name: "timer",
          type: "$.interface.timer",
          label: "When",
          description: "How often",
          default: { intervalSeconds: 60 }
        },
        { name: "team", type: "string", remoteOptions: true, useQuery: true, default: "all" },
        { name: "odd", type: "integer", default: 1 },
        { name: "http", type: "$.interface.http" },
        { name: "none", type: "any" }
      ])
      const shown = yield* http.request("GET", `/v1/components/${component.id}`)
      assert.deepStrictEqual<unknown>(shown.json["data"], component)
    }))

  it.effect("of code that can't be used are refused with the place, and nothing is left behind", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const unusable: ReadonlyArray<readonly [string, RegExp, number, number]> = [
        ["export default {\n  run( {\n}", /got '<eof>'/, 3, 2],
        ["export const a = 1", /no default export/, 1, 1],
        ["export default {}", /must be an object with props or run/, 1, 1],
        ["export default { steps: { a: { run() {} } } }", /it is a workflow.*POST \/workflows/, 1, 1],
        ["export default {\n}\nimport \"./x.mjs\"", /can.t import other files.*headwater deploy/, 3, 8],
        ["const a = 1\n  throw new TypeError('boom')\nexport default { run() {} }", /^TypeError: boom$/, 2, 9],
        [`import x from "nosuch"\nexport default { run() {} }`, /nosuch/, 1, 15],
        [`export default { key: "${"k".repeat(501)}", run() {} }`, /^key is longer than 500 characters/, 1, 1],
        [`export default { name: "\\ud800", run() {} }`, /half a surrogate pair/, 1, 1]
      ]
      for (const [component_code, message, line, column] of unusable) {
        yield* refuses(http, component_code, message, { line, column })
      }
    }))

  it.effect("whose deploy or activate throws leave no source, and nothing of what it did", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const failing = (hook: string) =>
        `export default {
  props: {
    http: "$.interface.http", db: "$.service.db",
    timer: { type: "$.interface.timer", default: { intervalSeconds: 60 } }
  },
  dedupe: "unique",
  hooks: {
    deploy() { this.$emit(1, { id: 1 }); this.$emit(2, { id: 2, delivery_ts: Date.now() + 1e6 }) },
    async ${hook}() {
      this.db.set("a", 1)
      throw new Error("no such team")
    }
  },
  run() {}
}`
      for (const hook of ["deploy", "activate"]) {
        const answer = yield* http.request("POST", "/v1/sources", { body: { component_code: failing(hook) } })
        Http.assertProblem(answer, 422, "hook_failed")
        assert.deepStrictEqual<unknown>(answer.json["details"], {
          hook,
          message: "no such team",
          file: "component.mjs",
          line: 11,
          column: 13
        })
      }
      const { id } = yield* http.created("/v1/components", { component_code: failing("deploy") })
      const saved = yield* http.request("POST", "/v1/sources", { body: { component_id: id } })
      Http.assertProblem(saved, 422, "hook_failed")
      const sql = yield* SqlClient.SqlClient
      const left = yield* sql`
        SELECT id FROM components WHERE account_id = ${http.accountId}
        UNION ALL SELECT id FROM programs WHERE account_id = ${http.accountId}
        UNION ALL SELECT emitter_id FROM heads WHERE account_id = ${http.accountId} AND emitter_id <> ${http.accountId}`
      // What was saved by itself stays.
      assert.deepStrictEqual(left, [{ id }])
      for (const table of ["events", "due_work", "cursors", "program_state", "dedupe_marks"]) {
        assert.deepStrictEqual(yield* sql`SELECT * FROM ${sql(table)}`, [], table)
      }
    }))

  it.effect("are listed newest first without their code, those of the registry once for each key", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const components = yield* Components
      const ids: Array<string> = []
      for (const key of ["a", "b", "a"]) {
        ids.push((yield* http.created("/v1/components", { component_code: Http.code(key) })).id)
      }
      const described = yield* http.created("/v1/components", {
        component_code: `export default { description: "${"d".repeat(600)}", props: {}, run() {} }`
      })
      Json.assertHolds(described, { description: "d".repeat(600) })
      const [outline] = Json.listOf((yield* http.request("GET", "/v1/users/me/components?limit=1")).json["data"])
      Json.assertHolds(outline, { description: "d".repeat(500) })
      yield* http.request("DELETE", `/v1/components/${described.id}`)
      yield* http.created("/v1/workflows", { workflow_code: Http.workflowCode })
      const first = yield* http.request("GET", "/v1/users/me/components?limit=2")
      assert.strictEqual(first.status, 200, first.text)
      Json.assertHolds(first.json["page_info"], { total_count: 3, count: 2 })
      const listed = Json.listOf(first.json["data"])
      assert.deepStrictEqual(listed.map(({ id }) => Json.textOf(id)), ids.slice(1).toReversed())
      assert.hasAllKeys(listed[0], [
        "id",
        "key",
        "name",
        "version",
        "description",
        "code_hash",
        "created_at",
        "updated_at"
      ])
      Json.assertHolds(listed[0], { key: "a", name: "My Feed!", version: "1.2.3", description: null })
      const end = Json.textOf(first.json["page_info"]!["end_cursor"])
      const rest = yield* http.request("GET", `/v1/users/me/components?after=${end}`)
      assert.deepStrictEqual(Json.listOf(rest.json["data"]).map(({ id }) => Json.textOf(id)), ids.slice(0, 1))

      const [newest] = yield* Effect.forEach([1, 2], (version) =>
        Effect.gen(function*() {
          const saved = Option.getOrThrow(yield* components.get(http.accountId, ids[0]!))
          const id = Id.ComponentId.make(yield* Id.make("component").pipe(Effect.provide(SecureRandom.layerWebCrypto)))
          const published = { ...saved, id, accountId: null, key: "listed", codeHash: String(version).repeat(64) }
          return (yield* components.publish(published)).component.id
        })).pipe(Effect.map((found) => found.toReversed()))
      const registry = yield* http.request("GET", "/v1/registry/components/?limit=100")
      assert.strictEqual(registry.status, 200, registry.text)
      const published = Json.listOf(registry.json["data"]).filter(({ key }) => Json.textOf(key) === "listed")
      assert.deepStrictEqual(published.map(({ id }) => Json.textOf(id)), [newest!])
    }))

  it.effect("are deleted unless a source has them, and the refusal says which", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const stranger = yield* Http.tenant()
      const { id } = yield* http.created("/v1/components", { component_code: Http.code("feed") })
      const source = yield* http.created("/v1/sources", { component_id: id })
      const used = yield* http.request("DELETE", `/v1/components/${id}`)
      Http.assertProblem(used, 409, "component_in_use")
      assert.deepStrictEqual<unknown>(used.json["details"], { sources: [source.id] })
      Http.assertProblem(yield* stranger.request("DELETE", `/v1/components/${id}`), 404, "not_found")
      Http.assertProblem(yield* http.request("DELETE", "/v1/components/feed"), 404, "not_found")
      yield* http.request("DELETE", `/v1/sources/${source.id}`)
      const deleted = yield* http.request("DELETE", `/v1/components/${id}/`)
      assert.deepStrictEqual([deleted.status, deleted.text], [204, ""])
      Http.assertProblem(yield* http.request("GET", `/v1/components/${id}`), 404, "not_found")
      Http.assertProblem(yield* http.request("DELETE", `/v1/components/${id}`), 404, "not_found")
    }))

  it.effect("that are deleted while a source of them is being created are not found, and it is not created", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const sql = yield* SqlClient.SqlClient
      const { id } = yield* http.created("/v1/components", { component_code: Http.code("going") })
      const deletion = yield* inOpenTransaction(sql`DELETE FROM components WHERE id = ${id}`)
      const creating = yield* Effect.forkChild(http.request("POST", "/v1/sources", { body: { component_id: id } }))
      yield* sql`SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`.pipe(
        Effect.repeat({ until: (rows) => rows.length > 0 })
      )
      yield* deletion.commit
      const refused = yield* Fiber.join(creating)
      Http.assertProblem(refused, 404, "not_found")
      assert.include(refused.text, id)
      assert.deepStrictEqual<unknown>((yield* http.request("GET", "/v1/users/me/sources")).json["data"], [])
    }))
})

layer(Http.layerWith({}, { inspectCpuMillis: 500 }), { excludeTestServices: true })(
  "components, where code may compute for half a second while it loads",
  (it) => {
    it.effect("are refused that load for longer", () =>
      Effect.gen(function*() {
        const http = yield* Http.tenant()
        const endless = "for (;;) {}\nexport default { run() {} }"
        yield* refuses(http, endless, /did not load within 500 ms of processor time/, { line: 1, column: 1 })
      }))
  }
)
