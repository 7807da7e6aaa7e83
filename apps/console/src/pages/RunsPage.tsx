import { address, hrefOf, setQuery, visit } from "../api/Address.ts"
import { useLoading } from "../api/Loading.ts"
import { usePagedList } from "../api/usePagedList.ts"
import { Empty } from "../parts/Empty.tsx"
import { harmless } from "../parts/Harmless.ts"
import { PagedRows } from "../parts/PagedRows.tsx"
import { runColumns } from "../parts/RunTable.tsx"
import { WithRuns } from "../parts/WithRuns.tsx"
import * as Workflows from "../resources/Workflows.ts"
import type { Params } from "../routes.ts"

/** The runs of a workflow. */
export default ({ params }: { readonly params: Params }) => {
  const id = params["workflow"]!
  const given = address.value.query.get("status") ?? ""
  const status = Workflows.statuses.find((known) => known === given) ?? ""
  const workflow = useLoading(id, (signal) => Workflows.one(id, signal))
  const runs = usePagedList(`${id} ${status}`, (after, signal) => Workflows.runs(id, status, after, signal))
  const loaded = workflow.loaded.value
  const name = loaded.state === "shown" || loaded.state === "stale" ? harmless(loaded.value.name) : id
  return (
    <div class="page is-list">
      <div class="page-head">
        <h1>Runs</h1>
        <span class="note">
          of{" "}
          <a href={hrefOf(["workflows", id])}>
            <bdi>{name}</bdi>
          </a>
        </span>
      </div>
      <div class="filters" role="search" aria-label="Runs">
        <label class="field">
          <span>State</span>
          <select value={status} onChange={(event) => setQuery({ status: event.currentTarget.value }, "push")}>
            <option value="">any state</option>
            {Workflows.statuses.map((one) => <option key={one} value={one}>{one}</option>)}
          </select>
        </label>
        {status === "" ? null : <WithRuns key={status} id={id} status={status} />}
      </div>
      <PagedRows
        key={status}
        list={runs}
        noun={["run", "runs"]}
        columns={runColumns}
        onOpen={(run) => visit(hrefOf(["workflows", id, "runs", run.id]))}
        empty={status === ""
          ? <Empty what="It has not run yet." />
          : (
            <Empty what={`No run has the state ${status}.`}>
              <button type="button" onClick={() => setQuery({ status: "" }, "push")}>Show all runs</button>
            </Empty>
          )}
      />
    </div>
  )
}
