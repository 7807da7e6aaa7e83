import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as CommandInProcess from "../../test/CommandInProcess.ts"
import * as Files from "../../test/Files.ts"
import * as HeadwaterCommand from "../../test/HeadwaterCommand.ts"
import { RunningServer } from "../../test/RunningServer.ts"

const long = "x".repeat(200 * 1024)

const files = {
  "count.mjs": `export default {
    name: "Count",
    steps: {
      count: {
        props: { visits: { type: "data_store" } },
        async run({ steps, $ }) { $.emit(await this.visits.increment(steps.trigger.event.who)) }
      }
    }
  }`,
  "object.json": JSON.stringify({ bea: { key: "b" }, long1: long, long2: long }),
  "broken.jsonl": "{\"key\":\"a\",\"value\":1}\nnothing\n"
}

layer(RunningServer.layer, { excludeTestServices: true, timeout: "120 seconds" })("headwater stores", (it) => {
  const setup = Effect.gen(function*() {
    const { environment } = yield* RunningServer
    const cwd = yield* Files.make(files)
    const stores = (args: ReadonlyArray<string>, input = "") =>
      CommandInProcess.run(["stores", ...args], { env: environment, cwd, input })
    const told = (args: ReadonlyArray<string>, input = "") =>
      Effect.map(stores(args, input), ({ code, stderr, stdout }) => {
        assert.strictEqual(code, 0, stderr)
        return stdout
      })
    return { cwd, environment, stores, told }
  })

  it.effect("makes a data store whose entries a workflow changes, and shows, sets and removes them", () =>
    Effect.gen(function*() {
      const { cwd, environment, stores, told } = yield* setup
      assert.match(
        yield* told(["list"]),
        /There is no data store yet\. Make the first with: headwater stores create NAME/
      )
      assert.match(yield* told(["create", "visits"]), /^Data store +ds_\w+\n[^]*\nGive it to a data_store prop/)
      HeadwaterCommand.assertRefused(yield* stores(["create", "visits"]), /There is a data store "visits" already/)
      assert.match(yield* told(["list"]), /NAME +ID +CREATED\nvisits +ds_\w+ /)
      yield* told(["set", "visits", "ann", "41"])
      const headwater = (args: ReadonlyArray<string>) => CommandInProcess.run(args, { env: environment, cwd })
      const deployed = yield* headwater(["deploy", "--workflow", "count.mjs", "--prop", "count.visits=visits"])
      assert.strictEqual(deployed.code, 0, deployed.stderr)
      assert.strictEqual((yield* headwater(["trigger", "count", "--data", `{"who":"ann"}`, "--wait"])).code, 0)
      assert.strictEqual(yield* told(["get", "visits", "ann"]), "42\n")
      assert.match(yield* told(["get", "visits", "ann", "--json"]), /^{"key":"ann","value":42,.*}\n$/)
      yield* told(["set", "visits", "bob", "--ttl", "3600"], "12345678901234567890\n")
      yield* told(["set", "visits", "cid", "text"])
      assert.match(
        yield* told(["entries", "visits"]),
        /KEY +VALUE +EXPIRES\nann +42\nbob +12345678901234567890 +\d{4}-\S+ \S+ UTC\ncid +"text"\n/
      )
      yield* told(["unset", "visits", "ann"])
      HeadwaterCommand.assertRefused(yield* stores(["get", "visits", "ann"]), /There is no entry "ann"/)
      yield* told(["rename", "visits", "guests"])
      yield* told(["delete", "guests"])
      HeadwaterCommand.assertRefused(yield* stores(["entries", "guests"]), /There is no data store "guests"/)
    }))

  it.effect("imports what it exported, and one object of keys with values", () =>
    Effect.gen(function*() {
      const { stores, told } = yield* setup
      yield* told(["create", "from"])
      yield* told(["create", "to"])
      assert.strictEqual(yield* told(["import", "from", "object.json"]), "Set 3 entries of from.\n")
      yield* told(["set", "from", "big", "[12345678901234567890]", "--ttl", "3600"])
      const exported = yield* told(["export", "from", "--json"])
      assert.deepStrictEqual(exported.match(/^\{"key":"\w+"/gm)?.map((line) => line.slice(8, -1)), [
        "bea",
        "big",
        "long1",
        "long2"
      ])
      yield* told(["import", "to", "-"], exported)
      const withoutTimes = (text: string) => text.replaceAll(/"expires_at_ms":\d+/g, "")
      assert.strictEqual(withoutTimes(yield* told(["export", "to"])), withoutTimes(exported))
      HeadwaterCommand.assertRefused(yield* stores(["import", "to", "broken.jsonl"]), /Line 2 is no entry/)
      yield* told(["clear", "to"])
      assert.strictEqual(
        yield* told(["entries", "to"]),
        "There is no entry yet. Set the first with: headwater stores set to KEY VALUE\n"
      )
    }))
})
