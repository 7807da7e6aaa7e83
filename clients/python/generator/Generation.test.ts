import { assert, it } from "@effect/vitest"
import { version } from "@headwater/domain/Version"
import * as Fs from "node:fs"
import * as Path from "node:path"

it("gives the Python client the version of the server", () => {
  const project = Fs.readFileSync(Path.join(import.meta.dirname, "../pyproject.toml"), "utf8")
  assert.include(project, `\nversion = "${version}"\n`)
})
