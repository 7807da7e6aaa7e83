import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import { Effect, Schedule } from "effect"
import * as HeadwaterCommand from "../../test/HeadwaterCommand.ts"
import * as HeardSource from "../../test/HeardSource.ts"
import { RunningServer } from "../../test/RunningServer.ts"

layer(RunningServer.layer, { excludeTestServices: true, timeout: "120 seconds" })("headwater webhooks", (it) => {
  it.effect(
    "tries a webhook, pauses and resumes it, and sends events again",
    () =>
      Effect.gen(function*() {
        const { headwater, post, received, sourceId, webhookId } = yield* HeardSource.make((count) => ({
          status: count === 0 ? 418 : 200
        }))
        const tested = yield* headwater("webhooks", "test", webhookId, "--payload", "{\"a\":1}")
        assert.match(tested.stdout, /the endpoint answered 418/)
        assert.deepStrictEqual([tested.code, tested.stderr], [
          1,
          "headwater: It did not arrive: the endpoint answered 418\n"
        ])
        assert.match(tested.stdout, /\n {4}webhook-signature: v1,/)
        HeadwaterCommand.assertRefused(
          yield* headwater("webhooks", "test", webhookId, "--payload", "{a"),
          /--payload is not JSON: "\{a"/
        )
        const paused = yield* headwater("webhooks", "pause", webhookId)
        assert.match(paused.stdout, new RegExp(`^Webhook +${webhookId}\\nName +Orders\\nURL +\\S+\\nActive +no\\n`))
        yield* post(1)
        assert.match((yield* headwater("webhooks", "resume", webhookId)).stdout, /\nActive +yes\n/)
        assert.deepStrictEqual(yield* received(2), ["{\"a\":1}", "{\"n\":1}"])
        yield* headwater("webhooks", "pause", webhookId)
        yield* post(2)
        yield* (yield* RunningServer).server.api("GET", `/sources/${sourceId}/event_summaries?limit=2`).pipe(
          Effect.repeat({
            until: ({ data }) => Json.listOf(data!).length === 2,
            schedule: Schedule.spaced("20 millis")
          })
        )
        const resumed = yield* headwater("webhooks", "resume", webhookId, "--from-now", "--json")
        Json.assertHolds(HeadwaterCommand.jsonOf(resumed), { active: true })
        const replayed = yield* headwater("webhooks", "replay", webhookId, "--emitter", "orders", "--since", "1h")
        assert.match(replayed.stdout, /^Bulk action +ba_\w+\n[^]*\nState +done\nMatched +2\nDone +2\n/)
        assert.deepStrictEqual((yield* received(4)).slice(2), ["{\"n\":1}", "{\"n\":2}"])
        const [event] = Json.listOf(
          (yield* (yield* RunningServer).server.api(
            "GET",
            `/sources/${sourceId}/event_summaries?limit=1`
          )).data!
        )
        const stored = ["--emitter", "orders", "--event", Json.textOf(event!["id"])]
        assert.strictEqual((yield* headwater("webhooks", "test", webhookId, ...stored)).code, 0)
        assert.deepStrictEqual((yield* received(5)).slice(4), ["{\"n\":2}"])
        HeadwaterCommand.assertRefused(yield* headwater("webhooks", "pause", "wh_0"), /no webhook "wh_0"/)
      }),
    HeadwaterCommand.patienceMs
  )

  it.effect(
    "has what waits for its retry attempted now",
    () =>
      Effect.gen(function*() {
        const { headwater, json, post, received, sourceId, webhookId } = yield* HeardSource.make((count) => ({
          status: count === 0 ? 500 : 200
        }))
        yield* post(1)
        yield* HeardSource.until(
          json("deliveries", "list", "--webhook", webhookId, "--state", "pending"),
          (said) => Json.listOf(said).length === 1
        )
        const forced = yield* headwater("webhooks", "force-next", webhookId, "--emitter", sourceId)
        assert.match(forced.stdout, /^Due now +1\n$/)
        assert.deepStrictEqual(yield* received(2), ["{\"n\":1}", "{\"n\":1}"])
      }),
    HeadwaterCommand.patienceMs
  )
})
