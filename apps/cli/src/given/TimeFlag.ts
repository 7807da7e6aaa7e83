import { msOf } from "@headwater/domain/TimeSpan"
import { Effect } from "effect"
import { CommandRefused } from "../CommandRefused.ts"

/** A span of time in milliseconds, from a text such as `90s`, `30m`, `12h` or `7d`. */
export const spanOf = (text: string): Effect.Effect<number, CommandRefused> => {
  const ms = msOf(text)
  return ms === undefined
    ? Effect.fail(
      new CommandRefused({ message: `${JSON.stringify(text)} is no span of time: try 90s, 30m, 12h or 7d` })
    )
    : Effect.succeed(ms)
}

/** The time that a flag gives, in Unix milliseconds: ISO 8601, or so long ago, such as `30m`, `12h` or `7d`. */
export const timeOf = Effect.fnUntraced(function*(flag: string, text: string) {
  const ago = msOf(text)
  const now = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
  const ms = ago === undefined ? Date.parse(text) : now - ago
  return Number.isNaN(ms) || ms < 0
    ? yield* new CommandRefused({ message: `--${flag} is not a time: ${JSON.stringify(text)}` })
    : ms
})

/** The forms of a place in a log. */
export const places = "beginning, end, an event id, a time in ISO 8601, or so long ago, such as 30m, 12h or 7d"

/** A place in a log that a flag gives: a time as Unix milliseconds, any other as it stands. */
export const placeOf = (flag: string, text: string) =>
  text === "beginning" || text === "end" || /^\d{1,13}-\d{1,7}$/.test(text) ? Effect.succeed(text) : timeOf(flag, text)
