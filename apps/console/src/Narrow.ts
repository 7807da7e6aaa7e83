import { signal } from "@preact/signals"

const query = matchMedia("(max-width: 640px)")

/** Whether the page is as narrow as on a telephone, so that a row needs two lines. */
export const isNarrow = signal(query.matches)

query.addEventListener("change", ({ matches }) => {
  isNarrow.value = matches
})
