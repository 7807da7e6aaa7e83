import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import * as TestCertificate from "@headwater/fixtures/TestCertificate"
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import * as CellTable from "../CellTable.ts"
import * as Deployment from "../Deployment.ts"
import * as Names from "../Names.ts"
import * as Receipts from "../Receipts.ts"
import * as ReferenceRun from "../ReferenceRun.ts"
import type { Report, Table } from "../Report.ts"
import * as Rounds from "../Rounds.ts"
import * as Scenario from "../Scenario.ts"
import { median, rounded } from "../Statistics.ts"
import type * as Workbench from "../Workbench.ts"

const code = `
export default {
  name: "Bench pipeline",
  props: { http: "$.interface.http" },
  async run(event) {
    this.$emit(event.body)
  }
}`

/** Sources whose events all go to the same webhooks, as many as the fan-out. */
export const deploy = Effect.fnUntraced(
  function*({ server, sink, sinkUrl }: Workbench.Workbench, sources: number, fanOut: number) {
    const targets = Array.from({ length: fanOut }, (_, index) => `${sources}-${fanOut}-${index + 1}`)
    const deployed = yield* Deployment.sources(server, code, sources)
    const webhooks = yield* Effect.forEach(
      targets,
      (target) => Deployment.webhook(server, `${sinkUrl}/at-once/${target}`)
    )
    yield* Deployment.subscribeAll(server, deployed, webhooks)
    const subject: Workbench.Subject = {
      urls: deployed.map(({ endpoint }) => endpoint),
      settle: (loaded) => Receipts.settle(sink, targets, () => targets, loaded)
    }
    return subject
  }
)

/**
 * How many events a second one process would bring if nothing but processor time bounded it: its main thread has one
 * core, and the server, its Postgres and its sandboxes share all of them.
 */
const onPaper = ({ pieces }: Rounds.Measured): Table => {
  const each = (micros: (piece: Workbench.Piece) => number) => 1_000_000 / median(pieces.map(micros))
  const ofMain = each(({ threads }) => threads["main"] ?? 0)
  const ofCore = each(({ cpu }) => (cpu["server"] ?? 0) + (cpu["postgres"] ?? 0) + (cpu["sandboxes"] ?? 0))
  return {
    columns: ["on paper", "events/s of the main thread", "events/s of all cores", "events/s"],
    rows: [4, 8, 16].map((cores) => {
      const figures = [ofMain, ofCore * cores].map(Math.round) as [number, number]
      return [`${cores} cores`, ...figures, Math.min(...figures)] as const
    })
  }
}

/** How many seconds of ten events each make the calm latencies. */
const calm = { rate: 10, connections: 16, seconds: 30 }

const scenario = (options: {
  readonly seconds: number
  readonly rounds: number
  readonly sources: number
  readonly brief: boolean
  readonly connections: number
  readonly byName: boolean
  readonly tls: boolean
}) =>
  Effect.fnUntraced(function*(plain: Workbench.Workbench) {
    const { byName, connections, rounds, seconds, sources, tls } = options
    const workbench = tls ? { ...plain, sinkUrl: plain.secureSinkUrl } : plain
    const reference = yield* ReferenceRun.make(workbench)
    // The reference has no resolver: it stays what it is.
    const named = byName ? { ...workbench, sinkUrl: Names.named(workbench.sinkUrl) } : workbench
    const many = yield* deploy(named, sources, 1)
    const pressure = { connections, seconds }

    const main = [
      { name: `reference, ${connections} connections`, subject: reference.deliver("durable", 1), pressure },
      { name: `${sources} sources, ${connections} connections`, subject: many, pressure }
    ]
    const before = yield* reference.insertsAlone(seconds)
    const [limit, throughput, ...rest] = yield* Rounds.interleave(
      workbench,
      options.brief ? main : [
        ...main,
        { name: `1 source, ${connections} connections`, subject: yield* deploy(named, 1, 1), pressure },
        { name: "reference, 16 connections", subject: main[0]!.subject, pressure: { ...pressure, connections: 16 } },
        { name: `${sources} sources, 16 connections`, subject: many, pressure: { ...pressure, connections: 16 } },
        { name: "reference, fan-out 10", subject: reference.deliver("durable", 10), pressure },
        { name: `${sources} sources, fan-out 10`, subject: yield* deploy(named, sources, 10), pressure },
        { name: "1 source, fan-out 10", subject: yield* deploy(named, 1, 10), pressure },
        { name: `in memory, ${connections} connections`, subject: reference.deliver("memory", 1), pressure }
      ],
      { rounds, warmUp: true }
    )
    const inserts = median([before, yield* reference.insertsAlone(seconds)])
    const atTen = yield* Rounds.interleave(
      workbench,
      [
        { name: "reference, 10 a second", subject: main[0]!.subject, pressure: calm },
        { name: `${sources} sources, 10 a second`, subject: many, pressure: calm }
      ].map((cell) => options.brief ? { ...cell, pressure: { ...calm, seconds } } : cell),
      { rounds: 1, warmUp: false }
    )
    const measured = [limit!, throughput!, ...rest, ...atTen]
    const report: Report = {
      scenario: "pipeline",
      throughput: Rounds.throughputOf(throughput!),
      limit: Rounds.throughputOf(limit!),
      latency: Rounds.receiptOf(atTen[1]!),
      lost: Rounds.lostOf(measured),
      duplicates: Rounds.duplicatesOf(measured),
      voids: ReferenceRun.voids(Rounds.throughputOf(limit!), inserts),
      tables: [
        CellTable.table(measured),
        CellTable.threadTable(measured),
        onPaper(throughput!),
        ReferenceRun.insertsTable(inserts)
      ],
      figures: { inserts_alone: rounded(inserts), cells: CellTable.json(measured) }
    }
    return report
  })

/** The setting with which a server trusts the certificate of the sink. */
const trusting = Effect.gen(function*() {
  const file = Path.join(yield* TemporaryDirectory.make("bench-authority"), "authority.pem")
  yield* Effect.promise(() => Fs.writeFile(file, TestCertificate.authority))
  return { HEADWATER_EXTRA_CA: file }
})

/** POST, run, emit, append, deliver. */
export const command = Command.make("pipeline", {
  ...Scenario.flags,
  seconds: Scenario.seconds(5),
  rounds: Scenario.rounds(3),
  sources: Flag.Int("sources").pipe(Flag.withDescription("What stands for many sources"), Flag.withDefault(100)),
  brief: Flag.Boolean("brief").pipe(
    Flag.withDescription("Only what the ratio is made of: fan-out 1, 64 connections, many sources"),
    Flag.withDefault(false)
  ),
  connections: Scenario.connections,
  byName: Flag.Boolean("by-name").pipe(
    Flag.withDescription("The webhooks' URLs have a host name, which the server looks up"),
    Flag.withDefault(false)
  ),
  tls: Flag.Boolean("tls").pipe(
    Flag.withDescription("The webhooks' URLs, and where the reference delivers to, are https"),
    Flag.withDefault(false)
  ),
  databaseDelay: Scenario.databaseDelay
}, (flags) =>
  Effect.scoped(Effect.gen(function*() {
    const environment = {
      ...(flags.byName ? yield* Names.environment : {}),
      ...(flags.tls ? yield* trusting : {})
    }
    const databaseDelay = Option.getOrUndefined(flags.databaseDelay)
    return yield* Scenario.run(flags, scenario(flags), { environment, databaseDelay })
  }))).pipe(
    Command.withDescription("POST 1 KB, run code that emits it, deliver it to a webhook, until it is received")
  )
