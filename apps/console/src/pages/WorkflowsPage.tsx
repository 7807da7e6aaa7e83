import { hrefOf } from "../api/Address.ts"
import { counted } from "../charts/Figures.ts"
import { harmless } from "../parts/Harmless.ts"
import { columnsOf, ProgramList } from "../parts/ProgramList.tsx"
import { lastRunOfWorkflow } from "../resources/Outcome.ts"
import * as Workflows from "../resources/Workflows.ts"

const columns = columnsOf<Workflows.ListedWorkflow>("workflow", { name: "Last run", read: lastRunOfWorkflow }, {
  name: "Steps",
  width: "minmax(8rem, 1fr)",
  cell: ({ steps }) => (
    <bdi title={counted(steps.length, "step")}>{harmless(steps.map(({ name }) => name).join(", "))}</bdi>
  ),
  isWideOnly: true
})

/** The list of workflows, which are programs of steps that run on events. */
export default () => (
  <ProgramList
    title="Workflows"
    kind="workflow"
    all={Workflows.all}
    columns={columns}
    none={
      <>
        <a href={hrefOf(["workflows", "new"])}>Make one</a>, and subscribe it to an emitter.
      </>
    }
  />
)
