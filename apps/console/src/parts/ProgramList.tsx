import type { ComponentChildren } from "preact"
import { useMemo } from "preact/hooks"
import { hrefOf, visit } from "../api/Address.ts"
import { useLoading } from "../api/Loading.ts"
import { may } from "../api/Session.ts"
import type { WholeList } from "../api/WholeList.ts"
import { isNarrow } from "../charts/Narrow.ts"
import type { Kind } from "../resources/NewProgram.ts"
import type { LastRun } from "../resources/Outcome.ts"
import type { ListedSource } from "../resources/Sources.ts"
import { Empty } from "./Empty.tsx"
import { harmless } from "./Harmless.ts"
import { Activity, Health, stateOf } from "./Health.tsx"
import { fitting, type RowColumn } from "./PagedRows.tsx"
import { chosenProject, EmptyProject, ProjectFilter } from "./ProjectFilter.tsx"
import { SearchedRows } from "./SearchedRows.tsx"
import { Time } from "./Time.tsx"

const pollMs = 10_000

/** The columns of a list of sources or workflows: those that both have, and its own last one. */
export const columnsOf = <Item extends ListedSource>(
  kind: Kind,
  run: { readonly name: string; readonly read: (id: string, signal: AbortSignal) => Promise<LastRun | undefined> },
  last: RowColumn<Item>
): ReadonlyArray<RowColumn<Item>> => [
  {
    name: "Name",
    width: "minmax(9rem, 1.5fr)",
    sortBy: ({ name }) => name.toLowerCase(),
    cell: ({ id, name }) => (
      <a tabIndex={-1} href={hrefOf([`${kind}s`, id])}>
        <bdi>{harmless(name)}</bdi>
      </a>
    )
  },
  { name: "State", width: "5.5rem", sortBy: stateOf, cell: (program) => <Activity of={program} /> },
  { name: run.name, width: "11rem", cell: ({ id }) => <Health id={id} read={run.read} /> },
  {
    name: "Changed",
    width: "8.5rem",
    sortBy: ({ updated_at }) => updated_at,
    cell: ({ updated_at }) => <Time ms={updated_at * 1_000} />,
    isWideOnly: true
  },
  last
]

/** The page of all sources, or of all workflows. */
export const ProgramList = <Item extends ListedSource>({ acts, all, columns, kind, none, title }: {
  readonly title: string
  readonly kind: Kind
  /** Ways to make one, beside code of one's own. */
  readonly acts?: ComponentChildren
  readonly all: (project: string, signal: AbortSignal) => Promise<WholeList<Item>>
  readonly columns: ReadonlyArray<RowColumn<Item>>
  /** The way to the first one. */
  readonly none: ComponentChildren
}) => {
  const many = `${kind}s`
  const project = chosenProject()
  const programs = useLoading(`${many} ${project}`, (signal) => all(project, signal), { everyMs: pollMs })
  // By a column that a narrow page leaves out, it is not sorted either.
  const shown = useMemo(() => fitting(columns), [columns, isNarrow.value])
  return (
    <div class="page is-list">
      <div class="page-head">
        <h1>{title}</h1>
        <span class="grow" />
        {may("write") ? acts : null}
        {may("write") ? <a class="button main" href={hrefOf([many, "new"])}>New {kind}</a> : null}
      </div>
      <SearchedRows
        loading={programs}
        noun={[kind, many]}
        label="Name, slug or id"
        textsOf={({ id, name, name_slug }) => [id, name, name_slug]}
        columns={shown}
        onOpen={({ id }) => visit(hrefOf([many, id]))}
        filters={<ProjectFilter />}
        empty={project === "" ?
          (
            <Empty what={`There are no ${many} yet.`}>
              <p>{none}</p>
            </Empty>
          ) :
          <EmptyProject many={many} />}
      />
    </div>
  )
}
