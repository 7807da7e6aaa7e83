import { Effect, Option } from "effect"
import { Command } from "effect/cli"
import type { BenchServer } from "../BenchServer.ts"
import * as CellTable from "../CellTable.ts"
import * as Deployment from "../Deployment.ts"
import * as LogReader from "../LogReader.ts"
import * as ReferenceRun from "../ReferenceRun.ts"
import type { Report } from "../Report.ts"
import * as Rounds from "../Rounds.ts"
import * as Scenario from "../Scenario.ts"
import { median, rounded } from "../Statistics.ts"
import type { Subject, Workbench } from "../Workbench.ts"

/** Emits what tells that a request was taken from the log and run, so that none can be missed. */
const code = `
export default {
  name: "Bench ingest",
  props: { http: "$.interface.http" },
  async run(event) {
    this.$emit({ seq: event.body.seq })
  }
}`

/** So many sources to post to. */
const deploy = Effect.fnUntraced(function*(server: BenchServer, sources: number) {
  const deployed = yield* Deployment.sources(server, code, sources)
  const { settle } = yield* LogReader.make(server, deployed.map(({ id }) => id))
  const subject: Subject = { urls: deployed.map(({ endpoint }) => endpoint), settle }
  return subject
})

const scenario = (options: { readonly seconds: number; readonly rounds: number; readonly connections: number }) =>
  Effect.fnUntraced(function*(workbench: Workbench) {
    const { connections, rounds, seconds } = options
    const reference = yield* ReferenceRun.make(workbench)
    const over100 = yield* deploy(workbench.server, 100)
    const pressure = { connections, seconds }
    const durable = reference.ack("durable")

    const before = yield* reference.insertsAlone(seconds)
    const saturated = yield* Rounds.interleave(workbench, [
      { name: "reference", subject: durable, pressure },
      { name: "100 sources", subject: over100, pressure },
      { name: "1 source", subject: yield* deploy(workbench.server, 1), pressure },
      { name: "in memory", subject: reference.ack("memory"), pressure }
    ], { rounds, warmUp: true })
    const [limit, throughput] = saturated
    const inserts = median([before, yield* reference.insertsAlone(seconds)])
    const half = (measured: Rounds.Measured) => ({ ...pressure, rate: Rounds.throughputOf(measured) / 2 })
    const atHalf = yield* Rounds.interleave(workbench, [
      { name: "reference, half its rate", subject: durable, pressure: half(limit!) },
      { name: "100 sources, half their rate", subject: over100, pressure: half(throughput!) }
    ], { rounds, warmUp: false })
    const measured = [...saturated, ...atHalf]
    const report: Report = {
      scenario: "ingest",
      throughput: Rounds.throughputOf(throughput!),
      limit: Rounds.throughputOf(limit!),
      latency: Rounds.ackOf(atHalf[1]!),
      lost: Rounds.lostOf(measured),
      duplicates: Rounds.duplicatesOf(measured),
      voids: ReferenceRun.voids(Rounds.throughputOf(limit!), inserts),
      tables: [CellTable.table(measured), ReferenceRun.insertsTable(inserts)],
      figures: { inserts_alone: rounded(inserts), cells: CellTable.json(measured) }
    }
    return report
  })

/** POST until it is durable. */
export const command = Command.make("ingest", {
  ...Scenario.flags,
  seconds: Scenario.seconds(5),
  rounds: Scenario.rounds(3),
  connections: Scenario.connections,
  databaseDelay: Scenario.databaseDelay
}, (flags) => Scenario.run(flags, scenario(flags), { databaseDelay: Option.getOrUndefined(flags.databaseDelay) })).pipe(
  Command.withDescription("POST 1 KB to sources, until it is acknowledged")
)
