import { useSignal } from "@preact/signals"
import type { Prop, Values } from "../resources/Props.ts"
import { PropsForm } from "./PropsForm.tsx"

/** Asks for the name of a new source or workflow and the values of its props, and makes it. */
export const NewProgramForm = ({ component, create, declared, kind, name }: {
  readonly kind: "source" | "workflow"
  /** The component whose code can be asked about the props; undefined if there is none. */
  readonly component: string | undefined
  readonly declared: ReadonlyArray<Prop>
  /** The name that it gets if none is given. */
  readonly name: string
  readonly create: (values: { readonly name?: string; readonly configured_props: Values }) => Promise<void>
}) => {
  const given = useSignal("")
  return (
    <PropsForm
      component={component}
      declared={declared}
      current={{}}
      isNew
      submitName={`Create the ${kind}`}
      doing="Creating …"
      submit={async (configured_props) => {
        const chosen = given.value.trim() || name
        await create({ ...(chosen === "" ? {} : { name: chosen }), configured_props })
      }}
    >
      <label class="prop">
        <span class="prop-label">Name of the {kind}</span>
        <input
          type="text"
          maxLength={200}
          placeholder={name}
          value={given.value}
          onInput={(event) => {
            given.value = event.currentTarget.value
          }}
        />
      </label>
    </PropsForm>
  )
}
