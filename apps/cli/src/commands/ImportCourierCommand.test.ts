import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import { Effect, Schedule } from "effect"
import * as Files from "../../test/Files.ts"
import * as HeadwaterCommand from "../../test/HeadwaterCommand.ts"
import { RunningServer } from "../../test/RunningServer.ts"

const workflow = `import { writeFile } from "node:fs/promises"
import courier from "./courier.mjs"
export default {
  steps: {
    prepare: {
      run() {
        return writeFile("/tmp/made.txt", "made there")
      }
    },
    courier
  }
}
`

layer(RunningServer.layer, { excludeTestServices: true, timeout: "120 seconds" })("headwater import courier", (it) => {
  it.effect("prints a step that brings data stores, variables and files, each once", () =>
    Effect.gen(function*() {
      const { headwater, server } = yield* RunningServer
      const folder = yield* Files.make({})
      const run = (...args: ReadonlyArray<string>) => headwater(folder, ...args)
      // What there is there.
      yield* server.api("POST", "/data_stores", { name: "there" })
      const entries = Array.from(
        { length: 450 },
        (_, index) => ({ key: `k${index}`, value: { index, text: "ä\u0000" } })
      )
      yield* server.api("POST", "/data_stores/there/entries", { entries })
      yield* server.api("PUT", "/environment_variables/SHOP_THERE", { value: "north" })

      const made = yield* run(
        "import",
        "courier",
        "--stores",
        "ds_A1,ds_B2=named",
        "--variables",
        "SHOP_THERE,NOT_SET",
        "--files",
        "--json"
      )
      const { code, id, stores } = HeadwaterCommand.jsonOf(made)
      const shown = yield* run("import", "courier", "status")
      assert.match(shown.stdout, /ds_A1 -> ds_\w+: nothing yet/)
      yield* Files.write(folder, {
        "bring/workflow.mjs": workflow,
        "bring/courier.mjs": Json.textOf(code),
        "bring/attachments/letter.txt": "dear"
      })
      const deployed = yield* run(
        "deploy",
        "bring",
        "--name",
        "Bring",
        "--prop",
        "courier.store_1=there",
        "--prop",
        "courier.store_2=there"
      )
      assert.strictEqual(deployed.code, 0, deployed.stderr)

      const ran = Effect.gen(function*() {
        const { data } = yield* server.api("POST", "/workflows/bring/invocations", { event: {} })
        const { data: ended } = yield* server.api("GET", `/workflows/bring/runs/${Json.textOf(data!["id"])}`).pipe(
          Effect.repeat({
            until: ({ data }) => Json.textOf(data!["status"]) !== "running",
            schedule: Schedule.spaced("50 millis")
          }),
          Effect.timeout("90 seconds")
        )
        assert.strictEqual(Json.textOf(ended!["status"]), "success", JSON.stringify(ended))
        return Json.listOf(ended!["steps"]).at(-1)!["result"]!["$return_value"]!
      })
      const brought = yield* ran
      assert.deepStrictEqual<unknown>(brought["stores"], {
        ds_A1: { entries: 450, left: [] },
        ds_B2: { entries: 450, left: [] }
      })
      assert.deepStrictEqual<unknown>(brought["variables"], { set: ["SHOP_THERE"], unset: ["NOT_SET"] })
      assert.deepStrictEqual<unknown>(brought["files"]!["left"], [])
      const { data: store } = yield* server.api("GET", "/data_stores/ds_A1")
      assert.strictEqual<unknown>(store!["size"], 450)
      assert.deepStrictEqual<unknown>([store!["id"], "ds_B2"], [stores!["ds_A1"], "ds_B2"])
      assert.strictEqual<unknown>((yield* server.api("GET", "/data_stores/named"))["data"]!["size"], 450)
      const { data: entry } = yield* server.api("GET", "/data_stores/ds_A1/entry?key=k7")
      assert.deepStrictEqual<unknown>(entry!["value"], { index: 7, text: "ä\u0000" })
      const { data: variable } = yield* server.api("GET", "/environment_variables/SHOP_THERE")
      assert.isTrue(Boolean(variable!["secret"]))
      assert.strictEqual((yield* run("files", "get", "tmp/made.txt", "-o", "made.txt")).code, 0)
      assert.strictEqual((yield* run("files", "get", "attachments/letter.txt", "-o", "letter.txt")).code, 0)

      const arrivals = Effect.map(
        run("import", "courier", "status", "--json"),
        (ended) => Json.listOf(HeadwaterCommand.jsonOf(ended)).flatMap((courier) => Json.listOf(courier["arrived"]))
      )
      const first = yield* arrivals
      assert.deepStrictEqual(
        first.map(({ items, kind, pages }): ReadonlyArray<unknown> => [kind, pages, items]).slice(0, 2),
        [["data_store", 5, 450], ["data_store", 5, 450]]
      )
      // Changed here since, it stays: the same pages are taken once, also where there is a new one before them.
      yield* server.api("PUT", "/data_stores/ds_A1/entry", { key: "k7", value: "here" })
      yield* server.api("PUT", "/data_stores/there/entry", { key: "a first", value: 1 })
      yield* ran
      assert.strictEqual<unknown>((yield* server.api("GET", "/data_stores/ds_A1"))["data"]!["size"], 451)
      assert.strictEqual<unknown>(
        (yield* server.api("GET", "/data_stores/ds_A1/entry?key=k7"))["data"]!["value"],
        "here"
      )

      assert.strictEqual((yield* run("import", "courier", "delete", Json.textOf(id))).code, 0)
      HeadwaterCommand.assertRefused(yield* run("import", "courier", "delete", Json.textOf(id)), /There is no courier/)
      HeadwaterCommand.assertRefused(yield* run("import", "courier"), /--stores, --variables or --files/)
      assert.match((yield* run("import", "courier", "status")).stdout, /No couriers/)
    }), 240_000)

  it.effect("prints code that says what to do with it", () =>
    Effect.gen(function*() {
      const { headwater } = yield* RunningServer
      const place = yield* TemporaryDirectory.make("courier")
      const { stdout } = yield* headwater(place, "import", "courier", "--variables", "A", "--expires", "1 hour")
      assert.match(stdout, /^\/\/ Paste this into a step of Node\.js code/)
      assert.match(stdout, /props: \{\s*\},/)
    }))
})
