import type { ComponentChildren } from "preact"
import { isNarrow } from "../charts/Narrow.ts"

/** What a list is narrowed by. On a narrow page it folds, so that the list has room. */
export const Filters = ({ active, children, label }: {
  /** What is narrowed. */
  readonly label: string
  /** How many filters are set. */
  readonly active: number
  readonly children: ComponentChildren
}) => {
  const inside = <div class="filters" role="search" aria-label={label}>{children}</div>
  return isNarrow.value
    ? (
      <details class="filters-fold" open={active > 0}>
        <summary>{active === 0 ? "Filters" : `Filters (${active})`}</summary>
        {inside}
      </details>
    )
    : inside
}
