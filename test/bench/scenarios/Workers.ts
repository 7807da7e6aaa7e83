import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import * as WorkerProcesses from "../../WorkerProcesses.ts"
import * as CellTable from "../CellTable.ts"
import type { Report, Table } from "../Report.ts"
import * as Rounds from "../Rounds.ts"
import * as Scenario from "../Scenario.ts"
import { median, rounded } from "../Statistics.ts"
import * as TwoNodes from "../TwoNodes.ts"
import * as Workbench from "../Workbench.ts"
import { deploy } from "./Pipeline.ts"

/** Long enough for two processes to have shared out the actors between them. */
const settling = "3 seconds"

/** Microseconds of processor time an event. */
const cpuOf = ({ pieces }: Rounds.Measured, name: string): number => median(pieces.map(({ cpu }) => cpu[name] ?? 0))

/** What a machine would do if nothing but processor time bounded it: half of its cores for workers, half for the rest. */
const onPaper = (two: Rounds.Measured): Table => {
  const each = 1_000_000 / cpuOf(two, "server")
  const others = 1_000_000 / (cpuOf(two, "postgres") + cpuOf(two, "sandboxes"))
  return {
    columns: ["on paper", "workers", "events/s of the workers", "events/s of Postgres and sandboxes", "events/s"],
    rows: [4, 8, 16].map((cores) => {
      const half = cores / 2
      const figures = [each * half, others * half].map(Math.round) as [number, number]
      return [`${cores} cores`, half, ...figures, Math.min(...figures)] as const
    })
  }
}

const scenario = (options: {
  readonly seconds: number
  readonly rounds: number
  readonly sources: number
  readonly connections: number
}) =>
  Effect.fnUntraced(function*(alone: Workbench.Workbench) {
    const { connections, rounds, seconds, sources } = options
    const ofWorkers = yield* Workbench.make({ environment: { HEADWATER_WORKERS: "2" } })
    const [node, other] = yield* TwoNodes.start
    const ofNodes = yield* Workbench.beside(node)
    ofNodes.watch("node 2", other.pid())
    yield* Effect.sleep(settling)
    for (const { number, pid } of yield* WorkerProcesses.of(ofWorkers.server.pid())) {
      ofWorkers.watch(`worker ${number}`, pid)
    }

    const pressure = { connections, seconds }
    const subject = yield* deploy(ofNodes, sources, 1)
    const origins = [node.url, other.url]
    const both = {
      ...subject,
      urls: subject.urls.map((url, index) => origins[index % 2]! + new URL(url).pathname)
    }
    const cells: ReadonlyArray<readonly [Workbench.Workbench, Rounds.Cell]> = [
      [alone, { name: "1 worker", subject: yield* deploy(alone, sources, 1), pressure }],
      [ofWorkers, { name: "2 workers", subject: yield* deploy(ofWorkers, sources, 1), pressure }],
      [ofNodes, { name: "2 nodes", subject: both, pressure }]
    ]
    const warm = new Map<Rounds.Cell, Rounds.Measured>()
    for (const [workbench, cell] of cells) {
      warm.set(cell, (yield* Rounds.interleave(workbench, [cell], { rounds: 0, warmUp: true }))[0]!)
    }
    const pieces = new Map<Rounds.Cell, Array<Workbench.Piece>>(cells.map(([, cell]) => [cell, []]))
    for (let round = 0; round < rounds; round++) {
      for (const [workbench, cell] of cells) {
        const [once] = yield* Rounds.interleave(workbench, [cell], { rounds: 1, warmUp: false })
        pieces.get(cell)!.push(...once!.pieces)
      }
    }
    const all = cells.map(([, cell]): Rounds.Measured => ({ ...warm.get(cell)!, pieces: pieces.get(cell)! }))
    const [one, two, nodes] = [all[0]!, all[1]!, all[2]!]
    const nodesCpu = cpuOf(nodes, "server") + cpuOf(nodes, "node 2")
    const report: Report = {
      scenario: "workers",
      throughput: Rounds.throughputOf(two),
      limit: Rounds.throughputOf(one),
      latency: Rounds.receiptOf(two),
      lost: Rounds.lostOf(all),
      duplicates: Rounds.duplicatesOf(all),
      voids: [],
      tables: [CellTable.table(all), onPaper(two)],
      figures: {
        cells: CellTable.json(all),
        server_cpu_two_workers: rounded(cpuOf(two, "server") / cpuOf(one, "server")),
        server_cpu_two_nodes: rounded(nodesCpu / cpuOf(one, "server"))
      }
    }
    return report
  })

/** The same events through one worker, two, and two nodes. */
export const command = Command.make("workers", {
  ...Scenario.flags,
  seconds: Scenario.seconds(5),
  rounds: Scenario.rounds(3),
  sources: Flag.Int("sources").pipe(
    Flag.withDescription("Sources that the events go to in turn"),
    Flag.withDefault(100)
  ),
  connections: Scenario.connections
}, (flags) => Scenario.run(flags, scenario(flags))).pipe(
  Command.withDescription(
    "The work of the pipeline on one worker, two workers and two nodes, and what each process takes"
  )
)
