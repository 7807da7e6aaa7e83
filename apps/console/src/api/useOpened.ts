import { address } from "./Address.ts"
import { listedOne } from "./ListedOne.ts"
import { useLoading } from "./Loading.ts"
import type { PagedList } from "./PagedList.ts"

/** The item of a list that the address opens, also one further on than the list has been read. */
export const useOpened = <Item extends { readonly id: string }>(
  list: PagedList<Item>,
  path: ReadonlyArray<string>
): Item | undefined => {
  const id = address.value.query.get("open") ?? ""
  const listed = list.rows.value.find((item) => item.id === id)
  // A dialog stays while the list is read on.
  const hasBegun = list.rows.value.length > 0 || list.reach.value.state === "open"
  const isFurther = id !== "" && listed === undefined && hasBegun && list.reach.value.state !== "ended"
  const found = useLoading<Item | undefined>(
    isFurther ? id : "",
    (signal) => isFurther ? listedOne<Item>(path, id, signal) : Promise.resolve(undefined)
  ).loaded.value
  return listed ?? (found.state === "shown" ? found.value : undefined)
}
