import { hrefOf, visit } from "../api/Address.ts"
import { usePagedList } from "../api/usePagedList.ts"
import { withUnit } from "../charts/Narrow.ts"
import { StateBadge } from "../parts/Badge.tsx"
import { Empty } from "../parts/Empty.tsx"
import { PagedRows, type RowColumn } from "../parts/PagedRows.tsx"
import { Progress } from "../parts/Progress.tsx"
import { Time } from "../parts/Time.tsx"
import { actions, type BulkActionResource, list } from "../resources/BulkActions.ts"

/** The numbers name what they count, since a narrow list has no heads. */
const columns: ReadonlyArray<RowColumn<BulkActionResource>> = [
  {
    name: "Started",
    width: "8.5rem",
    cell: ({ created_at_ms, id }) => (
      <a tabIndex={-1} href={hrefOf(["bulk-actions", id])}>
        <Time ms={created_at_ms} />
      </a>
    )
  },
  {
    name: "Action",
    width: "minmax(6rem, 0.6fr)",
    cell: ({ action, dry_run }) => dry_run ? `Count for ${action}` : actions[action].verb
  },
  { name: "State", width: "5.5rem", cell: ({ state }) => <StateBadge state={state} /> },
  { name: "Found", width: "5rem", cell: ({ matched }) => withUnit(matched, "found") },
  { name: "Failed", width: "5rem", cell: ({ failed }) => withUnit(failed, "failed") },
  { name: "Progress", width: "minmax(8rem, 2fr)", cell: (run) => run.dry_run ? null : <Progress run={run} /> }
]

/** The list of actions on many deliveries at once. */
export default () => {
  const runs = usePagedList("bulk actions", list)
  return (
    <div class="page is-list">
      <div class="page-head">
        <h1>Bulk actions</h1>
      </div>
      <PagedRows
        list={runs}
        noun={["bulk action", "bulk actions"]}
        columns={columns}
        onOpen={({ id }) => visit(hrefOf(["bulk-actions", id]))}
        empty={
          <Empty what="There are no bulk actions yet.">
            <p>
              <a href={hrefOf(["deliveries"])}>Narrow the deliveries</a>, and then do something with all that match.
            </p>
          </Empty>
        }
      />
    </div>
  )
}
