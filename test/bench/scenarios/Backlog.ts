import { Effect, Schedule } from "effect"
import { Command, Flag } from "effect/cli"
import * as OperatorAccount from "../../OperatorAccount.ts"
import { BenchFailed } from "../BenchFailed.ts"
import * as CellTable from "../CellTable.ts"
import * as Deployment from "../Deployment.ts"
import type { Loaded } from "../LoadCall.ts"
import * as MonotonicClock from "../MonotonicClock.ts"
import * as OwedWork from "../OwedWork.ts"
import * as Progress from "../Progress.ts"
import * as Receipts from "../Receipts.ts"
import * as ReferenceRun from "../ReferenceRun.ts"
import type { Report } from "../Report.ts"
import * as Rounds from "../Rounds.ts"
import * as Scenario from "../Scenario.ts"
import { sink } from "../SinkCall.ts"
import { medianLatency, percentile, rounded } from "../Statistics.ts"
import type { Piece, Subject, Workbench } from "../Workbench.ts"
import * as WorkbenchOf from "../Workbench.ts"

const code = `
export default {
  name: "Bench backlog",
  props: { http: "$.interface.http" },
  async run(event) {
    this.$emit(event.body)
  }
}`

const target = "backlog"
const connections = 64

/** The share of the backlog that counts as all but what steps aside to a retry. */
const nearlyAll = 0.99

/** What has not come for so long does not come, in milliseconds. */
const patienceMs = 20_000

/** Longer than any backlog takes to arrive, in seconds. */
const longestOutage = 3_600

/** How often the other account is measured while nothing else happens. */
const calmPieces = 3

/** Sources whose events go to one webhook. */
const deploy = Effect.fnUntraced(function*({ server, sink, sinkUrl }: Workbench, sources: number) {
  const deployed = yield* Deployment.sources(server, code, sources)
  const webhook = yield* Deployment.webhook(server, `${sinkUrl}/at-once/${target}`)
  yield* Deployment.subscribeAll(server, deployed, [webhook])
  const subject: Subject = {
    urls: deployed.map(({ endpoint }) => endpoint),
    settle: (loaded) => Receipts.settle(sink, [target], () => [target], loaded)
  }
  return { subject, ids: deployed.map(({ id }) => id) }
})

/** An account with endpoints of its own, whose events are few. */
const another = Effect.fnUntraced(function*({ server }: Workbench) {
  const { key } = yield* OperatorAccount.create(server.dataDirectory, { username: "fresh", plan: "paid" })
  const workbench = yield* WorkbenchOf.beside(server.withKey(key))
  const { subject } = yield* deploy(workbench, 1)
  return { workbench, subject }
})

/** Milliseconds from the end of the outage. */
interface Drain {
  readonly first: number
  readonly half: number
  readonly nearlyAll: number
  readonly last: number
}

const drainOf = (receivedAt: Float64Array, backAt: number): Drain => {
  const times = Array.from(receivedAt).filter((at) => at > 0).map((at) => at - backAt)
  return {
    first: times.reduce((first, time) => Math.min(first, time), Infinity),
    half: percentile(times, 0.5),
    nearlyAll: percentile(times, nearlyAll),
    last: percentile(times, 1)
  }
}

const scenario = (options: {
  readonly events: number
  readonly seconds: number
  readonly sources: number
  readonly rate: number
  readonly outage: "unavailable" | "refused"
}) =>
  Effect.fnUntraced(function*(workbench: Workbench) {
    const { events, rate, seconds, sources } = options
    const { server, sink: sinkProgram } = workbench
    const owed = yield* OwedWork.make(server)
    const reference = yield* ReferenceRun.make(workbench)
    const { fragileUrl } = yield* sinkProgram.ask(sink, { _tag: "Count", targets: [] })
    const { ids, subject } = yield* deploy({ ...workbench, sinkUrl: fragileUrl }, sources)
    const pressure = { connections, seconds }
    const steady = yield* Rounds.interleave(workbench, [
      { name: "reference", subject: reference.deliver("durable", 1), pressure },
      { name: `${sources} sources, no outage`, subject, pressure }
    ], { rounds: 1, warmUp: true })

    const other = yield* another(workbench)
    const measureOther = other.workbench.measure(other.subject, { connections: 16, rate, seconds })
    const warmUp = yield* measureOther
    const calm = yield* Effect.replicateEffect(measureOther, calmPieces)

    const pile = Effect.gen(function*() {
      yield* Progress.say(`${events} events arrive while the endpoint is away`)
      const before = yield* owed.emitted(ids)
      const { loaded } = yield* workbench.send(subject.urls, { connections, seconds: longestOutage, events })
      if (loaded.acked < events) {
        return yield* new BenchFailed({ message: `only ${loaded.acked} events were acknowledged` })
      }
      const runBy = yield* untilStill(owed.emitted(ids), before + loaded.acked)
      return { loaded, arrivedMs: loaded.endedAt - loaded.startedAt, ranMs: runBy - loaded.startedAt }
    })

    const received = Effect.map(sinkProgram.ask(sink, { _tag: "Count", targets: [target] }), ({ distinct }) => distinct)

    /** What the other account waits from the first delivery until nearly all are there. */
    const measureBeside = Effect.gen(function*() {
      yield* received.pipe(Effect.repeat({ until: (count) => count > 0, schedule: poll }))
      const pieces: Array<Piece> = []
      while (pieces.length === 0 || (yield* received) < nearlyAll * events) {
        const piece = yield* measureOther
        pieces.push(piece)
        yield* Progress.say(
          `  ${yield* received} of the backlog are delivered; the other account's p50 from POST to receipt is ` +
            `${Progress.figure(piece.fromPost.p50Ms)} ms, p99 ${Progress.figure(piece.fromPost.p99Ms)}`
        )
      }
      return pieces
    })

    const settle = (loaded: Loaded) =>
      Receipts.settle(sinkProgram, [target], () => [target], loaded, Effect.map(owed.retries, (count) => count > 0))

    yield* sinkProgram.ask(sink, { _tag: "Outage", kind: options.outage })
    const piled = yield* pile
    const retries = yield* owed.retries
    yield* Progress.say(
      `the endpoint is back; ${retries} deliveries wait for a retry, all others for their first attempt`
    )
    yield* sinkProgram.ask(sink, { _tag: "Outage", kind: "none" })
    const backAt = MonotonicClock.now()
    const [settled, beside] = yield* Effect.all([settle(piled.loaded), measureBeside], { concurrency: "unbounded" })
    const { targets } = yield* sinkProgram.ask(sink, { _tag: "Take", targets: [target] })
    const drain = drainOf(targets[target]?.receivedAt ?? Float64Array.of(), backAt)

    const throughput = nearlyAll * piled.loaded.acked / (drain.nearlyAll - drain.first) * 1_000
    const others = [warmUp, ...calm, ...beside]
    const sumOf = (field: "lost" | "duplicates") => others.reduce((sum, piece) => sum + piece[field], settled[field])
    const latencyOf = (pieces: ReadonlyArray<Piece>, of: "ack" | "fromPost") =>
      medianLatency(pieces.map((piece) => piece[of]))
    const row = (name: string, pieces: ReadonlyArray<Piece>) => {
      const [ack, fromPost] = [latencyOf(pieces, "ack"), latencyOf(pieces, "fromPost")]
      return [name, pieces.length, ack.p50Ms, ack.p99Ms, fromPost.p50Ms, fromPost.p99Ms] as const
    }
    const inSeconds = {
      arrived: piled.arrivedMs / 1_000,
      ran: piled.ranMs / 1_000,
      first: drain.first / 1_000,
      half: drain.half / 1_000,
      nearlyAll: drain.nearlyAll / 1_000,
      last: drain.last / 1_000
    }
    const report: Report = {
      scenario: "backlog",
      throughput,
      limit: Rounds.throughputOf(steady[0]!),
      latency: latencyOf(beside, "fromPost"),
      lost: sumOf("lost") + Rounds.lostOf(steady),
      duplicates: sumOf("duplicates") + Rounds.duplicatesOf(steady),
      voids: [],
      tables: [CellTable.table(steady), {
        columns: [`a backlog of ${piled.loaded.acked} events`, ""],
        rows: [
          ["acknowledged within s", inSeconds.arrived],
          ["run and emitted within s", inSeconds.ran],
          ["deliveries that waited for a retry when the endpoint came back", retries],
          ["from then to the first receipt, s", inSeconds.first],
          ["to half of them", inSeconds.half],
          ["to 99 of 100", inSeconds.nearlyAll],
          ["to the last", inSeconds.last],
          ["events/s from the first receipt to 99 of 100", throughput]
        ]
      }, {
        columns: ["another account", "pieces", "ack p50", "p99", "POST to receipt p50", "p99"],
        rows: [row("calm", calm), row("while the backlog drains", beside)]
      }],
      figures: {
        cells: CellTable.json(steady),
        events: piled.loaded.acked,
        retries_at_return: retries,
        seconds: {
          arrived: rounded(inSeconds.arrived),
          ran: rounded(inSeconds.ran),
          first: rounded(inSeconds.first),
          half: rounded(inSeconds.half),
          nearly_all: rounded(inSeconds.nearlyAll),
          last: rounded(inSeconds.last)
        },
        other_calm: jsonOf(latencyOf(calm, "fromPost")),
        other_beside: jsonOf(latencyOf(beside, "fromPost"))
      }
    }
    return report
  })

const jsonOf = ({ p50Ms, p99Ms }: { readonly p50Ms: number; readonly p99Ms: number }) => ({
  p50_ms: rounded(p50Ms),
  p99_ms: rounded(p99Ms)
})

/** Waits until a count is as high as it should be, or does not grow any more. Answers when it last grew. */
const untilStill = Effect.fnUntraced(function*(count: Effect.Effect<number, BenchFailed>, enough: number) {
  let seen = -1
  let grewAt = MonotonicClock.now()
  while (seen < enough && MonotonicClock.now() - grewAt < patienceMs) {
    const now = yield* count
    if (now > seen) grewAt = MonotonicClock.now()
    seen = now
    if (seen < enough) yield* Effect.sleep("200 millis")
  }
  return grewAt
})

const poll = Schedule.spaced("50 millis")

/** What an endpoint was owed while it was away. */
export const command = Command.make("backlog", {
  ...Scenario.flags,
  seconds: Scenario.seconds(5, "How long each piece of load of the reference and of the other account lasts"),
  events: Flag.Int("events").pipe(
    Flag.withDescription("How many events arrive during the outage"),
    Flag.withDefault(200_000)
  ),
  sources: Flag.Int("sources").pipe(Flag.withDescription("How many sources they go to"), Flag.withDefault(100)),
  rate: Flag.Finite("rate").pipe(
    Flag.withDescription("Events a second of the other account"),
    Flag.withDefault(20)
  ),
  outage: Flag.Literals("outage", ["unavailable", "refused"]).pipe(
    Flag.withDescription("What the endpoint does meanwhile: answers 503, or refuses connections"),
    Flag.withDefault("unavailable")
  )
}, (flags) => Scenario.run(flags, scenario(flags))).pipe(
  Command.withDescription(
    "200,000 events arrive during an outage of their endpoint: how fast they drain, and what another account waits"
  )
)
