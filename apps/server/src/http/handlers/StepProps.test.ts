import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import { Effect, Schedule } from "effect"
import * as Http from "../../../test/HttpAppFixture.ts"

const workflow_code = `export default {
  props: { greeting: { type: "string", default: "{{ stays }}" } },
  steps: {
    first: { run() { return { at: "2026-03-02", deep: null } } },
    second: {
      props: { text: { type: "string", optional: true }, count: { type: "integer", optional: true, max: 9 } },
      run() { return [this.greeting, this.text, this.count] }
    },
    third: { run() {} }
  }
}`

layer(Http.layer, { excludeTestServices: true })("the props of steps", (it) => {
  const deployed = Effect.fnUntraced(function*(configured_props: Record<string, unknown>) {
    const http = yield* Http.tenant()
    return { http, answer: yield* http.request("POST", "/v1/workflows", { body: { workflow_code, configured_props } }) }
  })

  const ran = Effect.fnUntraced(function*(configured_props: Record<string, unknown>) {
    const { answer, http } = yield* deployed(configured_props)
    assert.strictEqual(answer.status, 200, answer.text)
    return yield* http.ran(Json.textOf(answer.json["data"]!["id"]), { n: 1 })
  })

  it.effect("have their expressions evaluated in each run, those of the workflow itself do not", () =>
    Effect.gen(function*() {
      const run = yield* ran({ "second.text": "at {{ steps.first.$return_value.at }}", "second.count": "{{ 1 + 2 }}" })
      const results = Json.listOf(run["steps"]).map((step) => step["result"])
      assert.deepStrictEqual<unknown>(results[1], { $return_value: ["{{ stays }}", "at 2026-03-02", 3] })
    }))

  it.effect("that can't be evaluated fail their step by name", () =>
    Effect.gen(function*() {
      const run = yield* ran({ "second.text": "on {{ steps.first.$return_value.at.day() }}" })
      assert.strictEqual(
        Json.textOf(run["error"]!["message"]),
        "the prop text of the step second can't be had: {{ steps.first.$return_value.at.day() }}: " +
          "TypeError: steps.first.$return_value.at.day is not a function"
      )
    }))

  for (
    const [name, value, message] of [
      ["second.text", "{{ steps.third.$return_value }}", /the step third comes later/],
      ["second.text", "{{ steps.second.a }}", /second is the step itself/],
      ["second.text", "{{ steps.first. }}", /^{{ steps\.first\. }}: Unexpected token/],
      ["second.text", "Dear {{name}}", /there is no name/],
      ["second.count", "many", /expected an integer/],
      ["second.count", "10", /expected at most 9/],
      ["second.text", 1, /expected a string/]
    ] as const
  ) {
    it.effect(`are refused with their path: ${name}: ${JSON.stringify(value)}`, () =>
      Effect.gen(function*() {
        const { answer } = yield* deployed({ [name]: value })
        Http.assertProblem(answer, 400, "invalid_request")
        const [issue] = Json.listOf(answer.json["details"])
        assert.strictEqual<unknown>(issue!["path"], `configured_props.${name}`)
        assert.match(Json.textOf(issue!["message"]), message)
      }))
  }

  it.effect("take text for a number where it reads as one, those of sources do not", () =>
    Effect.gen(function*() {
      const run = yield* ran({ "second.count": " 7 " })
      const results = Json.listOf(run["steps"]).map((step) => step["result"])
      assert.deepStrictEqual<unknown>(results[1], { $return_value: ["{{ stays }}", null, 7] })
      const http = yield* Http.tenant()
      const component_code = `export default { props: { count: "integer" }, run() {} }`
      const body = { component_code, configured_props: { count: "7" } }
      Http.assertProblem(yield* http.request("POST", "/v1/sources", { body }), 400, "invalid_request")
    }))

  it.effect("may be added by the code of a step and of the workflow, and are kept with it", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const workflow_code = `const channel = {
        type: "action",
        props: { kind: { type: "string", options: async () => ["mail", "chat"], reloadProps: true } },
        additionalProps() { return this.kind === "chat" ? { room: { type: "integer" } } : { to: "string" } },
        run() { return [this.kind, this.room ?? null, this.to ?? null, this.more] }
      }
      export default {
        props: { wide: "boolean" },
        additionalProps() { return this.wide ? { more: { type: "string", default: "more" } } : {} },
        steps: { first: channel, second: channel }
      }`
      const deploy = (configured_props: Record<string, unknown>) =>
        http.request("POST", "/v1/workflows", { body: { workflow_code, configured_props } })
      const kinds = { wide: true, "first.kind": "chat", "second.kind": "mail" }
      const refused = yield* deploy(kinds)
      Http.assertProblem(refused, 400, "invalid_request")
      assert.deepStrictEqual<unknown>(Json.listOf(refused.json["details"]).map(({ path }) => path), [
        "configured_props.first.room",
        "configured_props.second.to"
      ])
      const created = yield* deploy({ ...kinds, "first.room": "7", "second.to": "{{ steps.first.$return_value[0] }}" })
      assert.strictEqual(created.status, 200, created.text)
      Json.assertHolds(created.json["data"]!["configured_props"], { "first.room": "7", more: "more" })
      const run = yield* http.ran(Json.textOf(created.json["data"]!["id"]), { n: 1 })
      assert.deepStrictEqual<unknown>(Json.listOf(run["steps"]).map(({ result }) => result), [
        { $return_value: ["chat", 7, null, "more"] },
        { $return_value: ["mail", null, "chat", "more"] }
      ])
    }))

  it.effect("that the code has added are those that a run began with, though the workflow was deployed again", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const workflow_code = `const waiting = { run({ $ }) { $.flow.delay(1_500) } }
      const counted = {
        props: { kind: "string" },
        additionalProps() { return this.kind === "many" ? { count: "integer" } : {} },
        run() { return this.count }
      }
      export default { steps: { waiting, counted } }`
      const configured_props = { "counted.kind": "many", "counted.count": "{{ '4' + '2' }}" }
      const { id } = yield* http.created("/v1/workflows", { workflow_code, configured_props })
      const path = `/v1/workflows/${id}`
      const started = yield* http.request("POST", `${path}/invocations`, { body: { event: 1 } })
      const run = yield* http.request("GET", `${path}/runs/${Json.textOf(started.json["data"]!["id"])}`).pipe(
        Effect.repeat({
          until: ({ json }) => String(json["data"]?.["status"]) === "waiting",
          schedule: Schedule.spaced("10 millis")
        })
      )
      const body = { configured_props: { "counted.kind": "none" } }
      const updated = yield* http.request("PUT", path, { body })
      assert.strictEqual(updated.status, 200, updated.text)
      const done = yield* http.request("GET", `${path}/runs/${Json.textOf(run.json["data"]!["id"])}`).pipe(
        Effect.repeat({
          until: ({ json }) => json["data"]?.["ended_at_ms"] !== null,
          schedule: Schedule.spaced("10 millis")
        })
      )
      assert.deepStrictEqual<unknown>(Json.listOf(done.json["data"]!["steps"])[1]!["result"], { $return_value: 42 })
    }))

  it.effect("that the code adds are asked for once an inactive workflow has what the code needs to tell of them", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const workflow_code =
        `const sheet = { type: "app", app: "sheet", methods: { columns() { return this.$auth.columns } } }
      export default {
        steps: {
          add: {
            props: { sheet, name: "string" },
            additionalProps() { return Object.fromEntries(this.sheet.columns().map((name) => [name, "string"])) },
            run() { return this.total }
          }
        }
      }`
      const given = { "add.name": "A" }
      const refused = yield* http.request("POST", "/v1/workflows", { body: { workflow_code, configured_props: given } })
      assert.notStrictEqual(refused.status, 200)
      const { id } = yield* http.created("/v1/workflows", { workflow_code, active: false, configured_props: given })
      const account = yield* http.created("/v1/accounts", { app: "sheet", credentials: { columns: ["total"] } })
      const path = `/v1/workflows/${id}`
      const known = yield* http.request("PUT", path, {
        body: { active: false, configured_props: { "add.sheet": { authProvisionId: account.id } } }
      })
      assert.deepStrictEqual<unknown>(known.json["data"]!["missing_props"], ["add.total"])
      const whole = yield* http.request("PUT", path, { body: { configured_props: { "add.total": "7" } } })
      assert.strictEqual(whole.status, 200, whole.text)
    }))

  it.effect("that have no value are named while the workflow is inactive, and keep it from becoming active", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const workflow_code = `export default {
        props: { wide: "boolean" },
        steps: { tell: { props: { text: "string", more: { type: "string", optional: true } }, run() { return this.text } } }
      }`
      const created = yield* http.request("POST", "/v1/workflows", { body: { workflow_code, active: false } })
      assert.strictEqual(created.status, 200, created.text)
      assert.deepStrictEqual<unknown>(created.json["data"]!["missing_props"], ["wide", "tell.text"])
      const path = `/v1/workflows/${Json.textOf(created.json["data"]!["id"])}`
      const still = yield* http.request("PUT", path, { body: { active: false, configured_props: { wide: true } } })
      assert.deepStrictEqual<unknown>(still.json["data"]!["missing_props"], ["tell.text"])
      const refused = yield* http.request("PUT", path, { body: { active: true } })
      Http.assertProblem(refused, 400, "invalid_request")
      assert.deepStrictEqual<unknown>(refused.json["details"], [
        { path: "configured_props.tell.text", message: "is required" }
      ])
      const active = yield* http.request("PUT", path, { body: { configured_props: { "tell.text": "now" } } })
      assert.strictEqual(active.status, 200, active.text)
      assert.notProperty(active.json["data"], "missing_props")
      Http.assertProblem(
        yield* http.request("POST", "/v1/workflows", { body: { workflow_code } }),
        400,
        "invalid_request"
      )
    }))
})
