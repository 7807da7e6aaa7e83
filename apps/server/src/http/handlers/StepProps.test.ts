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

  it.effect("are not added yet where the code fails for want of others, and its own failures are told", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const workflow_code = `const page = {
        props: { kind: "string" },
        additionalProps() {
          if (this.kind.includes("away")) throw new Error("no such kind")
          return { [this.kind]: "string" }
        },
        run() { return this.text }
      }
      export default { steps: { page } }`
      const deploy = (fields: Record<string, unknown>) =>
        http.request("POST", "/v1/workflows", { body: { workflow_code, ...fields } })
      const lacking = yield* deploy({})
      Http.assertProblem(lacking, 400, "invalid_request")
      assert.deepStrictEqual(Json.listOf(lacking.json["details"]).map(({ path }) => Json.textOf(path)), [
        "configured_props.page.kind"
      ])
      const failing = yield* deploy({ configured_props: { "page.kind": "away" }, active: false })
      Http.assertProblem(failing, 422, "hook_failed")
      assert.include(failing.text, "no such kind")
      const { id, missing_props } = yield* http.created("/v1/workflows", { workflow_code, active: false })
      assert.deepStrictEqual(Json.listOf(missing_props).map(Json.textOf), ["page.kind"])
      const put = (configured_props: Record<string, string>) =>
        http.request("PUT", `/v1/workflows/${id}`, { body: { configured_props } })
      Http.assertProblem(yield* put({ "page.kind": "text" }), 400, "invalid_request")
      Http.assertProblem(yield* put({ "page.kind": "away" }), 422, "hook_failed")
      assert.strictEqual((yield* put({ "page.kind": "text", "page.text": "said" })).status, 200)
      const run = yield* http.ran(String(id), { n: 1 })
      assert.deepStrictEqual<unknown>(Json.listOf(run["steps"]).map(({ result }) => result), [{
        $return_value: "said"
      }])
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

  it.effect("are in the run with the values that the step had, also of one that throws or takes too long", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const workflow_code = `const props = { text: "string", more: { type: "object", optional: true } }
      const find = { type: "sql", auth: { app: "postgresql" } }
      export default {
        props: { wide: "string", slack: { type: "app", app: "slack", optional: true } },
        steps: {
          none: { run() {} },
          tell: {
            props: { ...props, count: "integer", find, hidden: { type: "string", secret: true }, db: "$.service.db",
              plain: "string", channel: { type: "string", optional: true } },
            run() { this.more.list.push("later") }
          },
          again: {
            props,
            async run({ steps }) {
              if (steps.trigger.event.n === 1) throw new Error("no")
              if (steps.trigger.event.n === 2) await new Promise(() => {})
            }
          }
        }
      }`
      const { id } = yield* http.created("/v1/workflows", {
        workflow_code,
        timeout_seconds: 1,
        configured_props: {
          wide: "all",
          "tell.text": "at {{ steps.trigger.event.n }}",
          "tell.count": "{{ steps.trigger.event.n + 1 }}",
          "tell.more": { deep: [{ a: "{{ steps.trigger.event }}" }], list: ["{{ steps.none.gone }}"] },
          "tell.find": { query: "SELECT {{ steps.trigger.event.n }}", usePreparedStatements: true },
          "tell.hidden": "{{ steps.trigger.event.n }} secret",
          "tell.plain": "as it is",
          "tell.channel": { __lv: { label: "General", value: "{{ steps.trigger.event.n }}" } },
          "again.text": "{{ steps.trigger.event.n }}"
        }
      })
      const outcomes = ["success", "error", "error"]
      for (const [n, outcome] of outcomes.entries()) {
        const run = yield* http.ran(id, { n })
        assert.strictEqual<unknown>(run["status"], outcome)
        const props = Json.listOf(run["steps"]).map((step) => step["configured_props"])
        const tried = yield* http.request("POST", "/v1/code/trial", { body: { workflow_id: id, event: { n } } })
        assert.deepStrictEqual(
          Json.listOf(tried.json["data"]!["steps"]).map((step) => step["configured_props"]),
          props
        )
        assert.deepStrictEqual<unknown>(props, [
          null,
          {
            text: `at ${n}`,
            more: { deep: [{ a: { n } }], list: [null] },
            count: n + 1,
            find: { query: "SELECT $1", params: [n], usePreparedStatements: true },
            plain: "as it is",
            channel: n
          },
          { text: n }
        ])
      }
    }))

  it.effect("are in the run with a mask for environment variables that are masked in logs", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const set = (name: string, body: Record<string, unknown>) =>
        http.request("PUT", `/v1/environment_variables/${name}`, { body })
      yield* set("TOKEN", { value: `t"12`, secret: true })
      yield* set("PIN", { value: "4711", secret: true })
      yield* set("FLAG", { value: "true", secret: true })
      const workflow_code = `export default { steps: { tell: {
        props: { text: "string", all: "object", pin: "integer", flag: "boolean", headers: "object" },
        run() { return [this.text, this.pin, this.flag] }
      } } }`
      const { id } = yield* http.created("/v1/workflows", {
        workflow_code,
        configured_props: {
          "tell.text": "Bearer {{ process.env.TOKEN }}",
          "tell.all": { text: "{{ [process.env.TOKEN] }} as {{ { token: process.env.TOKEN } }}" },
          "tell.pin": "{{ process.env.PIN }}",
          "tell.flag": "{{ process.env.FLAG }}",
          "tell.headers": "{{ { [process.env.TOKEN]: process.env.PD_COMPONENT } }}"
        }
      })
      const run = yield* http.ran(id, {})
      const [step] = Json.listOf(run["steps"])
      const tried = yield* http.request("POST", "/v1/code/trial", { body: { workflow_id: id, event: {} } })
      const [triedStep] = Json.listOf(tried.json["data"]!["steps"])
      assert.deepStrictEqual(triedStep!["configured_props"], step!["configured_props"])
      assert.deepStrictEqual<unknown>(step!["configured_props"], {
        text: "Bearer ***",
        all: { text: `["***"] as {"token":"***"}` },
        pin: "***",
        flag: "***",
        headers: { "***": id }
      })
      assert.deepStrictEqual<unknown>(step!["result"], { $return_value: [`Bearer t"12`, 4711, true] })
    }))

  it.effect("are in the run up to a bound, and stay with the run where a part of it is repeated", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const props = `{ large: "string", small: "string" }`
      const { id } = yield* http.created("/v1/workflows", {
        workflow_code:
          `export default { steps: { one: { props: ${props}, run() { return this.large.length } }, two: { run() {} } } }`,
        configured_props: { "one.large": "{{ 'x'.repeat(10_000_000) }}", "one.small": "{{ steps.trigger.event.n }}" }
      })
      const run = yield* http.ran(id, { n: 1 })
      const large = "(left out: a step's props are shown with at most 64 KiB of JSON)"
      const [one] = Json.listOf(run["steps"])
      assert.deepStrictEqual<unknown>(one!["configured_props"], { large, small: 1 })
      assert.deepStrictEqual<unknown>(one!["result"], { $return_value: 10_000_000 })
      const path = `/v1/workflows/${id}/runs`
      const shown = yield* http.request("GET", `${path}/${Json.textOf(run["id"])}?include=steps.configured_props.small`)
      assert.deepStrictEqual<unknown>(shown.json["data"], {
        steps: [{ configured_props: { small: 1 } }, { configured_props: null }]
      })
      const again = yield* http.request("POST", `${path}/${Json.textOf(run["id"])}/rerun`, {
        body: { from_step: "two" }
      })
      const repeated = yield* http.request("GET", `${path}/${Json.textOf(again.json["data"]!["id"])}`).pipe(
        Effect.repeat({
          until: ({ json }) => json["data"]?.["status"] as unknown === "success",
          schedule: Schedule.spaced("10 millis")
        })
      )
      assert.deepStrictEqual<unknown>(
        Json.listOf(repeated.json["data"]!["steps"]).map((step) => [step["name"], step["configured_props"]]),
        [["one", null], ["two", null]]
      )
    }))
})
