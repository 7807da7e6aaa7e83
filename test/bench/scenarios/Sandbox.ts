import { hashOf, realSandbox } from "@headwater/fixtures/RealSandbox"
import { Sandbox } from "@headwater/sandbox/Sandbox"
import { SandboxPool } from "@headwater/sandbox/SandboxPool"
import { Effect } from "effect"
import { Command } from "effect/cli"
import * as BareDeno from "../BareDeno.ts"
import { BenchFailed } from "../BenchFailed.ts"
import * as MonotonicClock from "../MonotonicClock.ts"
import * as ProcessTree from "../ProcessTree.ts"
import type { Report } from "../Report.ts"
import * as Scenario from "../Scenario.ts"
import * as Statistics from "../Statistics.ts"

const firstRuns = 20
const sequentialRuns = 2_000
const concurrentRuns = 32
const accounts = 2

/** Time for the pool to have a warm process again, in milliseconds. */
const refillMillis = 700

/** A module of its own each time, as one that was just deployed. */
const codeOf = (number: number) =>
  `export default {
  props: { http: "$.interface.http" },
  run(event) { this.$emit({ seq: event.body.seq, of: ${number} }) }
}`

const run = Effect.fnUntraced(function*(accountId: string, number: number) {
  const code = codeOf(number)
  const sandbox = yield* Sandbox
  const result = yield* sandbox.run({
    accountId,
    programId: "dc_bench",
    module: { code, hash: hashOf(code) },
    call: { _tag: "Run", eventsJson: [`{"body":{"seq":1}}`] },
    props: {},
    interfaces: {},
    credentials: {},
    db: {}
  })
  if (result.emits.length !== 1) return yield* new BenchFailed({ message: "a run did not emit" })
})

/** How long it takes, in milliseconds. */
const timed = <E, R>(effect: Effect.Effect<void, E, R>): Effect.Effect<number, E, R> =>
  Effect.suspend(() => {
    const from = MonotonicClock.now()
    return Effect.map(effect, () => MonotonicClock.now() - from)
  })

const sequential = <E, R>(effect: Effect.Effect<void, E, R>, times: number) =>
  Effect.map(Effect.replicateEffect(timed(effect), times), Statistics.latency)

/** How many a second, with so many at once for so long. */
const throughput = <E, R>(seconds: number, effects: ReadonlyArray<Effect.Effect<void, E, R>>) =>
  Effect.gen(function*() {
    const from = MonotonicClock.now()
    let done = 0
    const repeat = (effect: Effect.Effect<void, E, R>) =>
      Effect.tap(effect, () => Effect.sync(() => done++)).pipe(
        Effect.repeat({ while: () => MonotonicClock.now() - from < seconds * 1_000 })
      )
    yield* Effect.forEach(effects, repeat, { concurrency: "unbounded", discard: true })
    return done * 1_000 / (MonotonicClock.now() - from)
  })

const spread = <A>(items: ReadonlyArray<A>): ReadonlyArray<A> =>
  Array.from({ length: concurrentRuns }, (_, index) => items[index % items.length]!)

const measureSandbox = Effect.fnUntraced(function*(seconds: number) {
  const first = yield* Effect.forEach(
    Array.from({ length: firstRuns }, (_, index) => index),
    (index) => Effect.andThen(Effect.sleep(refillMillis), timed(run(`u_first${index}`, index)))
  )
  const names = Array.from({ length: accounts }, (_, index) => `u_warm${index}`)
  yield* Effect.forEach(names, (name) => sequential(run(name, -1), 200), { discard: true })
  const warm = yield* sequential(run(names[0]!, -1), sequentialRuns)
  const rate = yield* throughput(seconds, spread(names.map((name) => run(name, -1))))
  const pool = yield* SandboxPool
  const used = (yield* pool.processes).filter(({ accountId }) => names.includes(accountId ?? ""))
  const memory = Statistics.median(used.map(({ pid }) => ProcessTree.usageOf(pid ?? 0).residentMebibytes))
  return { first: Statistics.latency(first), warm, rate, memory, processes: used.length }
})

const measureBare = Effect.fnUntraced(function*(seconds: number) {
  const startMs = Statistics.median(
    yield* Effect.replicateEffect(Effect.scoped(timed(Effect.flatMap(BareDeno.start, ({ ask }) => ask))), 5)
  )
  const bare = yield* Effect.replicateEffect(BareDeno.start, accounts)
  yield* Effect.forEach(bare, ({ ask }) => sequential(ask, 200), { discard: true })
  const warm = yield* sequential(bare[0]!.ask, sequentialRuns)
  const rate = yield* throughput(seconds, spread(bare.map(({ ask }) => ask)))
  const memory = Statistics.median(bare.map(({ pid }) => ProcessTree.usageOf(pid).residentMebibytes))
  return { startMs, warm, rate, memory, processes: accounts }
})

const scenario = ({ seconds }: { readonly seconds: number }) =>
  Effect.fnUntraced(function*() {
    const bare = yield* Effect.scoped(measureBare(seconds))
    const sandbox = yield* Effect.scoped(
      measureSandbox(seconds).pipe(
        Effect.provide(realSandbox()),
        Effect.mapError((error) => new BenchFailed({ message: error.message }))
      )
    )
    const { rounded } = Statistics
    const report: Report = {
      scenario: "sandbox",
      throughput: sandbox.rate,
      limit: bare.rate,
      latency: sandbox.warm,
      lost: 0,
      duplicates: 0,
      voids: [],
      tables: [{
        columns: ["", "first run p50 ms", "p99", "warm run p50 ms", "p99", "runs/s", "processes", "MiB each"],
        rows: [
          ["sandbox", sandbox.first.p50Ms, sandbox.first.p99Ms, ...figuresOf(sandbox)],
          ["bare Deno that echoes, started for it", bare.startMs, null, ...figuresOf(bare)]
        ]
      }],
      figures: {
        first_run_p50_ms: rounded(sandbox.first.p50Ms),
        first_run_p99_ms: rounded(sandbox.first.p99Ms),
        overhead_p50_ms: rounded(sandbox.warm.p50Ms),
        bare_p50_ms: rounded(bare.warm.p50Ms),
        process_mib: rounded(sandbox.memory),
        bare_process_mib: rounded(bare.memory)
      }
    }
    return report
  })

const figuresOf = (
  { memory, processes, rate, warm }: {
    readonly memory: number
    readonly processes: number
    readonly rate: number
    readonly warm: Statistics.Latency
  }
) => [warm.p50Ms, warm.p99Ms, rate, processes, memory] as const

/** A run of code that does next to nothing. */
export const command = Command.make(
  "sandbox",
  { ...Scenario.flags, seconds: Scenario.seconds(10) },
  (flags) => Scenario.run(flags, scenario(flags))
).pipe(
  Command.withDescription("Run trivial components: the first run of each, warm runs, and as many as there can be")
)
