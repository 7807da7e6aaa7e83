import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import { Effect } from "effect"
import * as HeadwaterCommand from "../../test/HeadwaterCommand.ts"
import * as HeardSource from "../../test/HeardSource.ts"
import { RunningServer } from "../../test/RunningServer.ts"

layer(RunningServer.layer, { excludeTestServices: true, timeout: "120 seconds" })("headwater bulk", (it) => {
  it.effect(
    "counts, retries and skips what failed, says how far that has come, and pauses, resumes and cancels it",
    () =>
      Effect.gen(function*() {
        const { headwater, json, post, received, webhookId } = yield* HeardSource.make((count) => ({
          status: count < 2 ? 500 : 200
        }))
        const waiting = json("deliveries", "list", "--webhook", webhookId, "--state", "pending")
        for (const n of [1, 2]) yield* post(n)
        yield* HeardSource.until(waiting, (said) => Json.listOf(said).length === 2)
        const run = (...args: ReadonlyArray<string>) => json("bulk", "run", ...args, "--webhook", webhookId)
        const counted = yield* run("retry", "--since", "1h", "--dry-run")
        Json.assertHolds(counted, { dry_run: true, matched: 2, done: 0 })
        const retried = yield* run("retry", "--state", "pending", "--rate", "50")
        Json.assertHolds(retried, { matched: 2, done: 2, failed: 0, rate_limit: 50 })
        assert.lengthOf(yield* received(4), 4)
        const id = Json.textOf(retried["id"])
        const shown = yield* headwater("bulk", "show", id)
        assert.match(
          shown.stdout,
          new RegExp(`^Bulk action +${id}\\nAction +retry\\nFilter +\\{.*"state":"pending".*\\}\\n`)
        )
        assert.match(shown.stdout, /\nDone +2\n[^]*\nRate +50 a second\nWebhooks +1 of 1 ended\n/)
        // It can't come to its end before the next command.
        yield* headwater("webhooks", "pause", webhookId)
        const slow = Json.textOf((yield* run("replay", "--rate", "1", "--no-wait"))["id"])
        assert.match((yield* headwater("bulk", "pause", slow)).stdout, /\nState +paused\n/)
        const resumed = yield* json("bulk", "resume", slow, "--rate", "2")
        Json.assertHolds(resumed, { state: "running", rate_limit: 2 })
        assert.match((yield* headwater("bulk", "cancel", slow)).stdout, /\nState +cancelled\n/)
        const list = yield* headwater("bulk", "list")
        assert.match(
          list.stdout,
          new RegExp(`^ID +ACTION +STATE .*\\n${slow} +replay .*\\n${id} +retry +done +2 +2 `)
        )
        HeadwaterCommand.assertRefused(yield* headwater("bulk", "show", "ba_0"), /no bulk action "ba_0"/)
      }),
    HeadwaterCommand.patienceMs
  )

  it.effect(
    "names the webhook that is paused, for which an action waits, and the one that is switched off, at which it skips",
    () =>
      Effect.gen(function*() {
        const { headwater, json, post, received, webhookId } = yield* HeardSource.make((count) => ({
          status: count === 0 ? 500 : count === 1 ? 410 : 200
        }))
        yield* post(1)
        const pending = json("deliveries", "list", "--webhook", webhookId, "--state", "pending")
        yield* HeardSource.until(pending, (said) => Json.listOf(said).length === 1)
        yield* headwater("webhooks", "pause", webhookId)
        const begun = yield* json("bulk", "run", "retry", "--webhook", webhookId, "--no-wait")
        Json.assertHolds(begun, { state: "running", waits_at: [webhookId] })
        const held = yield* headwater("bulk", "get", Json.textOf(begun["id"]))
        assert.include(held.stdout, `${webhookId}, which is paused\n`)
        yield* headwater("webhooks", "resume", webhookId)
        yield* HeardSource.until(json("bulk", "get", Json.textOf(begun["id"])), ({ state }) =>
          Json.textOf(state) === "done")
        assert.lengthOf(yield* received(2), 2)
        const skipped = yield* headwater("bulk", "run", "retry", "--webhook", webhookId)
        assert.strictEqual(skipped.code, 0, skipped.stderr)
        assert.match(skipped.stdout, /\nState +done\nMatched +1\nDone +0\nFailed +0\nSkipped +1\n/)
        assert.match(skipped.stdout, new RegExp(`\\nSkipped at +${webhookId}, which is switched off \\(gone\\)\\n`))
      }),
    HeadwaterCommand.patienceMs
  )
})
