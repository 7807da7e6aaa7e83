import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import * as WebhookSink from "@headwater/fixtures/WebhookSink"
import { Effect, Schedule } from "effect"
import * as CommandInProcess from "../../test/CommandInProcess.ts"
import * as Files from "../../test/Files.ts"
import { RunningServer } from "../../test/RunningServer.ts"

const projectOf = (url: string) => ({
  "pay-p_S1/.workflow.state": "schema: workflow.state/2022.04\nid: p_S1\n",
  "pay-p_S1/workflow.yaml": `schema: workflow/2022.04
name: Pay
triggers:
- id: hi_S1
steps:
- namespace: told
  runtime: nodejs20.x
  uses: ./told/entry.mjs
- namespace: paid
  runtime: nodejs20.x
  uses: ./paid/entry.mjs
`,
  "pay-p_S1/told/entry.mjs":
    `export default { async run({ $ }) { await $.send.http({ method: "POST", url: "${url}", data: "told" }) } }\n`,
  "pay-p_S1/paid/entry.mjs":
    `export default { async run() { return (await fetch("${url}", { method: "POST", body: "paid" })).status } }\n`
})

layer(RunningServer.layer, { excludeTestServices: true, timeout: "120 seconds" })("headwater import switch", (it) => {
  it.effect(
    "runs a workflow in shadow beside the one there, and changes over without a loss",
    () =>
      Effect.gen(function*() {
        const { environment, headwater, server } = yield* RunningServer
        const sink = yield* WebhookSink.make(() => ({ status: 200 }))
        const there = yield* WebhookSink.make((count) => ({ status: count === 0 ? 500 : 200 }))
        const place = yield* TemporaryDirectory.make("switch")
        const run = (...args: ReadonlyArray<string>) => headwater(place, "import", ...args)
        const withKey = (...args: ReadonlyArray<string>) =>
          CommandInProcess.run(["import", ...args], { env: { ...environment, PD_API_KEY: "there" }, cwd: place })

        const brought = yield* run("pipedream", yield* Files.make(projectOf(sink.url)), "--yes")
        assert.strictEqual(brought.code, 0, brought.stderr)
        const early = yield* run("switch", "pay", "--yes", "--off-there")
        assert.match(early.stderr, /Pay does not run here: .*finish --shadow/)
        const finished = yield* run("finish", "pay", "--shadow")
        assert.match(finished.stdout, /^pay: in shadow: what it sends is held/, finished.stderr)
        assert.match((yield* headwater(place, "apply", "moved", "--yes")).stdout, /Nothing to do/)

        const { data: workflow } = yield* server.api("GET", "/workflows/pay")
        const url = Json.textOf(workflow!["configured_props"]!["http"]!["endpoint_url"])
        const post = Effect.promise(() => fetch(url, { method: "POST", body: "{}" }))
        const heldOnce = (count: number) =>
          server.api("GET", "/deliveries?error_class=held").pipe(
            Effect.map(({ data }) => Json.listOf(data)),
            Effect.repeat({ until: (found) => found.length === count, schedule: Schedule.spaced("50 millis") }),
            Effect.timeout("60 seconds")
          )
        const runsOnce = (count: number) =>
          server.api("GET", "/workflows/pay/runs").pipe(
            Effect.map(({ data }) => Json.listOf(data)),
            Effect.repeat({
              until: (found) =>
                found.length === count && found.every((run) => Json.textOf(run["status"]) === "success"),
              schedule: Schedule.spaced("50 millis")
            }),
            Effect.timeout("60 seconds")
          )
        yield* post
        yield* heldOnce(1)
        yield* runsOnce(1)
        assert.deepStrictEqual(sink.received, [])

        const byHand = yield* run("switch", "pay", "--yes")
        assert.strictEqual(byHand.code, 1)
        assert.match(
          byHand.stdout,
          /held +1 {2}\$\.send: from [^]*held +1 {2}run at POST http:[^]*None of that is sent/
        )
        assert.match(byHand.stderr, /p_S1 still runs there: both would send/)
        const failed = yield* withKey("switch", "pay", "--yes", "--from", there.url)
        assert.match(failed.stderr, /p_S1 could not be switched off there \(it answers 500\)/)
        assert.match((yield* run("status")).stdout, /pay: in shadow/)
        const switched = yield* withKey("switch", "pay", "--yes", "--from", there.url, "--json")
        assert.strictEqual(switched.code, 0, switched.stderr)
        assert.deepInclude(JSON.parse(switched.stdout), {
          changed: true,
          held: { deliveries: 1, runs: 1 },
          sent: { deliveries: 0, runs: 0 }
        })
        const [, asked] = there.received
        assert.deepStrictEqual([asked?.method, asked?.path, asked?.body], [
          "PUT",
          "/hook/workflows/p_S1",
          "{\"active\":false}"
        ])
        assert.strictEqual(asked?.headers["authorization"], "Bearer there")
        assert.match((yield* run("status")).stdout, /pay: active/)
        assert.match((yield* headwater(place, "apply", "moved", "--yes")).stdout, /Nothing to do/)
        assert.match((yield* run("switch", "pay", "--yes")).stdout, /There is nothing to change over/)
        assert.deepStrictEqual(sink.received, [])

        const sent = yield* run("switch", "pay", "--yes", "--send-held-since", "1h")
        assert.match(sent.stdout, /On their way: 1 sending and 1 run/, sent.stderr)
        yield* heldOnce(0)
        yield* runsOnce(2)
        const bodies = () => sink.received.map(({ body }) => body)
        assert.sameMembers(bodies(), ["told", "paid"])
        const again = yield* run("switch", "pay", "--yes", "--send-held-since", "1h")
        assert.match(again.stdout, /On their way: 0 sendings and 0 runs/, again.stderr)
        yield* post
        yield* runsOnce(3)
        assert.sameMembers(bodies().filter((body) => body === "paid"), ["paid", "paid"])
      }),
    240_000
  )
})
