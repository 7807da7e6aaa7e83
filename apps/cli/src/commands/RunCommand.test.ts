import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import { Effect } from "effect"
import * as Files from "../../test/Files.ts"
import * as HeadwaterCommand from "../../test/HeadwaterCommand.ts"
import { RunningServer } from "../../test/RunningServer.ts"

/** A component of two files that counts orders. */
const orders = {
  "orders.ts": `
    import { total } from "./total.js"

    export default {
      key: "orders",
      props: {
        http: "$.interface.http",
        db: "$.service.db",
        rate: { type: "integer", default: 2, options: [1, 2, 3] }
      },
      methods: { note(text: string) { console.log(text) } },
      run(this: any, event: { body: { lines: Array<number> } }) {
        this.note("an order")
        const count = (this.db.get("count") ?? 0) + 1
        this.db.set("count", count)
        this.$emit({ count, total: total(event.body.lines) * this.rate })
      }
    }`,
  "total.ts": `
    export const total = (lines: Array<number>) => {
      if (lines.length === 0) throw new RangeError("no lines")
      return lines.reduce((a, b) => a + b)
    }`,
  "order.json": `{ "lines": [1, 2] }`,
  "empty.json": `{ "body": { "lines": [] } }`,
  "faulty.ts": `export default {\n  props: { shop: { propDefinition: ["nothing"] } },\n  run() {}\n}`,
  "workflow.ts": `export default { steps: { one: { run({ steps }) { return steps.trigger.event } } } }`
}

layer(RunningServer.layer, { excludeTestServices: true, timeout: "120 seconds" })("headwater", (it) => {
  it.effect("check says what code is, or what is wrong with it and where", () =>
    Effect.gen(function*() {
      const { headwater } = yield* RunningServer
      const folder = yield* Files.make(orders)
      const shown = yield* headwater(folder, "check", "orders.ts")
      assert.deepStrictEqual([shown.code, shown.stderr], [0, ""])
      assert.match(shown.stdout, /^Source +orders$/m)
      assert.match(shown.stdout, /^rate +integer +default 2, 3 options$/m)
      assert.match(shown.stdout, /^Methods +note$/m)
      const workflow = HeadwaterCommand.jsonOf(yield* headwater(folder, "check", "workflow.ts", "--json"))
      Json.assertHolds(workflow, { valid: true, kind: "workflow", steps: ["one"] })
      const faulty = yield* headwater(folder, "check", "faulty.ts", "--json")
      assert.strictEqual(faulty.code, 1)
      assert.match(faulty.stderr, /^headwater: faulty.ts can't be deployed\n$/)
      const [fault] = Json.listOf(Json.parse(faulty.stdout)["errors"])
      Json.assertHolds(fault!, { file: "faulty.ts", advice: "Change the definition as the message says." })
    }), HeadwaterCommand.patienceMs)

  it.effect("run shows what code would do in the place of a source, and keeps nothing", () =>
    Effect.gen(function*() {
      const { events, headwater, server } = yield* RunningServer
      const folder = yield* Files.make(orders)
      const source = HeadwaterCommand.jsonOf(
        yield* headwater(folder, "deploy", "orders.ts", "--name", "Tried", "--json")
      )
      yield* Effect.promise(() =>
        fetch(Json.textOf(source["endpoint_url"]), {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: orders["order.json"]
        })
      )
      yield* events(Json.textOf(source["id"]), 1)
      const run = (...args: ReadonlyArray<string>) => headwater(folder, "run", "orders.ts", "--as", "tried", ...args)
      const shown = yield* run("--event", "order.json", "--prop", "rate=3")
      assert.deepStrictEqual([shown.code, shown.stderr], [0, ""])
      assert.match(shown.stdout, /^success +http, /)
      assert.match(shown.stdout, /^info +an order$/m)
      assert.match(shown.stdout, /^event +\{"count":2,"total":9\}$/m)
      assert.match(shown.stdout, /^db +count: 1 → 2$/m)
      assert.match(shown.stdout, /Nothing of this was kept\.\n$/)
      const thrown = yield* run("--event", "empty.json", "--json")
      assert.strictEqual(thrown.code, 1)
      assert.match(thrown.stderr, /^headwater: total\.ts:3:\d+: RangeError: no lines\n$/)
      const trial = Json.parse(thrown.stdout)
      Json.assertHolds(trial["error"]!, { file: "total.ts", line: 3 })
      assert.match(Json.textOf(trial["error"]!["stack"]), /total\.ts:3:\d+[^]*orders\.ts:\d+:\d+/)
      HeadwaterCommand.assertRefused(yield* run("--prop", "rate=x"), /--prop rate: expected JSON/)
      HeadwaterCommand.assertRefused(yield* run("--event", "none.json"), /Can't read none\.json/)
      const { data } = yield* server.api("GET", "/sources/tried/event_summaries")
      assert.lengthOf(Json.listOf(data), 1)
    }), HeadwaterCommand.patienceMs)
})
