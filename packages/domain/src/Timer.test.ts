import { assert, it } from "@effect/vitest"
import { Effect, Exit, Schema } from "effect"
import * as FastCheck from "fast-check"
import { type Field, type Fields, WallMinutes } from "../test/WallMinutes.ts"
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

const isoOf = (times: ReadonlyArray<number>) => times.map((at) => new Date(at).toISOString())

const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

const hour = 3_600_000

/** Zones whose clocks change by an hour in the night, by half an hour, and at midnight of the day and of the day before. */
const zones = [
  "Europe/Berlin",
  "America/New_York",
  "Australia/Lord_Howe",
  "America/Santiago",
  "Africa/Cairo",
  "America/Nuuk"
]

/** 13 hours before and behind each change of the clock in a year. */
const aroundChanges = (zone: string, year: number): ReadonlyArray<WallMinutes> => {
  const format = new Intl.DateTimeFormat("en", { timeZone: zone, timeZoneName: "longOffset" })
  const offset = (at: number) => format.formatToParts(at).find(({ type }) => type === "timeZoneName")!.value
  const changes = (from: number, count: number, step: number) =>
    Array.from({ length: count }, (_, index) => from + (index + 1) * step)
      .filter((at) => offset(at) !== offset(at - step))
  return changes(Date.UTC(year, 0, 1), 366, 24 * hour)
    .flatMap((at) => changes(at - 24 * hour, 24, hour))
    .map((at) => new WallMinutes(zone, at - 13 * hour, at + 13 * hour))
}

const wild = (minimum: number, maximum: number, step = 1): Field => ({
  text: step === 1 ? "*" : `*/${step}`,
  values: valuesFrom(minimum, maximum, step),
  isSingle: false,
  isWild: true
})

const valuesFrom = (from: number, to: number, step: number): ReadonlyArray<number> =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step)

/** Any field of numbers, most of them such that the change of a clock matters. */
const field = (minimum: number, maximum: number, usual: ReadonlyArray<number>): FastCheck.Arbitrary<Field> => {
  const value = FastCheck.oneof(FastCheck.constantFrom(...usual), FastCheck.integer({ min: minimum, max: maximum }))
  const listed = (text: string, values: ReadonlyArray<number>): Field => ({
    text,
    values,
    isSingle: values.length === 1 && !text.includes("/"),
    isWild: false
  })
  const range = FastCheck.tuple(value, value).map(([one, other]) =>
    [Math.min(one, other), Math.max(one, other)] as const
  )
  const step = FastCheck.integer({ min: 2, max: Math.min(maximum, 20) })
  return FastCheck.oneof(
    value.map((only) => listed(String(only), [only])),
    FastCheck.uniqueArray(value, { minLength: 2, maxLength: 4 }).map((values) => listed(values.join(","), values)),
    range.map(([from, to]) => listed(`${from}-${to}`, valuesFrom(from, to, 1))),
    FastCheck.tuple(range, step).map(([[from, to], by]) => listed(`${from}-${to}/${by}`, valuesFrom(from, to, by))),
    FastCheck.tuple(value, step).map(([from, by]) => listed(`${from}/${by}`, valuesFrom(from, maximum, by))),
    step.map((by) => wild(minimum, maximum, by)),
    FastCheck.constant(wild(minimum, maximum))
  )
}

const mostlyAny = (minimum: number, maximum: number) =>
  FastCheck.oneof(
    { weight: 3, arbitrary: FastCheck.constant(wild(minimum, maximum)) },
    { weight: 1, arbitrary: field(minimum, maximum, [minimum]) }
  )

const expressions: FastCheck.Arbitrary<Fields> = FastCheck.record({
  minute: field(0, 59, [0, 15, 30, 59]),
  hour: field(0, 23, [0, 1, 2, 3, 22, 23]),
  day: mostlyAny(1, 31),
  month: mostlyAny(1, 12),
  // Both 0 and 7 are Sunday.
  weekday: mostlyAny(0, 7).map((given) => ({ ...given, values: given.values.map((value) => value % 7) }))
})

const textOf = ({ day, hour, minute, month, weekday }: Fields): string =>
  [minute, hour, day, month, weekday].map(({ text }) => text).join(" ")

for (const zone of zones) {
  const spans = aroundChanges(zone, 2026)

  it(`a cron timer in ${zone} is due when one is that looks at each minute, across both changes of the clock`, () => {
    assert.strictEqual(spans.length, 2)
    const nextDue = (cron: string, after: number) => Effect.runSync(Timer.nextDue({ cron, timezone: zone }, 0, after))
    const property = FastCheck.property(expressions, FastCheck.nat(25), (fields, hours) => {
      const cron = textOf(fields)
      // Some name a day that no year has.
      FastCheck.pre(Exit.isSuccess(Effect.runSyncExit(Timer.validate({ cron }))))
      for (const span of spans) {
        const expected = span.due(fields)
        const due: Array<number> = []
        for (let at = nextDue(cron, span.from - 1); at <= span.to; at = nextDue(cron, at)) due.push(at)
        assert.deepStrictEqual(isoOf(due), isoOf(expected))
        const after = span.from + hours * hour + 59_999
        const next = expected.find((at) => at > after)
        if (next !== undefined) assert.strictEqual(nextDue(cron, after), next)
      }
    })
    FastCheck.assert(property, { numRuns: 20 })
  })
}

const named: ReadonlyArray<readonly [cron: string, zone: string, from: string, due: ReadonlyArray<string>]> = [
  ["*/30 * * * *", "Europe/Berlin", "2026-10-25T00:15", ["00:30", "01:00", "01:30", "02:00"]],
  ["0 * * * *", "Europe/Berlin", "2026-10-24T23:30", ["00:00", "01:00", "02:00"]],
  ["0,30 2 * * *", "Europe/Berlin", "2026-10-24T23:30", ["00:00", "00:30", "01:00", "01:30"]],
  ["30 2 * * *", "Europe/Berlin", "2026-10-24T23:30", ["2026-10-25T00:30", "2026-10-26T01:30"]],
  ["30 2 * * *", "Europe/Berlin", "2026-03-28T23:30", ["2026-03-29T01:00", "2026-03-30T00:30"]],
  ["15 30 2 * * *", "Europe/Berlin", "2026-10-24T23:30", ["2026-10-25T00:30:15", "2026-10-26T01:30:15"]],
  ["*/20 30 2 * * *", "Europe/Berlin", "2026-10-25T00:30:25", ["00:30:40", "01:30:00", "01:30:20"]],
  ["30 23 * * *", "America/Nuuk", "2026-03-28T23:30", ["2026-03-29T01:00", "2026-03-30T00:30"]],
  ["15 2 * * *", "Australia/Lord_Howe", "2026-10-02T20:00", ["2026-10-03T15:30", "2026-10-04T15:15"]],
  ["0 0 * * *", "America/Santiago", "2026-09-05T05:00", ["2026-09-06T04:00", "2026-09-07T03:00"]],
  ["30 23 * * *", "Africa/Cairo", "2026-10-29T12:00", ["2026-10-29T20:30", "2026-10-30T21:30"]]
]

it.effect.each(named)(
  "%s in %s is due as expected from %s on",
  ([cron, timezone, from, expected]) =>
    Effect.gen(function*() {
      const due = yield* ticks({ cron, timezone }, Date.parse(`${from}Z`), expected.length)
      for (const [index, at] of due.entries()) assert.include(at, expected[index]!)
    })
)

const taken: ReadonlyArray<readonly [cron: string, due: string, then: string]> = [
  ["@yearly", "2027-01-01T00:00", "2028-01-01T00:00"],
  ["@annually", "2027-01-01T00:00", "2028-01-01T00:00"],
  ["@monthly", "2026-12-01T00:00", "2027-01-01T00:00"],
  ["@weekly", "2026-11-29T00:00", "2026-12-06T00:00"],
  [" @Daily ", "2026-11-27T00:00", "2026-11-28T00:00"],
  ["@midnight", "2026-11-27T00:00", "2026-11-28T00:00"],
  ["@hourly", "2026-11-26T13:00", "2026-11-26T14:00"],
  ["0 0 * * 7", "2026-11-29T00:00", "2026-12-06T00:00"],
  ["0 0 * * SUN", "2026-11-29T00:00", "2026-12-06T00:00"],
  ["0 0 * * fri-sun", "2026-11-27T00:00", "2026-11-28T00:00"],
  ["0 0 * * 5-7", "2026-11-27T00:00", "2026-11-28T00:00"],
  ["0 0 * jan,Feb mon", "2027-01-04T00:00", "2027-01-11T00:00"],
  ["0 0 * * 5#2", "2026-12-11T00:00", "2027-01-08T00:00"],
  ["0 0 * * MON#1,mon#3", "2026-12-07T00:00", "2026-12-21T00:00"],
  ["0 0 * * 5L", "2026-11-27T00:00", "2026-12-25T00:00"],
  ["0 0 * * friL", "2026-11-27T00:00", "2026-12-25T00:00"],
  ["0 0 * * fri#L", "2026-11-27T00:00", "2026-12-25T00:00"],
  ["0 0 L * *", "2026-11-30T00:00", "2026-12-31T00:00"],
  ["0 0 LW * ?", "2026-11-30T00:00", "2026-12-31T00:00"],
  ["0 0 28W * *", "2026-11-27T00:00", "2026-12-28T00:00"],
  ["0 0 ? * 2", "2026-12-01T00:00", "2026-12-08T00:00"],
  ["0 0 1 * mon", "2026-11-30T00:00", "2026-12-01T00:00"],
  ["0 0 1 * +fri", "2027-01-01T00:00", "2027-10-01T00:00"],
  ["0 0 */2 * mon", "2026-12-07T00:00", "2026-12-21T00:00"],
  ["0 0 1-7 * */6", "2026-12-05T00:00", "2026-12-06T00:00"],
  ["30/15 9 * * *", "2026-11-27T09:30", "2026-11-27T09:45"],
  ["0 0 * * wed/4", "2026-11-29T00:00", "2026-12-02T00:00"]
]

it.effect.each(taken)(
  "the cron expression %s is due at %s and then at %s",
  ([cron, ...expected]) =>
    Effect.gen(function*() {
      yield* Timer.validate({ cron })
      const due = yield* ticks({ cron }, Date.parse("2026-11-26T12:34:56Z"), 2)
      assert.deepStrictEqual(due, expected.map((at) => `${at}:00.000Z`))
    })
)

const refused: ReadonlyArray<readonly [cron: string, named: string]> = [
  ["", "it has 0 fields"],
  ["every day", "it has 2 fields"],
  ["0 0 0 1 1 * 2027", "it has 7 fields"],
  ["@every 5m", "\"@every 5m\" is none of @yearly, @annually, @monthly, @weekly, @daily, @midnight and @hourly"],
  ["@reboot", "\"@reboot\" is none of"],
  ["H * * * *", "\"H\" is no minute"],
  ["60 * * * *", "\"60\" is no minute"],
  ["1,,2 * * * *", "\"1,,2\" is no minute"],
  ["*/0 * * * *", "\"*/0\" is no minute"],
  ["/10 * * * *", "\"/10\" is no minute"],
  ["20-10 * * * *", "\"20-10\" is no minute"],
  ["61 * * * * *", "\"61\" is no second"],
  ["0 24 * * *", "\"24\" is no hour"],
  ["0 22-2 * * *", "\"22-2\" is no hour"],
  ["0 9:00 * * *", "\"9:00\" is no hour"],
  ["0 9L * * *", "\"9L\" is no hour"],
  ["0 0 0 * *", "\"0\" is no day of the month"],
  ["0 0 32 * *", "\"32\" is no day of the month"],
  ["0 0 L-3 * *", "\"L-3\" is no day of the month"],
  ["0 0 W * *", "\"W\" is no day of the month"],
  ["0 0 1-15W * *", "\"1-15W\" is no day of the month"],
  ["0 0 1#2 * *", "\"1#2\" is no day of the month"],
  ["0 0 1 13 *", "\"13\" is no month"],
  ["0 0 1 january *", "\"january\" is no month"],
  ["0 0 * * 8", "\"8\" is no day of the week"],
  ["0 0 * * L", "\"L\" is no day of the week"],
  ["0 0 * * 1#6", "\"1#6\" is no day of the week"],
  ["0 0 * * 1W", "\"1W\" is no day of the week"],
  ["0 0 * * monday", "\"monday\" is no day of the week"],
  ["0 0 30 2 *", "is never due"],
  ["0 0 1 * +1#2", "is never due"],
  ["2027-01-01T00:00:00", "it has 1 field"]
]

it.effect.each(refused)("the cron expression %s is refused: %s", ([cron, message]) =>
  Effect.gen(function*() {
    const refusal = yield* Effect.flip(Timer.validate({ cron }))
    assert.include(refusal.message, `cron expression "${cron}"`)
    assert.include(refusal.message, message)
  }))

it.effect("a cron timer without a time zone is in UTC", () =>
  Effect.gen(function*() {
    const due = yield* Timer.nextDue({ cron: "0 9 * * *" }, 0, Date.parse("2026-07-01T08:59:59Z"))
    assert.strictEqual(new Date(due).toISOString(), "2026-07-01T09:00:00.000Z")
  }))

it.effect("a time zone that can't be read is refused by name", () =>
  Effect.gen(function*() {
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

it("a tick tells its time in the timer's time zone and in UTC", () => {
  const at = Date.parse("2026-03-28T23:05:00Z")
  const { cron, timestamp, timezone_configured, timezone_utc } = Timer.tickEvent(
    { cron: "5 0 * * *", timezone: "Europe/Berlin" },
    at
  )
  assert.deepStrictEqual([timestamp, cron], [at / 1_000, "5 0 * * *"])
  assert.deepStrictEqual(timezone_configured, {
    date: { year: 2026, month: 3, day: 29 },
    time: { hour: 0, minute: 5, second: 0, millisecond: 0 },
    iso8601: { date: "2026-03-29", time: "00:05:00+01:00", timestamp: "2026-03-29T00:05:00.000+01:00" },
    pretty: { date: "March 29, 2026", time: "12:05:00 AM", time_24h: "00:05:00" },
    metadata: { day_name: "Sunday", day_of_week: 0, start_of_week: "2026-03-29" },
    timezone: "Europe/Berlin"
  })
  assert.deepStrictEqual(timezone_utc, {
    date: { year: 2026, month: 3, day: 28 },
    time: { hour: 23, minute: 5, second: 0, millisecond: 0 },
    iso8601: { date: "2026-03-28", time: "23:05:00Z", timestamp: "2026-03-28T23:05:00.000Z" },
    pretty: { date: "March 28, 2026", time: "11:05:00 PM", time_24h: "23:05:00" },
    metadata: { day_name: "Saturday", day_of_week: 6, start_of_week: "2026-03-22" },
    timezone: "UTC"
  })
})
