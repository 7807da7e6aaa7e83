import { computed, type Signal, useSignal } from "@preact/signals"
import { useMemo, useState } from "preact/hooks"
import { address, hrefOf, setQuery, visit } from "../api/Address.ts"
import { remove } from "../api/Api.ts"
import { useLoading } from "../api/Loading.ts"
import { may } from "../api/Session.ts"
import { counted } from "../charts/Figures.ts"
import { Act } from "../parts/Act.tsx"
import { Delete } from "../parts/Delete.tsx"
import { Empty } from "../parts/Empty.tsx"
import { FormDialog, jsonFault } from "../parts/FormDialog.tsx"
import { harmless } from "../parts/Harmless.ts"
import { tell } from "../parts/Notices.tsx"
import { fitting, type RowColumn } from "../parts/PagedRows.tsx"
import { SearchField } from "../parts/SearchField.tsx"
import { Shown } from "../parts/Shown.tsx"
import { TextField } from "../parts/TextField.tsx"
import { Time } from "../parts/Time.tsx"
import { VirtualRows } from "../parts/VirtualRows.tsx"
import * as DataStores from "../resources/DataStores.ts"
import type { PageComponent } from "../routes.ts"

const pollMs = 4_000

/** The server counts all entries each time. */
const sizePollMs = 60_000

/** Characters of a value in a row. */
const longestShown = 300

type Asked = DataStores.Entry | "new" | undefined

const columns: ReadonlyArray<RowColumn<DataStores.Entry>> = [
  { name: "Key", width: "minmax(8rem, 1fr)", cell: ({ id }) => <bdi>{harmless(id)}</bdi> },
  {
    name: "Value",
    width: "minmax(9rem, 3fr)",
    cell: ({ text }) => (
      <code>
        <bdi>{harmless(text.slice(0, longestShown))}</bdi>
      </code>
    )
  },
  {
    name: "Expires",
    width: "8.5rem",
    cell: ({ expires_at_ms }) => expires_at_ms === null ? <span class="note">never</span> : <Time ms={expires_at_ms} />,
    isWideOnly: true
  }
]

const EntryDialog = ({ asked, onDone, store }: {
  readonly store: string
  readonly asked: Signal<Asked>
  readonly onDone: () => void
}) => {
  const [own] = useState(asked.value)
  const before = typeof own === "object" ? own : undefined
  const key = useSignal(before?.id ?? "")
  const text = useSignal(before?.text ?? "")
  // Meanwhile another may have been opened.
  const close = () => {
    if (asked.value === own) asked.value = undefined
  }
  return (
    <FormDialog
      title={before === undefined ? "Set an entry" : `Change ${harmless(before.id)}`}
      note="The value can be any JSON. It stays until you remove it."
      name="Set"
      doing="Setting …"
      failed="It was not set."
      faultOf={() => jsonFault(text.value)}
      act={async () => {
        await DataStores.setEntry(store, key.value, text.value)
        tell("done", "The entry is set.")
        onDone()
        close()
      }}
      onClose={close}
      below={before === undefined ? null : (
        <Act
          needs="write"
          kind="danger"
          ask={`The entry ${harmless(before.id)} cannot be restored.`}
          done="The entry is removed."
          act={async () => {
            await DataStores.removeEntry(store, before.id)
            onDone()
            close()
          }}
        >
          Remove
        </Act>
      )}
    >
      {(isFaulty) => (
        <>
          {before === undefined
            ? <TextField label="Key" text={key} />
            : null}
          <TextField label="Value, as JSON" text={text} rows={8} isFaulty={isFaulty} />
        </>
      )}
    </FormDialog>
  )
}

const Entries = ({ id, onChange }: { readonly id: string; readonly onChange: () => void }) => {
  const { query } = address.value
  const prefix = query.get("prefix") ?? ""
  const after = query.get("after") ?? undefined
  const asked = useSignal<Asked>(undefined)
  const mayWrite = may("write") && DataStores.keepsDigits
  const entries = useLoading(
    `${id} ${prefix} ${after}`,
    (signal) => DataStores.entries(id, prefix, after, signal),
    { everyMs: pollMs }
  )
  const rows = useMemo(() =>
    computed(() => {
      const loaded = entries.loaded.value
      return loaded.state === "shown" || loaded.state === "stale" ? loaded.value.items : []
    }), [entries])
  const shown = fitting(columns)
  const changed = () => {
    void entries.reload()
    onChange()
  }
  return (
    <>
      <div class="filters" role="search" aria-label="entries">
        <SearchField
          label="Keys starting with"
          text={prefix}
          onChange={(given) => setQuery({ prefix: given, after: undefined })}
        />
        {mayWrite
          ? (
            <button
              type="button"
              onClick={() => {
                asked.value = "new"
              }}
            >
              Set an entry …
            </button>
          )
          : null}
      </div>
      <Shown loading={entries} what="its entries">
        {({ items, next }) =>
          items.length === 0
            ? (
              <Empty
                what={after !== undefined
                  ? "There are no more entries."
                  : prefix === ""
                  ? "This data store is empty."
                  : "No key starts with that."}
              >
                {after === undefined
                  ? null
                  : (
                    <button type="button" onClick={() => setQuery({ after: undefined })}>
                      Back to the first entries
                    </button>
                  )}
              </Empty>
            )
            : (
              <div class="split">
                <div class="split-list">
                  <VirtualRows
                    label="entries"
                    rows={rows}
                    keyOf={({ id }) => id}
                    columns={shown.map(({ width }) => width).join(" ")}
                    header={shown.map(({ name }) => name)}
                    cells={(item) => shown.map(({ cell }) => cell(item))}
                    onOpen={(entry) => {
                      if (mayWrite) asked.value = entry
                    }}
                    footer={
                      <p class="end">
                        {after === undefined
                          ? null
                          : (
                            <button type="button" onClick={() => setQuery({ after: undefined })}>
                              Back to the first entries
                            </button>
                          )}
                        {next === undefined
                          ? null
                          : <button type="button" onClick={() => setQuery({ after: next })}>Next entries</button>}
                      </p>
                    }
                  />
                </div>
              </div>
            )}
      </Shown>
      {asked.value === undefined ? null : <EntryDialog store={id} asked={asked} onDone={changed} />}
    </>
  )
}

/** One data store: its entries by their keys, which can be set and removed. */
const DataStorePage: PageComponent = ({ params }) => {
  const id = params["store"]!
  const store = useLoading(id, (signal) => DataStores.one(id, signal), { everyMs: sizePollMs })
  return (
    <div class="page is-list">
      <Shown loading={store} what="the data store">
        {({ id, name, size }) => (
          <>
            <div class="page-head">
              <h1>
                <bdi>{harmless(name)}</bdi>
              </h1>
              <span class="note">{counted(size, "entry", "entries")}</span>
              <span class="grow" />
              <Delete
                what={`the data store ${harmless(name)}`}
                act={async () => {
                  await remove(["data_stores", id])
                  tell("done", "The data store is deleted.")
                  visit(hrefOf(["data-stores"]))
                }}
              >
                <p>Its entries are deleted too. Code that uses it will fail.</p>
              </Delete>
            </div>
            <Entries id={id} onChange={() => void store.reload()} />
          </>
        )}
      </Shown>
    </div>
  )
}

export default DataStorePage
