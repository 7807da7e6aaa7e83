import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import { Effect } from "effect"
import * as Files from "../test/Files.ts"
import * as HeadwaterCommand from "../test/HeadwaterCommand.ts"
import { RunningServer } from "../test/RunningServer.ts"

const files = {
  "orders.mjs": `export default {
    name: "Orders",
    props: { http: "$.interface.http" },
    run(event) {
      const { n } = event.body
      console.log("got", n)
      if (n === 0) throw new RangeError("nothing was ordered")
      this.$emit({ n }, { summary: "order \\u001b[31m" + n })
    }
  }`
}

layer(RunningServer.layer, { excludeTestServices: true, timeout: "120 seconds" })("headwater tail and events", (it) => {
  it.effect(
    "tail shows events as they come, goes on behind one, and misses none while the server is away; events lists them",
    () =>
      Effect.gen(function*() {
        const { environment, events, headwater, server } = yield* RunningServer
        const folder = yield* Files.make(files)
        const run = (...args: ReadonlyArray<string>) => headwater(folder, ...args)
        const source = HeadwaterCommand.jsonOf(yield* run("deploy", "orders.mjs", "--json"))
        const id = Json.textOf(source["id"])
        const post = (n: number) =>
          Effect.promise(() =>
            fetch(Json.textOf(source["endpoint_url"]), {
              method: "POST",
              headers: { "content-type": "application/json" },
              body: JSON.stringify({ n })
            })
          )
        yield* post(1)
        const [first] = yield* events(id, 1)
        const firstId = Json.textOf(first!["id"])

        const streams = ["--stream", "default", "--stream", "$errors", "--stream", "$logs"]
        const live = yield* HeadwaterCommand.start(
          ["tail", "orders", ...streams, "--from", firstId],
          environment,
          folder
        )
        yield* live.printed(/\$logs {2}info: got 1\n/)
        yield* post(2)
        yield* post(0)
        yield* live.printed(/^\S+ \S+ {2}\d+-\d+ {2}default {2}order \ufffd\[31m2 {2}{"n":2}$/m)
        yield* live.printed(/\$errors {2}RangeError: nothing was ordered\n/)
        assert.notInclude(live.output(), "{\"n\":1}")

        yield* server.kill
        yield* live.printed(/^headwater: .*Trying again$/m)
        yield* server.start
        yield* post(3)
        yield* live.printed(/{"n":3}/)
        yield* live.interrupt
        assert.lengthOf(live.output().match(/{"n":2}/g) ?? [], 1)

        const json = yield* run("tail", id, "--from", "beginning", "--max", "3", "--json")
        assert.deepStrictEqual(
          json.stdout.trim().split("\n").map((line) => Json.parse(line)["event"]!["raw_event"]!["n"]),
          [1, 2, 3].map((n) => Json.parse(String(n)))
        )
        HeadwaterCommand.assertRefused(yield* run("tail", "orders", "--from", "soon"), /--from is not a time: "soon"/)

        const listed = yield* run("events", "orders", "--stream", "default")
        assert.match(listed.stdout, /^TIME \(UTC\) +ID +EMITTER +STREAM +EVENT\n/)
        assert.lengthOf(listed.stdout.trim().split("\n"), 4)
        assert.match(listed.stdout.split("\n")[1]!, new RegExp(`${id} +default +order \ufffd\\[31m3 {2}{"n":3}$`))
        const lines = Effect.fnUntraced(function*(...args: ReadonlyArray<string>) {
          const { code, stderr, stdout } = yield* run("events", "--json", ...args)
          assert.deepStrictEqual([code, stderr], [0, ""])
          return stdout.split("\n").filter((line) => line !== "").map(Json.parse)
        })
        assert.lengthOf(yield* lines("--limit", "3"), 3)
        assert.lengthOf(yield* lines("orders", "--id", firstId), 1)
        assert.lengthOf(yield* lines("--stream", "$errors", "--since", "1h"), 1)
        assert.lengthOf(yield* lines("--stream", "$errors", "--until", "1h"), 0)
        assert.lengthOf(yield* lines("--stream", "$logs", "--text", "got 2"), 1)
        HeadwaterCommand.assertRefused(yield* run("events", "nobody"), /no .*"nobody"/)
      }),
    HeadwaterCommand.patienceMs
  )
})
