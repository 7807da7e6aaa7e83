import { Effect, Random } from "effect"
import { Command, Flag } from "effect/cli"
import type { BenchFailed } from "../BenchFailed.ts"
import * as BenchServer from "../BenchServer.ts"
import * as Deployment from "../Deployment.ts"
import * as FilledLog from "../FilledLog.ts"
import * as LogReader from "../LogReader.ts"
import * as MonotonicClock from "../MonotonicClock.ts"
import * as Progress from "../Progress.ts"
import type { Report } from "../Report.ts"
import * as Scenario from "../Scenario.ts"
import { type Latency, latency, median, medianLatency, rounded } from "../Statistics.ts"
import { timed } from "../TimedRequests.ts"
import type { Piece, Subject, Workbench } from "../Workbench.ts"

const code = `
export default {
  name: "Bench history",
  props: { http: "$.interface.http" },
  async run(event) {
    this.$emit({ seq: event.body.seq })
  }
}`

const emitters = 10
const smallEvents = 1_000

/** How often each site has its turn in a round, so that what else the machine does hits neither more, and what is asked for in one. */
const turns = 5
const reads = 200
const deletions = 20

/** Events that one deletion takes away. */
const deletedAtOnce = 5

/** A server whose emitters have a past. */
interface Site {
  readonly server: BenchServer.BenchServer
  readonly ids: ReadonlyArray<string>
  readonly events: number
  readonly log: FilledLog.FilledLog
  readonly subject: Subject
  /** Whether the endpoint that pages over the whole log is there, beside the summaries of its end. */
  readonly pagesAll: boolean
}

const latencies = ["summaries", "pages", "accepted", "deleted"] as const

/** How long what was asked for in one turn took, in milliseconds. */
type Turn = Readonly<Record<typeof latencies[number], ReadonlyArray<number>>>

/** What one round found at one site. */
interface Round extends Readonly<Record<typeof latencies[number], Latency>> {
  readonly append: Piece
}

const prepare = Effect.fnUntraced(function*(server: BenchServer.BenchServer, events: number, bytes: number) {
  const deployed = yield* Deployment.sources(server, code, emitters)
  const ids = deployed.map(({ id }) => id)
  const log = yield* FilledLog.make(server, { emitterIds: ids, events, bytes })
  const { settle } = yield* LogReader.make(server, ids)
  const probe = timed(server, [{ method: "GET", path: `/sources/${ids[0]}/events?limit=1` }])
  const pagesAll = yield* probe.pipe(Effect.as(true), Effect.orElseSucceed(() => false))
  const subject: Subject = { urls: deployed.map(({ endpoint }) => endpoint), settle }
  const site: Site = { server, ids, events, log, subject, pagesAll }
  return site
})

const emitterOf = ({ ids }: Site, index: number): string => ids[index % ids.length]!

const times = <A>(count: number, make: (index: number) => A): ReadonlyArray<A> =>
  Array.from({ length: count }, (_, index) => make(index))

/** Pages that begin somewhere in the log, or, where only its end can be paged over, there. */
const pages = Effect.fnUntraced(function*(site: Site) {
  const first = site.pagesAll ? 101 : site.events - 50
  const places = yield* Effect.all(times(reads, () => Random.nextIntBetween(first, site.events)))
  return places.map((place, index) => ({
    method: "GET",
    path: `/sources/${emitterOf(site, index)}/${site.pagesAll ? "events" : "event_summaries"}` +
      `?limit=${site.pagesAll ? 100 : 20}&after=${site.log.idAt(place)}`
  }))
})

/** Deletes some events in the middle of a log; how long until that is accepted, and until they are gone. */
const deleteSome = Effect.fnUntraced(function*(site: Site, index: number, place: number) {
  const emitter = emitterOf(site, index)
  const [from, to] = [site.log.idAt(place), site.log.idAt(place + deletedAtOnce - 1)]
  const start = MonotonicClock.now()
  const path = `/sources/${emitter}/events?start_id=${from}&end_id=${to}`
  const [accepted] = yield* timed(site.server, [{ method: "DELETE", path }])
  yield* site.log.has(emitter, place + deletedAtOnce - 1).pipe(
    Effect.repeat({ until: (there) => !there }),
    Effect.timeoutOption("20 seconds")
  )
  return { accepted: accepted ?? 0, gone: MonotonicClock.now() - start }
})

/** @param number counts the turns that the site has had */
const turn = Effect.fnUntraced(function*(site: Site, number: number): Effect.fn.Return<Turn, BenchFailed> {
  const summaries = yield* timed(
    site.server,
    times(reads, (index) => ({ method: "GET", path: `/sources/${emitterOf(site, index)}/event_summaries?limit=100` }))
  )
  const paged = yield* timed(site.server, yield* pages(site))
  const places = times(deletions, (index) => {
    const before = Math.floor((number * deletions + index) / emitters)
    return 100 + before * deletedAtOnce
  })
  const gone = yield* Effect.forEach(places, (place, index) => deleteSome(site, index, place))
  return {
    summaries,
    pages: paged,
    accepted: gone.map(({ accepted }) => accepted),
    deleted: gone.map(({ gone }) => gone)
  }
})

/** What is found at each of the sites. */
const round = Effect.fnUntraced(
  function*(
    workbench: Workbench,
    sites: ReadonlyArray<Site>,
    number: number,
    seconds: number
  ): Effect.fn.Return<ReadonlyArray<Round>, BenchFailed> {
    const appends = yield* Effect.forEach(
      sites,
      ({ subject }) => workbench.measure(subject, { connections: 16, seconds })
    )
    const found = sites.map((): Array<Turn> => [])
    for (let index = 0; index < turns; index++) {
      for (const [at, site] of sites.entries()) found[at]!.push(yield* turn(site, number * turns + index))
    }
    return found.map((ofSite, at) => {
      const over = (name: typeof latencies[number]) => latency(ofSite.flatMap((turn) => turn[name]))
      return {
        append: appends[at]!,
        summaries: over("summaries"),
        pages: over("pages"),
        accepted: over("accepted"),
        deleted: over("deleted")
      }
    })
  }
)

const scenario = (options: {
  readonly seconds: number
  readonly rounds: number
  readonly events: number
  readonly bytes: number
}) =>
  Effect.fnUntraced(function*(workbench: Workbench) {
    const { bytes, events, rounds, seconds } = options
    yield* Progress.say(`filling a log of ${events} events and a small one`)
    const large = yield* prepare(workbench.server, Math.ceil(events / emitters), bytes)
    const small = yield* prepare(yield* BenchServer.start(), smallEvents, bytes)
    const found = { large: new Array<Round>(), small: new Array<Round>() }
    // The first round warms both up.
    for (let number = 0; number <= rounds; number++) {
      const names = number % 2 === 0 ? ["large", "small"] as const : ["small", "large"] as const
      const sites = names.map((name) => name === "large" ? large : small)
      const both = yield* round(workbench, sites, number, number === 0 ? Math.min(seconds, 3) : seconds)
      for (const [at, name] of names.entries()) {
        found[name].push(both[at]!)
        yield* Progress.say(
          `${number === 0 ? "warm-up" : `round ${number} of ${rounds}`}: ${name}: ` +
            `${Progress.figure(both[at]!.append.throughput)} appends/s`
        )
      }
    }
    return reportOf(found.large, found.small, { events, pagesAll: large.pagesAll })
  })

const reportOf = (
  allLarge: ReadonlyArray<Round>,
  allSmall: ReadonlyArray<Round>,
  facts: { readonly events: number; readonly pagesAll: boolean }
): Report => {
  const all = [...allLarge, ...allSmall]
  const [large, small] = [allLarge.slice(1), allSmall.slice(1)]
  const rate = (rounds: ReadonlyArray<Round>) => median(rounds.map(({ append }) => append.throughput))
  const of = (rounds: ReadonlyArray<Round>, name: typeof latencies[number]) =>
    medianLatency(rounds.map((round) => round[name]))
  const acks = (rounds: ReadonlyArray<Round>) => medianLatency(rounds.map(({ append }) => append.ack))
  const titles = {
    summaries: "event_summaries, last 100",
    pages: facts.pagesAll ? "page of 100 anywhere" : "page of summaries near the end",
    accepted: "delete: accepted",
    deleted: "delete: gone"
  }
  const rows = latencies.flatMap((name) => {
    const [l, s] = [of(large, name), of(small, name)]
    return [
      [`${titles[name]}, p50 ms`, l.p50Ms, s.p50Ms, l.p50Ms / s.p50Ms] as const,
      [`${titles[name]}, p99 ms`, l.p99Ms, s.p99Ms, l.p99Ms / s.p99Ms] as const
    ]
  })
  return {
    scenario: "history",
    throughput: rate(large),
    limit: rate(small),
    latency: acks(large),
    lost: all.reduce((sum, { append }) => sum + append.lost, 0),
    duplicates: all.reduce((sum, { append }) => sum + append.duplicates, 0),
    voids: [],
    tables: [{
      columns: ["", `${facts.events} events`, `${smallEvents} per emitter`, "ratio"],
      rows: [["appends/s", rate(large), rate(small), rate(small) / rate(large)], ...rows]
    }],
    figures: {
      events: facts.events,
      pages_whole_log: facts.pagesAll,
      ratios: {
        append: rounded(rate(small) / rate(large)),
        ...Object.fromEntries(latencies.flatMap((name) => {
          const [l, s] = [of(large, name), of(small, name)]
          return [
            [`${name}_p50`, rounded(l.p50Ms / s.p50Ms)],
            [`${name}_p99`, rounded(l.p99Ms / s.p99Ms)]
          ]
        }))
      }
    }
  }
}

/** A long log beside a short one. */
export const command = Command.make("history", {
  ...Scenario.flags,
  seconds: Scenario.seconds(5),
  rounds: Scenario.rounds(3),
  events: Flag.Int("events").pipe(
    Flag.withDescription("Events in the large log, over 10 emitters"),
    Flag.withDefault(5_000_000)
  ),
  bytes: Flag.Int("bytes").pipe(Flag.withDescription("Size of their payloads"), Flag.withDefault(250))
}, (flags) => Scenario.run(flags, scenario(flags))).pipe(
  Command.withDescription("Appends, reads and deletions with millions of events in the log, beside a small log")
)
