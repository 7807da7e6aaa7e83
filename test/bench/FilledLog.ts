import * as EventId from "@headwater/domain/EventId"
import * as Stream from "@headwater/domain/Stream"
import { Clock, Effect } from "effect"
import type { SqlError } from "effect/sql"
import { BenchFailed } from "./BenchFailed.ts"
import type { BenchServer } from "./BenchServer.ts"
import * as Database from "./Database.ts"
import * as Progress from "./Progress.ts"

/** A log with a past: each emitter's events from the first to the `events`th, a millisecond apart. */
export interface FilledLog {
  /** The id of an emitter's event by its place, from 1. */
  readonly idAt: (place: number) => string
  /** Whether an emitter still has that event. */
  readonly has: (emitterId: string, place: number) => Effect.Effect<boolean, BenchFailed>
}

/** Events of each emitter that are written at once. */
const bite = 20_000

const orFailed = <A, R>(effect: Effect.Effect<A, SqlError.SqlError, R>) =>
  Effect.mapError(effect, (error) => new BenchFailed({ message: `the log can't be filled: ${String(error.cause)}` }))

/**
 * Writes a past into the logs of emitters that have none, straight into the tables: posting millions of events would
 * take an hour. The events of different emitters alternate, as they would. The server is started again, so that it
 * knows.
 */
export const make = Effect.fnUntraced(function*(server: BenchServer, options: {
  readonly emitterIds: ReadonlyArray<string>
  /** Of each emitter. */
  readonly events: number
  /** Size of a payload, about. */
  readonly bytes: number
}) {
  const { bytes, emitterIds, events } = options
  const sql = yield* orFailed(Database.client(yield* server.database("postgres")))
  const firstAt = (yield* Clock.currentTimeMillis) - events - 60_000
  const base = EventId.make(firstAt, 0)
  const step = EventId.make(1, 0)
  const emitters = emitterIds.join(",")
  for (let from = 1; from <= events; from += bite) {
    const to = Math.min(from + bite - 1, events)
    yield* orFailed(sql`
      INSERT INTO events (emitter_id, stream, id, n, emit_id, hops, payload)
      SELECT emitter, ${Stream.defaultStream}, ${base}::bigint + place * ${step}::bigint, place,
        gen_random_uuid()::text, 0, '{"place":' || place || ',"pad":"' || repeat('x', ${bytes}::int) || '"}'
      FROM generate_series(${from}::bigint, ${to}::bigint) AS place, string_to_table(${emitters}, ',') AS emitter
      ORDER BY place`)
    if (to % (10 * bite) === 0) yield* Progress.say(`  ${to * emitterIds.length} events`)
  }
  yield* orFailed(sql`
    UPDATE heads_folded SET last_id = ${base}::bigint + ${BigInt(events)}::bigint * ${step}::bigint,
      streams = streams || jsonb_build_object(${Stream.defaultStream}::text, ${events}::bigint)
    WHERE emitter_id = ANY(string_to_array(${emitters}, ','))`)
  yield* orFailed(sql`VACUUM ANALYZE events`)
  yield* orFailed(sql`CHECKPOINT`)
  yield* server.restart
  const read = yield* orFailed(Database.client(yield* server.database("postgres")))
  const at = (place: number) => base + BigInt(place) * step
  const log: FilledLog = {
    idAt: (place) => EventId.format(at(place)),
    has: (emitterId, place) =>
      orFailed(read<{ n: bigint }>`
        SELECT n FROM events
        WHERE emitter_id = ${emitterId} AND stream = ${Stream.defaultStream} AND id = ${at(place)}`).pipe(
        Effect.map((rows) => rows.length > 0)
      )
  }
  return log
})
