import type { ComponentChildren } from "preact"
import type { PagedList } from "../api/PagedList.ts"
import { counted } from "../charts/Figures.ts"
import { isNarrow } from "../charts/Narrow.ts"
import { Failed } from "./Failed.tsx"
import { Stale } from "./Stale.tsx"
import { type Sorting, VirtualRows } from "./VirtualRows.tsx"
import { Waiting } from "./Waiting.tsx"

export interface RowColumn<Item> {
  readonly name: string
  /** For CSS. */
  readonly width: string
  readonly cell: (item: Item) => ComponentChildren
  /** The name of the order by this column, where a reader may choose it. Rows for which it is null come last. */
  readonly sortBy?: (item: Item) => number | string | null
  /** True if a narrow page leaves the column out, since it says little without its head. */
  readonly isWideOnly?: boolean
}

/** The columns that there is room for. */
export const fitting = <Item extends object>(columns: ReadonlyArray<RowColumn<Item>>): ReadonlyArray<RowColumn<Item>> =>
  isNarrow.value ? columns.filter(({ isWideOnly }) => isWideOnly !== true) : columns

/** A list of the API as rows, with messages while it is read, if it is empty, and at its end. */
export const PagedRows = <Item extends { readonly id: string }>(
  { columns, empty, list, noun, onOpen, sorting }: {
    readonly list: PagedList<Item>
    /** The noun for an item, singular and plural. */
    readonly noun: readonly [one: string, many: string]
    readonly columns: ReadonlyArray<RowColumn<Item>>
    readonly empty: ComponentChildren
    readonly onOpen: (item: Item) => void
    /** The order, if a reader can choose it. */
    readonly sorting?: Sorting
  }
) => {
  const rows = list.rows.value
  const reach = list.reach.value
  const outdated = list.outdated.value
  const [one, many] = noun
  const shown = fitting(columns)
  const footer = reach.state === "reading"
    ? <Waiting what={many} />
    : reach.state === "failed"
    ? <Failed what={`Could not load ${many}.`} failure={reach.failure} onRetry={() => void list.readOn()} />
    : reach.state === "open"
    ? (
      <p class="end">
        <button type="button" onClick={() => void list.readOn()}>
          {rows.length === 0 ? "Nothing found yet: search further" : `More ${many}`}
        </button>
      </p>
    )
    : <p class="end note">{counted(rows.length, one, many)}.</p>
  return (
    <>
      {outdated === undefined
        ? null
        : <Stale atMs={outdated.atMs} failure={outdated.failure} onRetry={() => void list.refresh()} />}
      <div class="split">
        <div class="split-list">
          {/* The heads stay while another order is read, so that the focus stays on the one that was pressed. */}
          {rows.length > 0 || (sorting !== undefined && reach.state === "reading")
            ? (
              <VirtualRows
                label={many}
                rows={list.rows}
                keyOf={({ id }) => id}
                columns={shown.map(({ width }) => width).join(" ")}
                header={shown.map(({ name }) => name)}
                {...sorting && { sorting }}
                cells={(item) => shown.map(({ cell }) => cell(item))}
                onOpen={onOpen}
                onNearEnd={() => {
                  if (list.reach.peek().state === "open") void list.readOn()
                }}
                footer={footer}
              />
            )
            : reach.state === "ended"
            ? empty
            : footer}
        </div>
      </div>
    </>
  )
}
