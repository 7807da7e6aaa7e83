import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import * as CellTable from "../CellTable.ts"
import * as Deployment from "../Deployment.ts"
import * as Receipts from "../Receipts.ts"
import type { Report } from "../Report.ts"
import * as Rounds from "../Rounds.ts"
import * as Scenario from "../Scenario.ts"
import type { Subject, Workbench } from "../Workbench.ts"

const component = `
export default {
  name: "Bench source",
  props: { http: "$.interface.http" },
  async run(event) {
    this.$emit(event.body)
  }
}`

const workflow = `
export default {
  name: "Bench workflow",
  props: { http: "$.interface.http" },
  async run({ steps, $ }) {
    $.emit(steps.trigger.event.body)
  }
}`

/** What emits each request to one webhook. */
const deploy = Effect.fnUntraced(function*(
  { server, sink, sinkUrl }: Workbench,
  target: string,
  deployed: ReadonlyArray<Deployment.DeployedSource>
) {
  const webhook = yield* Deployment.webhook(server, `${sinkUrl}/at-once/${target}`)
  yield* Deployment.subscribeAll(server, deployed, [webhook])
  const subject: Subject = {
    urls: deployed.map(({ endpoint }) => endpoint),
    settle: (loaded) => Receipts.settle(sink, [target], () => [target], loaded)
  }
  return subject
})

const scenario = (options: { readonly seconds: number; readonly rounds: number; readonly sources: number }) =>
  Effect.fnUntraced(function*(workbench: Workbench) {
    const { rounds, seconds, sources } = options
    const { server } = workbench
    const pressure = { connections: 64, seconds }
    const [limit, throughput] = yield* Rounds.interleave(
      workbench,
      [
        {
          name: `${sources} sources`,
          subject: yield* deploy(workbench, "sources", yield* Deployment.sources(server, component, sources)),
          pressure
        },
        {
          name: `${sources} workflows`,
          subject: yield* deploy(workbench, "workflows", yield* Deployment.workflows(server, workflow, sources)),
          pressure
        }
      ],
      { rounds, warmUp: true }
    )
    const measured = [limit!, throughput!]
    const report: Report = {
      scenario: "workflow",
      throughput: Rounds.throughputOf(throughput!),
      limit: Rounds.throughputOf(limit!),
      latency: Rounds.receiptOf(throughput!),
      lost: Rounds.lostOf(measured),
      duplicates: Rounds.duplicatesOf(measured),
      voids: [],
      tables: [CellTable.table(measured)],
      figures: { cells: CellTable.json(measured) }
    }
    return report
  })

/** A workflow of one step that emits, beside a source that does the same. */
export const command = Command.make("workflow", {
  ...Scenario.flags,
  seconds: Scenario.seconds(5),
  rounds: Scenario.rounds(3),
  sources: Flag.Int("sources").pipe(
    Flag.withDescription("How many workflows, and as many sources"),
    Flag.withDefault(100)
  )
}, (flags) => Scenario.run(flags, scenario(flags))).pipe(
  Command.withDescription("POST 1 KB to workflows of one step that emit it, until it is received; the limit is sources")
)
