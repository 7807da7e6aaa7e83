import { assert } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import * as WebhookSink from "@headwater/fixtures/WebhookSink"
import { Effect, Fiber, Schedule, Stream } from "effect"
import { Webhook } from "standardwebhooks"
import {
  assertInvalid,
  assertProblem,
  assertRecent,
  type Client,
  ContractServer,
  emitting,
  type It
} from "./ContractServer.ts"

const fields = [
  "id",
  "name",
  "name_slug",
  "code_hash",
  "deployment_id",
  "steps",
  "configured_props",
  "active",
  "concurrency",
  "rate_limit",
  "retry_delays",
  "errors",
  "suspension_timeout",
  "timeout_seconds",
  "attachments",
  "shadow_reads",
  "memory_mb",
  "created_at",
  "updated_at"
]

const idOf = (json: Json.Json | undefined): string => Json.textOf(json?.["id"])

/** Emits what it is told, and throws what it is told. */
const two = `export default { steps: {
  first: { run({ steps, $ }) {
    const { emit, name } = steps.trigger.event
    console.log("first of two")
    if (emit !== undefined) $.send.emit(emit, name)
    return "one"
  } },
  second: { run({ steps }) {
    const { thrown } = steps.trigger.event
    if (thrown !== undefined) throw new RangeError(thrown)
    return steps.first.$return_value + " two"
  } }
} }`

const create = (client: Client, body: object = {}) => client.ok("POST", "/workflows", { workflow_code: two, ...body })

/** The run that comes of an invocation, once it has ended. */
const invoked = Effect.fnUntraced(function*(client: Client, workflow: Json.Json, event: unknown) {
  const answer = yield* client.send("POST", `/workflows/${idOf(workflow)}/invocations`, { body: { event } })
  assert.strictEqual(answer.status, 202, answer.text)
  return yield* ended(client, workflow, idOf(answer.json["data"]))
})

const ended = (client: Client, workflow: Json.Json, id: string) =>
  client.send("GET", `/workflows/${idOf(workflow)}/runs/${id}`).pipe(
    Effect.repeat({
      until: ({ json }) => typeof json["data"]?.["ended_at_ms"] === "number",
      schedule: Schedule.spaced("20 millis")
    }),
    Effect.timeout("60 seconds"),
    Effect.orDie,
    Effect.map(({ json }) => json["data"]!)
  )

/** decisions.md, "Workflows", and rest-api.md, "Workflow events". */
export const rows = (it: It): void => {
  it.effect("extension: POST /workflows makes a program of steps, which GET and the list show", () =>
    Effect.gen(function*() {
      const { ann } = yield* ContractServer
      const workflow = yield* ann.ok("POST", "/workflows", {
        workflow_code: `export default {
          name: "Two Steps",
          props: { limit: { type: "integer", default: 5 }, timer: "$.interface.timer" },
          steps: { greet: { props: { mark: "string" }, run() {} }, other: { run() {} } }
        }`,
        configured_props: { "greet.mark": "!", timer: { intervalSeconds: 900 } }
      })
      assert.hasAllKeys(workflow, fields)
      assert.match(idOf(workflow), /^p_/)
      assert.match(Json.textOf(workflow["deployment_id"]), /^d_/)
      assert.match(Json.textOf(workflow["code_hash"]), /^[0-9a-f]{64}$/)
      Json.assertHolds(workflow, { name: "two-steps", name_slug: "two-steps", active: true })
      Json.assertHolds(workflow, { concurrency: 1, rate_limit: null, errors: "last" })
      const steps = Json.listOf(workflow["steps"])
      assert.deepStrictEqual(steps.map(({ name }) => Json.textOf(name)), ["greet", "other"])
      for (const { id } of steps) assert.match(Json.textOf(id), /^c_/)
      assert.deepStrictEqual<unknown>(workflow["configured_props"], {
        limit: 5,
        "greet.mark": "!",
        timer: { cron: null, interval_seconds: 900 }
      })
      assertRecent(workflow["created_at"])
      for (const named of [idOf(workflow), "two-steps"]) {
        assert.deepStrictEqual(yield* ann.ok("GET", `/workflows/${named}`), workflow)
      }
      const [listed] = yield* ann.listed("/users/me/workflows", 1)
      assert.deepStrictEqual(listed, workflow)
      assertProblem(yield* ann.send("GET", `/sources/${idOf(workflow)}`), 404, "not_found")
      assert.strictEqual((yield* ann.send("DELETE", `/workflows/${idOf(workflow)}`)).status, 204)
      assertProblem(yield* ann.send("GET", `/workflows/${idOf(workflow)}`), 404, "not_found")
    }))

  it.effect("extension: what is wrong with a workflow's code, props and settings is named", () =>
    Effect.gen(function*() {
      const { ann } = yield* ContractServer
      const refused = (body: object) => ann.send("POST", "/workflows", { body })
      assertInvalid(yield* refused({}), "workflow_code")
      assertInvalid(yield* refused({ workflow_url: "ftp://x/" }), "workflow_url")
      for (
        const [workflow_code, told] of [
          ["export default {}", /run|steps/],
          ["export default { steps: {} }", /one step/],
          ["export default { steps: { 1: { run() {} } } }", /number/],
          ["export default { steps: { a: {} } }", /"a"/],
          ["export default { steps: { trigger: { run() {} } } }", /trigger/],
          [`export default { steps: { a: { props: { t: "$.interface.timer" }, run() {} } } }`, /a\.t/],
          [
            `export default { props: { a: { type: "$.interface.apphook", appProp: "b" } }, run() {} }`,
            /"a" is an apphook/
          ],
          ["export default { steps: { a: { if: true, then: { a: { end: true } } } } }", /two steps named "a"/],
          ["export default { steps: { a: { if: true, then: { b: {} } } } }", /"b" has no function run/],
          ["export default { steps: { a: { switch: 1 } } }", /cases/],
          [
            "export default { steps: { a: { switch: 1, cases: { default: {} }, default: {} } } }",
            /a switch with a default can't have a case "default" too/
          ],
          ["export default { steps: { a: { parallel: { x: 1 } } } }", /steps\.a\.parallel\.x/],
          ["export default { steps: { a: { branches: { x: { steps: {}, if: 1 } } } } }", /"x" can't have "if"/],
          ["export default { steps: { a: { filter: true, delay: 5 } } }", /can't have "delay" too/],
          ["export default { run( }", /./]
        ] as const
      ) {
        const answer = yield* refused({ workflow_code })
        assertProblem(answer, 422, "component_invalid")
        assert.match(Json.textOf(answer.json["error"]), told)
      }
      assertInvalid(
        yield* refused({ workflow_code: two, concurrency: 0, rate_limit: { limit: 0, interval_seconds: 1 } }),
        "concurrency",
        "rate_limit.limit"
      )
      const large = yield* refused({ workflow_code: two, memory_mb: 257 })
      assertInvalid(large, "memory_mb")
      assert.include(large.text, "must be at most 256, which the operator sets with HEADWATER_RUN_HEAP_MAX")
      assertInvalid(yield* refused({ workflow_code: two, memory_mb: 100 }), "memory_mb")
      const needs = `export default { steps: { a: { props: { mark: "string" }, run() {} } } }`
      assertInvalid(yield* refused({ workflow_code: needs }), "configured_props.a.mark")
      const workflow = yield* create(ann)
      const broken = yield* ann.send("PUT", `/workflows/${idOf(workflow)}`, { body: { workflow_code: "let" } })
      assertProblem(broken, 422, "component_invalid")
      assert.deepStrictEqual(yield* ann.ok("GET", `/workflows/${idOf(workflow)}`), workflow)
    }))

  it.effect("extension: PUT /workflows/{id} changes what is given, and code and props make a new deployment", () =>
    Effect.gen(function*() {
      const { ann } = yield* ContractServer
      const workflow = yield* create(ann, { name: "before" })
      const path = `/workflows/${idOf(workflow)}`
      const renamed = yield* ann.ok("PUT", path, { name: "after", concurrency: 4, retry_delays: [1, 60] })
      Json.assertHolds(renamed, {
        name: "after",
        name_slug: "after",
        concurrency: 4,
        deployment_id: workflow["deployment_id"]
      })
      assert.deepStrictEqual<unknown>(renamed["retry_delays"], [1, 60])
      const recoded = yield* ann.ok("PUT", path, {
        workflow_code: `${two} // again`,
        rate_limit: { limit: 5, interval_seconds: 60 }
      })
      assert.notDeepEqual(recoded["deployment_id"], workflow["deployment_id"])
      for (const { deployment_id } of [workflow, recoded]) {
        const ofDeployment = `/users/me/workflows?deployment_id=${Json.textOf(deployment_id)}`
        assert.deepStrictEqual((yield* ann.listed(ofDeployment, 1)).map(({ id }) => id), [workflow["id"]])
      }
      assert.notDeepEqual(recoded["code_hash"], workflow["code_hash"])
      assert.deepStrictEqual(recoded["steps"], workflow["steps"])
      Json.assertHolds(recoded, { name: "after", concurrency: 4 })
      const unlimited = yield* ann.ok("PUT", path, { rate_limit: null, active: false })
      Json.assertHolds(unlimited, { rate_limit: null, active: false })
      const { memory_mb } = yield* ann.ok("PUT", path, { memory_mb: 256 })
      assert.deepStrictEqual<unknown>(memory_mb, 256)
      const large = yield* ann.send("PUT", path, { body: { memory_mb: 512 } })
      assertInvalid(large, "memory_mb")
      Json.assertHolds(yield* ann.ok("PUT", path, { memory_mb: null }), { memory_mb: null, timeout_seconds: null })
    }))

  it.effect("extension: an invocation is a run, with its steps, what they gave, logged and left in the log", () =>
    Effect.gen(function*() {
      const { ann } = yield* ContractServer
      const workflow = yield* create(ann)
      const run = yield* invoked(ann, workflow, { emit: { n: 1 } })
      Json.assertHolds(run, { status: "success", workflow_id: idOf(workflow), error: null, exit_reason: null })
      Json.assertHolds(run["trigger"], { source_type: "INVOCATION", id: idOf(run), rerun_of: null })
      assert.deepStrictEqual<unknown>(run["event"], { emit: { n: 1 } })
      const [first, second] = Json.listOf(run["steps"])
      assert.deepStrictEqual<unknown>(first?.["result"], { $return_value: "one" })
      assert.deepStrictEqual<unknown>(second?.["result"], { $return_value: "one two" })
      const [log] = Json.listOf(first?.["logs"])
      Json.assertHolds(log, { message: "first of two" })
      const [left] = Json.listOf(first?.["events"])
      const [emitted] = yield* ann.listed(`/workflows/${idOf(workflow)}/event_summaries`, 1)
      Json.assertHolds(left, { event_name: "" })
      assert.strictEqual(idOf(emitted), idOf(left))
    }))

  it.effect("GET /workflows/{id}/event_summaries, $errors and $logs show what it emitted, threw and logged", () =>
    Effect.gen(function*() {
      const { ann } = yield* ContractServer
      const workflow = yield* create(ann)
      const path = `/workflows/${idOf(workflow)}`
      yield* invoked(ann, workflow, { emit: "x", name: "aside", thrown: "too much" })
      const [emitted] = yield* ann.listed(`${path}/event_summaries?event_name=aside`, 1)
      assert.deepStrictEqual<unknown>(emitted?.["event"], { raw_event: "x" })
      Json.assertHolds(emitted?.["metadata"], { name: "aside", emitter_id: idOf(workflow) })
      const [error] = yield* ann.listed(`${path}/$errors/event_summaries?expand=event`, 1)
      const event = error!["event"]!
      assert.hasAllKeys(event, ["original_event", "original_context", "error"])
      assert.deepStrictEqual<unknown>(event["original_event"], { emit: "x", name: "aside", thrown: "too much" })
      Json.assertHolds(event["original_context"], {
        workflow_id: idOf(workflow),
        deployment_id: workflow["deployment_id"],
        source_type: "INVOCATION",
        owner_id: ann.id
      })
      Json.assertHolds(event["error"], {
        code: "RangeError",
        message: "too much",
        cellId: idOf(Json.listOf(workflow["steps"])[1])
      })
      const [log] = yield* ann.listed(`${path}/$logs/event_summaries`, 1)
      Json.assertHolds(log!["event"]!["raw_event"], { level: "info", message: "first of two" })
      assertInvalid(yield* ann.send("GET", `${path}/event_summaries?limit=0`), "limit")
    }))

  it.effect("extension: a workflow's log is paged, followed and traced as a source's is", () =>
    Effect.gen(function*() {
      const { ann } = yield* ContractServer
      const workflow = yield* create(ann)
      const path = `/workflows/${idOf(workflow)}`
      const { id: listener_id } = yield* ann.ok("POST", "/webhooks", { url: "http://127.0.0.1:9/" })
      yield* ann.ok("POST", "/subscriptions", { emitter_id: "p_*", listener_id })
      const following = yield* ann.follow(`${path}/sse?after=0-0`).pipe(
        Stream.filter((line) => line.startsWith("data:")),
        Stream.take(1),
        Stream.runCollect,
        Effect.forkChild
      )
      yield* invoked(ann, workflow, { emit: "x" })
      const [event] = yield* ann.listed(`${path}/events`, 1)
      assert.deepStrictEqual(
        [...yield* Fiber.join(following)].map((line) => idOf(Json.parse(line.slice("data:".length)))),
        [idOf(event)]
      )
      assert.deepStrictEqual(idOf(yield* ann.ok("GET", `${path}/events/${idOf(event)}`)), idOf(event))
      const trace = yield* ann.ok("GET", `${path}/events/${idOf(event)}/trace`)
      const listeners = Json.listOf(trace["subscriptions"]).map((one) => Json.textOf(one["listener_id"]))
      assert.include(listeners, Json.textOf(listener_id))
    }))

  it.effect("extension: runs are listed newest first, by their status too, and run again from a step", () =>
    Effect.gen(function*() {
      const { ann, bob } = yield* ContractServer
      const workflow = yield* create(ann)
      const path = `/workflows/${idOf(workflow)}/runs`
      const good = yield* invoked(ann, workflow, { emit: "x" })
      const bad = yield* invoked(ann, workflow, { thrown: "no" })
      Json.assertHolds(bad["error"], { name: "RangeError", message: "no" })
      const ids = (query: string) => Effect.map(ann.listed(`${path}${query}`, 1), (found) => found.map(idOf))
      assert.deepStrictEqual(yield* ids(""), [idOf(bad), idOf(good)])
      assert.deepStrictEqual(yield* ids("?status=error"), [idOf(bad)])
      assert.deepStrictEqual(yield* ids("?limit=1"), [idOf(bad)])
      assert.deepStrictEqual([yield* ann.ok("GET", `/runs/${idOf(bad)}`)], yield* ann.listed(`${path}?status=error`, 1))
      assertProblem(yield* bob.send("GET", `/runs/${idOf(bad)}`), 404, "not_found")
      assertInvalid(yield* ann.send("GET", `${path}?status=odd`), "status")
      yield* ann.ok("PUT", `/workflows/${idOf(workflow)}`, { workflow_code: two.replace("throw new", "new") })
      const used = Effect.map(ann.ok("GET", "/users/me"), (me) => Number(me["daily_invocations_used"]))
      const before = yield* used
      const rerun = yield* ann.send("POST", `${path}/${idOf(bad)}/rerun`, { body: { from_step: "second" } })
      assert.strictEqual(rerun.status, 202, rerun.text)
      const again = yield* ended(ann, workflow, idOf(rerun.json["data"]))
      Json.assertHolds(again, { status: "success" })
      Json.assertHolds(again["trigger"], { rerun_of: idOf(bad) })
      assert.strictEqual(yield* used, before + 1)
      const steps = Json.listOf(again["steps"])
      assert.deepStrictEqual(steps.map(({ name }) => Json.textOf(name)), ["first", "second"])
      assert.deepStrictEqual<unknown>(steps[0]?.["started_at_ms"], Json.listOf(bad["steps"])[0]?.["started_at_ms"])
      const odd = yield* ann.send("POST", `${path}/${idOf(bad)}/rerun`, { body: { from_step: "third" } })
      assertInvalid(odd, "from_step")
      for (const id of ["run_0Uz7N5cVwQ2KpXs9TzLd", "nothing"]) {
        assertProblem(yield* ann.send("GET", `${path}/${id}`), 404, "not_found")
      }
    }))

  it.effect("extension: a paused workflow takes no invocations", () =>
    Effect.gen(function*() {
      const { ann } = yield* ContractServer
      const workflow = yield* create(ann)
      const run = yield* invoked(ann, workflow, {})
      yield* ann.ok("PUT", `/workflows/${idOf(workflow)}`, { active: false })
      const path = `/workflows/${idOf(workflow)}`
      const invocation = yield* ann.send("POST", `${path}/invocations`, { body: { event: {} } })
      assertProblem(invocation, 409, "workflow_paused")
      const rerun = yield* ann.send("POST", `${path}/runs/${idOf(run)}/rerun`, { body: {} })
      assertProblem(rerun, 409, "workflow_paused")
    }))

  it.effect("events go from a source to a workflow, and from it to another source, each once and in order", () =>
    Effect.gen(function*() {
      const { ann } = yield* ContractServer
      const source = yield* ann.ok("POST", "/sources", { component_code: emitting })
      const workflow = yield* ann.ok("POST", "/workflows", {
        workflow_code: `export default { run({ steps, $ }) { $.emit({ ...steps.trigger.event, seen: true }) } }`
      })
      const last = yield* ann.ok("POST", "/sources", {
        component_code: `export default { props: {}, run(event) { this.$emit(event) } }`
      })
      yield* ann.ok("POST", "/subscriptions", { emitter_id: idOf(source), listener_id: idOf(workflow) })
      yield* ann.ok("POST", "/subscriptions", { emitter_id: idOf(workflow), listener_id: idOf(last) })
      const url = Json.textOf(source["configured_props"]!["http"]!["endpoint_url"])
      yield* Effect.promise(() =>
        fetch(url, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ count: 5 })
        })
      )
      const events = yield* ann.listed(`/sources/${idOf(last)}/event_summaries`, 5)
      assert.deepStrictEqual<unknown>(
        events.toReversed().map(({ event }) => event?.["raw_event"]),
        [0, 1, 2, 3, 4].map((n) => ({ n, seen: true }))
      )
      const runs = yield* ann.listed(`/workflows/${idOf(workflow)}/runs`, 5)
      Json.assertHolds(runs[0]?.["trigger"], { source_type: "EVENT", emitter_id: idOf(source), hops: 1 })
    }))

  it.effect("extension: what a workflow sends by $.send.http is signed, and shown in its log and trace", () =>
    Effect.gen(function*() {
      const { ann } = yield* ContractServer
      const sink = yield* WebhookSink.make(() => ({ status: 200 }))
      const workflow = yield* ann.ok("POST", "/workflows", {
        workflow_code: `export default { async run({ steps, $ }) {
          const { odd, url } = steps.trigger.event
          await $.send.http({ method: "PUT", url, headers: { "X-From": "workflow" }, data: { n: 1 } })
          if (odd) await $.send.http({ url: odd })
        } }`
      })
      const listed = yield* Effect.forEach(
        ["webhooks", "subscriptions"],
        (list) => ann.send("GET", `/users/me/${list}`)
      )
      for (const { text } of listed) assert.notInclude(text, idOf(workflow))
      const refused = yield* invoked(ann, workflow, { url: sink.url, odd: "ftp://x/" })
      Json.assertHolds(refused["error"], { name: "TypeError" })
      yield* invoked(ann, workflow, { url: sink.url })
      yield* Effect.sync(() => sink.received.length).pipe(
        Effect.repeat({ until: (count) => count > 0, schedule: Schedule.spaced("20 millis") }),
        Effect.timeout("60 seconds")
      )
      // Nothing of a step that failed was sent.
      const path = `/workflows/${idOf(workflow)}`
      const [sent, ...more] = yield* ann.listed(`${path}/event_summaries?event_name=$sends`, 1)
      assert.isEmpty(more)
      const [got] = sink.received
      assert.deepStrictEqual([got?.method, got?.body, got?.headers["x-from"]], ["PUT", `{"n":1}`, "workflow"])
      const { secret } = yield* ann.ok("GET", `${path}/secret`)
      new Webhook(Json.textOf(secret)).verify(got!.body, got!.headers)
      const trace = yield* ann.ok("GET", `${path}/events/${idOf(sent)}/trace`).pipe(
        Effect.map(({ subscriptions }) =>
          Json.listOf(subscriptions).find((one) => Json.textOf(one["emitter_id"]) === idOf(workflow))
        ),
        Effect.repeat({
          until: (one) => String(one?.["state"]) === "delivered",
          schedule: Schedule.spaced("20 millis")
        }),
        Effect.timeout("60 seconds")
      )
      assert.strictEqual(Json.listOf(trace?.["attempts"]).length, 1)
    }))

  it.effect("extension: a workflow answers requests to its endpoint by $.respond", () =>
    Effect.gen(function*() {
      const { ann } = yield* ContractServer
      const workflow = yield* ann.ok("POST", "/workflows", {
        workflow_code: `export default {
          props: { http: { type: "$.interface.http", customResponse: true } },
          steps: {
            check: { run({ steps }) { return steps.trigger.event.body } },
            answer: { async run({ steps, $ }) {
              await $.respond({ status: 201, headers: { "x-from": "workflow" }, body: { got: steps.check.$return_value } })
            } }
          }
        }`
      })
      const url = Json.textOf(workflow["configured_props"]!["http"]!["endpoint_url"])
      const answer = yield* Effect.promise(() => fetch(url, { method: "POST", body: "hello" }))
      assert.deepStrictEqual(
        [answer.status, answer.headers.get("x-from"), yield* Effect.promise(() => answer.json())],
        [201, "workflow", { got: "hello" }]
      )
    }))

  it.effect("extension: a run that waits is cancelled, and one that has ended is not", () =>
    Effect.gen(function*() {
      const { fresh } = yield* ContractServer
      const client = yield* fresh("cancelling")
      const workflow = yield* client.ok("POST", "/workflows", {
        workflow_code: `export default { steps: {
          ask: { run({ steps, $ }) { if (steps.trigger.event === "wait") $.flow.delay(3_600_000) } },
          go: { run() {} }
        } }`
      })
      const path = `/workflows/${idOf(workflow)}`
      assert.strictEqual((yield* client.send("POST", `${path}/invocations`, { body: { event: "wait" } })).status, 202)
      const [waiting] = yield* client.listed(`${path}/runs?status=waiting`, 1)
      const cancelled = yield* client.ok("POST", `${path}/runs/${idOf(waiting!)}/cancel/`)
      Json.assertHolds(cancelled, { id: waiting!["id"], status: "cancelled", due_at_ms: null })
      assert.strictEqual((yield* client.send("POST", `${path}/invocations`)).status, 202)
      const [done] = yield* client.listed(`${path}/runs?status=success`, 1)
      for (const wish of ["cancel", "resume"]) {
        const refused = yield* client.send("POST", `${path}/runs/${idOf(done!)}/${wish}`)
        assertProblem(refused, 409, "run_not_waiting")
        assert.deepStrictEqual<unknown>(refused.json["details"], { status: "success" })
      }
    }))

  it.effect("extension: a run that waits is resumed, once, with a body that its steps find", () =>
    Effect.gen(function*() {
      const { fresh } = yield* ContractServer
      const client = yield* fresh("resuming")
      const workflow = yield* client.ok("POST", "/workflows", {
        workflow_code: `export default { steps: {
          ask: { run({ $ }) { $.flow.suspend() } },
          go: { run({ steps, $ }) { $.flow.exit(steps.ask.$resume_data.body.by) } }
        } }`,
        suspension_timeout: "resume"
      })
      assert.strictEqual<unknown>(workflow["suspension_timeout"], "resume")
      const path = `/workflows/${idOf(workflow)}`
      assert.strictEqual((yield* client.send("POST", `${path}/invocations`)).status, 202)
      const [waiting] = yield* client.listed(`${path}/runs?waits_for=suspend`, 1)
      Json.assertHolds(waiting, { status: "waiting", waits_for: "suspend" })
      const resumed = yield* client.ok("POST", `${path}/runs/${idOf(waiting!)}/resume/`, { body: { by: "ann" } })
      Json.assertHolds(resumed, { id: waiting!["id"], waits_for: null })
      const [done] = yield* client.listed(`${path}/runs?status=success`, 1)
      Json.assertHolds(done, { id: waiting!["id"], exit_reason: "ann" })
      assertInvalid(yield* client.send("GET", `${path}/runs?waits_for=nothing`), "waits_for")
    }))
}
