import { signal } from "@preact/signals"

/** The console's root URL, as the page was served: `…/console/`. The API is beside it. */
export const root = new URL(document.baseURI)

export const apiRoot = new URL("../v1/", root)

/** The browser's address: the path below the console's root, and the query. */
export interface Address {
  readonly path: ReadonlyArray<string>
  readonly query: URLSearchParams
}

const decoded = (segment: string): string => {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

const read = (): Address => ({
  path: location.pathname.slice(root.pathname.length).split("/").filter((segment) => segment !== "").map(decoded),
  query: new URLSearchParams(location.search)
})

export const address = signal<Address>(read())

export type Query = Readonly<Record<string, string | undefined>>

/** The whole URL of a place in the console. Empty parameters are left out. */
export const hrefOf = (path: ReadonlyArray<string>, query: Query = {}): string => {
  const url = new URL(path.map(encodeURIComponent).join("/"), root)
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== "") url.searchParams.set(name, value)
  }
  return url.href
}

const go = (href: string, how: "push" | "replace"): void => {
  if (how === "push") history.pushState(null, "", href)
  else history.replaceState(null, "", href)
  address.value = read()
}

/** Goes to another place, as a link does. */
export const visit = (href: string): void => {
  go(href, "push")
  document.getElementById("content")?.scrollTo(0, 0)
}

/**
 * Puts the state of the page into the address, so that a reader can share it or come back to it. Only a change that a
 * reader would want to undo by going back makes a step in the history.
 */
export const setQuery = (changes: Query, how: "push" | "replace" = "replace"): void => {
  const query = new URLSearchParams(location.search)
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === "") query.delete(name)
    else query.set(name, value)
  }
  const text = query.toString()
  go(location.pathname + (text === "" ? "" : `?${text}`), how)
}

const isPlainClick = (event: MouseEvent): boolean =>
  event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey

/** The documentation, which the server makes pages of. */
export const documentation = new URL("docs/", root)

/** Makes links within the console work without loading the page anew. */
export const followLinks = (): void => {
  addEventListener("popstate", () => {
    address.value = read()
  })
  document.addEventListener("click", (event) => {
    if (event.defaultPrevented || !isPlainClick(event)) return
    const link = event.target instanceof Element ? event.target.closest("a") : null
    if (link === null || link.target !== "" || link.hasAttribute("download")) return
    const url = new URL(link.href)
    if (url.origin !== root.origin || !url.pathname.startsWith(root.pathname)) return
    if (url.pathname.startsWith(documentation.pathname)) return
    event.preventDefault()
    visit(url.href)
  })
}
