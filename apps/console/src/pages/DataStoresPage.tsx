import { useSignal } from "@preact/signals"
import { hrefOf, visit } from "../api/Address.ts"
import { usePagedList } from "../api/usePagedList.ts"
import { Empty } from "../parts/Empty.tsx"
import { FormDialog } from "../parts/FormDialog.tsx"
import { harmless } from "../parts/Harmless.ts"
import { Opens } from "../parts/Opens.tsx"
import { PagedRows, type RowColumn } from "../parts/PagedRows.tsx"
import { TextField } from "../parts/TextField.tsx"
import { Time } from "../parts/Time.tsx"
import * as DataStores from "../resources/DataStores.ts"

const columns: ReadonlyArray<RowColumn<DataStores.DataStoreResource>> = [
  {
    name: "Name",
    width: "minmax(9rem, 3fr)",
    cell: ({ id, name }) => (
      <a tabIndex={-1} href={hrefOf(["data-stores", id])}>
        <bdi>{harmless(name)}</bdi>
      </a>
    )
  },
  { name: "Created", width: "8.5rem", cell: ({ created_at }) => <Time ms={created_at * 1_000} /> }
]

const NewDataStore = ({ onClose }: { readonly onClose: () => void }) => {
  const name = useSignal("")
  return (
    <FormDialog
      title="New data store"
      note="Sources and workflows share it: give its name to a prop of the type data_store."
      name="Create"
      doing="Creating …"
      failed="It was not created."
      act={async () => visit(hrefOf(["data-stores", await DataStores.create(name.value)]))}
      onClose={onClose}
    >
      {() => <TextField label="Name" text={name} />}
    </FormDialog>
  )
}

/** The keys with values that sources and workflows share. */
export default () => {
  const stores = usePagedList("data-stores", DataStores.list)
  return (
    <div class="page is-list">
      <div class="page-head">
        <h1>Data stores</h1>
        <span class="grow" />
        <Opens needs="write" what="new" kind="main" name="New data store …">
          {(close) => <NewDataStore onClose={close} />}
        </Opens>
      </div>
      <PagedRows
        list={stores}
        noun={["data store", "data stores"]}
        columns={columns}
        onOpen={({ id }) => visit(hrefOf(["data-stores", id]))}
        empty={
          <Empty what="There are no data stores yet.">
            <p>
              Sources and workflows keep values in data stores, and share them. Make one, and choose it in their props.
            </p>
          </Empty>
        }
      />
    </div>
  )
}
