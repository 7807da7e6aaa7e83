import { assert, layer } from "@effect/vitest"
import type { BulkAction } from "@headwater/domain/BulkAction"
import type { Program } from "@headwater/domain/Program"
import { BulkActions, type BulkPlace } from "@headwater/log/work/BulkActions"
import { RunBooks } from "@headwater/log/work/RunBooks"
import { Effect, Fiber, Option } from "effect"
import { TestClock } from "effect/testing"
import * as EngineFixture from "../../test/EngineFixture.ts"
import { actorOf, onRequest, type Owner, post, start, stream } from "../../test/ProgramFixture.ts"
import { launch, newDeployment, runsOf, send, settle, steps } from "../../test/WorkflowFixture.ts"
import * as Wake from "../ground/Wake.ts"

const begin = Effect.fnUntraced(function*(
  { accountId, id }: Program,
  input: Partial<Pick<BulkAction, "action" | "dryRun" | "filter" | "rateLimit" | "rerun">> = {}
) {
  const place: BulkPlace = { at: "programs", id, workflowsOnly: false }
  const action = { action: "rerun", dryRun: false, filter: {}, rateLimit: 1_000, ...input } as const
  const bulk = yield* BulkActions
  return yield* bulk.insert({ rerun: { from: "start", code: "current" }, ...action, accountId }, place)
})

const progressOf = Effect.fnUntraced(function*({ accountId }: Program, { id }: { readonly id: string }) {
  const { progress } = Option.getOrThrow(yield* (yield* BulkActions).get(accountId, id))
  const { done, endedAt, failed, matched, skipped } = progress
  return { matched, done, failed, skipped, hasEnded: endedAt !== null }
})

/** Has all be done that a bulk action asks for, and what comes of that. */
const work = (actor: Owner) => EngineFixture.whileTimePasses(actor.wake(Wake.forEverything))

const upTo = (count: number) => Array.from({ length: count }, (_, n) => n)

const failing = steps({
  check: `$.emit("check"); return 1`,
  tell: `
  const { body } = steps.trigger.event
  if (body % 2 === 1) throw new TypeError("no total of " + body)
  $.emit(body)`
})

layer(EngineFixture.layer, { timeout: "60 seconds", excludeTestServices: true })("runs that failed", (it) => {
  it.effect("are counted, and run again in their order, each once", () =>
    Effect.gen(function*() {
      const { actor, program } = yield* launch(failing)
      for (const n of [1, 2, 3, 4, 5]) yield* send(actor, n)
      const dry = yield* begin(program, { dryRun: true })
      yield* work(actor)
      assert.deepStrictEqual(yield* progressOf(program, dry), {
        matched: 3,
        done: 0,
        failed: 0,
        skipped: 0,
        hasEnded: true
      })
      const some = yield* begin(program, { filter: { error: "total of 3" } })
      const none = yield* begin(program, { filter: { since: 1e12 } })
      yield* work(actor)
      assert.deepInclude(yield* progressOf(program, some), { matched: 1, done: 1, hasEnded: true })
      assert.deepInclude(yield* progressOf(program, none), { matched: 0, hasEnded: true })
      const before = yield* runsOf(program)
      assert.lengthOf(before, 6)
      // Those that are behind it in time are left to another one.
      yield* TestClock.adjust("1 seconds")
      const all = yield* begin(program)
      yield* work(actor)
      assert.deepInclude(yield* progressOf(program, all), { matched: 4, done: 4, skipped: 0, hasEnded: true })
      const again = (yield* runsOf(program)).slice(6)
      const wanted = before.filter(({ status }) => status === "error").map(({ id }) => id)
      assert.sameMembers(again.map(({ trigger }) => trigger.rerunOf), wanted)
      assert.deepStrictEqual(again.map(({ steps }) => steps), wanted.map(() => ["check success", "tell error"]))
      const told = (yield* stream(program, "$errors")).map(({ original_event }) => original_event.body)
      assert.deepStrictEqual(told, [1, 3, 5, 3, 1, 3, 5, 3])
    }).pipe(EngineFixture.onTestClock))

  it.effect("run again from the step that failed, on today's code or their own", () =>
    Effect.gen(function*() {
      const { actor, program } = yield* launch(failing)
      yield* send(actor, 1)
      const mended = failing.replace("throw new", `$.emit("mended"); void new`)
      const { componentId } = yield* EngineFixture.program(program.accountId, mended, { workflow: {} })
      yield* actor.update({
        ...program,
        state: "ready",
        componentId,
        workflow: { ...program.workflow!, deploymentId: yield* newDeployment }
      })
      const count = (yield* stream(program)).length
      for (const code of ["own", "current"] as const) {
        yield* TestClock.adjust("1 seconds")
        const bulk = yield* begin(program, { rerun: { from: "failed_step", code }, filter: { until: 1_000 } })
        yield* work(actor)
        assert.deepInclude(yield* progressOf(program, bulk), { matched: 1, done: 1, hasEnded: true })
      }
      const [first, own, current] = yield* runsOf(program)
      assert.deepStrictEqual([own?.status, own?.deploymentId], ["error", first?.deploymentId])
      assert.deepStrictEqual([current?.status, current?.steps], ["success", ["check success", "tell success"]])
      assert.deepStrictEqual((yield* stream(program)).slice(count), ["mended", 1])
    }).pipe(EngineFixture.onTestClock))

  it.effect("run again once each where their owner was lost, and wait while the action is paused", () =>
    Effect.gen(function*() {
      const count = 30
      const { actor, program } = yield* launch(steps({ only: `throw new Error("no")` }))
      for (let n = 0; n < count; n++) yield* post(actor, n)
      yield* settle(actor)
      yield* TestClock.adjust("1 seconds")
      const bulk = yield* begin(program, { rateLimit: 10 })
      const cutOff = Effect.gen(function*() {
        const owner = yield* actorOf(program)
        const working = yield* Effect.forkChild(owner.wake(Wake.forEverything))
        yield* EngineFixture.whileTimePasses(
          Effect.repeat(progressOf(program, bulk), { until: ({ done }) => done > 5 })
        )
        yield* Fiber.interrupt(working)
      })
      yield* Effect.scoped(cutOff)
      const bulkActions = yield* BulkActions
      yield* bulkActions.change(bulk.id, { state: "paused" })
      const next = yield* actorOf(program)
      yield* work(next)
      const paused = yield* progressOf(program, bulk)
      assert.isFalse(paused.hasEnded)
      assert.isBelow(paused.done, count)
      yield* bulkActions.change(bulk.id, { state: "running", rateLimit: 1_000 })
      yield* TestClock.adjust("60 seconds")
      yield* work(next)
      yield* work(next)
      assert.deepInclude(yield* progressOf(program, bulk), { matched: count, done: count, skipped: 0, hasEnded: true })
      const runs = yield* runsOf(program)
      const first = runs.slice(0, count).map(({ id }) => id)
      assert.sameMembers(runs.slice(count).map(({ trigger }) => trigger.rerunOf), first)
      const told = (yield* stream(program, "$errors")).map(({ original_event }) => original_event.body)
      assert.deepStrictEqual(told, [...upTo(count), ...upTo(count)])
    }).pipe(EngineFixture.onTestClock))

  it.effect("of a source run again with what they got", () =>
    Effect.gen(function*() {
      const { actor, program } = yield* start(onRequest(`throw new Error("no " + event.body.n)`))
      yield* actor.deploy()
      for (const n of [1, 2]) yield* send(actor, { n, large: 2 ** 53 })
      const bulk = yield* begin(program, { filter: { error: "no 2" } })
      yield* work(actor)
      assert.deepInclude(yield* progressOf(program, bulk), { matched: 1, done: 1, hasEnded: true })
      const errors = yield* stream(program, "$errors")
      assert.lengthOf(errors, 3)
      const books = yield* (yield* RunBooks).of(program.accountId, program.id)
      assert.deepInclude(Option.getOrThrow(books), { received: 3, failed: 3, done: 0, atWork: 0 })
      assert.deepStrictEqual(errors[2]!.original_event, errors[1]!.original_event)
      assert.strictEqual(errors[2]!.original_context.source_type, "HTTP")
    }).pipe(EngineFixture.onTestClock))

  it.effect("do not hold up others: those that have not ended are cancelled together", () =>
    Effect.gen(function*() {
      const { actor, program } = yield* launch(steps({ ask: `$.flow.suspend(60000)`, last: `$.emit("last")` }), {
        workflow: { concurrency: 5 }
      })
      for (const n of [1, 2, 3]) yield* send(actor, n)
      const bulk = yield* begin(program, { action: "cancel_runs", rerun: null })
      yield* work(actor)
      assert.deepInclude(yield* progressOf(program, bulk), { matched: 3, done: 3, skipped: 0, hasEnded: true })
      const books = yield* (yield* RunBooks).of(program.accountId, program.id)
      assert.deepInclude(Option.getOrThrow(books), { received: 3, cancelled: 3, done: 0, failed: 0, waiting: 0 })
      yield* TestClock.adjust("60 seconds")
      yield* work(actor)
      assert.deepStrictEqual((yield* runsOf(program)).map(({ status }) => status), Array(3).fill("cancelled"))
      assert.deepStrictEqual(yield* stream(program), [])
    }).pipe(EngineFixture.onTestClock))
})
