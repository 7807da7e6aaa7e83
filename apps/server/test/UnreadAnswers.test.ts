import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import * as TestDatabase from "@headwater/fixtures/TestDatabase"
import { Effect, Schedule } from "effect"
import { HttpServer } from "effect/http"
import { connect } from "node:net"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import * as Http from "./HttpAppFixture.ts"

const megabyte = 1_000_000
const eventBytes = 5.5 * megabyte
const clients = 50

/** What an account may have under way and the last answer beyond that, in two forms each, and room for all else. */
const mostHeld = 5 * (16 * 1024 * 1024 + eventBytes)

setFlagsFromString("--expose-gc")
const collectGarbage: () => void = runInNewContext("gc")

const heldNow = () => {
  collectGarbage()
  const { external, heapUsed } = process.memoryUsage()
  return heapUsed + external
}

/** Requests whose clients read nothing of their answers. */
const unread = Effect.fnUntraced(function*(key: string, paths: ReadonlyArray<string>) {
  const { address } = yield* HttpServer.HttpServer
  const { port } = new URL(HttpServer.formatAddress(address))
  for (const path of paths) {
    const client = yield* Effect.acquireRelease(
      Effect.sync(() => connect(Number(port), "127.0.0.1")),
      (client) => Effect.sync(() => client.destroy())
    )
    client.on("error", () => {})
    client.pause()
    client.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`)
  }
})

/** Bytes between two looks that are no payloads, and looks after which the server holds what it is going to hold. */
const littleReceived = 10_000
const quietLooks = 40

/** Returns once the server has had no payloads from its database for a while. */
const settled = Effect.gen(function*() {
  let last = 0
  for (let quiet = 0; quiet < quietLooks; quiet++) {
    yield* Effect.sleep("20 millis")
    const received = TestDatabase.received()
    if (received - last > littleReceived) quiet = 0
    last = received
  }
})

layer(Http.layer, { excludeTestServices: true })("answers that nobody reads", (it) => {
  it.effect("hold no more than the account's share, by whichever door", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const source = yield* http.created("/v1/sources", {
        component_code: Http.httpCode(`this.$emit({ text: "x".repeat(${eventBytes}) })`),
        name: "s"
      })
      const workflow = yield* http.created("/v1/workflows", {
        workflow_code: `export default { steps: { a: { run() { return "y".repeat(${eventBytes}) } } } }`,
        name: "w"
      })
      const webhook = yield* http.created("/v1/webhooks", { url: "http://127.0.0.1:9/", name: "h" })
      yield* http.created("/v1/subscriptions", { emitter_id: source.id, listener_id: webhook.id })
      const consumersOf = (filter: object) =>
        Effect.forEach(
          Array.from({ length: clients }),
          () => http.created("/v1/consumers", { emitter_id: source.id, ...filter }),
          { concurrency: 8 }
        )
      const [plain, filtered] = [yield* consumersOf({}), yield* consumersOf({ filter: { $not: { skip: true } } })]
      yield* http.request("POST", Http.endpointOf(source), { body: {} })
      const [event] = yield* http.summaries("/v1/sources/s/events", 1)
      const eventId = Json.textOf(event!["id"])
      const run = yield* http.request("POST", `/v1/workflows/${workflow.id}/invocations`, { body: { event: {} } })
      const runPath = `/v1/workflows/w/runs/${Json.textOf(run.json["data"]!["id"])}`
      yield* http.request("GET", `${runPath}?include=status`).pipe(
        Effect.repeat({
          until: ({ json }) => String(json["data"]?.["status"]) === "success",
          schedule: Schedule.spaced("10 millis")
        }),
        Effect.timeout("60 seconds")
      )
      const pathOf = (consumer: Json.Json) => `/v1/consumers/${Json.textOf(consumer["id"])}/events`
      const again = (path: string) => Array.from({ length: clients }, () => path)
      const doors: Record<string, ReadonlyArray<string>> = {
        consumers: plain.map(pathOf),
        "consumers with a filter": filtered.map(pathOf),
        "consumers' fields": plain.map((one) => `${pathOf(one)}?include=event`),
        "a list of events": again("/v1/sources/s/events?expand=event"),
        "an account's events": again("/v1/events?expand=event"),
        search: again("/v1/events?expand=event&text=xxxx"),
        "an event": again(`/v1/sources/s/events/${eventId}`),
        "a tail": again("/v1/sources/s/sse?after=0-0"),
        "an account's tail": again("/v1/events/sse"),
        "a journey": again(`/v1/events/${eventId}/journey`),
        deliveries: again("/v1/deliveries?text=xxxx"),
        runs: again("/v1/workflows/w/runs"),
        "a run": again(runPath),
        "bulk actions": again("/v1/bulk_actions")
      }
      for (const [door, paths] of Object.entries(doors)) {
        yield* settled
        const before = heldNow()
        yield* Effect.scoped(Effect.gen(function*() {
          yield* unread(http.key, paths)
          yield* settled
          // Garbage of what has ended goes in its own time; what is held stays.
          const held = yield* Effect.repeat(Effect.sync(() => heldNow() - before), {
            until: (held) => held < mostHeld,
            schedule: Schedule.spaced("100 millis"),
            times: 20
          })
          assert.isBelow(held, mostHeld, door)
        }))
      }
    }), { timeout: 300_000 })
})
