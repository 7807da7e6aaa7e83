import { assert, layer } from "@effect/vitest"
import type { Program } from "@headwater/domain/Program"
import * as Loopback from "@headwater/fixtures/Loopback"
import { realSandbox } from "@headwater/fixtures/RealSandbox"
import { EventLog } from "@headwater/log/logs/EventLog"
import { Journals } from "@headwater/log/logs/Journals"
import { Components } from "@headwater/log/resources/Components"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as EngineFixture from "../../test/EngineFixture.ts"
import { onRequest, post, start, stream } from "../../test/ProgramFixture.ts"
import { launch, send, steps } from "../../test/WorkflowFixture.ts"
import * as Wake from "../ground/Wake.ts"
import { ComponentConfiguration } from "./ComponentConfiguration.ts"
import { type TrialRequest, TrialRuns } from "./TrialRuns.ts"

const engine = TrialRuns.layer.pipe(
  Layer.provideMerge(ComponentConfiguration.layer),
  Layer.provideMerge(EngineFixture.layerNoSandbox),
  Layer.provideMerge(realSandbox({ allow: "loopback", limits: { cpuMillis: 400 }, pool: { warmProcesses: 2 } }))
)

/** Counts its runs in its store and in its module, and does what each request says. */
const code = onRequest(
  `
  const { act, id, url } = event.body
  const count = (this.db.get("count") ?? 0) + 1
  this.db.set("count", count)
  this.db.set("last", act)
  this.db.set("old", undefined)
  this.$emit({ count, loaded: ++loaded }, { id, summary: act })
  this.$emit({ later: true }, { id: id + " later", delivery_ts: Date.now() + 3_600_000 })
  this.$emit({ other: true }, { id: id + " other", name: "others" })
  console.warn("at", act)
  if (act === "fetch") this.$emit(await (await fetch(url + "/x?y=1", { method: "PUT", body: "b" })).text())
  this.http.respond({ status: 202, body: { act } })
  if (act === "throw") throw new TypeError("thrown")
`,
  `dedupe: "unique",`
).replace("export default", "let loaded = 0\nexport default")

/** A program as it is deployed, tried over a sample. */
const request = Effect.fnUntraced(function*(program: Program, given: Partial<TrialRequest> = {}) {
  const component = yield* Effect.flatMap((yield* Components).getById(program.componentId), Effect.fromOption)
  const trials = yield* TrialRuns
  return yield* trials.run({
    accountId: program.accountId,
    component,
    program,
    configuredProps: {},
    trigger: undefined,
    event: undefined,
    stored: undefined,
    at: undefined,
    mayConnect: true,
    ...given
  })
})

/** What the database holds for itself: which writers there are, what became of their batches, what is yet to be folded, and charts, written now and then. */
const ofDatabase = /^batches$|^writers|_folded$|_journal$|^figures_/

/** All that the database holds, by table and view, with what is still to be folded in its place. */
const everything = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* (yield* Journals).sweep
  const found = yield* sql<{ name: string }>`
    SELECT table_name AS name FROM information_schema.tables WHERE table_schema = current_schema() ORDER BY 1`
  const names = found.map(({ name }) => name).filter((name) => !ofDatabase.test(name))
  for (const name of ["cursors", "dedupe_marks", "due_work", "events", "heads", "program_state", "usage"]) {
    assert.include(names, name)
  }
  return yield* Effect.forEach(names, (name) =>
    Effect.map(
      sql<{ rows: string | null }>`SELECT string_agg(t::text, ';' ORDER BY t::text) AS rows FROM ${sql(name)} t`,
      ([one]) => [name, one?.rows] as const
    ))
})

/** A service that says hello to everybody. Answers its URL. */
const service = Loopback.serve((_, response) => response.writeHead(201).end("hello"))

/** A source that has run once, with an old key in its store. */
const ran = Effect.gen(function*() {
  const { actor, program } = yield* start(code)
  yield* actor.deploy()
  yield* post(actor, { act: "nothing", id: "first" })
  yield* actor.wake(Wake.forEverything)
  return { actor, program }
})

layer(engine, { timeout: "60 seconds", excludeTestServices: true })("a trial", (it) => {
  it.effect(
    "shows what a run of a source would do, on a copy of its store, and leaves the database as it is",
    () =>
      Effect.gen(function*() {
        const { program } = yield* ran
        const url = yield* service
        const before = yield* everything
        const trial = yield* request(program, { event: { body: { act: "fetch", id: "second", url } } })
        assert.strictEqual(trial.outcome, "success")
        assert.strictEqual(trial.trigger, "http")
        assert.deepStrictEqual(
          trial.emits.map(({ dueAt, meta, payload, stream }) => [stream, payload, meta.id ?? null, dueAt !== null]),
          [
            ["", `{"count":2,"loaded":1}`, "second", false],
            ["others", `{"other":true}`, "second other", false],
            ["", `"hello"`, null, false],
            ["", `{"later":true}`, "second later", true]
          ]
        )
        assert.deepStrictEqual(trial.changes, [
          { key: "count", before: "1", after: "2" },
          { key: "last", before: `"nothing"`, after: `"fetch"` }
        ])
        assert.deepStrictEqual(trial.logs.map(({ level, message }) => [level, message]), [["warn", "at fetch"]])
        const [made] = trial.requests
        assert.deepInclude(made, { method: "PUT", url: `${url}/x?y=1`, status: 201 })
        assert.deepStrictEqual(trial.connections, [{ host: "127.0.0.1", port: Number(new URL(url).port) }])
        assert.strictEqual(trial.response?.status, 202)
        // What it emits again is left out by what the source has emitted, not by what trials have.
        assert.strictEqual((yield* request(program, { event: { act: "a", id: "second" } })).duplicates, 0)
        assert.strictEqual((yield* request(program, { event: { act: "a", id: "first" } })).duplicates, 3)
        assert.deepStrictEqual(yield* everything, before)
      })
  )

  it.effect("says where code throws, and what a run has done until then", () =>
    Effect.gen(function*() {
      const { program } = yield* ran
      const before = yield* everything
      const trial = yield* request(program, { event: { act: "throw", id: "third" } })
      assert.strictEqual(trial.outcome, "error")
      assert.deepInclude(trial.error, { name: "TypeError", message: "thrown", line: 18 })
      assert.deepStrictEqual(trial.errors.map(({ message, name }) => [name, message]), [["TypeError", "thrown"]])
      assert.strictEqual(trial.emits.length, 3)
      assert.strictEqual(trial.changes.length, 2)
      assert.deepStrictEqual(yield* everything, before)
    }))

  it.effect("is held to the limits of a run", () =>
    Effect.gen(function*() {
      const { program } = yield* start(onRequest("while (true) {}"))
      const trial = yield* request(program, { event: {} })
      assert.strictEqual(trial.outcome, "limit")
      assert.strictEqual(trial.error?.name, "LimitExceeded")
      assert.match(trial.error?.message ?? "", /CPU time/)
    }))

  it.effect("is held to the limits that a workflow has for itself", () =>
    Effect.gen(function*() {
      const { id } = yield* EngineFixture.account
      const code = "export default { async run() { await new Promise(() => setTimeout(() => {}, 60_000)) } }"
      const program = yield* EngineFixture.program(id, code, { workflow: { timeoutSeconds: 1 } })
      const trial = yield* request(program, { event: {} })
      assert.strictEqual(trial.outcome, "limit")
      assert.match(trial.error?.message ?? "", /time limit/)
    }))

  it.effect(
    "runs in a process of its own, so that runs before and after it find nothing of it",
    () =>
      Effect.gen(function*() {
        const { actor, program } = yield* ran
        yield* request(program, { event: { act: "a", id: "tried" } })
        yield* post(actor, { act: "nothing", id: "second" })
        yield* actor.wake(Wake.forEverything)
        assert.deepStrictEqual(yield* stream(program), [{ count: 1, loaded: 1 }, { count: 2, loaded: 2 }])
      })
  )

  it.effect("opens no connection where it is not to", () =>
    Effect.gen(function*() {
      const { program } = yield* ran
      const url = yield* service
      const event = { body: { act: "fetch", id: "second", url } }
      const trial = yield* request(program, { event, mayConnect: false })
      assert.strictEqual(trial.outcome, "error")
      assert.match(trial.error?.message ?? "", /may not open connections/)
      assert.deepStrictEqual(trial.requests.map(({ status }) => status), [undefined])
      assert.match(trial.connections[0]?.error ?? "", /may not open connections/)
    }))

  it.effect("hands an event of a log over as a subscription does", () =>
    Effect.gen(function*() {
      const { program } = yield* ran
      const [event] = yield* (yield* EventLog).latest({ emitterId: program.id, stream: "", limit: 1 })
      const other = yield* start("export default { run(event) { this.$emit({ heard: event }) } }")
      const trial = yield* request(other.program, { stored: event })
      assert.strictEqual(trial.trigger, "event")
      assert.deepStrictEqual(trial.emits.map(({ payload }) => payload), [`{"heard":{"count":1,"loaded":1}}`])
    }))

  it.effect(
    "takes a workflow through its steps at once, and leaves the database as it is",
    () =>
      Effect.gen(function*() {
        const { actor, program } = yield* launch(steps({
          first: `
          this.db.set("seen", (this.db.get("seen") ?? 0) + 1)
          $.export("total", steps.trigger.event.body.order * 2)
          $.flow.delay(60_000)`,
          second: `
          if ($.context.run.runs === 1) return $.flow.rerun(5_000, { again: true })
          console.log($.context.run.context)
          $.send.http({ url: "https://example.com/orders", data: { total: steps.first.total } })
          $.emit({ total: steps.first.total, seen: this.db.get("seen") })
          return "done"`,
          third: `const { replay, test } = $.context; $.export("test", test && !replay); $.flow.exit("enough")`,
          fourth: `throw new Error("never")`
        }))
        yield* send(actor, { order: 1 })
        const before = yield* everything
        const trial = yield* request(program, { event: { order: 21 } })
        assert.strictEqual(trial.outcome, "success")
        assert.deepStrictEqual(
          trial.steps.map(({ exportsJson, isRerun, name, waitMs }) => [name, exportsJson, waitMs, isRerun]),
          [
            ["first", `{"total":42}`, 60_000, false],
            ["second", null, 5_000, true],
            ["second", `{"$return_value":"done"}`, null, false],
            ["third", `{"test":true}`, null, false]
          ]
        )
        assert.strictEqual(trial.exitReason, "enough")
        assert.deepStrictEqual(trial.emits.map(({ payload, step }) => [step, payload]), [
          ["second", `{"total":42,"seen":2}`]
        ])
        assert.deepStrictEqual(trial.sends, [
          { method: "POST", url: "https://example.com/orders", headers: {}, body: `{"total":42}` }
        ])
        assert.deepStrictEqual(trial.changes, [{ key: "seen", before: "1", after: "2" }])
        assert.deepStrictEqual(yield* everything, before)
      })
  )

  it.effect("of a step that throws keeps nothing but its lines", () =>
    Effect.gen(function*() {
      const { program } = yield* launch(steps({
        first: `$.emit(1)`,
        second: `$.emit(2); this.db.set("a", 1); console.log("here"); throw new Error("no")`
      }))
      const trial = yield* request(program, { event: {} })
      assert.strictEqual(trial.outcome, "error")
      assert.deepInclude(trial.error, { message: "no", step: "second" })
      assert.deepStrictEqual(trial.emits.map(({ payload }) => payload), ["1"])
      assert.deepStrictEqual(trial.changes, [])
      assert.deepStrictEqual(trial.logs.map(({ message, step }) => [step, message]), [["second", "here"]])
    }))
})
