import { createClient } from "@hey-api/openapi-ts"
import { createHash } from "node:crypto"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import * as ClientDocument from "./ClientDocument.ts"

/** The folder of the generated part of the client. */
const folder = Path.resolve(import.meta.dirname, "../src/generated")

/** Holds the digest of what the folder was generated from. */
const digestFile = Path.join(folder, ".digest")

const digestOf = async (document: object): Promise<string> => {
  const hash = createHash("sha256").update(JSON.stringify(document))
  for (const file of [import.meta.filename, Path.resolve(import.meta.dirname, "../package.json")]) {
    hash.update(await Fs.readFile(file))
  }
  return hash.digest("hex")
}

/** Generates the client's methods and types from the OpenAPI document, unless it is the one that they were generated from. */
export const generate = async (): Promise<void> => {
  const document = ClientDocument.make()
  const digest = await digestOf(document)
  if (await Fs.readFile(digestFile, "utf8").catch(() => undefined) === digest) return
  await createClient({
    input: document,
    output: {
      path: folder,
      header: ["// Generated from the OpenAPI document by packages/client/build/Generation.ts. Do not edit."],
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
  await Fs.writeFile(digestFile, digest)
}
