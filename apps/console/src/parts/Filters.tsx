import type { ComponentChildren } from "preact"
import { isNarrow } from "../charts/Narrow.ts"

/** The filters of a list. On a narrow page they fold, so that the list has room. */
export const Filters = ({ active, children, label }: {
  /** The name of the filtered list. */
  readonly label: string
  /** The number of filters that are set. */
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
