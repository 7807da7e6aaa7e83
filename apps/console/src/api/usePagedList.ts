import { useEffect, useMemo } from "preact/hooks"
import type { Page } from "./Api.ts"
import { PagedList } from "./PagedList.ts"
import { isPresent } from "./Presence.ts"

/** The interval at which the newest page is read again, in milliseconds. */
const refreshMs = 4_000

/** Reads a list when the component appears or `key` changes, and keeps it fresh while somebody looks at the page. */
export const usePagedList = <Item extends { readonly id: string }>(
  key: string,
  list: (after: string | undefined, signal: AbortSignal) => Promise<Page<Item>>
): PagedList<Item> => {
  const paged = useMemo(() => new PagedList(list), [key])
  useEffect(() => {
    void paged.readOlder()
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
