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
        assert.match(listed.stdout.split("\n")[1]!, / orders +default +order \ufffd\[31m3 {2}{"n":3}$/)
        const lines = Effect.fnUntraced(function*(...args: ReadonlyArray<string>) {
          const { code, stderr, stdout } = yield* run("events", "--json", ...args)
          assert.deepStrictEqual([code, stderr], [0, ""])
          return stdout.split("\n").filter((line) => line !== "").map(Json.parse)
        })
        assert.lengthOf(yield* lines("--limit", "3"), 3)
        const ids = (...args: ReadonlyArray<string>) =>
          Effect.map(lines("orders", "--stream", "default", ...args), (found) => found.map(({ id }) => Json.textOf(id)))
        const newest = yield* ids()
        assert.lengthOf(newest, 3)
        assert.deepStrictEqual(yield* ids("--sort", "newest"), newest)
        assert.deepStrictEqual(yield* ids("--sort", "oldest"), newest.toReversed())
        assert.deepStrictEqual(yield* ids("--sort", "oldest", "--limit", "1"), newest.slice(-1))
        assert.lengthOf(yield* lines("orders", "--id", firstId), 1)
        assert.lengthOf(yield* lines("--stream", "$errors", "--since", "1h"), 1)
        assert.lengthOf(yield* lines("--stream", "$errors", "--until", "1h"), 0)
        assert.lengthOf(yield* lines("--stream", "$logs", "--text", "got 2"), 1)
        HeadwaterCommand.assertRefused(yield* run("events", "nobody"), /no .*"nobody"/)
        const logs = yield* run("logs", "orders", "--limit", "2")
        assert.match(logs.stdout, / info: got \S+\n.* info: got 3\n$/)
        assert.notInclude(logs.stdout, "RangeError")
        assert.match((yield* run("errors", "orders")).stdout, /^TIME .*\n.* RangeError: nothing was ordered\n$/)
        assert.match((yield* run("errors", "orders", "--until", "1h")).stdout, /^Nothing failed\.\n$/)
      }),
    HeadwaterCommand.patienceMs
  )

  it.effect(
    "tail shows what all emitters emit, or those of it that its filters let through, and misses none while the server is away",
    () =>
      Effect.gen(function*() {
        const { environment, headwater, server } = yield* RunningServer
        const folder = yield* Files.make(files)
        const deployed = Effect.fnUntraced(function*(name: string) {
          const source = HeadwaterCommand.jsonOf(
            yield* headwater(folder, "deploy", "orders.mjs", "--name", name, "--json")
          )
          const post = (n: number) =>
            Effect.promise(() =>
              fetch(Json.textOf(source["endpoint_url"]), {
                method: "POST",
                headers: { "content-type": "application/json" },
                body: JSON.stringify({ n })
              })
            )
          return { id: Json.textOf(source["id"]), post }
        })
        const north = yield* deployed("north")
        const start = (...args: ReadonlyArray<string>) => HeadwaterCommand.start(["tail", ...args], environment, folder)
        const all = yield* start()
        const errors = yield* start("--stream", "$errors", "--stream", "$logs", "--text", "nothing")
        const some = yield* start("north", "--text", "11")
        // Each has its connection once it shows what was emitted after it.
        for (const [live, n] of [[all, 11], [errors, 0], [some, 11]] as const) {
          yield* Effect.raceFirst(
            Effect.forever(Effect.andThen(north.post(n), Effect.sleep("500 millis"))),
            live.printed(/^\S+ \S+ {2}\d+-\d+ /m)
          )
        }
        const south = yield* deployed("south")
        yield* south.post(12)
        yield* all.printed(new RegExp(`${south.id} {2}default {2}order \ufffd\\[31m12 {2}{"n":12}`))
        yield* server.kill
        yield* all.printed(/^headwater: .*Trying again$/m)
        yield* server.start
        yield* south.post(13)
        yield* south.post(0)
        yield* all.printed(/{"n":13}/)
        yield* errors.printed(new RegExp(`${south.id} {2}\\$errors {2}RangeError: nothing was ordered`))
        for (const { interrupt } of [all, errors, some]) yield* interrupt
        assert.lengthOf(all.output().match(/{"n":12}/g) ?? [], 1)
        assert.notMatch(errors.output(), / {2}default {2}/)
        assert.notMatch(some.output(), /{"n":1[23]}|\$logs/)
        const since = yield* headwater(folder, "tail", "--from", "1h", "--text", "11", "--max", "2", "--json")
        const [oldest, next] = since.stdout.trim().split("\n").map(Json.parse)
        assert.isTrue(Json.textOf(oldest!["id"]) <= Json.textOf(next!["id"]))
        HeadwaterCommand.assertRefused(
          yield* headwater(folder, "tail", "--from", Json.textOf(oldest!["id"])),
          /is an event of one emitter/
        )
        HeadwaterCommand.assertRefused(yield* headwater(folder, "tail", "north", "nobody"), /no .*"nobody"/)
      }),
    HeadwaterCommand.patienceMs
  )
})
