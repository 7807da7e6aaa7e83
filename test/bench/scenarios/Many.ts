import { Clock, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { BenchFailed } from "../BenchFailed.ts"
import type { BenchServer } from "../BenchServer.ts"
import * as Deployment from "../Deployment.ts"
import * as Progress from "../Progress.ts"
import type { Report } from "../Report.ts"
import * as Scenario from "../Scenario.ts"
import { latency, percentile, rounded } from "../Statistics.ts"
import * as TickLog from "../TickLog.ts"
import type { Workbench } from "../Workbench.ts"

const code = `
export default {
  name: "Bench many",
  props: { timer: "$.interface.timer" },
  async run(event) {
    this.$emit({ timestamp: event.timestamp })
  }
}`

const minute = 60_000

const intervalTimer = { timer: { intervalSeconds: 60 } }
const cronTimer = { timer: { cron: "* * * * *" } }

/** How long after the last tick of the window late ones are waited for, in milliseconds. */
const patienceMs = 20_000

const sleepUntil = (time: number) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.sleep(Math.max(0, time - now)))

/** Calls at once while setting up. */
const concurrency = 16

/** Creates the sources over a minute, so that their phases are spread over it, or over as long as it takes. */
const create = Effect.fnUntraced(function*({ server }: Workbench, count: number) {
  const componentId = yield* Deployment.component(server, code)
  const start = yield* Clock.currentTimeMillis
  return yield* Effect.forEach(
    Array.from({ length: count }, (_, index) => index),
    (index) =>
      Effect.andThen(
        sleepUntil(start + index * minute / count),
        Deployment.source(server, componentId, intervalTimer)
      ),
    { concurrency }
  )
})

/** The largest of several readings of what the server and its processes use, once a second for as long as it runs. */
const watch = (server: BenchServer, peak: { resident: number; sandboxes: number; postgres: number }) =>
  Effect.sync(() => {
    const { postgres, sandboxes, server: itself } = server.usage()
    peak.resident = Math.max(peak.resident, itself.residentMebibytes)
    peak.sandboxes = Math.max(peak.sandboxes, sandboxes.residentMebibytes)
    peak.postgres = Math.max(peak.postgres, postgres.residentMebibytes)
  }).pipe(Effect.andThen(Effect.sleep("1 second")), Effect.forever)

/** How late each due tick between two times was, and how many did not come at all. */
const lateness = (ticks: TickLog.Ticks, from: number, to: number) => {
  const late: Array<number> = []
  let missing = 0
  for (const [id, phase] of ticks.phases) {
    const times = ticks.times.get(id) ?? []
    const first = from + ((phase - from) % minute + minute) % minute
    for (let due = first; due < to; due += minute) {
      const at = times.find((time) => time >= due && time < due + minute)
      if (at === undefined) missing += 1
      else late.push(at - due)
    }
  }
  return { late, missing }
}

/** Of the ticks of a minute, how many are due in the second with most. */
const busiestSecond = (phases: Iterable<number>): number => {
  const seconds = Array.from({ length: 60 }, () => 0)
  for (const phase of phases) seconds[Math.floor(phase % minute / 1000)]! += 1
  return Math.max(...seconds)
}

const spread = Effect.fnUntraced(function*(workbench: Workbench, log: TickLog.TickLog, seconds: number) {
  const { server } = workbench
  const peak = { resident: 0, sandboxes: 0, postgres: 0 }
  const from = yield* Clock.currentTimeMillis
  const before = server.usage()
  yield* Effect.raceFirst(watch(server, peak), sleepUntil(from + seconds * 1000))
  const after = server.usage()
  const to = yield* Clock.currentTimeMillis
  const phases = yield* log.phases
  const read = Effect.map(log.since(from), (times) => ({ phases, times }))
  let found = lateness(yield* read, from, to)
  while (found.missing > 0 && (yield* Clock.currentTimeMillis) < to + patienceMs) {
    yield* Effect.sleep("1 second")
    found = lateness(yield* read, from, to)
  }
  const share = (name: "server" | "postgres" | "sandboxes") => (after[name].cpuMs - before[name].cpuMs) / (to - from)
  return {
    ...found,
    peak,
    seconds: (to - from) / 1000,
    busiestSecond: busiestSecond(phases.values()),
    cpu: { server: share("server"), postgres: share("postgres"), sandboxes: share("sandboxes") }
  }
})

/** All sources on one cron expression: how long after its minute the last has emitted, in seconds, and who has not. */
const together = Effect.fnUntraced(function*(
  { server }: Workbench,
  log: TickLog.TickLog,
  sources: ReadonlyArray<Deployment.DeployedSource>
) {
  yield* Effect.forEach(sources, ({ id }) => Deployment.changeProps(server, id, cronTimer), {
    concurrency,
    discard: true
  })
  // A whole minute after the last change, so that nothing of the changes is left to do.
  const boundary = (Math.floor((yield* Clock.currentTimeMillis) / minute) + 2) * minute
  yield* sleepUntil(boundary)
  const read = Effect.map(log.since(boundary), (times) => sources.flatMap(({ id }) => times.get(id)?.[0] ?? []))
  let done = yield* read
  while (done.length < sources.length && (yield* Clock.currentTimeMillis) < boundary + minute) {
    yield* Effect.sleep("500 millis")
    done = yield* read
  }
  return { seconds: (Math.max(...done) - boundary) / 1000, missing: sources.length - done.length }
})

const scenario = (options: { readonly seconds: number; readonly count: number }) =>
  Effect.fnUntraced(function*(workbench: Workbench) {
    const { count, seconds } = options
    if (seconds < 60) return yield* new BenchFailed({ message: "--seconds: a timer ticks once a minute" })
    const log = yield* TickLog.make(workbench.server)
    yield* Progress.say(`creating ${count} sources`)
    const start = yield* Clock.currentTimeMillis
    const sources = yield* create(workbench, count)
    const creationSeconds = ((yield* Clock.currentTimeMillis) - start) / 1000
    yield* Progress.say(`created in ${Progress.figure(creationSeconds)} s; watching their ticks for ${seconds} s`)
    const apart = yield* spread(workbench, log, seconds)
    yield* Progress.say("putting all on one cron expression")
    const atOnce = yield* together(workbench, log, sources)
    const late = latency(apart.late)
    const withinSecond = apart.late.filter((ms) => ms <= 1000).length / (apart.late.length + apart.missing)
    const report: Report = {
      scenario: "many",
      throughput: apart.late.length / apart.seconds,
      limit: (apart.late.length + apart.missing) / apart.seconds,
      latency: late,
      lost: apart.missing + atOnce.missing,
      duplicates: 0,
      voids: [],
      tables: [{
        columns: [`${count} sources, one tick a minute each`, ""],
        rows: [
          ["server, resident MiB at most", apart.peak.resident],
          ["sandboxes, resident MiB at most", apart.peak.sandboxes],
          ["Postgres, MiB at most, shared pages counted for each process", apart.peak.postgres],
          ["server, share of a core", apart.cpu.server],
          ["sandboxes, share of a core", apart.cpu.sandboxes],
          ["Postgres, share of a core", apart.cpu.postgres],
          ["ticks late by, p50 ms", late.p50Ms],
          ["p99 ms", late.p99Ms],
          ["longest ms", percentile(apart.late, 1)],
          ["share within 1 s", withinSecond],
          ["ticks due in the busiest second", apart.busiestSecond],
          ["all on one minute: done after s", atOnce.seconds],
          ["creation of the sources, s", creationSeconds]
        ]
      }],
      figures: {
        sources: count,
        resident_mib: rounded(apart.peak.resident),
        sandboxes_resident_mib: rounded(apart.peak.sandboxes),
        postgres_resident_mib: rounded(apart.peak.postgres),
        cpu_share: {
          server: rounded(apart.cpu.server),
          postgres: rounded(apart.cpu.postgres),
          sandboxes: rounded(apart.cpu.sandboxes)
        },
        within_1s: rounded(withinSecond),
        max_ms: rounded(percentile(apart.late, 1)),
        busiest_second: apart.busiestSecond,
        cron_done_s: rounded(atOnce.seconds),
        creation_s: rounded(creationSeconds)
      }
    }
    return report
  })

/** Many sources with timers. */
export const command = Command.make("many", {
  ...Scenario.flags,
  seconds: Scenario.seconds(120, "How long ticks are watched, at least 60"),
  count: Flag.Int("count").pipe(Flag.withDescription("How many sources"), Flag.withDefault(10_000))
}, (flags) => Scenario.run(flags, scenario(flags))).pipe(
  Command.withDescription("10,000 sources with a tick a minute each, first spread and then all at once")
)
