import { Effect, type Scope } from "effect"
import type { BenchFailed } from "./BenchFailed.ts"
import * as BenchServer from "./BenchServer.ts"
import { load, type Loaded } from "./LoadCall.ts"
import * as ProcessTree from "./ProcessTree.ts"
import * as Program from "./Program.ts"
import { sink } from "./SinkCall.ts"
import * as Statistics from "./Statistics.ts"

/** Size of an event's body. */
export const bytes = 1_024

/** What load is put on. */
export interface Subject {
  /** Where events go, in turn. */
  readonly urls: ReadonlyArray<string>
  /** Waits until everything that was acknowledged is where it has to be, or nothing more comes. */
  readonly settle: (loaded: Loaded, from: number) => Effect.Effect<Settled, BenchFailed>
}

/** What became of the events of one piece. */
export interface Settled {
  /** Acknowledged, and not where it had to be. */
  readonly lost: number
  readonly duplicates: number
  /** When the last of them was where it had to be; none if that is not part of what is measured. */
  readonly endedAt?: number
  /** Milliseconds from an acknowledgement to a receipt of the event. */
  readonly receipts: ReadonlyArray<number>
  /** Milliseconds from when an event was due to be sent to a receipt of it. */
  readonly fromPost: ReadonlyArray<number>
}

/** How load is put on something. */
export interface Pressure {
  readonly connections: number
  /** Events a second; as many as are answered without it. */
  readonly rate?: number
  readonly seconds: number
  /** Ends it sooner, when so many are acknowledged. */
  readonly events?: number
}

/** What was sent. */
export interface Sent {
  readonly loaded: Loaded
  /** The number of the first event. */
  readonly from: number
}

/** One stretch of load and what came of it. */
export interface Piece {
  readonly acked: number
  readonly lost: number
  readonly duplicates: number
  readonly refused: Readonly<Record<string, number>>
  /** Events a second, from the first request to the last receipt, or the last acknowledgement where none is awaited. */
  readonly throughput: number
  readonly ack: Statistics.Latency
  /** From acknowledgement to receipt. */
  readonly receipt: Statistics.Latency
  /** From when an event was due to be sent to its receipt. */
  readonly fromPost: Statistics.Latency
  /** Microseconds of processor time an event, by who used them. */
  readonly cpu: Readonly<Record<string, number>>
  /** The same of the server alone, by the names of its threads. */
  readonly threads: Readonly<Record<string, number>>
}

/** A server, and what puts load on it and takes what it delivers, each in a process of its own. */
export interface Workbench {
  readonly server: BenchServer.BenchServer
  readonly sink: Program.Program
  /** Where the sink's targets are. */
  readonly sinkUrl: string
  /** The same over TLS. */
  readonly secureSinkUrl: string
  /** Sends events, which go to other numbers than all before. */
  readonly send: (
    urls: ReadonlyArray<string>,
    pressure: Pressure
  ) => Effect.Effect<Sent, BenchFailed>
  readonly measure: (subject: Subject, pressure: Pressure) => Effect.Effect<Piece, BenchFailed>
  /** Counts what this process uses, too, in every piece. */
  readonly watch: (name: string, pid: number) => void
}

export const make = (options: BenchServer.BenchServerOptions) => Effect.flatMap(BenchServer.start(options), beside)

/** One with a load and a sink of its own, of a server that there is. */
export const beside = Effect.fnUntraced(function*(
  server: BenchServer.BenchServer
): Effect.fn.Return<Workbench, BenchFailed, Scope.Scope> {
  const loader = yield* Program.start("Load.ts")
  const sinkProgram = yield* Program.start("Sink.ts")
  const watched = new Map([["load", loader.pid], ["sink", sinkProgram.pid]])
  let nextNumber = 0

  const cpu = () => {
    const { threads, ...processes } = server.usage()
    const spent: Readonly<Record<string, number>> = Object.fromEntries([
      ...Object.entries(processes).map(([name, { cpuMs }]) => [name, cpuMs]),
      ...[...watched].map(([name, pid]) => [name, ProcessTree.usageOf(pid).cpuMs])
    ])
    return { processes: spent, threads }
  }

  const begin = (from: number) => sinkProgram.ask(sink, { _tag: "Begin", from, bytes })
  const { secureUrl: secureSinkUrl, url: sinkUrl } = yield* begin(0)

  const send = Effect.fnUntraced(function*(urls: ReadonlyArray<string>, pressure: Pressure) {
    const from = nextNumber
    yield* begin(from)
    const loaded = yield* loader.ask(load, { urls, from, bytes, ...pressure })
    nextNumber += loaded.sentAt.length
    return { loaded, from }
  })

  return {
    server,
    sink: sinkProgram,
    sinkUrl,
    secureSinkUrl,
    send,
    watch: (name, pid) => watched.set(name, pid),
    measure: Effect.fnUntraced(function*(subject, pressure) {
      const before = cpu()
      const { from, loaded } = yield* send(subject.urls, pressure)
      const afterLoad = cpu()
      const settled = yield* subject.settle(loaded, from)
      const after = settled.endedAt === undefined ? afterLoad : cpu()
      const seconds = ((settled.endedAt ?? loaded.endedAt) - loaded.startedAt) / 1000
      return {
        acked: loaded.acked,
        lost: settled.lost,
        duplicates: settled.duplicates,
        refused: loaded.refused,
        throughput: loaded.acked / seconds,
        ack: Statistics.latency(acknowledgements(loaded)),
        receipt: Statistics.latency(settled.receipts),
        fromPost: Statistics.latency(settled.fromPost),
        cpu: microsEach(loaded.acked, before.processes, after.processes),
        threads: microsEach(loaded.acked, before.threads, after.threads)
      }
    })
  }
})

/** Processor time between two looks, in microseconds an event, without what has ended meanwhile. */
const microsEach = (
  events: number,
  before: Readonly<Record<string, number>>,
  after: Readonly<Record<string, number>>
): Readonly<Record<string, number>> =>
  Object.fromEntries(
    Object.entries(after).map(([name, ms]) => [name, Math.max(0, ms - (before[name] ?? 0)) * 1000 / events])
  )

const acknowledgements = ({ ackedAt, sentAt }: Loaded): ReadonlyArray<number> =>
  Array.from(ackedAt, (at, index) => at - sentAt[index]!).filter((_, index) => ackedAt[index] !== 0)
