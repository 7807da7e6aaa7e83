import { type Signal, useSignal } from "@preact/signals"
import { useState } from "preact/hooks"
import { address, setQuery } from "../api/Address.ts"
import { useLoading } from "../api/Loading.ts"
import { may } from "../api/Session.ts"
import { Act } from "../parts/Act.tsx"
import { Empty } from "../parts/Empty.tsx"
import { FormDialog } from "../parts/FormDialog.tsx"
import { harmless } from "../parts/Harmless.ts"
import { NamedField } from "../parts/NamedField.tsx"
import { tell } from "../parts/Notices.tsx"
import type { RowColumn } from "../parts/PagedRows.tsx"
import { SearchedRows } from "../parts/SearchedRows.tsx"
import { TextField } from "../parts/TextField.tsx"
import { Time } from "../parts/Time.tsx"
import * as Directory from "../resources/Directory.ts"
import * as Variables from "../resources/Variables.ts"

const pollMs = 10_000

/** A variable that is changed, or a new one. */
type Asked = Variables.Variable | "new" | undefined

const columns: ReadonlyArray<RowColumn<Variables.Variable>> = [
  {
    name: "Name",
    width: "minmax(9rem, 1fr)",
    cell: ({ name }) => (
      <code>
        <bdi>{harmless(name)}</bdi>
      </code>
    )
  },
  {
    name: "Value",
    width: "minmax(9rem, 3fr)",
    cell: ({ secret, value }) => secret ? <span class="note">secret</span> : <bdi>{harmless(value ?? "")}</bdi>
  },
  { name: "Changed", width: "8.5rem", cell: ({ updated_at }) => <Time ms={updated_at * 1_000} />, isWideOnly: true }
]

const VariableDialog = ({ asked, known, onDone, owner }: {
  readonly asked: Signal<Asked>
  /** The names that there are. */
  readonly known: ReadonlySet<string>
  readonly onDone: () => void
  /** The id of what it is for; empty for the account. */
  readonly owner: string
}) => {
  const [own] = useState(asked.value)
  const before = typeof own === "object" ? own : undefined
  const name = useSignal(before?.name ?? "")
  const value = useSignal(before?.value ?? "")
  const secret = useSignal(before?.secret ?? false)
  // Meanwhile another may have been opened.
  const close = () => {
    if (asked.value === own) asked.value = undefined
  }
  return (
    <FormDialog
      title={before === undefined ? "Set a variable" : `Change ${before.name}`}
      note="Code reads it from process.env. Runs see the new value within 2 seconds."
      name="Set"
      doing="Setting …"
      failed="It was not set."
      faultOf={() =>
        before === undefined && known.has(name.value)
          ? "A variable with this name exists: select it in the list to change it."
          : before?.secret === true && value.value === ""
          ? "Enter its value again."
          : undefined}
      act={async () => {
        await Variables.set(name.value, { value: value.value, secret: secret.value }, owner)
        tell("done", `${name.value} is set.`)
        onDone()
        close()
      }}
      onClose={close}
      below={before === undefined ? null : (
        <Act
          needs="write"
          kind="danger"
          ask={`The value of ${before.name} cannot be restored.`}
          done={`${before.name} is removed.`}
          act={async () => {
            await Variables.drop(before)
            onDone()
            close()
          }}
        >
          Remove
        </Act>
      )}
    >
      {() => (
        <>
          {before === undefined
            ? <TextField label="Name" text={name} placeholder="SHOP_URL" />
            : null}
          <TextField
            label="Value"
            text={value}
            rows={3}
            placeholder={before?.secret === true ? "It cannot be read back: enter it again." : ""}
          />
          <label class="choice">
            <input
              type="checkbox"
              checked={secret.value}
              onChange={(event) => {
                secret.value = event.currentTarget.checked
              }}
            />
            <span>Secret: it will never be shown again</span>
          </label>
        </>
      )}
    </FormDialog>
  )
}

/** The environment variables that code finds: of all sources and workflows, of a project, or of one alone. */
export default () => {
  const owner = address.value.query.get("of") ?? ""
  const variables = useLoading(`variables ${owner}`, (signal) => Variables.all(owner, signal), { everyMs: pollMs })
  Directory.useFreshNames()
  const asked = useSignal<Asked>(undefined)
  const mayWrite = may("write")
  const loaded = variables.loaded.value
  const items = loaded.state === "shown" || loaded.state === "stale" ? loaded.value.items : []
  const known = new Set(items.map(({ name }) => name))
  return (
    <div class="page is-list">
      <div class="page-head">
        <h1>Variables</h1>
        <span class="grow" />
        {mayWrite
          ? (
            <button
              type="button"
              class="main"
              onClick={() => {
                asked.value = "new"
              }}
            >
              Set a variable …
            </button>
          )
          : null}
      </div>
      <SearchedRows
        loading={variables}
        noun={["variable", "variables"]}
        label="Name or value"
        textsOf={({ name, value }) => [name, value]}
        columns={columns}
        onOpen={(variable) => {
          if (mayWrite) asked.value = variable
        }}
        filters={
          <NamedField
            label="Owner"
            all="the account"
            kinds={["project", "source", "workflow"]}
            chosen={owner}
            onChange={(of) => setQuery({ of }, "push")}
          />
        }
        empty={owner === "" ?
          (
            <Empty what="There are no environment variables yet.">
              <p>Set one, and code reads it from process.env.</p>
            </Empty>
          ) :
          (
            <Empty what="It has no environment variables of its own.">
              <p>
                Its code finds those of{" "}
                {Directory.kindOf(owner) === "project" ? "the account" : "its project and the account"}.
              </p>
            </Empty>
          )}
      />
      {asked.value === undefined
        ? null
        : <VariableDialog asked={asked} known={known} owner={owner} onDone={() => void variables.reload()} />}
    </div>
  )
}
