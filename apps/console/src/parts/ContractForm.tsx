import type { ComponentChildren } from "preact"
import { useLoading } from "../api/Loading.ts"
import * as Contract from "../resources/Contract.ts"
import type { Values } from "../resources/Props.ts"
import { Dialog } from "./Dialog.tsx"
import { PropsForm } from "./PropsForm.tsx"
import { Shown } from "./Shown.tsx"

interface FormProps {
  /** The operation of the API that takes what is given. */
  readonly operation: string
  /** The present state of what is changed; undefined for something new. */
  readonly current?: object | undefined
  /** The names of the fields that are asked for at once, in their order. */
  readonly first: ReadonlyArray<string>
  /** The names of the fields that are not asked for. A name stands for the fields of its object, too. */
  readonly leftOut?: ReadonlyArray<string>
  /** True if only the first fields are asked for. */
  readonly isShort?: boolean
  /** The text of the button, and its text while it is under way. */
  readonly name: string
  readonly doing: string
  /** The notice of success; none if the page itself shows it. */
  readonly done?: string
  readonly submit: (body: Values) => Promise<void>
  readonly onClose?: () => void
  /** Stands below the fields: what comes of the body so far. */
  readonly below?: (body: Values) => ComponentChildren
}

/** A form for what an operation of the API takes, made from the server's description of it. */
export const ContractForm = (
  { below, current, doing, done, first, isShort = false, leftOut = [], name, onClose, operation, submit }: FormProps
) => {
  const loading = useLoading(operation, () => Contract.bodyFields(operation))
  const isOf = (names: ReadonlyArray<string>, field: string) =>
    names.some((one) => field === one || field.startsWith(`${one}.`))
  return (
    <Shown loading={loading} what="the fields">
      {(all) => {
        const fields = all.filter((field) => !isOf(leftOut, field.name) && (!isShort || isOf(first, field.name)))
        const asked = [
          ...first.flatMap((one) => fields.filter((field) => isOf([one], field.name))),
          ...fields.filter((field) => !isOf(first, field.name))
        ]
        const values = Contract.valuesOf(fields, { ...current })
        const folded = new Set(fields.map((field) => field.name).filter((field) => !isOf(first, field)))
        const bodyOf = (changes: Values) => Contract.bodyOf(fields, values, changes)
        return (
          <PropsForm
            component={undefined}
            declared={asked}
            current={values}
            isNew={current === undefined}
            issuePrefix=""
            submitName={name}
            doing={doing}
            submit={(changes) => submit(bodyOf(changes))}
            {...(done === undefined ? {} : { done })}
            {...(folded.size === 0 ? {} : { folded })}
            {...(onClose === undefined ? {} : { onClose })}
            {...(below === undefined ? {} : { below: (changes) => below(bodyOf(changes)) })}
          />
        )
      }}
    </Shown>
  )
}

/** The same in a dialog. */
export const ContractDialog = ({ children, note, onClose, title, ...form }: FormProps & {
  readonly title: string
  readonly note: ComponentChildren
  readonly onClose: () => void
  /** Stands below the form: what else can be done. */
  readonly children?: ComponentChildren
}) => (
  <Dialog title={title} onClose={onClose}>
    <p class="note">{note}</p>
    <ContractForm {...form} onClose={onClose} />
    {children}
  </Dialog>
)
