import { type Kind, names } from "../resources/Directory.ts"
import { harmless } from "./Harmless.ts"

const groups: ReadonlyArray<readonly [Kind, string]> = [
  ["source", "Sources"],
  ["workflow", "Workflows"],
  ["webhook", "Webhooks"],
  ["project", "Projects"],
  ["account", "Account"]
]

/** A choice among named things. A chosen id without a known name stays a choice, as itself. */
export const NamedField = ({ all, chosen, kinds, label, onChange }: {
  readonly label: string
  /** The text for no choice. */
  readonly all: string
  readonly kinds: ReadonlyArray<Kind>
  readonly chosen: string
  readonly onChange: (id: string) => void
}) => {
  const known = [...names.value.values()]
  return (
    <label class="field">
      <span>{label}</span>
      <select value={chosen} onChange={(event) => onChange(event.currentTarget.value)}>
        <option value="">{all}</option>
        {chosen !== "" && !names.value.has(chosen) ? <option value={chosen}>{chosen}</option> : null}
        {groups.filter(([kind]) => kinds.includes(kind)).map(([kind, group]) => {
          const members = known.filter((named) => named.kind === kind).sort((a, b) => a.name.localeCompare(b.name))
          if (members.length === 0) return null
          const options = members.map(({ id, name }) => <option key={id} value={id}>{harmless(name)}</option>)
          return kinds.length === 1 ? options : <optgroup key={kind} label={group}>{options}</optgroup>
        })}
      </select>
    </label>
  )
}
