import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import { Effect } from "effect"
import * as HeadwaterCommand from "../../test/HeadwaterCommand.ts"
import * as HeardSource from "../../test/HeardSource.ts"
import { RunningServer } from "../../test/RunningServer.ts"

layer(RunningServer.layer, { excludeTestServices: true, timeout: "120 seconds" })(
  "headwater retry and replay",
  (it) => {
    it.effect(
      "retry attempts one delivery, those of an event, or all that match; replay sends what arrived again",
      () =>
        Effect.gen(function*() {
          const { headwater, json, post, received, sink, webhookId } = yield* HeardSource.make((count) => ({
            status: count < 3 || count === 5 ? 500 : 200
          }))
          for (const n of [1, 2, 3]) yield* post(n)
          const waiting = json("deliveries", "list", "--webhook", webhookId, "--state", "pending")
          const pending = Json.listOf(yield* HeardSource.until(waiting, (said) => Json.listOf(said).length === 3))
          const [, second, first] = pending.map(({ event_id, id }) => [Json.textOf(id), Json.textOf(event_id)] as const)

          const one = yield* headwater("retry", first![0])
          assert.match(one.stdout, new RegExp(`^Delivery +${first![0]}\\n`))
          assert.deepStrictEqual((yield* received(4)).slice(3), ["{\"n\":1}"])
          const ofEvent = yield* json("retry", second![1], "--webhook", webhookId, "--wait")
          Json.assertHolds(ofEvent, { action: "retry", state: "done", matched: 1, done: 1 })
          assert.deepStrictEqual((yield* received(5)).slice(4), ["{\"n\":2}"])
          const failed = yield* headwater("retry", "--webhook", webhookId, "--state", "pending", "--wait")
          assert.match(failed.stdout, /\nState +done\nMatched +1\nDone +0\nFailed +1\n/)
          assert.strictEqual(failed.code, 1)
          assert.match(failed.stderr, /^headwater: 1 did not arrive\. `headwater deliveries list/)
          assert.deepStrictEqual((yield* received(6)).slice(5), ["{\"n\":3}"])

          Json.assertHolds(yield* json("replay", first![1], "--webhook", webhookId, "--wait"), { matched: 1, done: 1 })
          Json.assertHolds(yield* json("replay", webhookId, "--since", "1h", "--wait"), { matched: 3, done: 3 })
          assert.lengthOf(sink.received, 10)

          HeadwaterCommand.assertRefused(yield* headwater("retry"), /What is to be retried\? Give a delivery/)
          HeadwaterCommand.assertRefused(yield* headwater("replay"), /What is to be replayed\? Give a webhook/)
        }),
      HeadwaterCommand.patienceMs
    )
  }
)
