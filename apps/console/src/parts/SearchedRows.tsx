import { computed } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { useMemo } from "preact/hooks"
import { address, setQuery } from "../api/Address.ts"
import type { Loading } from "../api/Loading.ts"
import type { WholeList } from "../api/WholeList.ts"
import { count, counted } from "../charts/Figures.ts"
import { Empty } from "./Empty.tsx"
import { fitting, type RowColumn } from "./PagedRows.tsx"
import { SearchField } from "./SearchField.tsx"
import { Shown } from "./Shown.tsx"
import { type Sorting, VirtualRows } from "./VirtualRows.tsx"

/** Those for which there is no value come last, in either direction. */
const sorted = <Item extends object>(
  items: ReadonlyArray<Item>,
  by: (item: Item) => number | string | null,
  isDescending: boolean
): ReadonlyArray<Item> =>
  items.toSorted((one, other) => {
    const [a, b] = [by(one), by(other)]
    if (a === b) return 0
    if (a === null) return 1
    if (b === null) return -1
    return (a < b) === isDescending ? 1 : -1
  })

/** A list that was read as a whole, as rows, narrowed by a text that the address holds. */
export const SearchedRows = <Item extends { readonly id: string }>(
  { columns, empty, filters, label, loading, noun, onOpen, textsOf }: {
    readonly loading: Loading<WholeList<Item>>
    /** The noun for an item, singular and plural. */
    readonly noun: readonly [one: string, many: string]
    /** The label of the search, such as "Name or id". */
    readonly label: string
    readonly textsOf: (item: Item) => ReadonlyArray<string | null>
    readonly columns: ReadonlyArray<RowColumn<Item>>
    /** Fields that narrow the list in other ways. */
    readonly filters?: ComponentChildren
    readonly empty: ComponentChildren
    readonly onOpen: (item: Item) => void
  }
) => {
  const [one, many] = noun
  const shown = fitting(columns)
  const text = address.value.query.get("text") ?? ""
  const sort = address.value.query.get("sort") ?? ""
  const chosen = columns.find(({ name, sortBy }) => sortBy !== undefined && name === sort.replace(/^-/, ""))
  const isDescending = sort.startsWith("-")
  const sorting: Sorting = {
    choices: new Set(columns.flatMap(({ name, sortBy }) => sortBy === undefined ? [] : [name])),
    chosen: chosen?.name,
    isDescending,
    choose: (name) => setQuery({ sort: chosen?.name !== name ? name : isDescending ? "" : `-${name}` })
  }
  const rows = useMemo(() =>
    computed(() => {
      const loaded = loading.loaded.value
      if (loaded.state !== "shown" && loaded.state !== "stale") return []
      const wanted = (address.value.query.get("text") ?? "").trim().toLowerCase()
      const found = wanted === "" ?
        loaded.value.items :
        loaded.value.items.filter((item) =>
          textsOf(item).some((searched) => searched !== null && searched.toLowerCase().includes(wanted))
        )
      return chosen?.sortBy === undefined ? found : sorted(found, chosen.sortBy, isDescending)
    }), [loading, sort, columns])
  return (
    <>
      <div class="filters" role="search" aria-label={many}>
        <SearchField label={label} text={text} onChange={(given) => setQuery({ text: given })} />
        {filters}
      </div>
      <Shown loading={loading} what={`the ${many}`}>
        {({ items, rest }) => (
          <div class="split">
            <div class="split-list">
              {items.length === 0 ? empty : rows.value.length === 0
                ? (
                  <Empty what={`No ${one} matches.`}>
                    <button type="button" onClick={() => setQuery({ text: "" })}>Show all {many}</button>
                  </Empty>
                )
                : (
                  <VirtualRows
                    label={many}
                    rows={rows}
                    keyOf={({ id }) => id}
                    columns={shown.map(({ width }) => width).join(" ")}
                    header={shown.map(({ name }) => name)}
                    sorting={sorting}
                    cells={(item) => shown.map(({ cell }) => cell(item))}
                    onOpen={onOpen}
                    footer={
                      <p class="end note">
                        {text.trim() === ""
                          ? counted(rows.value.length, one, many)
                          : `${count(rows.value.length)} of ${counted(items.length, one, many)}`}
                        {rest === 0 ? "." : `; ${count(rest)} older ones were not searched.`}
                      </p>
                    }
                  />
                )}
            </div>
          </div>
        )}
      </Shown>
    </>
  )
}
