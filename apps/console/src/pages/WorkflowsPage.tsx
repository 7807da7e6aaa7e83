import { hrefOf, visit } from "../api/Address.ts"
import { useLoading } from "../api/Loading.ts"
import { may } from "../api/Session.ts"
import { counted } from "../charts/Figures.ts"
import { isNarrow } from "../charts/Narrow.ts"
import { Empty } from "../parts/Empty.tsx"
import { harmless } from "../parts/Harmless.ts"
import { Activity, Health, stateOf } from "../parts/Health.tsx"
import type { RowColumn } from "../parts/PagedRows.tsx"
import { chosenProject, EmptyProject, ProjectFilter } from "../parts/ProjectFilter.tsx"
import { SearchedRows } from "../parts/SearchedRows.tsx"
import { Time } from "../parts/Time.tsx"
import { lastRunOfWorkflow } from "../resources/Outcome.ts"
import * as Workflows from "../resources/Workflows.ts"

const pollMs = 10_000

const columns: ReadonlyArray<RowColumn<Workflows.ListedWorkflow>> = [
  {
    name: "Name",
    width: "minmax(9rem, 1.5fr)",
    sortBy: ({ name }) => name.toLowerCase(),
    cell: ({ id, name }) => (
      <a tabIndex={-1} href={hrefOf(["workflows", id])}>
        <bdi>{harmless(name)}</bdi>
      </a>
    )
  },
  { name: "State", width: "5.5rem", sortBy: stateOf, cell: (program) => <Activity of={program} /> },
  { name: "Last run", width: "11rem", cell: ({ id }) => <Health id={id} read={lastRunOfWorkflow} /> },
  {
    name: "Changed",
    width: "8.5rem",
    sortBy: ({ updated_at }) => updated_at,
    cell: ({ updated_at }) => <Time ms={updated_at * 1_000} />,
    isWideOnly: true
  },
  {
    name: "Steps",
    width: "minmax(8rem, 1fr)",
    cell: ({ steps }) => (
      <bdi title={counted(steps.length, "step")}>{harmless(steps.map(({ name }) => name).join(", "))}</bdi>
    )
  }
]

/** The columns for which a narrow page has room. */
const narrowColumns = columns.filter(({ name }) => ["Name", "State", "Last run"].includes(name))

/** The list of workflows, which are programs of steps that run on events. */
export default () => {
  const project = chosenProject()
  const workflows = useLoading(`workflows ${project}`, (signal) => Workflows.all(project, signal), { everyMs: pollMs })
  return (
    <div class="page is-list">
      <div class="page-head">
        <h1>Workflows</h1>
        <span class="grow" />
        {may("write") ? <a class="button main" href={hrefOf(["workflows", "new"])}>New workflow</a> : null}
      </div>
      <SearchedRows
        loading={workflows}
        noun={["workflow", "workflows"]}
        label="Name, slug or id"
        textsOf={({ id, name, name_slug }) => [id, name, name_slug]}
        columns={isNarrow.value ? narrowColumns : columns}
        onOpen={({ id }) => visit(hrefOf(["workflows", id]))}
        filters={<ProjectFilter />}
        empty={project === "" ?
          (
            <Empty what="There are no workflows yet.">
              <p>
                <a href={hrefOf(["workflows", "new"])}>Make one</a>, and subscribe it to an emitter.
              </p>
            </Empty>
          ) :
          <EmptyProject many="workflows" />}
      />
    </div>
  )
}
