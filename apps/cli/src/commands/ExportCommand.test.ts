import { assert, it, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import { Effect } from "effect"
import * as fc from "fast-check"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import * as HeadwaterCommand from "../../test/HeadwaterCommand.ts"
import { RunningServer } from "../../test/RunningServer.ts"
import { distinctly } from "../setup/SetupOfAccount.ts"

/** With the longest ending, and what most file systems take. */
const fits = (ref: string) => Buffer.byteLength(`${Path.basename(ref)}.jsonl`) <= 255

it("things of any names have files that a file system can have, and of which it takes no two for the same", () => {
  const name = fc.oneof(
    fc.stringMatching(/^[\w.-]{1,12}$/),
    fc.tuple(fc.constantFrom("a", "A", "b"), fc.integer({ min: 150, max: 1_200 }), fc.constantFrom("x", "X", "y", ""))
      .map(([one, length, end]) => one.repeat(length) + end)
  )
  fc.assert(fc.property(fc.array(name, { maxLength: 40 }), (names) => {
    const refOf = distinctly("sources")
    const refs = names.map((one) => refOf(one))
    assert.isTrue(refs.every(fits))
    assert.strictEqual(new Set(refs.map((ref) => ref.toLowerCase())).size, names.length)
    const lone = distinctly("sources")
    for (const one of new Set(names.filter(({ length }) => length <= 150))) {
      assert.isTrue(lone(one).startsWith(`sources/${one}`))
    }
    // What a thing is called does not hang on how often it is exported.
    const again = distinctly("sources")
    assert.deepStrictEqual(names.map((one) => again(one)), refs)
  }))
})

layer(RunningServer.layer, { excludeTestServices: true, timeout: "120 seconds" })("headwater export", (it) => {
  it.effect(
    "writes an account whose names are long, the same each time, and apply knows all of it",
    () =>
      Effect.gen(function*() {
        const { headwater, server } = yield* RunningServer
        const post = (path: string, body: unknown) =>
          Effect.map(server.api("POST", path, body), ({ data }) => Json.textOf(data!["id"]))
        const long = "long ".repeat(60)
        const code = (key: string) => `export default { key: "${key}", run() { this.$emit(1) } }`
        const workflowCode = "export default { run({ steps }) { return steps.trigger.event } }"
        const source = yield* post("/sources", { component_code: code(`k${"e".repeat(240)}y`), name: `${long}one` })
        yield* post("/sources", { component_code: code("other"), name: `${long}two` })
        const workflow = yield* post("/workflows", { workflow_code: workflowCode, name: `${long}three` })
        const webhook = yield* post("/webhooks", { url: "https://example.com/", name: `${long}four` })
        yield* post("/accounts", { app: "shop", name: `${long.slice(0, 190)}five`, credentials: {} })
        for (const event_name of ["s".repeat(200), "Orders", "orders"]) {
          yield* post("/subscriptions", { emitter_id: source, listener_id: workflow, event_name })
          yield* post("/auto_subscriptions", { listener_id: webhook, event_name })
        }

        const above = yield* TemporaryDirectory.make("export")
        const exported = Effect.fnUntraced(function*(name: string, ...args: ReadonlyArray<string>) {
          const folder = Path.join(above, name)
          const files = Json.listOf(
            HeadwaterCommand.jsonOf(yield* headwater("/", "export", folder, "--json", ...args))["files"]
          ).map((file) => Json.textOf(file))
          assert.isTrue(files.every(fits))
          const read = files.filter((file) => !file.startsWith("events/")).toSorted()
          return yield* Effect.promise(() =>
            Promise.all(read.map(async (file) => [file, await Fs.readFile(Path.join(folder, file), "utf8")]))
          )
        })
        const first = yield* exported("first", "--events")
        assert.strictEqual(first.filter(([file]) => file!.startsWith("sources/")).length, 2)
        assert.strictEqual(first.filter(([file]) => file!.startsWith("subscriptions/")).length, 3)
        assert.strictEqual(first.filter(([file]) => file!.startsWith("auto_subscriptions/")).length, 3)
        assert.deepStrictEqual(yield* exported("second"), first)
        assert.strictEqual((yield* headwater("/", "apply", Path.join(above, "first"))).stdout, "Nothing to do\n")
      }),
    HeadwaterCommand.patienceMs
  )
})
