import { assert, layer } from "@effect/vitest"
import * as CommandBuild from "@headwater/cli/CommandBuild"
import * as Json from "@headwater/fixtures/Json"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import * as Files from "../apps/cli/test/Files.ts"
import { RunningServer } from "../apps/cli/test/RunningServer.ts"

const files = {
  "orders.ts": `import { doubled } from "./doubled"
    export default { name: "Orders", props: { http: "$.interface.http" }, run(event) { this.$emit(doubled(event.body)) } }`,
  "doubled.ts": "export const doubled = (n: number): number => 2 * n"
}

/** Where packages are found as from the command's own folder. */
const bundle = Effect.acquireRelease(
  Effect.promise(async () => {
    const cache = Path.resolve(import.meta.dirname, "../node_modules/.cache")
    await Fs.mkdir(cache, { recursive: true })
    const folder = await Fs.mkdtemp(Path.join(cache, "command-"))
    await CommandBuild.write(folder)
    return folder
  }),
  (folder) => Effect.promise(() => Fs.rm(folder, { recursive: true }))
)

layer(RunningServer.layer, { excludeTestServices: true, timeout: "120 seconds" })("the bundled command", (it) => {
  it.effect("does what the command does from its sources, and loads only what it needs", () =>
    Effect.gen(function*() {
      const { environment } = yield* RunningServer
      const folder = yield* bundle
      const cwd = yield* Files.make(files)
      const env = { PATH: "/usr/local/bin:/usr/bin:/bin", ...environment }
      const run = (...args: ReadonlyArray<string>) =>
        Effect.callback<string>((resume) => {
          execFile(process.execPath, [Path.join(folder, "main.js"), ...args], { cwd, env }, (error, stdout, stderr) => {
            resume(error === null ? Effect.succeed(stdout) : Effect.die(new Error(`${error.message}${stderr}`)))
          })
        })
      assert.match(yield* run("--version"), /^headwater v\d+\.\d+\.\d+\n$/)
      assert.match(yield* run("--help"), /\n {2}webhooks +Manage and try webhooks/)
      Json.assertHolds(Json.parse(yield* run("deploy", "orders.ts", "--json")), { name_slug: "orders" })
      assert.match(yield* run("sources", "list"), /\nOrders +orders +dc_\w+ +yes /)
      assert.match(yield* run("tenants", "--help"), /\n {2}suspend +Stop all work of an account/)
      const main = yield* Effect.promise(() => Fs.readFile(Path.join(folder, "main.js"), "utf8"))
      assert.isBelow(main.length, 10_000)
    }).pipe(Effect.scoped), 240_000)
})
