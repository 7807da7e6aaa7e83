import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import * as CommandInProcess from "../../test/CommandInProcess.ts"
import * as Files from "../../test/Files.ts"
import * as HeadwaterCommand from "../../test/HeadwaterCommand.ts"
import { RunningServer } from "../../test/RunningServer.ts"

const long = "ab".repeat(300_000)

layer(RunningServer.layer, { excludeTestServices: true, timeout: "120 seconds" })("headwater files", (it) => {
  it.effect("sends, lists, fetches and deletes files, and tells a URL of one", () =>
    Effect.gen(function*() {
      const { environment } = yield* RunningServer
      const cwd = yield* Files.make({ "long.txt": long })
      const files = (args: ReadonlyArray<string>, input = "") =>
        CommandInProcess.run(["files", ...args], { env: environment, cwd, input })
      const told = (args: ReadonlyArray<string>, input = "") =>
        Effect.map(files(args, input), ({ code, stderr, stdout }) => {
          assert.strictEqual(code, 0, stderr)
          return stdout
        })
      assert.match(yield* told(["list"]), /There is no file yet\. Write the first with: headwater files put PATH FILE/)
      assert.strictEqual(yield* told(["put", "in/long.txt", "long.txt"]), "Wrote 600000 bytes to in/long.txt.\n")
      assert.strictEqual(yield* told(["put", "in/b", "-"], "text"), "Wrote 4 bytes to in/b.\n")
      yield* told(["put", "out", "long.txt", "--type", "text/x-own"])
      assert.match(
        yield* told(["list", "in/"]),
        /^PATH +BYTES +TYPE +WRITTEN\nin\/b +4 +application\/octet-stream .*\nin\/long\.txt +600000 +text\/plain; charset=utf-8 .*\n$/
      )
      assert.match(yield* told(["list", "out"]), /text\/x-own/)
      yield* told(["get", "in/long.txt", "-o", "copy.txt"])
      assert.strictEqual(yield* Effect.promise(() => Fs.readFile(Path.join(cwd, "copy.txt"), "utf8")), long)
      assert.match(yield* told(["url", "in/b"]), /^http.*\/files\/\S+\n$/)
      yield* told(["delete", "in/b"])
      for (const args of [["get", "in/b", "-o", "none"], ["delete", "in/b"], ["url", "in/b"]]) {
        HeadwaterCommand.assertRefused(yield* files(args), /There is no file "in\/b"/)
      }
      HeadwaterCommand.assertRefused(yield* files(["put", "in/none", "none.txt"]), /none\.txt/)
      HeadwaterCommand.assertRefused(
        yield* files(["put", "../out", "long.txt"]),
        /Expected: a path of names/
      )
    }))

  it.effect("are attached to a workflow by the folder attachments of its folder", () =>
    Effect.gen(function*() {
      const { environment } = yield* RunningServer
      const cwd = yield* Files.make({
        "letters/workflow.mjs": `import { readFileSync } from "node:fs"
          export default { run({ steps, $ }) { $.emit(readFileSync(steps.trigger.context.attachments["a.txt"], "utf8")) } }`,
        "letters/attachments/a.txt": "attached",
        "letters/attachments/deep/none.txt": "in a folder"
      })
      const headwater = (...args: ReadonlyArray<string>) => CommandInProcess.run(args, { env: environment, cwd })
      const deployed = yield* headwater("deploy", "letters")
      assert.strictEqual(deployed.code, 0, deployed.stderr)
      const listed = yield* headwater("files", "list", "attachments/")
      assert.match(listed.stdout, /\nattachments\/letters\/a\.txt +8 +text\/plain; charset=utf-8 .*\n$/)
      assert.notMatch(listed.stdout, /none/)
      assert.strictEqual((yield* headwater("trigger", "letters", "--data", "1", "--wait")).code, 0)
      assert.match((yield* headwater("events", "letters", "--json")).stdout, /attached/)
    }))
})
