/** A column of a list of events, and its width. */
export interface Column {
  readonly id: string
  readonly name: string
  /** For CSS. */
  readonly width: string
}

const known: ReadonlyArray<Column> = [
  { id: "time", name: "Time", width: "8.5rem" },
  { id: "age", name: "Age", width: "6.5rem" },
  { id: "emitter", name: "Emitter", width: "minmax(7rem, 0.5fr)" },
  { id: "stream", name: "Stream", width: "minmax(5rem, 0.25fr)" },
  { id: "summary", name: "Summary", width: "minmax(8rem, 0.8fr)" },
  { id: "payload", name: "Payload", width: "minmax(8rem, 2.4fr)" },
  { id: "id", name: "Event id", width: "10.5rem" },
  { id: "emit_id", name: "Emit id", width: "13rem" }
]

export const knownColumns = known

export const defaultColumns: ReadonlyArray<string> = ["time", "age", "emitter", "stream", "summary", "payload"]

/** A column of a field of the payload is written as `$.` and the field's dotted path. */
const ofField = "$."

export const fieldOf = (id: string): string | undefined => id.startsWith(ofField) ? id.slice(ofField.length) : undefined

export const columnOfField = (path: string): string => ofField + path

export const columnOf = (id: string): Column => {
  const path = fieldOf(id)
  return path === undefined
    ? known.find((column) => column.id === id) ?? known[0]!
    : { id, name: path, width: "minmax(6rem, 0.6fr)" }
}

const separator = ","
const maxColumns = 12

/** The columns that an address names, in their order. */
export const read = (text: string | null): ReadonlyArray<string> => {
  const ids = (text ?? "").split(separator).filter((id) =>
    (fieldOf(id) ?? "") !== "" || known.some((column) => column.id === id)
  )
  return ids.length === 0 ? defaultColumns : [...new Set(ids)].slice(0, maxColumns)
}

export const write = (ids: ReadonlyArray<string>): string =>
  ids.join(separator) === defaultColumns.join(separator) ? "" : ids.join(separator)
