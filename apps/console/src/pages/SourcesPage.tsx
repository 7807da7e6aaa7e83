import { hrefOf, visit } from "../api/Address.ts"
import { useLoading } from "../api/Loading.ts"
import { may } from "../api/Session.ts"
import { isNarrow } from "../charts/Narrow.ts"
import { Empty } from "../parts/Empty.tsx"
import { harmless } from "../parts/Harmless.ts"
import { Activity, Health, stateOf } from "../parts/Health.tsx"
import type { RowColumn } from "../parts/PagedRows.tsx"
import { chosenProject, EmptyProject, ProjectFilter } from "../parts/ProjectFilter.tsx"
import { SearchedRows } from "../parts/SearchedRows.tsx"
import { Time } from "../parts/Time.tsx"
import { lastRunOfSource } from "../resources/Outcome.ts"
import * as Sources from "../resources/Sources.ts"

const pollMs = 10_000

const columns: ReadonlyArray<RowColumn<Sources.ListedSource>> = [
  {
    name: "Name",
    width: "minmax(9rem, 1.5fr)",
    sortBy: ({ name }) => name.toLowerCase(),
    cell: ({ id, name }) => (
      <a tabIndex={-1} href={hrefOf(["sources", id])}>
        <bdi>{harmless(name)}</bdi>
      </a>
    )
  },
  { name: "State", width: "5.5rem", sortBy: stateOf, cell: (program) => <Activity of={program} /> },
  { name: "Last activity", width: "11rem", cell: ({ id }) => <Health id={id} read={lastRunOfSource} /> },
  {
    name: "Changed",
    width: "8.5rem",
    sortBy: ({ updated_at }) => updated_at,
    cell: ({ updated_at }) => <Time ms={updated_at * 1_000} />,
    isWideOnly: true
  },
  { name: "Id", width: "minmax(12rem, 1fr)", cell: ({ id }) => <code>{id}</code> }
]

/** The columns for which a narrow page has room. */
const narrowColumns = columns.filter(({ name }) => ["Name", "State", "Last activity"].includes(name))

/** The list of sources, which take events in and run code over them. */
export default () => {
  const project = chosenProject()
  const sources = useLoading(`sources ${project}`, (signal) => Sources.all(project, signal), { everyMs: pollMs })
  return (
    <div class="page is-list">
      <div class="page-head">
        <h1>Sources</h1>
        <span class="grow" />
        {may("write") ? <a class="button" href={hrefOf(["registry"])}>New from the registry …</a> : null}
        {may("write") ? <a class="button main" href={hrefOf(["sources", "new"])}>New source</a> : null}
      </div>
      <SearchedRows
        loading={sources}
        noun={["source", "sources"]}
        label="Name, slug or id"
        textsOf={({ id, name, name_slug }) => [id, name, name_slug]}
        columns={isNarrow.value ? narrowColumns : columns}
        onOpen={({ id }) => visit(hrefOf(["sources", id]))}
        filters={<ProjectFilter />}
        empty={project === "" ?
          (
            <Empty what="There are no sources yet.">
              <p>
                Make one of a component of <a href={hrefOf(["registry"])}>the registry</a>, or{" "}
                <a href={hrefOf(["sources", "new"])}>with your own code</a>.
              </p>
            </Empty>
          ) :
          <EmptyProject many="sources" />}
      />
    </div>
  )
}
