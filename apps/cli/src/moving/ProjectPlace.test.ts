import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import { pathToFileURL } from "node:url"
import { promisify } from "node:util"
import * as Files from "../../test/Files.ts"
import { zipOf } from "../../test/ZipFile.ts"
import * as ProjectPlace from "./ProjectPlace.ts"

const opened = (given: string) =>
  Effect.scoped(Effect.gen(function*() {
    const folder = yield* ProjectPlace.open(given)
    return { folder, names: yield* Effect.promise(() => Fs.readdir(folder)) }
  })).pipe(Effect.provide(NodeServices.layer))

const refusal = (given: string) => Effect.map(Effect.flip(opened(given)), ({ message }) => message)

const isThere = (path: string) => Effect.promise(() => Fs.stat(path).then(() => true, () => false))

describe("the place of a project", () => {
  it.effect("is its folder, as it is", () =>
    Effect.gen(function*() {
      const folder = yield* Files.make({ "a.txt": "a" })
      assert.deepStrictEqual(yield* opened(folder), { folder, names: ["a.txt"] })
    }))

  it.effect("is made of a zip, by its name, and is gone in the end", () =>
    Effect.gen(function*() {
      const zip = Path.join(yield* TemporaryDirectory.make("zip"), "project_export-proj_1.zip")
      yield* Effect.promise(() => Fs.writeFile(zip, zipOf([{ name: "manifest.json", content: "{}" }])))
      const { folder, names } = yield* opened(zip)
      assert.deepStrictEqual([Path.basename(folder), names], ["project_export-proj_1", ["manifest.json"]])
      assert.isFalse(yield* isThere(Path.dirname(folder)))
    }))

  it.effect("is cloned from a repository", () =>
    Effect.gen(function*() {
      const repository = yield* Files.make({ "orders-p_A1/workflow.yaml": "schema: workflow/2022.04\n" })
      const git = (...args: ReadonlyArray<string>) =>
        Effect.promise(() =>
          promisify(execFile)("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...args], {
            cwd: repository
          })
        )
      yield* git("init", "--quiet")
      yield* git("add", ".")
      yield* git("commit", "--quiet", "-m", "one")
      const { folder, names } = yield* opened(pathToFileURL(repository).href)
      assert.deepStrictEqual(names.toSorted(), [".git", "orders-p_A1"])
      assert.isFalse(yield* isThere(folder))
      assert.match(
        yield* refusal(`${pathToFileURL(repository).href}-none`),
        /git does not clone file:.*-none: fatal: /s
      )
    }))

  it.effect("is no URL of which git would run a program, and has no secret", () =>
    Effect.gen(function*() {
      const mark = Path.join(yield* TemporaryDirectory.make("mark"), "touched")
      for (
        const url of [
          `ext::sh -c 'touch ${mark}'`,
          "http://example.com/a.git",
          "git://example.com/a.git",
          "fd::17",
          "ssh://-oProxyCommand=touch/a",
          "https://--upload-pack=touch"
        ]
      ) assert.match(yield* refusal(url), /is no URL of a repository that is cloned/, url)
      assert.isFalse(yield* isThere(mark))
      for (const url of ["https://ann:s3cret@example.com/a.git", "https://s3cret@example.com/a.git"]) {
        const message = yield* refusal(url)
        assert.match(message, /has a secret/)
        assert.notInclude(message, "s3cret")
      }
      // Nobody takes it for an option: it is the name of a folder.
      assert.match(yield* Effect.map(Effect.exit(opened("--upload-pack=touch")), String), /ENOENT|no such file/)
    }))
})
