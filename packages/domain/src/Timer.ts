import { DateTime, Effect, Result, Schema } from "effect"
import { CronExpression } from "./CronExpression.ts"
import { zonedTime } from "./ZonedTime.ts"

/** Every so many seconds, at a fixed phase. */
const IntervalTimer = Schema.Struct({
  intervalSeconds: Schema.Int.pipe(
    Schema.check(Schema.isBetween({ minimum: 1, maximum: 366 * 24 * 3600 }))
  )
})

/** At the times a cron expression names in a time zone (IANA name, default UTC). */
const CronTimer = Schema.Struct({
  cron: Schema.String,
  timezone: Schema.optional(Schema.String)
})

/** The schedule of a timer prop (components.md, "Props"). */
export const Timer = Schema.Union([IntervalTimer, CronTimer])
export type Timer = typeof Timer.Type

export class InvalidTimer extends Schema.TaggedError<InvalidTimer>()("InvalidTimer", {
  message: Schema.String
}) {}

const refused = (timer: typeof CronTimer.Type, reason: string): InvalidTimer =>
  new InvalidTimer({ message: `cron expression "${timer.cron}": ${reason}` })

const parseCron = (timer: typeof CronTimer.Type): Effect.Effect<CronExpression, InvalidTimer> =>
  Effect.gen(function*() {
    const zone = DateTime.zoneMakeNamed(timer.timezone ?? "UTC")
    if (zone._tag === "None") {
      return yield* new InvalidTimer({
        message: `unknown time zone "${timer.timezone}": give one such as "Europe/Berlin"`
      })
    }
    const parsed = CronExpression.parse(timer.cron, zone.value)
    if (Result.isFailure(parsed)) {
      return yield* refused(
        timer,
        `${parsed.failure}. Give five fields, or six with the seconds first, such as "0 9 * * 1-5"`
      )
    }
    return parsed.success
  })

/** Fails on a cron expression that can't be read or is never due, and on an unknown time zone. */
export const validate = (timer: Timer): Effect.Effect<void, InvalidTimer> =>
  "cron" in timer ? Effect.asVoid(nextDue(timer, 0, 0)) : Effect.void

/**
 * The first time strictly after `after` at which the timer is due, in milliseconds. An interval keeps the phase of
 * `phase`, one of its due times, so ticks that were late or missed do not shift it.
 */
export const nextDue = (timer: Timer, phase: number, after: number): Effect.Effect<number, InvalidTimer> =>
  Effect.gen(function*() {
    if ("cron" in timer) {
      const cron = yield* parseCron(timer)
      return cron.next(after) ?? (yield* refused(timer, "it is never due"))
    }
    const interval = timer.intervalSeconds * 1000
    return phase + (Math.floor((after - phase) / interval) + 1) * interval
  })

/** The event a tick hands to the component's `run`. */
export const tickEvent = (timer: Timer, dueAt: number): Record<string, unknown> => {
  const at = "cron" in timer ? { cron: timer.cron } : { interval_seconds: timer.intervalSeconds }
  const timezone = "cron" in timer ? timer.timezone ?? "UTC" : "UTC"
  return {
    timestamp: Math.floor(dueAt / 1000),
    ...at,
    timezone_configured: zonedTime(dueAt, timezone),
    timezone_utc: zonedTime(dueAt, "UTC")
  }
}
