import { Effect } from "effect"
import { CommandRefused } from "./CommandRefused.ts"

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** The time that a flag gives, in Unix milliseconds: ISO 8601, or so long ago, such as `30m`, `12h` or `7d`. */
export const timeOf = Effect.fnUntraced(function*(flag: string, text: string) {
  const [, count, unit = ""] = /^(\d+)([smhd])$/.exec(text) ?? []
  const now = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
  const ms = count === undefined ? Date.parse(text) : now - Number(count) * unitMs[unit]!
  return Number.isNaN(ms) || ms < 0
    ? yield* new CommandRefused({ message: `--${flag} is not a time: ${JSON.stringify(text)}` })
    : ms
})
