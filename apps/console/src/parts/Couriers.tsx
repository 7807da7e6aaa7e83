import { type Signal, useSignal } from "@preact/signals"
import { type Loading, useLoading } from "../api/Loading.ts"
import { may } from "../api/Session.ts"
import { count } from "../charts/Figures.ts"
import * as Couriers from "../resources/Couriers.ts"
import { Copy } from "./Copy.tsx"
import { Delete } from "./Delete.tsx"
import { FormDialog } from "./FormDialog.tsx"
import { harmless } from "./Harmless.ts"
import { tell } from "./Notices.tsx"
import { Shown } from "./Shown.tsx"
import { TextField } from "./TextField.tsx"
import { Time } from "./Time.tsx"

const pollMs = 10_000

const names = (text: string): ReadonlyArray<string> => text.split(/[\s,]+/).filter((name) => name !== "")

/** Data stores here by their ids there, given as `there=here`. */
const storesIn = (text: string): Record<string, string> =>
  Object.fromEntries(
    names(text).map((each) => {
      const [there = "", here = there] = each.split("=", 2)
      return [there, here]
    })
  )

const Flag = ({ label, on }: { readonly label: string; readonly on: Signal<boolean> }) => (
  <label class="check">
    <input
      type="checkbox"
      checked={on.value}
      onChange={(event) => {
        on.value = event.currentTarget.checked
      }}
    />{" "}
    {label}
  </label>
)

const Made = ({ made }: { readonly made: Couriers.NewCourier }) => (
  <section aria-label="Its address">
    <p role="status">The courier was created. Its token is shown only now, and works only at this address.</p>
    <dl class="facts">
      <dt>Address</dt>
      <dd>
        <code>{made.url}</code> <Copy text={() => made.url} what="address" />
      </dd>
      <dt>Token</dt>
      <dd>
        <code>{made.token}</code> <Copy text={() => made.token} what="token" />
      </dd>
    </dl>
  </section>
)

const NewCourier = ({ reload }: { readonly reload: () => void }) => {
  const isAsked = useSignal(false)
  const stores = useSignal("")
  const variables = useSignal("")
  const files = useSignal(false)
  const made = useSignal<Couriers.NewCourier | undefined>(undefined)
  if (!may("write")) return null
  const wanted = (): Couriers.Wanted => ({
    stores: storesIn(stores.value),
    variables: names(variables.value),
    files: files.value
  })
  return (
    <>
      <button
        type="button"
        class="main"
        onClick={() => {
          made.value = undefined
          isAsked.value = true
        }}
      >
        New courier …
      </button>
      {isAsked.value
        ? (
          <FormDialog
            title="New courier"
            note="For a day, code elsewhere can bring these things to the courier's address. The command headwater import courier makes one, too, and prints the step to paste."
            name="Create"
            doing="Creating …"
            failed="It was not created."
            faultOf={() => {
              const { files, stores, variables } = wanted()
              return files || variables.length > 0 || Object.keys(stores).length > 0
                ? undefined
                : "Give at least one thing that it should bring."
            }}
            act={async () => {
              made.value = await Couriers.create(wanted())
              reload()
            }}
            onClose={() => {
              isAsked.value = false
            }}
            below={made.value === undefined ? null : <Made made={made.value} />}
          >
            {(isFaulty) => (
              <>
                <TextField
                  label="Data stores, one per line: id there=name here"
                  placeholder="ds_A1bC2d=customers"
                  text={stores}
                  rows={2}
                  isFaulty={isFaulty}
                />
                <TextField label="Environment variables" text={variables} rows={2} isFaulty={isFaulty} />
                <Flag label="Files" on={files} />
              </>
            )}
          </FormDialog>
        )
        : null}
    </>
  )
}

const nounOf = { data_store: "entries", variables: "variables", files: "files" }

const Brought = ({ courier: { arrived } }: { readonly courier: Couriers.CourierResource }) =>
  arrived.length === 0 ? <p class="note">nothing yet</p> : (
    <ul>
      {arrived.map(({ at, items, kind, name, pages }) => (
        <li key={`${kind} ${name}`}>
          {name === "" ? null : <code>{harmless(name)}</code>} {count(items)} {nounOf[kind]} in {count(pages)}{" "}
          {pages === 1 ? "page" : "pages"}, the last <Time ms={at * 1_000} />
        </li>
      ))}
    </ul>
  )

const Courier = ({ courier, loading }: {
  readonly courier: Couriers.CourierResource
  readonly loading: Loading<ReadonlyArray<Couriers.CourierResource>>
}) => {
  const { expires_at, files, id, stores, variables } = courier
  return (
    <section class="moved" aria-label={`The courier ${id}`}>
      <div class="bar">
        <code>{id}</code>
        <span class="grow" />
        <Delete
          what={`the courier ${id}`}
          id={id}
          act={async () => {
            await Couriers.drop(id)
            tell("done", "The courier is deleted.")
            void loading.reload()
          }}
        >
          <p>Its token is refused from now on. What it has brought stays.</p>
        </Delete>
      </div>
      <p>
        May bring {harmless([...Object.keys(stores), ...variables, ...(files ? ["files"] : [])].join(", "))} until{" "}
        <Time ms={expires_at * 1_000} />. Has brought:
      </p>
      <Brought courier={courier} />
    </section>
  )
}

/** Couriers, which bring what no call of the service gives. */
export const CouriersBlock = () => {
  const couriers = useLoading("couriers", Couriers.list, { everyMs: pollMs })
  return (
    <section class="block" aria-label="Couriers">
      <div class="bar">
        <h2>Couriers</h2>
        <span class="grow" />
        <NewCourier reload={() => void couriers.reload()} />
      </div>
      <Shown loading={couriers} what="the couriers">
        {(found) =>
          found.length === 0
            ? (
              <p class="note">
                There are no couriers. A courier brings data stores, variables and files from a place that an import
                cannot read.
              </p>
            )
            : found.map((courier) => <Courier key={courier.id} courier={courier} loading={couriers} />)}
      </Shown>
    </section>
  )
}
