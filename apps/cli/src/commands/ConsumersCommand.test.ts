import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import { Effect } from "effect"
import * as Files from "../../test/Files.ts"
import * as HeadwaterCommand from "../../test/HeadwaterCommand.ts"
import { RunningServer } from "../../test/RunningServer.ts"

const files = {
  "orders.mjs": `export default {
    name: "Orders",
    props: { http: "$.interface.http" },
    run(event) { this.$emit(event.body) }
  }`
}

layer(RunningServer.layer, { excludeTestServices: true, timeout: "120 seconds" })("headwater consumers", (it) => {
  it.effect(
    "creates a consumer, prints what it reads, commits that, and moves and deletes it",
    () =>
      Effect.gen(function*() {
        const { headwater } = yield* RunningServer
        const folder = yield* Files.make(files)
        const source = HeadwaterCommand.jsonOf(yield* headwater(folder, "deploy", "orders.mjs", "--json"))
        const consumers = (...args: ReadonlyArray<string>) => headwater(folder, "consumers", ...args)
        const filter = JSON.stringify({ n: { $gt: 1 } })
        const created = yield* consumers("create", "orders", "--name", "Mine", "--filter", filter, "--json")
        const id = Json.textOf(HeadwaterCommand.jsonOf(created)["id"])
        for (const n of [1, 2, 3]) {
          yield* Effect.promise(() =>
            fetch(Json.textOf(source["endpoint_url"]), {
              method: "POST",
              headers: { "content-type": "application/json" },
              body: JSON.stringify({ n })
            })
          )
        }
        const printed = Effect.fnUntraced(function*(...args: ReadonlyArray<string>) {
          const { code, stderr, stdout } = yield* consumers("read", id, "--json", ...args)
          assert.deepStrictEqual([code, stderr], [0, ""])
          return stdout.split("\n").filter((line) => line !== "").map((line) =>
            JSON.stringify(Json.parse(line)["event"]!["raw_event"])
          )
        })
        const second = "{\"n\":2}"
        assert.deepStrictEqual(yield* printed("--wait", "20", "--max", "1", "--keep"), [second])
        assert.deepStrictEqual(yield* printed("--max", "1"), [second])
        assert.deepStrictEqual(yield* printed("--wait", "20"), ["{\"n\":3}"])
        assert.deepStrictEqual(yield* printed(), [])
        const shown = yield* consumers("show", id)
        assert.match(shown.stdout, /\nFilter +{"n":{"\$gt":1}}\nLease +none\n/)
        const emitter = Json.textOf(source["id"])
        assert.match(shown.stdout, new RegExp(`\\n${emitter} +\\d+-\\d+ +0 +2 +1 +0\\n`))
        assert.match((yield* consumers("list")).stdout, new RegExp(`\\n${id} +Mine +orders +default\\n`))
        assert.strictEqual((yield* consumers("seek", id, "1h", "--emitter", "orders")).code, 0)
        assert.lengthOf(yield* printed("--wait", "20"), 2)
        HeadwaterCommand.assertRefused(yield* consumers("seek", id, "soon"), /<to> is not a time: "soon"/)
        assert.strictEqual((yield* consumers("delete", id)).stdout, `Deleted ${id}.\n`)
        HeadwaterCommand.assertRefused(yield* consumers("read", id), /no consumer/)
      }),
    HeadwaterCommand.patienceMs
  )
})
