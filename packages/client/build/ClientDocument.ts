import * as Document from "@headwater/api/Document"

/** What clients have no methods for: what needs no key or is the console's, and tails, which they follow by themselves. */
const isLeftOut = (path: string, tags: ReadonlyArray<unknown>): boolean =>
  !path.startsWith("/v1/") || path.endsWith("/sse") || tags.includes("Session")

interface Operation {
  readonly tags: ReadonlyArray<string>
}

/** The OpenAPI document of what clients have methods for, with keys alone to authorize by. */
export const make = () => {
  const { components, paths, ...document } = Document.make("http://127.0.0.1:8787")
  return {
    ...document,
    security: [{ bearer: [] }],
    components,
    paths: Object.fromEntries(
      Object.entries(paths as Record<string, Record<string, Operation>>).flatMap(([path, item]) => {
        const kept = Object.entries(item).filter(([, { tags }]) => !isLeftOut(path, tags))
        const keyed = kept.map(([method, operation]) => [method, { ...operation, security: [{ bearer: [] }] }])
        return kept.length === 0 ? [] : [[path, Object.fromEntries(keyed)]]
      })
    )
  }
}
