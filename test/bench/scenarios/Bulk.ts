import * as FreePort from "@headwater/fixtures/FreePort"
import { Effect, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { BenchFailed } from "../BenchFailed.ts"
import type { BenchServer } from "../BenchServer.ts"
import * as Database from "../Database.ts"
import * as Deployment from "../Deployment.ts"
import * as MonotonicClock from "../MonotonicClock.ts"
import * as Progress from "../Progress.ts"
import * as Receipts from "../Receipts.ts"
import type { Report } from "../Report.ts"
import * as Scenario from "../Scenario.ts"
import { rounded } from "../Statistics.ts"
import type { Piece, Subject, Workbench } from "../Workbench.ts"

const code = `
export default {
  name: "Bench bulk",
  props: { http: "$.interface.http" },
  async run(event) { this.$emit(event.body) }
}`

const sources = 20

const healthy = "healthy"

const BulkAction = Schema.Struct({
  data: Schema.Struct({
    id: Schema.String,
    matched: Schema.Int,
    done: Schema.Int,
    failed: Schema.Int,
    skipped: Schema.Int,
    ended_at_ms: Schema.NullOr(Schema.Int),
    created_at_ms: Schema.Int
  })
})
type BulkAction = typeof BulkAction.Type["data"]

const Created = Schema.Struct({ data: Schema.Struct({ id: Schema.String }) })

/** Longest that a bulk action may take beyond what its rate says, in milliseconds. */
const patienceMs = 600_000

const run = Effect.fnUntraced(function*(server: BenchServer, body: Record<string, unknown>) {
  const { data } = yield* server.api(BulkAction, "POST", "/bulk_actions", body)
  return data
})

const ended = Effect.fnUntraced(function*(server: BenchServer, { id }: BulkAction) {
  const until = MonotonicClock.now() + patienceMs
  while (true) {
    const { data } = yield* server.api(BulkAction, "GET", `/bulk_actions/${id}`)
    if (data.ended_at_ms !== null) return data
    if (MonotonicClock.now() > until) return yield* new BenchFailed({ message: "the bulk action does not end" })
    yield* Effect.sleep("100 millis")
  }
})

/** How many cursors account for something else than what they have passed. */
const imbalances = Effect.fnUntraced(
  function*(server: BenchServer) {
    const sql = yield* Database.client(yield* server.database("postgres"))
    const [row] = yield* sql<{ readonly count: bigint }>`
    SELECT count(*) AS count FROM cursors c JOIN subscriptions s ON s.id = c.subscription_id
    WHERE c.n - c.start_n <> c.delivered + c.pending + c.exhausted + c.dropped + c.filtered`
    return Number(row!.count)
  },
  Effect.scoped,
  Effect.mapError((error) => new BenchFailed({ message: `the database: ${String(error)}` }))
)

const scenario = (options: {
  readonly seconds: number
  readonly rate: number
  readonly failed: number
  readonly bulkRate: number
}) =>
  Effect.fnUntraced(function*(workbench: Workbench) {
    const { server, sink, sinkUrl } = workbench
    const failing = yield* Deployment.sources(server, code, sources)
    const closed = `http://127.0.0.1:${yield* FreePort.find}/`
    const { data: { id: webhook } } = yield* server.api(Created, "POST", "/webhooks", {
      url: closed,
      retry_schedule: []
    })
    yield* Deployment.subscribeAll(server, failing, [webhook])
    const fine = yield* Deployment.sources(server, code, sources)
    yield* Deployment.subscribeAll(server, fine, [yield* Deployment.webhook(server, `${sinkUrl}/at-once/${healthy}`)])
    const subject: Subject = {
      urls: fine.map(({ endpoint }) => endpoint),
      settle: (loaded) => Receipts.settle(sink, [healthy], () => [healthy], loaded)
    }
    const pressure = { connections: 16, rate: options.rate, seconds: options.seconds }

    const { loaded } = yield* workbench.send(failing.map(({ endpoint }) => endpoint), {
      connections: 64,
      seconds: 3_600,
      events: options.failed
    })
    yield* Progress.say(`${loaded.acked} events to an endpoint that is gone`)
    const filter = { webhook_id: webhook, state: "exhausted" }
    let dry = yield* ended(server, yield* run(server, { action: "retry", filter, dry_run: true }))
    while (dry.matched < loaded.acked) {
      yield* Effect.sleep("1 second")
      dry = yield* ended(server, yield* run(server, { action: "retry", filter, dry_run: true }))
    }
    const dryMs = dry.ended_at_ms! - dry.created_at_ms
    yield* Progress.say(`a dry run says ${dry.matched}, in ${Progress.figure(dryMs)} ms`)
    yield* server.api(Schema.Unknown, "PUT", `/webhooks/${webhook}`, { url: `${sinkUrl}/at-once/retried` })

    yield* workbench.measure(subject, pressure)
    const without = yield* workbench.measure(subject, pressure)
    const begun = yield* run(server, { action: "retry", filter, rate_limit: options.bulkRate })
    const beside = yield* workbench.measure(subject, pressure)
    const retried = yield* ended(server, begun)
    return reportOf({
      without,
      beside,
      dry,
      retried,
      asked: options.bulkRate,
      imbalances: yield* imbalances(server)
    })
  })

const reportOf = ({ asked, beside, dry, imbalances, retried, without }: {
  readonly without: Piece
  readonly beside: Piece
  readonly dry: BulkAction
  readonly retried: BulkAction
  readonly asked: number
  readonly imbalances: number
}): Report => {
  const perSecond = retried.done * 1_000 / (retried.ended_at_ms! - retried.created_at_ms)
  const isWhole = retried.done === dry.matched && retried.matched === retried.done && imbalances === 0
  const row = (name: string, { receipt, throughput }: Piece) =>
    [name, throughput, receipt.p50Ms, receipt.p99Ms] as const
  return {
    scenario: "bulk",
    throughput: perSecond,
    limit: asked,
    latency: beside.receipt,
    lost: without.lost + beside.lost,
    duplicates: without.duplicates + beside.duplicates,
    voids: isWhole ? [] : ["the bulk action did not do all, or something does not balance"],
    tables: [{
      columns: ["new events", "events/s", "to receipt p50", "p99"],
      rows: [row("without", without), row("beside the bulk retry", beside)]
    }, {
      columns: ["bulk retry", "asked for", "matched", "done", "failed", "skipped", "imbalances"],
      rows: [[
        `${rounded(perSecond)}/s`,
        asked,
        retried.matched,
        retried.done,
        retried.failed,
        retried.skipped,
        imbalances
      ]]
    }],
    figures: {
      p50_ratio: rounded(beside.receipt.p50Ms / without.receipt.p50Ms),
      p99_ratio: rounded(beside.receipt.p99Ms / without.receipt.p99Ms),
      dry_run_ms: dry.ended_at_ms! - dry.created_at_ms,
      matched: dry.matched
    }
  }
}

/** Deliveries that were given up are retried at a rate, beside events that are new. */
export const command = Command.make("bulk", {
  ...Scenario.flags,
  seconds: Scenario.seconds(20),
  rate: Flag.Finite("rate").pipe(Flag.withDescription("New events a second"), Flag.withDefault(50)),
  failed: Flag.Int("failed").pipe(Flag.withDescription("How many deliveries have failed"), Flag.withDefault(100_000)),
  bulkRate: Flag.Int("bulk-rate").pipe(
    Flag.withDescription("How many of them are retried a second"),
    Flag.withDefault(200)
  )
}, (flags) => Scenario.run(flags, scenario(flags))).pipe(
  Command.withDescription(
    "Latency of new events beside a bulk retry of many failed deliveries, which is held to its rate"
  )
)
