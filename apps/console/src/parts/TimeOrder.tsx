import { setQuery } from "../api/Address.ts"
import type { TimeOrder } from "../api/Api.ts"
import { isNarrow } from "../charts/Narrow.ts"
import type { Sorting } from "./VirtualRows.tsx"

/** The order that an address names. */
export const orderOf = (query: URLSearchParams): TimeOrder => query.get("sort") === "oldest" ? "oldest" : "newest"

const choose = (order: TimeOrder) => setQuery({ sort: order === "newest" ? "" : order }, "push")

/** The order as the head of the column of the times chooses it. */
export const sortingBy = (column: string, order: TimeOrder): Sorting => ({
  choices: new Set([column]),
  chosen: column,
  isDescending: order === "newest",
  choose: () => choose(order === "newest" ? "oldest" : "newest")
})

/** The choice of the order on a narrow page, where columns have no heads. */
export const TimeOrderField = ({ order }: { readonly order: TimeOrder }) =>
  isNarrow.value
    ? (
      <label class="field">
        <span>Order</span>
        <select value={order} onChange={({ currentTarget: { value } }) => choose(value as TimeOrder)}>
          <option value="newest">newest first</option>
          <option value="oldest">oldest first</option>
        </select>
      </label>
    )
    : null
