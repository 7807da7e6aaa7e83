import { hrefOf, visit } from "../api/Address.ts"
import { usePagedList } from "../api/usePagedList.ts"
import { ContractDialog } from "../parts/ContractForm.tsx"
import { Empty } from "../parts/Empty.tsx"
import { Stream } from "../parts/EventCells.tsx"
import { harmless } from "../parts/Harmless.ts"
import { Name } from "../parts/Name.tsx"
import { Opens } from "../parts/Opens.tsx"
import { PagedRows, type RowColumn } from "../parts/PagedRows.tsx"
import { Time } from "../parts/Time.tsx"
import * as Consumers from "../resources/Consumers.ts"
import * as Directory from "../resources/Directory.ts"

const columns: ReadonlyArray<RowColumn<Consumers.ConsumerResource>> = [
  {
    name: "Name",
    width: "minmax(9rem, 1fr)",
    cell: ({ id, name }) => (
      <a tabIndex={-1} href={hrefOf(["consumers", id])}>
        {name === null ? <code>{id}</code> : <bdi>{harmless(name)}</bdi>}
      </a>
    )
  },
  { name: "Reads", width: "minmax(8rem, 1fr)", cell: ({ emitter_id }) => <Name id={emitter_id} /> },
  {
    name: "Stream",
    width: "8rem",
    cell: ({ event_name }) => <Stream name={event_name} />,
    isWideOnly: true
  },
  { name: "Reader", width: "6rem", cell: ({ lease }) => lease === null ? "no reader" : "has a reader" },
  { name: "Created", width: "8.5rem", cell: ({ created_at }) => <Time ms={created_at * 1_000} />, isWideOnly: true }
]

/** The places in logs from which clients read. */
export default () => {
  const consumers = usePagedList("consumers", Consumers.list)
  Directory.useFreshNames()
  return (
    <div class="page is-list">
      <div class="page-head">
        <h1>Consumers</h1>
        <span class="grow" />
        <Opens needs="write" what="new" kind="main" name="New consumer …">
          {(close) => (
            <ContractDialog
              title="New consumer"
              note="A program of yours reads events through it, and commits those that it is done with."
              operation="consumers.create"
              first={["emitter_id", "event_name", "name", "start", "filter", "lease_seconds"]}
              name="Create"
              doing="Creating …"
              submit={async (body) => visit(hrefOf(["consumers", await Consumers.create(body)]))}
              onClose={close}
            />
          )}
        </Opens>
      </div>
      <PagedRows
        list={consumers}
        noun={["consumer", "consumers"]}
        columns={columns}
        onOpen={({ id }) => visit(hrefOf(["consumers", id]))}
        empty={
          <Empty what="There are no consumers yet.">
            <p>
              A consumer remembers how far a program of yours has read in the log. Make one, and read events through it.
            </p>
          </Empty>
        }
      />
    </div>
  )
}
