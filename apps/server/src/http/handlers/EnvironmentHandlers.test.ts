import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as Http from "../../../test/HttpAppFixture.ts"

const path = "/v1/environment_variables"

const workflow_code = `export default {
  steps: {
    show: {
      props: { url: { type: "string", optional: true } },
      async run({ $ }) {
        await fetch("http://127.0.0.1:1/?token=" + process.env.TOKEN).catch(() => {})
        console.log("token", process.env.TOKEN, { in: process.env.ODD }, process.env.SHORT)
        $.emit([process.env.SHOP, process.env.TOKEN, process.env.HOME ?? null, this.url ?? null])
      }
    },
    fail: {
      run() {
        throw new Error("refused " + process.env.TOKEN)
      }
    }
  }
}`

layer(Http.layer, { excludeTestServices: true })("environment variables", (it) => {
  const setup = Effect.gen(function*() {
    const http = yield* Http.tenant()
    const set = (name: string, body: Record<string, unknown>) => http.request("PUT", `${path}/${name}`, { body })
    return { http, set }
  })

  it.effect("are set, listed, shown and removed, of an account and of a program, and no secret is shown again", () =>
    Effect.gen(function*() {
      const { http, set } = yield* setup
      const stranger = yield* Http.tenant()
      const { id } = yield* http.created("/v1/workflows", { workflow_code, name: "Teller" })
      const first = yield* set("SHOP", { value: "north" })
      assert.strictEqual(first.status, 200, first.text)
      Json.assertHolds(first.json["data"], { name: "SHOP", value: "north", secret: false, program_id: null })
      Json.assertHolds((yield* set("TOKEN", { value: "t-0123456789", secret: true })).json["data"], { value: null })
      // A new value is as secret as the one before.
      Json.assertHolds((yield* set("TOKEN", { value: "t-9876543210" })).json["data"], { value: null, secret: true })
      Json.assertHolds((yield* set("SHOP", { value: "south", program_id: "teller" })).json["data"], { program_id: id })
      const listed = (yield* http.request("GET", path)).json["data"]
      assert.deepStrictEqual<unknown>(Json.listOf(listed).map(({ name, value }) => [name, value]), [
        ["SHOP", "north"],
        ["TOKEN", null]
      ])
      const own = yield* http.request("GET", `${path}/SHOP?program_id=${id}`)
      Json.assertHolds(own.json["data"], { value: "south" })
      assert.deepStrictEqual(Json.listOf((yield* stranger.request("GET", path)).json["data"]), [])
      Http.assertProblem(yield* stranger.request("GET", `${path}?program_id=teller`), 404, "not_found")
      assert.strictEqual((yield* http.request("DELETE", `${path}/SHOP`)).status, 204)
      Http.assertProblem(yield* http.request("DELETE", `${path}/SHOP`), 404, "not_found")
      Http.assertProblem(yield* http.request("GET", `${path}/__proto__`), 404, "not_found")
    }))

  it.effect("are sealed, and go with their program and their account", () =>
    Effect.gen(function*() {
      const { http, set } = yield* setup
      const sql = yield* SqlClient.SqlClient
      const { id } = yield* http.created("/v1/workflows", { workflow_code })
      yield* set("TOKEN", { value: "t-0123456789", program_id: id })
      const rows = sql<{ variables: Uint8Array }>`SELECT variables FROM environments WHERE owner_id = ${id}`
      const [row] = yield* rows
      assert.notInclude(Buffer.from(row!.variables).toString("latin1"), "t-0123456789")
      assert.strictEqual((yield* http.request("DELETE", `/v1/workflows/${id}`)).status, 204)
      assert.strictEqual((yield* rows).length, 0)
    }))

  it.effect("are refused by name beyond their bounds", () =>
    Effect.gen(function*() {
      const { set } = yield* setup
      for (const name of ["1A", "A-B", "%20", "A".repeat(256)]) {
        Http.assertProblem(yield* set(name, { value: "" }), 400, "invalid_request")
      }
      Http.assertProblem(yield* set("A", {}), 400, "invalid_request")
      Http.assertProblem(yield* set("A", { value: "é".repeat(32 * 1024 + 1) }), 413, "payload_too_large")
      for (let i = 0; i < 3; i++) assert.strictEqual((yield* set(`A${i}`, { value: "x".repeat(65_536) })).status, 200)
      Http.assertProblem(yield* set("A3", { value: "x".repeat(65_536) }), 413, "payload_too_large")
      assert.strictEqual((yield* set("A2", { value: "" })).status, 200)
    }))

  it.effect("are what code finds in process.env, the program's before the account's, masked in logs and errors", () =>
    Effect.gen(function*() {
      const { http, set } = yield* setup
      yield* set("SHOP", { value: "https://shop.example" })
      yield* set("TOKEN", { value: "t-0123456789", secret: true })
      yield* set("ODD", { value: `say "aloud"` })
      yield* set("SHORT", { value: "eu" })
      const configured_props = { "show.url": "{{ process.env.SHOP }}/{{ process.env.NONE }}" }
      const { id } = yield* http.created("/v1/workflows", { workflow_code, configured_props, errors: "each" })
      yield* set("SHOP", { value: "https://own.example", program_id: id })
      const workflow = `/v1/workflows/${id}`
      const ran = Effect.map(http.ran(id, 1), (run) => Json.textOf(run["error"]!["message"]))
      assert.strictEqual(yield* ran, "refused ***")
      const logs = yield* http.request("GET", `${workflow}/event_summaries?event_name=$logs&expand=event`)
      assert.include(logs.text, "token *** { in: '***' } eu")
      assert.notInclude(logs.text, "t-0123456789")
      const events = yield* http.request("GET", `${workflow}/event_summaries?expand=event`)
      assert.include(events.text, `["https://own.example","t-0123456789",null,"https://own.example/"]`)
      const trial = yield* http.request("POST", "/v1/code/trial", { body: { workflow_id: id, event: 1 } })
      assert.include(trial.text, "refused ***")
      assert.include(trial.text, "/?token=***")
      assert.include(trial.text, "token *** { in: '***' } eu")
      yield* set("TOKEN", { value: "t-9999999999" })
      assert.strictEqual(yield* ran, "refused ***")
      assert.strictEqual((yield* http.request("DELETE", `${path}/TOKEN`)).status, 204)
      assert.strictEqual(yield* ran, "refused undefined")
    }))

  it.effect("are a project's before the account's and after the program's, and change at once for one that moves", () =>
    Effect.gen(function*() {
      const { http, set } = yield* setup
      const sql = yield* SqlClient.SqlClient
      const code = `export default {
        run({ steps, $ }) {
          console.log("has", process.env.TOKEN)
          return { env: [process.env.SHOP, process.env.TOKEN], ids: [steps.trigger.context.project_id, $.context.project_id] }
        }
      }`
      const token = "t-0123456789"
      const project = yield* http.created("/v1/projects", { name: "Shop" })
      const { id } = yield* http.created("/v1/workflows", { workflow_code: code })
      const ran = Effect.map(http.ran(id, 1), ({ steps }) => Json.listOf(steps)[0]!["result"]!["$return_value"])
      const move = (project_id: string | null) => http.request("PUT", `/v1/workflows/${id}`, { body: { project_id } })
      yield* set("SHOP", { value: "account" })
      yield* set("SHOP", { value: "project", project_id: "shop" })
      yield* set("TOKEN", { value: token, secret: true, project_id: "shop" })
      const outside = { env: ["account", null], ids: [http.accountId, http.accountId] }
      assert.deepStrictEqual<unknown>(yield* ran, outside)
      yield* move(project.id)
      assert.deepStrictEqual<unknown>(yield* ran, { env: ["project", token], ids: [project.id, project.id] })
      yield* set("SHOP", { value: "changed", project_id: "shop" })
      Json.assertHolds(yield* ran, { env: ["changed", token] })
      yield* set("SHOP", { value: "program", program_id: id })
      Json.assertHolds(yield* ran, { env: ["program", token] })
      yield* http.request("DELETE", `${path}/SHOP?program_id=${id}`)
      const logs = yield* http.request("GET", `/v1/workflows/${id}/event_summaries?event_name=$logs&expand=event`)
      assert.include(logs.text, "has ***")
      assert.notInclude(logs.text, token)
      yield* move(null)
      assert.deepStrictEqual<unknown>(yield* ran, outside)
      const ofProject = sql`SELECT 1 FROM environments WHERE owner_id = ${project.id}`
      assert.strictEqual((yield* ofProject).length, 1)
      assert.strictEqual((yield* http.request("DELETE", "/v1/projects/shop")).status, 204)
      assert.strictEqual((yield* ofProject).length, 0)
    }))
})
