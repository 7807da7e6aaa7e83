import { signal } from "@preact/signals"
import { count, counted } from "./Figures.ts"

const query = matchMedia("(max-width: 640px)")

/** True if the page is as narrow as on a telephone, so that a row needs two lines. */
export const isNarrow = signal(query.matches)

query.addEventListener("change", ({ matches }) => {
  isNarrow.value = matches
})

/** A number in a cell. On a narrow page, where columns have no heads, it has the noun that it counts. */
export const withUnit = (value: number, one: string, many = one): string =>
  isNarrow.value ? counted(value, one, many) : count(value)
