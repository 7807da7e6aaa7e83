import { assert, describe, it } from "@effect/vitest"
import { version } from "@headwater/domain/Version"
import * as Fs from "node:fs"
import * as Path from "node:path"
import * as Generation from "./Generation.ts"

describe("what is generated of the Python client", () => {
  it("is what the OpenAPI document makes of it now: else run clients/python/generator/generate.ts", () => {
    for (const [file, text] of Object.entries(Generation.modules())) {
      assert.strictEqual(Fs.readFileSync(Path.join(Generation.folder, file), "utf8"), text, file)
    }
  })

  it("has the version of the server", () => {
    const project = Fs.readFileSync(Path.join(import.meta.dirname, "../pyproject.toml"), "utf8")
    assert.include(project, `\nversion = "${version}"\n`)
  })
})
