import { msOf } from "@headwater/domain/TimeSpan"
import { Duration, Effect, Option, Schema } from "effect"
import { CommandRefused } from "../CommandRefused.ts"

/** Whole seconds of a span of time, from a text such as `90s`, `30m`, `12h`, `7d` or `90 minutes`. */
export const secondsOf = (text: string): Option.Option<number> =>
  Option.fromUndefinedOr(msOf(text)).pipe(
    Option.orElse(() => Option.map(Schema.decodeOption(Schema.DurationFromString)(text), Duration.toMillis)),
    Option.map((ms) => Math.floor(ms / 1_000))
  )

/** A span of time in milliseconds, from a text such as `90s`, `30m`, `12h` or `7d`. */
export const spanOf = (text: string): Effect.Effect<number, CommandRefused> => {
  const ms = msOf(text)
  return ms === undefined
    ? Effect.fail(
      new CommandRefused({ message: `${JSON.stringify(text)} is no span of time: try 90s, 30m, 12h or 7d` })
    )
    : Effect.succeed(ms)
}

/** The time that a flag or an argument gives, in Unix milliseconds: ISO 8601, or so long ago, such as `30m`, `12h` or `7d`. */
export const timeOf = Effect.fnUntraced(function*(flag: string, text: string) {
  const ago = msOf(text)
  const now = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
  const ms = ago === undefined ? Date.parse(text) : now - ago
  return Number.isNaN(ms) || ms < 0
    ? yield* new CommandRefused({ message: `${flag} is not a time: ${JSON.stringify(text)}` })
    : ms
})

/** The forms of a place in a log. */
export const places = "beginning, end, an event id, a time in ISO 8601, or so long ago, such as 30m, 12h or 7d"

/** A place in a log that a flag or an argument gives: a time as Unix milliseconds, any other as it stands. */
export const placeOf = (flag: string, text: string) =>
  text === "beginning" || text === "end" || /^\d{1,13}-\d{1,7}$/.test(text) ? Effect.succeed(text) : timeOf(flag, text)
