import * as EventId from "@headwater/domain/EventId"
import * as Id from "@headwater/domain/Id"
import { Clock, Effect, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import type { SqlError } from "effect/sql"
import { BenchFailed } from "../BenchFailed.ts"
import type { BenchServer } from "../BenchServer.ts"
import * as Database from "../Database.ts"
import * as Deployment from "../Deployment.ts"
import * as Progress from "../Progress.ts"
import * as Scenario from "../Scenario.ts"
import { latency, rounded } from "../Statistics.ts"
import { timed } from "../TimedRequests.ts"
import type { Workbench } from "../Workbench.ts"

const code = `export default { name: "Bench lists", async run() {} }`

const sources = 10
const webhooks = 10

/** One delivery of so many is given up, after a 500. */
const failsEach = 100

const bite = 100_000

/** How often each list is asked for. */
const asked = 100

const Account = Schema.Struct({ data: Schema.Struct({ id: Schema.String }) })

const orFailed = <A, R>(effect: Effect.Effect<A, SqlError.SqlError, R>) =>
  Effect.mapError(effect, (error) => new BenchFailed({ message: `attempts can't be written: ${String(error.cause)}` }))

/** How the id of a delivery begins that begins at a time. */
const beginningOfId = (at: number): string =>
  Id.of("delivery", at, new Uint8Array(Id.randomLength)).slice(0, -Id.randomLength)

/** Writes attempts straight into the tables, one for each millisecond until now. */
const fill = Effect.fnUntraced(function*(server: BenchServer, options: {
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

const scenario = (options: { readonly attempts: number }) =>
  Effect.fnUntraced(function*({ server }: Workbench) {
    const component = yield* Deployment.component(server, code)
    const emitters = yield* Effect.forEach(Array.from({ length: sources }), () => Deployment.source(server, component))
    const webhookIds = yield* Effect.forEach(
      Array.from({ length: webhooks }),
      (_, index) => Deployment.webhook(server, `http://127.0.0.1:9/${index}`)
    )
    yield* Progress.say(`writing ${options.attempts} attempts`)
    const emitterIds = emitters.map(({ id }) => id)
    const now = yield* fill(server, { attempts: options.attempts, emitterIds, webhookIds })
    const middle = now - Math.floor(options.attempts / 2)
    const lists: Record<string, string> = {
      "all": "/deliveries?limit=50",
      "of a webhook": `/webhooks/${webhookIds[3]}/deliveries?limit=50`,
      "of an emitter": `/deliveries?limit=50&emitter_id=${emitterIds[3]}`,
      "delivered": "/deliveries?limit=50&state=delivered",
      "exhausted": "/deliveries?limit=50&state=exhausted",
      "status 5xx": "/deliveries?limit=50&status=5xx",
      "from the middle": `/deliveries?limit=50&until=${middle}`,
      "of a webhook, exhausted, from the middle": `/webhooks/${
        webhookIds[3]
      }/deliveries?limit=50&state=exhausted&until=${middle}`,
      "class of errors that is nowhere": "/deliveries?limit=50&error_class=dns"
    }
    const rows = new Array<readonly [string, number, number]>()
    for (const [name, path] of Object.entries(lists)) {
      const request = { method: "GET", path }
      yield* timed(server, Array.from({ length: 5 }, () => request))
      const found = latency(yield* timed(server, Array.from({ length: asked }, () => request)))
      rows.push([name, found.p50Ms, found.p99Ms])
    }
    const worst = Math.max(...rows.map(([, , p99]) => p99))
    return {
      scenario: "lists",
      throughput: asked,
      limit: asked,
      latency: { p50Ms: rows[0]![1], p99Ms: worst },
      lost: 0,
      duplicates: 0,
      voids: [],
      tables: [{ columns: ["first page of deliveries", "p50 ms", "p99 ms"], rows }],
      figures: {
        attempts: options.attempts,
        lists: Object.fromEntries(rows.map(([name, p50, p99]) => [name, [rounded(p50), rounded(p99)]]))
      }
    }
  })

/** Lists of deliveries over a long past. */
export const command = Command.make("lists", {
  ...Scenario.flags,
  attempts: Flag.Int("attempts").pipe(Flag.withDescription("Attempts there are"), Flag.withDefault(10_000_000))
}, (flags) => Scenario.run(flags, scenario(flags))).pipe(
  Command.withDescription("How long the first page of a list of deliveries takes, with millions of attempts")
)
