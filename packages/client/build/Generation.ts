import * as Document from "@headwater/api/Document"
import { createClient } from "@hey-api/openapi-ts"
import * as Path from "node:path"

/** Where the generated part of the client is kept. */
export const folder = Path.resolve(import.meta.dirname, "../src/generated")

/** What the client has no methods for: what needs no key or is the console's, and tails, which it follows by itself. */
const isLeftOut = (path: string, tags: ReadonlyArray<unknown>): boolean =>
  !path.startsWith("/v1/") || path.endsWith("/sse") || tags.includes("Session")

interface Operation {
  readonly tags: ReadonlyArray<string>
}

/** The document without what is left out, and with keys alone to authorize by. */
const input = () => {
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

/**
 * Generates the client's methods and types from the OpenAPI document.
 *
 * @param folder where they are written; whatever is there is removed
 */
export const generate = (folder: string): Promise<unknown> =>
  createClient({
    input: input(),
    output: {
      path: folder,
      header: ["// Generated from the OpenAPI document by packages/client/build/generate.ts. Do not edit."],
      importFileExtension: ".ts",
      tsConfigPath: null
    },
    logs: { level: "silent" },
    plugins: [
      { name: "@hey-api/client-fetch", baseUrl: false, throwOnError: true },
      "@hey-api/typescript",
      {
        name: "@hey-api/sdk",
        operations: { strategy: "single", containerName: "Api", nesting: "operationId" },
        responseStyle: "data"
      }
    ]
  })
