import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { setQuery } from "../api/Address.ts"
import { may, session } from "../api/Session.ts"
import { useOpened } from "../api/useOpened.ts"
import { usePagedList } from "../api/usePagedList.ts"
import { isNarrow } from "../charts/Narrow.ts"
import { Act } from "../parts/Act.tsx"
import { ContractForm } from "../parts/ContractForm.tsx"
import { Dialog } from "../parts/Dialog.tsx"
import { Empty } from "../parts/Empty.tsx"
import { harmless } from "../parts/Harmless.ts"
import { Opens } from "../parts/Opens.tsx"
import { PagedRows, type RowColumn } from "../parts/PagedRows.tsx"
import { Revealed } from "../parts/Revealed.tsx"
import { Time } from "../parts/Time.tsx"
import * as Keys from "../resources/Keys.ts"
import type { Values } from "../resources/Props.ts"

const columns: ReadonlyArray<RowColumn<Keys.KeyResource>> = [
  {
    name: "Name",
    width: "minmax(9rem, 1fr)",
    cell: ({ id, name }) => (
      <>
        {name === "" ? <span class="note">without a name</span> : <bdi>{harmless(name)}</bdi>}
        {id === session.value?.key.id ? <span class="note">, of this session</span> : null}
      </>
    )
  },
  { name: "Scope", width: "5rem", cell: ({ scope }) => scope },
  {
    name: "Expires",
    width: "8.5rem",
    cell: ({ expires_at }) => (
      <>
        {isNarrow.value ? <span class="note">expires{" "}</span> : null}
        {expires_at === null ? <span class="note">never</span> : <Time ms={expires_at * 1_000} />}
      </>
    )
  },
  { name: "Created", width: "8.5rem", cell: ({ created_at }) => <Time ms={created_at * 1_000} />, isWideOnly: true },
  { name: "Id", width: "minmax(12rem, 1fr)", cell: ({ id }) => <code>{id}</code>, isWideOnly: true }
]

/** Makes a key, and shows it, which happens this once. */
const Making = ({ children, doing, make, name, onClose, operation }: {
  readonly operation: string
  readonly name: string
  readonly doing: string
  readonly make: (body: Values) => Promise<string>
  readonly onClose: () => void
  /** Stands below the form, until the key is made. */
  readonly children?: ComponentChildren
}) => {
  const made = useSignal<string | undefined>(undefined)
  return made.value === undefined
    ? (
      <>
        <ContractForm
          operation={operation}
          first={["name", "scope", "overlap_seconds"]}
          name={name}
          doing={doing}
          submit={async (body) => {
            made.value = await make(body)
          }}
          onClose={onClose}
        />
        {children}
      </>
    )
    : (
      <>
        <p>This is the new key. Save it now: it cannot be shown again.</p>
        <Revealed text={made.value} what="key" />
        <div class="dialog-acts">
          <button type="button" class="quiet" onClick={onClose}>Close</button>
        </div>
      </>
    )
}

const KeyDialog = ({ key_, onClose, onDone }: {
  readonly key_: Keys.KeyResource
  readonly onDone: () => void
  readonly onClose: () => void
}) => {
  const { id, name } = key_
  const isOwn = id === session.value?.key.id
  return (
    <Dialog title={name === "" ? "A key without a name" : `The key ${harmless(name)}`} onClose={onClose}>
      <p class="note">
        Rotating makes a new key of the same name and scope. The old one stays valid for a day, or as long as you say.
      </p>
      <Making
        operation="keys.rotate"
        name="Rotate it"
        doing="Rotating …"
        make={async (body) => {
          const made = await Keys.rotate(id, body)
          onDone()
          return made
        }}
        onClose={onClose}
      >
        <Act
          needs="write"
          kind="danger"
          ask={isOwn
            ? "This session began with the key, and ends with it. Sign in with another key then."
            : "The server refuses the key from now on, and the sessions that began with it end."}
          done="The key is revoked."
          act={async () => {
            await Keys.revoke(id)
            onDone()
            onClose()
          }}
        >
          Revoke it
        </Act>
      </Making>
    </Dialog>
  )
}

/** The keys that authenticate the account's requests. */
export default () => {
  const keys = usePagedList("keys", Keys.list)
  const changed = () => void keys.refresh()
  const opened = useOpened(keys, ["users", "me", "keys"])
  const asked = may("write") ? opened : undefined
  return (
    <div class="page is-list">
      <div class="page-head">
        <h1>Keys</h1>
        <span class="grow" />
        <Opens needs="write" what="new" kind="main" name="New key …">
          {(close) => (
            <Dialog title="New key" onClose={close}>
              <Making
                operation="keys.create"
                name="Create"
                doing="Creating …"
                make={async (body) => {
                  const made = await Keys.create(body)
                  changed()
                  return made
                }}
                onClose={close}
              />
            </Dialog>
          )}
        </Opens>
      </div>
      <PagedRows
        list={keys}
        noun={["key", "keys"]}
        columns={columns}
        onOpen={({ id }) => setQuery({ open: id }, "push")}
        empty={<Empty what="There are no keys." />}
      />
      {asked === undefined
        ? null
        : <KeyDialog key={asked.id} key_={asked} onDone={changed} onClose={() => setQuery({ open: undefined })} />}
    </div>
  )
}
