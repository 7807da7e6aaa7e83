import type { ComponentChildren } from "preact"
import { address, setQuery } from "../api/Address.ts"
import { may, type Scope } from "../api/Session.ts"

/** The parameter of the address that says which dialog of the page is open. */
const parameter = "do"

/** A button that opens a dialog, which the address holds. It appears only for keys that may do what the dialog does. */
export const Opens = ({ children, kind, name, needs, what }: {
  readonly needs: Scope
  /** The name of the dialog in the address, which no other of the page has. */
  readonly what: string
  readonly name: ComponentChildren
  readonly kind?: "main" | "danger" | "quiet"
  readonly children: (close: () => void) => ComponentChildren
}) => {
  if (!may(needs)) return null
  const isOpen = address.value.query.get(parameter) === what
  return (
    <>
      <button type="button" class={kind} onClick={() => setQuery({ [parameter]: what }, "push")}>{name}</button>
      {isOpen ? children(() => setQuery({ [parameter]: undefined })) : null}
    </>
  )
}
