import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import * as Path from "node:path"

const root = Path.resolve(import.meta.dirname, "..")

/** Runs a linter in the root; answers its exit code and what it printed. */
const lint = (command: string, args: ReadonlyArray<string>) =>
  Effect.callback<readonly [code: number, output: string]>((resume) => {
    execFile(Path.join(root, "node_modules/.bin", command), args, { cwd: root }, (error, stdout, stderr) => {
      resume(Effect.succeed([error === null ? 0 : Number(error.code), (stdout + stderr).trim()]))
    })
  })

describe("the files that containers are made from", () => {
  it.live("give the linter of Dockerfiles nothing to find", () =>
    Effect.gen(function*() {
      const [code, output] = yield* lint("dockerfilelint", ["--output", "json", "Dockerfile"])
      assert.strictEqual(code, 0, output)
      assert.include(output, "\"totalIssues\":0")
    }))

  it.live("give the linter of compose files nothing to find", () =>
    Effect.gen(function*() {
      const found = yield* lint("dclint", ["--max-warnings", "0", "docker-compose.yml"])
      assert.deepStrictEqual(found, [0, ""])
    }))
})
