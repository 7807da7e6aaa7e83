import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { useEffect, useRef } from "preact/hooks"
import { columnOf, columnOfField, fieldOf, knownColumns } from "../resources/EventColumns.ts"

/** A button with something that opens below it. Escape, and a click elsewhere, close it. */
const Dropdown = ({ children, label }: { readonly label: string; readonly children: ComponentChildren }) => {
  const element = useRef<HTMLDetailsElement>(null)
  useEffect(() => {
    const closeOutside = (event: MouseEvent) => {
      const details = element.current
      if (details !== null && event.target instanceof Node && !details.contains(event.target)) details.open = false
    }
    document.addEventListener("pointerdown", closeOutside)
    return () => document.removeEventListener("pointerdown", closeOutside)
  }, [])
  return (
    <details
      ref={element}
      class="dropdown"
      onKeyDown={(event) => {
        if (event.key !== "Escape" || element.current === null || !element.current.open) return
        event.stopPropagation()
        element.current.open = false
        element.current.querySelector("summary")?.focus()
      }}
    >
      <summary>{label}</summary>
      <div class="dropdown-inside">{children}</div>
    </details>
  )
}

/** Chooses the columns of a list of events. */
export const ColumnChoice = ({ chosen, onChange }: {
  readonly chosen: ReadonlyArray<string>
  readonly onChange: (ids: ReadonlyArray<string>) => void
}) => {
  const path = useSignal("")
  const fields = chosen.filter((id) => fieldOf(id) !== undefined)
  const toggle = (id: string) => {
    if (!chosen.includes(id)) {
      const order = knownColumns.map((column) => column.id)
      const all = order.filter((known) => known === id || chosen.includes(known))
      onChange([...all, ...fields])
    } else if (chosen.length > 1) onChange(chosen.filter((other) => other !== id))
  }
  const add = (event: Event) => {
    event.preventDefault()
    const given = path.value.trim().replace(/^\$\.?/, "")
    if (given === "" || given.includes(",")) return
    path.value = ""
    onChange([...new Set([...chosen, columnOfField(given)])])
  }
  return (
    <Dropdown label="Columns">
      <fieldset>
        <legend>Show for each event</legend>
        {[...knownColumns, ...fields.map(columnOf)].map(({ id, name }) => (
          <label key={id} class="check">
            <input type="checkbox" checked={chosen.includes(id)} onChange={() => toggle(id)} />
            {fieldOf(id) === undefined ? name : <code>{name}</code>}
          </label>
        ))}
      </fieldset>
      <form onSubmit={add} class="inline">
        <label class="field">
          <span>A payload field</span>
          <input
            type="text"
            spellcheck={false}
            placeholder="body.order"
            maxLength={100}
            value={path.value}
            onInput={(event) => {
              path.value = event.currentTarget.value
            }}
          />
        </label>
        <button type="submit">Add</button>
      </form>
    </Dropdown>
  )
}
