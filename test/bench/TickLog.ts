import * as EventId from "@headwater/domain/EventId"
import * as Stream from "@headwater/domain/Stream"
import { Effect, type Scope } from "effect"
import type { SqlError } from "effect/sql"
import { BenchFailed } from "./BenchFailed.ts"
import type { BenchServer } from "./BenchServer.ts"
import * as Database from "./Database.ts"

/** When sources with timers are due, and when they emitted. */
export interface Ticks {
  /** A time at which each source is due, in Unix milliseconds. */
  readonly phases: ReadonlyMap<string, number>
  /** When each source emitted, oldest first, in Unix milliseconds: when its run had ended and was being committed. */
  readonly times: ReadonlyMap<string, ReadonlyArray<number>>
}

/** Reads them for all sources of a server at once, from its tables. */
export interface TickLog {
  readonly phases: Effect.Effect<Ticks["phases"], BenchFailed>
  readonly since: (time: number) => Effect.Effect<Ticks["times"], BenchFailed>
}

const orFailed = <A, R>(effect: Effect.Effect<A, SqlError.SqlError, R>) =>
  Effect.mapError(effect, (error) => new BenchFailed({ message: `the log can't be read: ${String(error.cause)}` }))

export const make = Effect.fnUntraced(
  function*(server: BenchServer): Effect.fn.Return<TickLog, BenchFailed, Scope.Scope> {
    const sql = yield* orFailed(Database.client(yield* server.database("postgres")))
    return {
      phases: orFailed(sql<{ owner_id: string; due_at: bigint }>`
        SELECT owner_id, due_at FROM due_work WHERE kind = 'timer'`).pipe(
        Effect.map((rows) => new Map(rows.map(({ due_at, owner_id }) => [owner_id, Number(due_at)])))
      ),
      since: (time) =>
        orFailed(sql<{ emitter_id: string; id: bigint }>`
          SELECT emitter_id, id FROM events
          WHERE stream = ${Stream.defaultStream} AND id >= ${EventId.make(time, 0)} ORDER BY id`).pipe(
          Effect.map((rows) => {
            const times = new Map<string, Array<number>>()
            for (const { emitter_id, id } of rows) {
              const known = times.get(emitter_id)
              if (known === undefined) times.set(emitter_id, [EventId.milliseconds(id)])
              else known.push(EventId.milliseconds(id))
            }
            return times
          })
        )
    }
  }
)
