import * as Json from "@headwater/fixtures/Json"
import * as WebhookSink from "@headwater/fixtures/WebhookSink"
import { Effect, Schedule } from "effect"
import * as Files from "./Files.ts"
import * as HeadwaterCommand from "./HeadwaterCommand.ts"
import { RunningServer } from "./RunningServer.ts"

const files = {
  "orders.mjs": `export default {
    name: "Orders",
    props: { http: "$.interface.http" },
    run(event) { this.$emit(event.body) }
  }`
}

/** A deployed source that emits what it is posted, and a webhook that hears it and is retried after an hour at first. */
export const make = Effect.fnUntraced(function*(answer: (count: number) => WebhookSink.Answer) {
  const { headwater, server } = yield* RunningServer
  const folder = yield* Files.make(files)
  const sink = yield* WebhookSink.make(answer)
  const source = HeadwaterCommand.jsonOf(yield* headwater(folder, "deploy", "orders.mjs", "--json"))
  const sourceId = Json.textOf(source["id"])
  const { data } = yield* server.api("POST", "/webhooks", { url: sink.url, name: "Orders", retry_schedule: [3_600] })
  const webhookId = Json.textOf(data!["id"])
  yield* server.api("POST", "/subscriptions", { emitter_id: sourceId, listener_id: webhookId })
  return {
    sink,
    sourceId,
    webhookId,
    headwater: (...args: ReadonlyArray<string>) => headwater(folder, ...args),
    /** What a command with `--json` says. */
    json: (...args: ReadonlyArray<string>) => Effect.map(headwater(folder, ...args, "--json"), HeadwaterCommand.jsonOf),
    post: (n: number) =>
      Effect.promise(() =>
        fetch(Json.textOf(source["endpoint_url"]), {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ n })
        })
      ),
    received: (count: number) =>
      Effect.sync(() => sink.received.map(({ body }) => body)).pipe(
        Effect.repeat({ until: (bodies) => bodies.length >= count, schedule: Schedule.spaced("20 millis") }),
        Effect.timeout("60 seconds")
      )
  }
})

/** Says what it says until that is so. */
export const until = <E, R>(say: Effect.Effect<Json.Json, E, R>, isSo: (said: Json.Json) => boolean) =>
  say.pipe(
    Effect.repeat({ until: isSo, schedule: Schedule.spaced("100 millis") }),
    Effect.timeout("60 seconds")
  )
