import { assert, layer } from "@effect/vitest"
import * as TestDatabase from "@headwater/fixtures/TestDatabase"
import { GroupCommit } from "@headwater/log/commit/GroupCommit"
import { Deferred, Effect, Layer, Logger } from "effect"
import * as WriterDeath from "./WriterDeath.ts"

layer(GroupCommit.layer.pipe(Layer.provideMerge(TestDatabase.layer)), {
  timeout: "60 seconds",
  excludeTestServices: true
})("a writer of commits", (it) => {
  it.effect("ends the process when it dies of a defect, and says so", () =>
    Effect.gen(function*() {
      const writer = yield* GroupCommit
      const exited = yield* Deferred.make<number>()
      const lines: Array<string> = []
      const logger = Logger.map(Logger.formatLogFmt, (line) => void lines.push(line))
      yield* Effect.provide(
        Effect.gen(function*() {
          writer.submit({}).onEnd(() => {
            throw new Error("a fault of ours")
          })
          assert.strictEqual(yield* Deferred.await(exited), 1)
        }),
        Layer.provide(
          WriterDeath.layer((code) => Deferred.doneUnsafe(exited, Effect.succeed(code))),
          Logger.layer([logger])
        )
      )
      assert.lengthOf(lines, 1)
      assert.match(lines[0]!, /level=FATAL .*The commit writer failed because of a bug.*a fault of ours/i)
    }))
})
