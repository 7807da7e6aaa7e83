import { type ReadonlySignal, useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { useEffect, useId, useLayoutEffect, useRef } from "preact/hooks"
import { isNarrow } from "../charts/Narrow.ts"

/** The number of rows drawn on each side of the visible part, so that a fast scroll does not show the background. */
const overscan = 12

/** The height of a row in pixels. On a narrow page its last cell has a line of its own. */
const wideHeight = 28
const narrowHeight = 52

interface Place {
  readonly key: string
  /** The part of the first row that is scrolled out, in pixels. */
  readonly offset: number
}

/** The order of the rows, which a reader chooses at the heads. */
export interface Sorting {
  /** The heads of the columns that can be chosen. */
  readonly choices: ReadonlySet<string>
  readonly chosen: string | undefined
  readonly isDescending: boolean
  readonly choose: (name: string) => void
}

const SortedHead = ({ name, sorting }: { readonly name: string; readonly sorting: Sorting }) => (
  <button
    type="button"
    class="head-sort"
    onClick={() => sorting.choose(name)}
  >
    {name}
    {sorting.chosen === name ? <span aria-hidden="true">{sorting.isDescending ? " ↓" : " ↑"}</span> : null}
  </button>
)

const orderOf = (name: string, sorting: Sorting | undefined) =>
  sorting?.choices.has(name) !== true
    ? undefined
    : sorting.chosen !== name
    ? "none"
    : sorting.isDescending
    ? "descending"
    : "ascending"

/** The row that a key moves to from the current one, before it is held within the list. */
const targetOf = (key: string, current: number, page: number, count: number): number | undefined => {
  const targets: Readonly<Record<string, number>> = {
    ArrowDown: current + 1,
    ArrowUp: current - 1,
    PageDown: current + page,
    PageUp: current - page,
    Home: 0,
    End: count - 1
  }
  return targets[key]
}

/**
 * A grid of rows of one height. It draws only the visible rows, and keeps them in place when rows come in above. The
 * arrow keys move through it.
 */
export const VirtualRows = <Row extends object>(
  { cells, columns, footer, header, isOpen, keyOf, label, onNearEnd, onOpen, rows, sorting }: {
    readonly label: string
    readonly rows: ReadonlySignal<ReadonlyArray<Row>>
    readonly keyOf: (row: Row) => string
    /** The widths of the columns, for CSS. */
    readonly columns: string
    /** The heads of the columns. */
    readonly header: ReadonlyArray<string>
    readonly sorting?: Sorting
    readonly cells: (row: Row) => ReadonlyArray<ComponentChildren>
    readonly isOpen?: (row: Row) => boolean
    readonly onOpen: (row: Row) => void
    /** Called when the last rows are near. */
    readonly onNearEnd?: () => void
    /** The content after the last row. */
    readonly footer?: ComponentChildren
  }
) => {
  const scroller = useRef<HTMLDivElement>(null)
  const gridId = useId()
  const top = useSignal(0)
  const height = useSignal(600)
  const active = useSignal<string | undefined>(undefined)
  const place = useRef<Place | undefined>(undefined)
  const all = rows.value
  const rowHeight = isNarrow.value ? narrowHeight : wideHeight

  const first = Math.max(0, Math.floor(top.value / rowHeight) - overscan)
  const last = Math.min(all.length, Math.ceil((top.value + height.value) / rowHeight) + overscan)

  const note = () => {
    const element = scroller.current
    if (element === null) return
    top.value = element.scrollTop
    const index = Math.floor(element.scrollTop / rowHeight)
    const row = rows.peek()[index]
    place.current = element.scrollTop < rowHeight || row === undefined
      ? undefined
      : { key: keyOf(row), offset: element.scrollTop - index * rowHeight }
    if (element.scrollTop + element.clientHeight > element.scrollHeight - 20 * rowHeight) onNearEnd?.()
  }

  useLayoutEffect(() => {
    const element = scroller.current
    const held = place.current
    if (element === null || held === undefined) return
    const index = all.findIndex((row) => keyOf(row) === held.key)
    if (index !== -1) element.scrollTop = index * rowHeight + held.offset
  }, [all, rowHeight])

  useEffect(() => {
    const element = scroller.current
    if (element === null) return
    const observer = new ResizeObserver(() => {
      height.value = element.clientHeight
      note()
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [])

  useEffect(note, [all])

  const above = place.current === undefined ? 0 : Math.floor(top.value / rowHeight)

  const move = (event: KeyboardEvent) => {
    const element = scroller.current
    const present = rows.peek()
    if (element === null || present.length === 0) return
    const current = present.findIndex((row) => keyOf(row) === active.value)
    const page = Math.max(1, Math.floor(element.clientHeight / rowHeight) - 1)
    const target = targetOf(event.key, current, page, present.length)
    if (event.key === "Enter" || event.key === " ") {
      const row = present[current]
      // A head that sorts takes the same keys.
      if (row === undefined || event.target !== event.currentTarget) return
      event.preventDefault()
      onOpen(row)
      return
    }
    if (target === undefined) return
    event.preventDefault()
    const index = Math.min(present.length - 1, Math.max(0, target))
    active.value = keyOf(present[index]!)
    const from = index * rowHeight
    const bottom = from + rowHeight * 2
    if (from < element.scrollTop) element.scrollTop = from
    else if (bottom > element.scrollTop + element.clientHeight) element.scrollTop = bottom - element.clientHeight
  }

  const shown = all.slice(first, last)
  const activeIndex = shown.findIndex((row) => keyOf(row) === active.value)
  return (
    <div class={isNarrow.value ? "rows is-narrow" : "rows"}>
      <div ref={scroller} class="rows-scroller" onScroll={note}>
        <div
          class="grid"
          role="grid"
          aria-label={label}
          aria-rowcount={all.length + 1}
          aria-activedescendant={activeIndex === -1 ? undefined : `${gridId}-${first + activeIndex}`}
          tabIndex={0}
          onKeyDown={move}
        >
          <div class="rows-head" role="row" aria-rowindex={1} style={{ gridTemplateColumns: columns }}>
            {header.map((name) => (
              <div key={name} role="columnheader" aria-sort={orderOf(name, sorting)}>
                {sorting?.choices.has(name) === true ? <SortedHead name={name} sorting={sorting} /> : name}
              </div>
            ))}
          </div>
          <div role="rowgroup" class="rows-body" style={{ height: `${all.length * rowHeight}px` }}>
            {shown.map((row, index) => {
              const key = keyOf(row)
              const number = first + index
              const opened = isOpen?.(row) === true
              return (
                <div
                  key={key}
                  id={`${gridId}-${number}`}
                  role="row"
                  aria-rowindex={number + 2}
                  aria-selected={opened}
                  class={`row ${opened ? "is-open" : ""} ${key === active.value ? "is-active" : ""}`}
                  style={{
                    gridTemplateColumns: columns,
                    height: `${rowHeight}px`,
                    transform: `translateY(${number * rowHeight}px)`
                  }}
                  onClick={(event) => {
                    if (event.metaKey || event.ctrlKey || event.shiftKey) return
                    // A link in the row serves only to open another tab.
                    event.preventDefault()
                    active.value = key
                    onOpen(row)
                  }}
                >
                  {cells(row).map((cell, column) => <div key={header[column]} role="gridcell">{cell}</div>)}
                </div>
              )
            })}
          </div>
        </div>
        {footer}
      </div>
      {above > 0
        ? (
          <button
            type="button"
            class="to-top"
            onClick={() => {
              place.current = undefined
              scroller.current?.scrollTo(0, 0)
            }}
          >
            ↑ Top
          </button>
        )
        : null}
    </div>
  )
}
