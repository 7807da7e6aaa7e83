import { useEffect, useMemo } from "preact/hooks"
import type { Page } from "./Api.ts"
import { PagedList } from "./PagedList.ts"
import { isPresent } from "./Presence.ts"

/** The interval at which the first page is read again, in milliseconds. */
const refreshMs = 4_000

/**
 * Reads a list when the component appears or `key` changes, and keeps it fresh while somebody looks at the page.
 *
 * @param isOldestFirst true if new items come at the end
 */
export const usePagedList = <Item extends { readonly id: string }>(
  key: string,
  list: (after: string | undefined, signal: AbortSignal) => Promise<Page<Item>>,
  isOldestFirst = false
): PagedList<Item> => {
  const paged = useMemo(() => new PagedList(list, isOldestFirst), [key, isOldestFirst])
  useEffect(() => {
    void paged.readOn()
    const timer = setInterval(() => {
      if (isPresent()) void paged.refresh()
    }, refreshMs)
    return () => {
      clearInterval(timer)
      paged.stop()
    }
  }, [paged])
  return paged
}
