import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import { Effect } from "effect"
import * as Files from "../../test/Files.ts"
import * as HeadwaterCommand from "../../test/HeadwaterCommand.ts"
import { RunningServer } from "../../test/RunningServer.ts"

const files = {
  "orders.mjs": `export default {
    name: "Orders",
    props: { http: { type: "$.interface.http", customResponse: true } },
    run(event) {
      if (event.body?.order === undefined) return this.http.respond({ status: 422, body: "no order" })
      this.$emit(event.body, { summary: "order " + event.body.order })
      this.http.respond({ status: 202, body: "got \\u001b[31m" + event.body.order })
    }
  }`,
  "text.mjs": `export default {
    name: "Text",
    props: { http: "$.interface.http" },
    run(event) {
      this.$emit({ text: event.bodyRaw })
    }
  }`,
  "clock.mjs": `export default {
    name: "Clock",
    props: { timer: { type: "$.interface.timer", default: { intervalSeconds: 3600 } } },
    run() {}
  }`,
  "large/workflow.mjs": `export default {
    name: "Large",
    steps: {
      check: {
        run({ steps, $ }) {
          if (steps.trigger.event === null) throw new TypeError("there is no order", { cause: "odd" })
          if (steps.trigger.event.total < 10) return $.flow.exit("a small order")
          $.emit(steps.trigger.event)
        }
      }
    }
  }`,
  "order.json": "{\"order\": 17}"
}

layer(RunningServer.layer, { excludeTestServices: true, timeout: "120 seconds" })("headwater trigger", (it) => {
  it.effect(
    "sends an event from a file, an argument or standard input to a source, and runs a workflow to its end",
    () =>
      Effect.gen(function*() {
        const { environment, events, headwater } = yield* RunningServer
        const folder = yield* Files.make(files)
        const run = (...args: ReadonlyArray<string>) => headwater(folder, ...args)
        const orders = HeadwaterCommand.jsonOf(yield* run("deploy", "orders.mjs", "--json"))
        yield* run("deploy", "clock.mjs")
        yield* run("deploy", "large", "--name", "Large")

        const answered = yield* run("trigger", "orders", "--event", "order.json")
        assert.deepStrictEqual(answered, { code: 0, stdout: "Orders answered 202\ngot \ufffd[31m17\n", stderr: "" })
        const source_id = Json.textOf(orders["id"])
        Json.assertHolds(
          HeadwaterCommand.jsonOf(yield* run("trigger", source_id, "--data", "{\"order\":18}", "--json")),
          { source_id, status: 202 }
        )
        const typed = yield* HeadwaterCommand.run(["trigger", "orders", "--event", "-"], environment, {
          input: "{\"order\":19}"
        })
        assert.strictEqual(typed.code, 0)
        assert.lengthOf(yield* events(source_id, 3), 3)
        const text = HeadwaterCommand.jsonOf(yield* run("deploy", "text.mjs", "--json"))
        yield* run("trigger", "text", "--data", "{\"id\": 8202522731445525542}")
        const [told] = yield* events(Json.textOf(text["id"]), 1)
        assert.include(JSON.stringify(told), "8202522731445525542")
        const refused = yield* run("trigger", "orders", "--data", "{}")
        assert.deepStrictEqual([refused.code, refused.stdout], [1, "Orders answered 422\nno order\n"])
        assert.match(refused.stderr, /answered 422\. `headwater events orders --stream '\$errors'` shows/)

        HeadwaterCommand.assertRefused(yield* run("trigger", "clock"), /Clock has no endpoint .* by its timer/)
        HeadwaterCommand.assertRefused(
          yield* run("trigger", "nothing"),
          /no source or workflow "nothing"\. `headwater sources list`/
        )
        HeadwaterCommand.assertRefused(yield* run("trigger", "orders", "--data", "{"), /--data is not JSON/)
        HeadwaterCommand.assertRefused(yield* run("trigger", "orders", "--event", "no.json"), /--event: .*no\.json/)

        const begun = yield* run("trigger", "large", "--data", "{\"total\":60}")
        assert.match(begun.stdout, /^Run {4}run_\w+\n$/)
        const ended = yield* run("trigger", "large", "--data", "{\"total\":6}", "--wait")
        assert.match(ended.stdout, /^Run +run_\w+\nStatus +success\nReason +a small order\n$/)
        const failed = yield* run("trigger", "large", "--wait")
        assert.match(failed.stdout, /\nStatus +error\nStep +check\nError +there is no order\n +\[cause\]: odd\n$/)
        assert.deepStrictEqual([failed.code, failed.stderr], [1, "headwater: The run ended with error\n"])
      }),
    HeadwaterCommand.patienceMs
  )
})
