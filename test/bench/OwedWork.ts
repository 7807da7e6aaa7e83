import * as Stream from "@headwater/domain/Stream"
import { Effect, type Scope } from "effect"
import type { SqlError } from "effect/sql"
import { BenchFailed } from "./BenchFailed.ts"
import type { BenchServer } from "./BenchServer.ts"
import * as Database from "./Database.ts"

/** What a server has done and still has to do, read from its tables. */
export interface OwedWork {
  /** How many events these sources have emitted. */
  readonly emitted: (emitterIds: ReadonlyArray<string>) => Effect.Effect<number, BenchFailed>
  /** How many deliveries wait for a retry. */
  readonly retries: Effect.Effect<number, BenchFailed>
}

const orFailed = <A, R>(effect: Effect.Effect<A, SqlError.SqlError, R>) =>
  Effect.mapError(effect, (error) => new BenchFailed({ message: `the log can't be read: ${String(error.cause)}` }))

export const make = Effect.fnUntraced(
  function*(server: BenchServer): Effect.fn.Return<OwedWork, BenchFailed, Scope.Scope> {
    const sql = yield* orFailed(Database.client(yield* server.database("postgres")))
    return {
      emitted: (emitterIds) =>
        orFailed(sql<{ count: bigint }>`
          SELECT count(*) AS count FROM events
          WHERE emitter_id = ANY(string_to_array(${emitterIds.join(",")}, ',')) AND stream = ${Stream.defaultStream}`)
          .pipe(Effect.map(([row]) => Number(row?.count))),
      retries: orFailed(sql<{ count: bigint }>`SELECT count(*) AS count FROM due_work WHERE kind = 'retry'`).pipe(
        Effect.map(([row]) => Number(row?.count))
      )
    }
  }
)
