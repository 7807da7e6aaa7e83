import { Effect, Schedule } from "effect"
import { SqlClient } from "effect/sql"

/** Returns once statements of the database have waited for locks so many times from now on, or once `or` says so. */
export const lockWaits = Effect.fnUntraced(function*(count: number, or: () => boolean = () => false) {
  const sql = yield* SqlClient.SqlClient
  const waits = new Set<string>()
  yield* sql<{ wait: string }>`
    SELECT pid || ' ' || query_start AS wait FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'`.pipe(
    Effect.map((rows) => {
      for (const { wait } of rows) waits.add(wait)
      return waits.size >= count || or()
    }),
    Effect.repeat({ until: (isSo) => isSo, schedule: Schedule.spaced("5 millis") })
  )
})
