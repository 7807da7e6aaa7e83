import { assert, it } from "@effect/vitest"
import { Cron } from "croner"
import { Effect, Schema } from "effect"
import * as Timer from "./Timer.ts"

/** The next `count` times after `from`, as the engine moves from one tick to the next. */
const ticks = Effect.fnUntraced(function*(timer: Timer.Timer, from: number, count: number) {
  const due: Array<string> = []
  let at = from
  for (let i = 0; i < count; i++) {
    at = yield* Timer.nextDue(timer, at, at)
    due.push(new Date(at).toISOString())
  }
  return due
})

const byCroner = (cron: string, timezone: string, from: string, count: number): ReadonlyArray<string> =>
  new Cron(cron, { timezone }).nextRuns(count, new Date(from)).map((date) => date.toISOString())

const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

const zones = [
  ["Europe/Berlin", "2026-03-27T00:00:00Z", "2026-10-23T00:00:00Z"],
  ["America/New_York", "2026-03-06T00:00:00Z", "2026-10-30T00:00:00Z"],
  ["Australia/Lord_Howe", "2026-04-03T00:00:00Z", "2026-10-02T00:00:00Z"]
] as const

const crons = ["0 9 * * *", "*/15 * * * *", "30 4 * * 1-5", "0 0 1 * *", "15 14 * * 0"]

for (const [zone, spring, autumn] of zones) {
  it.effect(`a cron timer in ${zone} is due when croner says, across both changes of the clock`, () =>
    Effect.gen(function*() {
      for (const cron of crons) {
        for (const from of [spring, autumn]) {
          const ours = yield* ticks({ cron, timezone: zone }, Date.parse(from), 40)
          // Croner counts in whole seconds from after the start.
          assert.deepStrictEqual(ours, byCroner(cron, zone, from, 40), `${cron} from ${from}`)
        }
      }
    }))
}

it.effect("a cron timer without a time zone is in UTC", () =>
  Effect.gen(function*() {
    const due = yield* Timer.nextDue({ cron: "0 9 * * *" }, 0, Date.parse("2026-07-01T08:59:59Z"))
    assert.strictEqual(new Date(due).toISOString(), "2026-07-01T09:00:00.000Z")
  }))

it.effect("a cron expression or time zone that can't be read is refused by name", () =>
  Effect.gen(function*() {
    const cron = yield* Effect.flip(Timer.validate({ cron: "every day" }))
    assert.include(cron.message, "every day")
    const zone = yield* Effect.flip(Timer.validate({ cron: "0 9 * * *", timezone: "Mars/Olympus" }))
    assert.include(zone.message, "Mars/Olympus")
  }))

it.effect.prop(
  "an interval timer is next due after the given time, by no more than its interval, and keeps its phase",
  {
    intervalSeconds: between(1, 100_000),
    phase: between(0, 2_000_000_000_000),
    after: between(0, 2_000_000_000_000)
  },
  ({ after, intervalSeconds, phase }) =>
    Effect.gen(function*() {
      const due = yield* Timer.nextDue({ intervalSeconds }, phase, after)
      const interval = intervalSeconds * 1_000
      assert.isTrue(due > after && due <= after + interval)
      assert.strictEqual(Math.abs(due - phase) % interval, 0)
    })
)

it("an interval is at least a second and at most a year", () => {
  const isTimer = Schema.is(Timer.Timer)
  assert.isTrue(isTimer({ intervalSeconds: 1 }))
  assert.isFalse(isTimer({ intervalSeconds: 0 }))
  assert.isFalse(isTimer({ intervalSeconds: 1.5 }))
  assert.isFalse(isTimer({ intervalSeconds: 367 * 24 * 3600 }))
})
