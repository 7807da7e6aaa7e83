import { assert } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import { Effect } from "effect"
import {
  assertInvalid,
  assertProblem,
  assertRecent,
  type Client,
  code,
  ContractServer,
  emitting,
  type It
} from "./ContractServer.ts"

const fields = [
  "id",
  "component_id",
  "configured_props",
  "active",
  "created_at",
  "updated_at",
  "name",
  "name_slug"
]

const idOf = (json: Json.Json): string => Json.textOf(json["id"])

const component = (client: Client, props: Record<string, unknown> = {}) =>
  Effect.map(client.ok("POST", "/components", { component_code: code("contract-source", props) }), idOf)

const hooked = (deploy: string) => `export default { hooks: { async deploy() { ${deploy} } }, run() {} }`

/** rest-api.md, "Sources" and "States and transitions". */
export const rows = (it: It): void => {
  it.effect("POST /sources/ runs a component with its props, active, named by the component's slug", () =>
    Effect.gen(function*() {
      const { ann } = yield* ContractServer
      const component_id = yield* component(ann, {
        timer: { type: "$.interface.timer", default: { intervalSeconds: 900 } },
        http: "$.interface.http",
        region: "string"
      })
      const source = yield* ann.ok("POST", "/sources/", {
        component_id,
        configured_props: { timer: { intervalSeconds: 3_600 }, region: "eu" }
      })
      assert.hasAllKeys(source, [...fields, "user_id"])
      assert.match(idOf(source), /^dc_/)
      Json.assertHolds(source, {
        user_id: ann.id,
        component_id,
        active: true,
        name: "my-feed",
        name_slug: "my-feed"
      })
      assertRecent(source["created_at"])
      assertRecent(source["updated_at"])
      const { http, ...props } = source["configured_props"]!
      assert.deepStrictEqual<unknown>(props, { timer: { cron: null, interval_seconds: 3_600 }, region: "eu" })
      assert.hasAllKeys(http, ["endpoint_url"])
      assert.strictEqual((yield* Effect.promise(() => fetch(Json.textOf(http!["endpoint_url"])))).status, 200)
      const second = yield* ann.ok("POST", "/sources", {
        component_id,
        name: "Ünï Feed!",
        configured_props: { region: "us" }
      })
      Json.assertHolds(second, { name: "Ünï Feed!", name_slug: "n-feed" })
      assert.strictEqual<unknown>(second["configured_props"]!["timer"]!["interval_seconds"], 900)
      const third = yield* ann.ok("POST", "/sources", { component_id, configured_props: { region: "us" } })
      Json.assertHolds(third, { name_slug: "my-feed-2" })
    }))

  it.effect("POST /sources/ takes component_id before component_code before component_url, and one is required", () =>
    Effect.gen(function*() {
      const { ann, bob } = yield* ContractServer
      const component_id = yield* component(ann)
      const component_url = "http://127.0.0.1:9/"
      const byId = yield* ann.ok("POST", "/sources", { component_id, component_code: "let", component_url })
      assert.strictEqual(Json.textOf(byId["component_id"]), component_id)
      const component_code = code("contract-by-code")
      const byCode = yield* ann.ok("POST", "/sources", { component_code, component_url })
      const saved = yield* ann.ok("GET", "/components/contract-by-code")
      assert.strictEqual(Json.textOf(byCode["component_id"]), idOf(saved))
      assertInvalid(yield* ann.send("POST", "/sources", { body: { name: "n" } }), "component_id")
      assertProblem(
        yield* ann.send("POST", "/sources", { body: { component_id: "sc_0Uz7MdaCCd5QvTf7KzHb" } }),
        404,
        "not_found"
      )
      assertProblem(yield* bob.send("POST", "/sources", { body: { component_id } }), 404, "not_found")
    }))

  it.effect("POST /sources/ refuses props that do not fit the component, each by its path", () =>
    Effect.gen(function*() {
      const { ann } = yield* ContractServer
      const component_id = yield* component(ann, { timer: "$.interface.timer", region: "string" })
      const send = (configured_props: unknown) =>
        ann.send("POST", "/sources", { body: { component_id, configured_props } })
      const wrong = yield* send({ region: 1, timer: { intervalSeconds: 0 }, nonsense: true })
      assertInvalid(wrong, "configured_props.region", "configured_props.timer", "configured_props.nonsense")
      assertInvalid(yield* send([]), "configured_props")
      const large = yield* send({ timer: { intervalSeconds: 1 }, region: "x".repeat(65_536) })
      assertProblem(large, 413, "payload_too_large")
      assertInvalid(yield* ann.send("POST", "/sources", { body: { component_id, name: 5 } }), "name")
    }))

  it.effect("POST /sources/ whose code or hook fails leaves nothing behind", () =>
    Effect.gen(function*() {
      const { ann } = yield* ContractServer
      const before = yield* ann.send("GET", "/users/me/sources")
      const broken = yield* ann.send("POST", "/sources", { body: { component_code: "let" } })
      assertProblem(broken, 422, "component_invalid")
      const failed = yield* ann.send("POST", "/sources", {
        body: { component_code: hooked(`throw new Error("refused")`) }
      })
      assertProblem(failed, 422, "hook_failed")
      Json.assertHolds(failed.json["details"], { hook: "deploy", message: "refused", line: 1 })
      const after = yield* ann.send("GET", "/users/me/sources")
      assert.deepStrictEqual(after.json, before.json)
    }))

  it.effect("PUT /sources/{id} disables, enables, renames and replaces; a missing active means true", () =>
    Effect.gen(function*() {
      const { ann } = yield* ContractServer
      const component_id = yield* component(ann, { http: "$.interface.http", a: "string", b: "string" })
      const source = yield* ann.ok("POST", "/sources", { component_id, configured_props: { a: "1", b: "2" } })
      const { user_id: _, ...created } = source
      const path = `/sources/${idOf(source)}`
      const endpoint = Json.textOf(source["configured_props"]!["http"]!["endpoint_url"])
      const endpointStatus = Effect.promise(() => fetch(endpoint).then(({ status }) => status))
      const disabled = yield* ann.ok("PUT", path, { active: false })
      assert.hasAllKeys(disabled, fields)
      assert.deepStrictEqual<unknown>(disabled, { ...created, active: false, updated_at: disabled["updated_at"] })
      assert.strictEqual(yield* endpointStatus, 404)
      const still = yield* ann.ok("PUT", path, { active: false, configured_props: { b: "3" } })
      Json.assertHolds(still, { active: false })
      Json.assertHolds(still["configured_props"], { a: "1", b: "3" })
      Json.assertHolds(yield* ann.ok("PUT", path, { active: true }), { active: true })
      assert.strictEqual(yield* endpointStatus, 200)
      yield* ann.ok("PUT", path, { active: false })
      const renamed = yield* ann.ok("PUT", `${path}/`, { name: "Renamed twice" })
      Json.assertHolds(renamed, { active: true, name: "Renamed twice", name_slug: "renamed-twice", component_id })
      Json.assertHolds(renamed["configured_props"], { a: "1", b: "3" })
      const other = yield* component(ann, { http: "$.interface.http", a: "string", b: "string", c: "string" })
      const props = { configured_props: { c: "4" } }
      const moved = yield* ann.ok("PUT", path, { component_id: other, component_code: "let", ...props })
      Json.assertHolds(moved, { component_id: other })
      Json.assertHolds(moved["configured_props"], { a: "1", b: "3", c: "4" })
      assert.strictEqual(Json.textOf(moved["configured_props"]!["http"]!["endpoint_url"]), endpoint)
      const recoded = yield* ann.ok("PUT", path, { component_code: code("contract-recoded") })
      assert.strictEqual(
        Json.textOf(recoded["component_id"]),
        idOf(yield* ann.ok("GET", "/components/contract-recoded"))
      )
      assertInvalid(yield* ann.send("PUT", path, { body: { active: "no" } }), "active")
      assertInvalid(yield* ann.send("PUT", path, { body: { configured_props: { z: 1 } } }), "configured_props.z")
      assertProblem(yield* ann.send("PUT", path, { body: { component_code: "let" } }), 422, "component_invalid")
      const refused = yield* ann.send("PUT", path, {
        body: { component_code: `export default { hooks: { activate() { throw new TypeError("off") } }, run() {} }` }
      })
      assertProblem(refused, 422, "hook_failed")
      const unknown = yield* ann.send("PUT", path, { body: { component_id: "sc_0Uz7MdaCCd5QvTf7KzHb" } })
      assertProblem(unknown, 404, "not_found")
    }))

  it.effect("DELETE /sources/{id} answers 204 without a body, and everything of the source is gone", () =>
    Effect.gen(function*() {
      const { ann } = yield* ContractServer
      const source = yield* ann.ok("POST", "/sources", { component_code: emitting, name: "gone" })
      const path = `/sources/${idOf(source)}`
      const webhook = yield* ann.ok("POST", "/webhooks?url=http://127.0.0.1:9/")
      const query = `emitter_id=${idOf(source)}&listener_id=${idOf(webhook)}`
      const subscription = yield* ann.ok("POST", `/subscriptions?${query}`)
      const deleted = yield* ann.send("DELETE", `${path}/`)
      assert.deepStrictEqual([deleted.status, deleted.text], [204, ""])
      for (const [method, place] of [["GET", path], ["DELETE", path], ["GET", `${path}/event_summaries`]] as const) {
        assertProblem(yield* ann.send(method, place), 404, "not_found")
      }
      const rest = yield* ann.listed("/users/me/subscriptions", 0)
      assert.notInclude(rest.map(idOf), idOf(subscription))
      const endpoint = Json.textOf(source["configured_props"]!["http"]!["endpoint_url"])
      assert.strictEqual((yield* Effect.promise(() => fetch(endpoint))).status, 404)
    }))

  it.effect("a source is for its own account, by its id and by its slug", () =>
    Effect.gen(function*() {
      const { ann, bob } = yield* ContractServer
      const source = yield* ann.ok("POST", "/sources", { component_id: yield* component(ann), name: "Ann alone" })
      const { user_id: _, ...shown } = source
      for (const name of [idOf(source), "ann-alone"]) {
        assert.deepStrictEqual<unknown>(yield* ann.ok("GET", `/sources/${name}`), shown)
        assertProblem(yield* bob.send("GET", `/sources/${name}`), 404, "not_found")
        assertProblem(yield* bob.send("PUT", `/sources/${name}`, { body: {} }), 404, "not_found")
        assertProblem(yield* bob.send("DELETE", `/sources/${name}`), 404, "not_found")
        assertProblem(yield* bob.send("DELETE", `/sources/${name}/events`), 404, "not_found")
        for (const stream of ["", "$errors/", "$logs/"]) {
          assertProblem(yield* bob.send("GET", `/sources/${name}/${stream}event_summaries`), 404, "not_found")
        }
      }
      const listed = yield* bob.listed("/users/me/sources", 0)
      assert.notInclude(listed.map(idOf), idOf(source))
      assert.deepStrictEqual<unknown>(yield* ann.ok("PUT", "/sources/ann-alone", { include: "name" }), {
        name: "Ann alone"
      })
    }))

  it.effect("extension: what the deploy hook emits is left out where the creation asks for that, and nothing else is", () =>
    Effect.gen(function*() {
      const { fresh } = yield* ContractServer
      const client = yield* fresh("ondeploy")
      const component_code = `export default {
        props: { http: "$.interface.http", db: "$.service.db" },
        hooks: {
          deploy() { this.db.set("deployed", true); this.$emit("deploy") },
          activate() { this.$emit("activate") }
        },
        run() { this.$emit(this.db.get("deployed")) }
      }`
      const emitted = Effect.fnUntraced(function*(options: Record<string, unknown>, count: number) {
        const source = yield* client.ok("POST", "/sources", { component_code, ...options })
        const url = Json.textOf(source["configured_props"]!["http"]!["endpoint_url"])
        yield* Effect.promise(() => fetch(url, { method: "POST" }))
        const found = yield* client.listed(`/sources/${Json.textOf(source["id"])}/event_summaries?expand=event`, count)
        return found.map((each) => each["event"]!["raw_event"])
      })
      assert.deepStrictEqual<unknown>(yield* emitted({ emit_on_deploy: false }, 2), [true, "activate"])
      assert.deepStrictEqual<unknown>(yield* emitted({}, 3), [true, "activate", "deploy"])
    }))
}
