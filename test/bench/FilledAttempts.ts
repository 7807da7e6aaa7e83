import * as EventId from "@headwater/domain/EventId"
import * as Id from "@headwater/domain/Id"
import { Clock, Effect, Schema } from "effect"
import type { SqlError } from "effect/sql"
import { BenchFailed } from "./BenchFailed.ts"
import type { BenchServer } from "./BenchServer.ts"
import * as Database from "./Database.ts"
import * as Progress from "./Progress.ts"

/** One delivery of so many is given up, after a 500. */
const failsEach = 100

const bite = 100_000

const Account = Schema.Struct({ data: Schema.Struct({ id: Schema.String }) })

const orFailed = <A, R>(effect: Effect.Effect<A, SqlError.SqlError, R>) =>
  Effect.mapError(effect, (error) => new BenchFailed({ message: `attempts can't be written: ${String(error.cause)}` }))

/** How the id of a delivery begins that begins at a time. */
const beginningOfId = (at: number): string =>
  Id.of("delivery", at, new Uint8Array(Id.randomLength)).slice(0, -Id.randomLength)

/**
 * Writes attempts straight into the tables, one for each millisecond until now: making millions would take an hour.
 * Answers that time, in Unix milliseconds.
 */
export const make = Effect.fnUntraced(function*(server: BenchServer, options: {
  readonly attempts: number
  readonly emitterIds: ReadonlyArray<string>
  readonly webhookIds: ReadonlyArray<string>
}) {
  const { attempts, emitterIds, webhookIds } = options
  const sql = yield* orFailed(Database.client(yield* server.database("postgres")))
  const { data: { id: accountId } } = yield* server.api(Account, "GET", "/users/me")
  const step = EventId.make(1, 0)
  const now = yield* Clock.currentTimeMillis
  for (let from = 0; from < attempts; from += bite) {
    const count = Math.min(bite, attempts - from)
    const at = now - attempts + from
    const ids = Array.from({ length: count }, (_, index) => beginningOfId(at + index)).join(",")
    yield* orFailed(sql`
      WITH made AS MATERIALIZED (
        SELECT id || lpad(place::text, ${Id.randomLength}::int, '0') AS id, place, ${at}::bigint + place AS at,
          (string_to_array(${emitterIds.join(",")}, ','))[1 + place % ${emitterIds.length}::int] AS emitter,
          (string_to_array(${webhookIds.join(",")}, ','))[1 + place / 10 % ${webhookIds.length}::int] AS webhook,
          place % ${failsEach}::int = 0 AS failed
        FROM string_to_table(${ids}, ',') WITH ORDINALITY AS m (id, place)
      ), given_up AS (
        INSERT INTO deliveries (id, account_id, webhook_id, subscription_id, emitter_id, stream, event_id, attempts,
          state, last_at, status, error_class)
        SELECT id, ${accountId}, webhook, 'sub_bench', emitter, 'default', at * ${step}::bigint, 1, 'exhausted', at, 500, 'status'
        FROM made WHERE failed
      )
      INSERT INTO attempts (account_id, delivery_id, attempt, webhook_id, subscription_id, emitter_id, stream, event_id,
        emit_id, started_at, duration_ms, outcome, status, error_class, request_headers)
      SELECT ${accountId}, id, 1, webhook, 'sub_bench', emitter, 'default', at * ${step}::bigint, 'bench-' || at, at, 12,
        CASE WHEN failed THEN 'failed' ELSE 'delivered' END, CASE WHEN failed THEN 500 ELSE 200 END,
        CASE WHEN failed THEN 'status' END, '{}'
      FROM made`)
    if ((from + count) % (10 * bite) === 0) yield* Progress.say(`  ${from + count} attempts`)
  }
  yield* orFailed(sql`VACUUM ANALYZE attempts`)
  yield* orFailed(sql`VACUUM ANALYZE deliveries`)
  yield* orFailed(sql`CHECKPOINT`)
  return now
}, Effect.scoped)
