import { createClient } from "@hey-api/openapi-ts"
import * as Path from "node:path"
import * as ClientDocument from "./ClientDocument.ts"

/** The folder of the generated part of the client. */
export const folder = Path.resolve(import.meta.dirname, "../src/generated")

/**
 * Generates the client's methods and types from the OpenAPI document.
 *
 * @param folder where they are written; whatever is there is removed
 */
export const generate = (folder: string): Promise<unknown> =>
  createClient({
    input: ClientDocument.make(),
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
