import * as Document from "@headwater/api/Document"

/**
 * True if clients have no method for it: it needs no key, is the console's, or is a tail, which they follow themselves.
 */
const isLeftOut = (path: string, tags: ReadonlyArray<unknown>): boolean =>
  !path.startsWith("/v1/") || path.endsWith("/sse") || tags.includes("Session")

interface Operation {
  readonly tags: ReadonlyArray<string>
}

/** The OpenAPI document of the operations that clients have methods for, with keys alone to authorize by. */
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
