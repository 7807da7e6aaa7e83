import { type countNames, latencyBounds, wholeAccount } from "@headwater/log/commit/FigureCounts"
import { Clock, Effect } from "effect"
import * as FigureRows from "../browser/FigureRows.ts"
import type { ServerProcess } from "../ServerProcess.ts"

const minuteMs = 60_000
const minutes = 59

/** How much there is to do in a minute of the hour before the last: it swells and ebbs, and once it stops for a while. */
const orders = (minute: number): number =>
  minute > 36 && minute < 40 ? 0 : Math.round(150 + 60 * Math.sin(minute / 9) + 14 * Math.sin(minute * 2.3))

const counts = (minute: number): Readonly<Record<(typeof countNames)[number], number>> => {
  const requests = orders(minute)
  const isTroubled = minute > 46
  const attempts = Math.round(requests * 1.6)
  return {
    requests,
    events: Math.round(requests * 2.2),
    errors: minute % 7 === 3 ? 2 : 0,
    runs: Math.round(requests * 1.4),
    failed_runs: minute % 7 === 3 ? 2 : 0,
    run_ms: Math.round(requests * 1.4 * (9 + 3 * Math.sin(minute / 5))),
    attempts,
    failed_attempts: isTroubled ? Math.round(attempts * 0.3) : minute % 11 === 0 ? 1 : 0,
    attempt_ms: attempts * (isTroubled ? 160 : 45),
    exhausted: isTroubled && minute % 4 === 0 ? 1 : 0,
    dropped: 0,
    filtered: Math.round(requests * 0.4),
    samples: 1,
    waiting: isTroubled ? (minute - 46) * 12 : Math.round(2 + 2 * Math.sin(minute)),
    pending: isTroubled ? (minute - 46) * 7 : 0
  }
}

const latencies = (minute: number): ReadonlyArray<number> => {
  const { attempts } = counts(minute)
  const middle = Math.log(minute > 46 ? 120 : 38 + 12 * Math.sin(minute / 7))
  const shares = [...latencyBounds, Infinity].map((bound) =>
    Math.exp(-((Math.log(Math.min(bound, 30_000)) - middle) ** 2))
  )
  const all = shares.reduce((sum, share) => sum + share, 0)
  return shares.map((share) => Math.round(attempts * share / all))
}

/** Writes what would have been counted in the hour before a server was started, straight into its tables. */
export const write = Effect.fnUntraced(function*(server: ServerProcess) {
  const now = yield* Clock.currentTimeMillis
  yield* FigureRows.write(
    server,
    Array.from({ length: minutes }, (_, minute) => ({
      subject: wholeAccount,
      at: now - (minutes - minute) * minuteMs,
      counts: counts(minute),
      latencies: latencies(minute)
    }))
  )
})
