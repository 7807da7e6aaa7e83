import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import * as CellTable from "../CellTable.ts"
import * as PeerRun from "../peers/PeerRun.ts"
import * as ReferenceRun from "../ReferenceRun.ts"
import type { Report } from "../Report.ts"
import * as Rounds from "../Rounds.ts"
import * as Scenario from "../Scenario.ts"
import { rounded } from "../Statistics.ts"
import type { Workbench } from "../Workbench.ts"
import * as Pipeline from "./Pipeline.ts"

/** What each does with few events, whose latency is that of one who waits in no line. */
const calm = { rate: 10, connections: 16 }

const headwatersOwn = "request in the log; the settings of Postgres above"
const referencesOwn = "row and outbox row committed; the settings of Postgres above"

const scenario = (options: {
  readonly seconds: number
  readonly rounds: number
  readonly sources: number
  readonly connections: number
}) =>
  Effect.fnUntraced(function*(workbench: Workbench) {
    const { connections, rounds, seconds, sources } = options
    const reference = yield* ReferenceRun.make(workbench)
    const peers = yield* PeerRun.startAll(workbench)
    const subjects = [
      { name: "reference", subject: reference.deliver("durable", 1) },
      { name: `Headwater, ${sources} sources`, subject: yield* Pipeline.deploy(workbench, sources, 1) },
      { name: "Headwater, 1 source", subject: yield* Pipeline.deploy(workbench, 1, 1) },
      ...peers
    ]
    const inserts = yield* reference.insertsAlone(seconds)
    const saturated = yield* Rounds.interleave(
      workbench,
      subjects.map(({ name, subject }) => ({ name, subject, pressure: { connections, seconds } })),
      { rounds, warmUp: true }
    )
    const atTen = yield* Rounds.interleave(
      workbench,
      subjects.map(({ name, subject }) => ({
        name: `${name}, 10 a second`,
        subject,
        pressure: { ...calm, seconds: Math.max(seconds, 10) }
      })),
      { rounds: 1, warmUp: false }
    )
    const measured = [...saturated, ...atTen]
    const limit = Rounds.throughputOf(saturated[0]!)
    const report: Report = {
      scenario: "peers",
      throughput: Rounds.throughputOf(saturated[1]!),
      limit,
      latency: Rounds.fromPostOf(atTen[1]!),
      lost: Rounds.lostOf(measured),
      duplicates: Rounds.duplicatesOf(measured),
      voids: ReferenceRun.voids(limit, inserts),
      tables: [CellTable.table(measured), ReferenceRun.insertsTable(inserts), {
        columns: ["", "version", "acknowledged when", "set to"],
        rows: [
          ["reference", null, referencesOwn, null],
          ["Headwater", null, headwatersOwn, "its defaults"],
          ...peers.map(({ durability, name, settings, version }) => [name, version, durability, settings] as const)
        ]
      }],
      figures: {
        inserts_alone: rounded(inserts),
        cells: CellTable.json(measured),
        peers: Object.fromEntries(
          peers.map(({ durability, name, settings, version }) => [name, { version, durability, settings }])
        )
      }
    }
    return report
  })

/** The same work done by job queues that a user would take instead. */
export const command = Command.make("peers", {
  ...Scenario.flags,
  seconds: Scenario.seconds(5),
  rounds: Scenario.rounds(3),
  sources: Flag.Int("sources").pipe(Flag.withDescription("What stands for many sources"), Flag.withDefault(100)),
  connections: Scenario.connections,
  databaseDelay: Scenario.databaseDelay
}, (flags) => Scenario.run(flags, scenario(flags), { databaseDelay: Option.getOrUndefined(flags.databaseDelay) })).pipe(
  Command.withDescription(
    "pipeline beside pg-boss, graphile-worker and, where there is a redis-server, BullMQ, which npm installs for the run"
  )
)
