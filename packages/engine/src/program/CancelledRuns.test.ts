import { assert, layer } from "@effect/vitest"
import * as Id from "@headwater/domain/Id"
import type { Program } from "@headwater/domain/Program"
import * as Loopback from "@headwater/fixtures/Loopback"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { inOpenTransaction } from "../../../log/test/OpenTransaction.ts"
import * as EngineFixture from "../../test/EngineFixture.ts"
import { actorOf, post, stream } from "../../test/ProgramFixture.ts"
import { launch, runsOf, send, settle, steps } from "../../test/WorkflowFixture.ts"

/** A server that never answers, and notes who asks and who has left. */
const silence = Effect.gen(function*() {
  const seen = { asked: 0, left: 0 }
  const url = yield* Loopback.serve((request) => {
    seen.asked += 1
    request.on("close", () => {
      seen.left += 1
    })
  })
  return { seen, url }
})

const asks = (url: string) => `$.emit("before"); await fetch(${JSON.stringify(url)}); $.emit("after")`

const untilAsked = (seen: { readonly asked: number }, count = 1) =>
  TestClock.withLive(
    Effect.repeat(Effect.sleep("5 millis"), { until: () => seen.asked >= count })
  )

const untilRunning = (program: Program, status = "running") =>
  TestClock.withLive(
    Effect.repeat(Effect.andThen(Effect.sleep("5 millis"), runsOf(program)), {
      until: ([run]) => run?.status === status
    })
  )

layer(EngineFixture.layer, { timeout: "60 seconds", excludeTestServices: true })("a run that is cancelled", (it) => {
  it.effect("at a step ends at once, commits nothing of the step, and stays so for the next owner", () =>
    Effect.gen(function*() {
      const { seen, url } = yield* silence
      const { actor, program } = yield* launch(
        steps({ first: `$.emit("first")`, slow: asks(url), last: `$.emit("last")` })
      )
      yield* post(actor, 1)
      yield* post(actor, 2)
      const working = yield* Effect.forkChild(settle(actor))
      yield* untilAsked(seen)
      const [run] = yield* runsOf(program)
      assert.strictEqual(yield* actor.cancelRun(run!.id), "cancelled")
      assert.strictEqual(yield* actor.cancelRun(run!.id), "cancelled")
      // Its process is given up, and the next run begins.
      yield* untilAsked(seen, 2)
      const runs = yield* runsOf(program)
      const [cancelled, next] = [runs.find(({ id }) => id === run!.id), runs.find(({ id }) => id !== run!.id)]
      assert.deepStrictEqual([cancelled?.status, cancelled?.steps], ["cancelled", ["first success"]])
      assert.strictEqual(yield* actor.cancelRun(next!.id), "cancelled")
      yield* Fiber.join(working)
      yield* settle(yield* actorOf(program))
      assert.deepStrictEqual(yield* stream(program), ["first", "first"])
      assert.deepStrictEqual((yield* runsOf(program)).map(({ status }) => status), ["cancelled", "cancelled"])
      assert.strictEqual(seen.asked, 2)
    }).pipe(EngineFixture.onTestClock))

  it.effect("as it begins, and is not found yet, goes on", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      /** Returns when a statement waits for a table. */
      const untilAwaited = (table: string) =>
        TestClock.withLive(
          sql<{ waiting: boolean }>`
            SELECT count(*) > 0 AS waiting FROM pg_locks JOIN pg_database ON pg_database.oid = database
            WHERE datname = current_database() AND relation = ${table}::regclass AND NOT granted`.pipe(
            Effect.repeat({ until: ([row]) => row!.waiting })
          )
        )
      const { actor, program } = yield* launch(steps({ first: `$.emit("first")`, last: `$.emit("last")` }))
      const id = Id.RunId.make(yield* Id.make("run"))
      yield* actor.ingest({ emitId: id, kind: "invocation", payload: "{}", hops: 0, endpointKey: null })
      const runs = yield* inOpenTransaction(sql`LOCK TABLE workflow_runs`)
      // Each batch notes itself here first.
      const batches = yield* inOpenTransaction(sql`LOCK TABLE batches`)
      const cancelling = yield* Effect.forkChild(actor.cancelRun(id))
      yield* untilAwaited("workflow_runs")
      const working = yield* Effect.forkChild(settle(actor))
      yield* untilAwaited("batches")
      yield* runs.commit
      assert.strictEqual(yield* Fiber.join(cancelling), "unknown")
      yield* batches.commit
      yield* Fiber.join(working)
      yield* settle(actor)
      assert.deepStrictEqual((yield* runsOf(program)).map(({ id, status }) => [id, status]), [[id, "success"]])
      assert.deepStrictEqual(yield* stream(program), ["first", "last"])
    }).pipe(EngineFixture.onTestClock))

  it.effect("that has ended is not", () =>
    Effect.gen(function*() {
      const { actor, program } = yield* launch(steps({ only: `$.emit(1)` }))
      yield* send(actor, 1)
      const [run] = yield* runsOf(program)
      assert.strictEqual(yield* actor.cancelRun(run!.id), "not_waiting")
      assert.strictEqual((yield* runsOf(program))[0]?.status, "success")
    }).pipe(EngineFixture.onTestClock))

  it.effect("of a workflow with one step is given up, and those behind it run", () =>
    Effect.gen(function*() {
      const { seen, url } = yield* silence
      const slow = `if (steps.trigger.event.body === 1) { ${asks(url)} } else $.emit(steps.trigger.event.body)`
      const { actor, program } = yield* launch(steps({ only: slow }))
      for (const n of [1, 2, 3]) yield* post(actor, n)
      const working = yield* Effect.forkChild(settle(actor))
      yield* untilAsked(seen)
      yield* TestClock.adjust("1 seconds")
      yield* untilRunning(program)
      const [run] = yield* runsOf(program)
      assert.strictEqual(yield* actor.cancelRun(run!.id), "cancelled")
      yield* Fiber.join(working)
      assert.deepStrictEqual((yield* runsOf(program)).map(({ status }) => status).toSorted(), [
        "cancelled",
        "success",
        "success"
      ])
      assert.deepStrictEqual(yield* stream(program), [2, 3])
    }).pipe(EngineFixture.onTestClock))

  it.effect("on several paths ends on all of them, at a step and waiting", () =>
    Effect.gen(function*() {
      const { seen, url } = yield* silence
      const branch = (name: string, body: string) =>
        `${name}: { ${name}1: { async run({ $ }) { ${body} } }, ${name}2: { async run({ $ }) { $.emit("${name}") } } }`
      const { actor, program } = yield* launch(`export default { props: { http: "$.interface.http" }, steps: {
        both: { parallel: {
          ${branch("left", asks(url))}, ${branch("right", asks(url))}, ${branch("late", `$.flow.delay(60000)`)}
        } },
        last: { async run({ $ }) { $.emit("last") } }
      } }`)
      yield* post(actor, 1)
      const working = yield* Effect.forkChild(settle(actor))
      yield* untilAsked(seen, 2)
      const [run] = yield* runsOf(program)
      assert.strictEqual(yield* actor.cancelRun(run!.id), "cancelled")
      yield* Fiber.join(working)
      yield* TestClock.adjust("60 seconds")
      yield* settle(actor)
      yield* settle(yield* actorOf(program))
      const [cancelled] = yield* runsOf(program)
      assert.strictEqual(cancelled?.status, "cancelled")
      assert.deepStrictEqual(yield* stream(program), [])
    }).pipe(EngineFixture.onTestClock))
})
