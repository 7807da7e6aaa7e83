import { assert, layer } from "@effect/vitest"
import * as Stream from "@headwater/domain/Stream"
import { DueWork } from "@headwater/log/work/DueWork"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as EngineFixture from "../../test/EngineFixture.ts"
import { start, stream } from "../../test/ProgramFixture.ts"
import * as Wake from "../ground/Wake.ts"

const nine = Date.parse("2026-11-21T09:00:00Z")
const minute = 60_000

/** Polls what there is at its time: one item a minute, by their number, each with its time where it says so. */
const polling = (hasTime: boolean, rest = `dedupe: "unique",`) => `
export default {
  props: { timer: "$.interface.timer" },
  ${rest}
  run(event) {
    const now = event.timestamp * 1000
    for (let n = -2; n <= (now - ${nine}) / ${minute}; n++) {
      this.$emit({ n }, { id: n${hasTime ? `, ts: ${nine} + n * ${minute}` : ""} })
    }
  }
}`

const timers = { timer: { intervalSeconds: 60 } }

const logged = (program: Parameters<typeof stream>[0]) =>
  Effect.map(stream(program, Stream.logs), (lines) => lines.map(({ message }) => message))

const numbers = (program: Parameters<typeof stream>[0]) =>
  Effect.map(stream(program), (events) => events.map(({ n }) => n))

layer(EngineFixture.layer, { timeout: "60 seconds", excludeTestServices: true })(
  "a source that was elsewhere",
  (it) => {
    it.effect("goes on with its timer after the last poll there, at once if that tick has passed", () =>
      Effect.gen(function*() {
        yield* TestClock.setTime(nine)
        const dueAt = Effect.fnUntraced(function*(polledAt: number) {
          const { actor, program } = yield* start(polling(true), { timers })
          yield* actor.deploy({ emits: true, polledAt })
          const [item] = yield* (yield* DueWork).allOf(program.id, "timer")
          return item?.dueAt
        })
        assert.strictEqual(yield* dueAt(nine - 20_000), nine + 40_000)
        assert.strictEqual(yield* dueAt(nine - 90_000), nine - 30_000)
      }).pipe(EngineFixture.onTestClock))

    it.effect("emits no event of a time before, says how many it left out, and takes them for seen", () =>
      Effect.gen(function*() {
        yield* TestClock.setTime(nine)
        const { actor, program } = yield* start(polling(true), { timers, emitFrom: nine })
        yield* actor.deploy()
        yield* TestClock.setTime(nine + minute)
        yield* actor.wake(Wake.forDueWork)
        assert.deepStrictEqual(yield* numbers(program), [0, 1])
        assert.deepStrictEqual(yield* logged(program), [
          "2 events of before 2026-11-21T09:00:00.000Z were noted as seen and not emitted (initial_state.emit_from_ms)"
        ])
        yield* TestClock.setTime(nine + 2 * minute)
        yield* actor.wake(Wake.forDueWork)
        assert.deepStrictEqual(yield* numbers(program), [0, 1, 2])
        assert.lengthOf(yield* logged(program), 1)
      }).pipe(EngineFixture.onTestClock))

    it.effect("takes events without a time of its first poll for seen, and emits those of the next ones", () =>
      Effect.gen(function*() {
        yield* TestClock.setTime(nine)
        const { actor, program } = yield* start(polling(false), { timers, emitFrom: nine })
        yield* actor.deploy()
        for (const n of [1, 2]) {
          yield* TestClock.setTime(nine + n * minute)
          yield* actor.wake(Wake.forDueWork)
        }
        assert.deepStrictEqual(yield* numbers(program), [2])
      }).pipe(EngineFixture.onTestClock))

    it.effect("has not polled by a run that failed, and leaves out what its hooks emit", () =>
      Effect.gen(function*() {
        yield* TestClock.setTime(nine)
        const code = `
export default {
  props: { timer: "$.interface.timer", db: "$.service.db" },
  hooks: { deploy() { this.$emit({ n: "hook" }) } },
  run() {
    const n = (this.db.get("n") ?? 0) + 1
    this.db.set("n", n)
    this.$emit({ n })
    if (n === 1) throw new Error("away")
  }
}`
        const { actor, program } = yield* start(code, { timers, emitFrom: nine })
        yield* actor.deploy()
        for (const n of [1, 2, 3]) {
          yield* TestClock.setTime(nine + n * minute)
          yield* actor.wake(Wake.forDueWork)
        }
        assert.deepStrictEqual(yield* numbers(program), [3])
      }).pipe(EngineFixture.onTestClock))
  }
)
