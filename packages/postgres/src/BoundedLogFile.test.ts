import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { BoundedLogFile } from "./BoundedLogFile.ts"

const temporaryDirectory = Effect.acquireRelease(
  Effect.sync(() => Fs.mkdtempSync(Path.join(Os.tmpdir(), "headwater-test-"))),
  (path) => Effect.sync(() => Fs.rmSync(path, { recursive: true, force: true }))
)

describe("BoundedLogFile", () => {
  it.effect("keeps the newest lines and never takes more than twice its limit", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const path = Path.join(directory, "log")
      const log = yield* BoundedLogFile.open(path, { limit: 1000 })
      for (let line = 0; line < 500; line++) {
        log.write(Buffer.from(`line ${line}\n`))
        const taken = Fs.readdirSync(directory).map((name) => Fs.statSync(Path.join(directory, name)).size)
        assert.isAtMost(taken.reduce((sum, size) => sum + size, 0), 2000)
      }
      assert.isTrue(Fs.readFileSync(path, "utf8").endsWith("line 499\n"))
      assert.isTrue(log.tail.endsWith("line 499"))
    }))

  it.effect("goes on where a former process stopped", () =>
    Effect.gen(function*() {
      const path = Path.join(yield* temporaryDirectory, "log")
      for (const line of ["first\n", "second\n"]) {
        yield* Effect.scoped(
          Effect.map(BoundedLogFile.open(path, { limit: 1000 }), (log) => log.write(Buffer.from(line)))
        )
      }
      assert.strictEqual(Fs.readFileSync(path, "utf8"), "first\nsecond\n")
    }))
})
