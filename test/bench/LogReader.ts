import type { EventId } from "@headwater/domain/EventId"
import * as Stream from "@headwater/domain/Stream"
import { EventLog } from "@headwater/log/logs/EventLog"
import { Effect, type Scope } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { BenchFailed } from "./BenchFailed.ts"
import type { BenchServer } from "./BenchServer.ts"
import * as Database from "./Database.ts"
import type { Loaded } from "./LoadCall.ts"
import * as MonotonicClock from "./MonotonicClock.ts"
import type { Settled } from "./Workbench.ts"

/** Reads what sources emit from now on. */
export interface LogReader {
  /**
   * Waits until the log has each event that was acknowledged, or nothing more comes. The sources emit `{"seq": n}` for
   * the event of that number.
   */
  readonly settle: (loaded: Loaded, from: number) => Effect.Effect<Settled, BenchFailed>
}

/** What is still missing after nothing came for this long is lost, in milliseconds. */
const patienceMs = 20_000

const page = { events: 5_000, bytes: 64 * 1024 * 1024 }

const numberOf = (payload: string): number => Number(/^\{"seq":(\d+)\}$/.exec(payload)?.[1])

const orFailed = <A, R>(effect: Effect.Effect<A, SqlError.SqlError, R>) =>
  Effect.mapError(effect, (error) => new BenchFailed({ message: `the log can't be read: ${String(error.cause)}` }))

export const make = Effect.fnUntraced(
  function*(
    server: BenchServer,
    emitterIds: ReadonlyArray<string>
  ): Effect.fn.Return<LogReader, BenchFailed, Scope.Scope> {
    const sql = yield* orFailed(Database.client(yield* server.database("postgres")))
    const log = yield* Effect.provide(EventLog, EventLog.layer).pipe(Effect.provideService(SqlClient.SqlClient, sql))
    const addresses = emitterIds.map((emitterId) => ({ emitterId, stream: Stream.defaultStream }))
    const readTo = new Map<string, EventId>()
    for (const address of addresses) {
      const [newest] = yield* orFailed(log.latest({ ...address, limit: 1 }))
      readTo.set(address.emitterId, newest?.id ?? 0n)
    }

    /** The numbers of what an emitter has emitted since it was last read. */
    const read = Effect.fnUntraced(function*(address: Stream.StreamAddress) {
      const after = readTo.get(address.emitterId) ?? 0n
      const events = yield* orFailed(log.after(address, after, page.events, page.bytes))
      readTo.set(address.emitterId, events.at(-1)?.id ?? after)
      return events.map(({ payload }) => numberOf(payload))
    })

    return {
      settle: Effect.fnUntraced(function*({ ackedAt }, from) {
        const missing = new Set<number>()
        for (const [index, at] of ackedAt.entries()) if (at !== 0) missing.add(from + index)
        const seen = new Set<number>()
        let duplicates = 0
        let newsAt = MonotonicClock.now()
        while (missing.size > 0 && MonotonicClock.now() - newsAt < patienceMs) {
          const numbers = (yield* Effect.forEach(addresses, read)).flat()
          for (const number of numbers) {
            if (seen.has(number)) duplicates += 1
            seen.add(number)
            missing.delete(number)
          }
          if (numbers.length > 0) newsAt = MonotonicClock.now()
          else yield* Effect.sleep("200 millis")
        }
        return { lost: missing.size, duplicates, receipts: [], fromPost: [] }
      })
    }
  }
)
