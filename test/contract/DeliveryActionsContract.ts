import { assert } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import { Effect, Schedule } from "effect"
import { assertInvalid, assertProblem, type Client, ContractServer, emitting, type It } from "./ContractServer.ts"

const idOf = (json: Json.Json): string => Json.textOf(json["id"])

const emit = (source: Json.Json, count: number) =>
  Effect.promise(() =>
    fetch(Json.textOf(source["configured_props"]!["http"]!["endpoint_url"]), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ count })
    })
  )

/** A source, a webhook whose endpoint nobody listens at, and one delivery that waits for its retry. */
const failing = Effect.fnUntraced(function*(client: Client) {
  const source = yield* client.ok("POST", "/sources", { component_code: emitting })
  const webhook = yield* client.ok("POST", "/webhooks", {
    url: "http://127.0.0.1:9/",
    retry_schedule: Array.from({ length: 9 }, () => 3_600)
  })
  yield* client.ok("POST", "/subscriptions", { emitter_id: idOf(source), listener_id: idOf(webhook) })
  yield* emit(source, 1)
  const [delivery] = yield* client.listed(`/webhooks/${idOf(webhook)}/deliveries?state=pending`, 1)
  return { source, webhook, path: `/webhooks/${idOf(webhook)}`, delivery: delivery! }
})

/** What becomes of a resource until it meets a condition. */
const until = (client: Client, path: string, isMet: (resource: Json.Json) => boolean) =>
  client.ok("GET", path).pipe(
    Effect.repeat({ until: isMet, schedule: Schedule.spaced("20 millis") }),
    Effect.timeout("60 seconds"),
    Effect.orDie
  )

/** What clients do with deliveries, which is an extension. */
export const rows = (it: It): void => {
  it.effect("extension: a delivery is attempted once more, skipped, and sent again by force", () =>
    Effect.gen(function*() {
      const { ann, bob } = yield* ContractServer
      const { delivery, path } = yield* failing(ann)
      const own = `/deliveries/${idOf(delivery)}`
      const retried = yield* ann.send("POST", `${own}/retry`)
      assert.strictEqual(retried.status, 202, retried.text)
      yield* until(ann, own, (shown) => shown["attempt_count"] as unknown === 2)
      const forced = yield* ann.send("POST", `${path}/force-next`)
      assert.strictEqual(forced.status, 202, forced.text)
      Json.assertHolds(yield* ann.ok("POST", `${own}/skip`), { state: "dropped" })
      assertProblem(yield* ann.send("POST", `${own}/skip`), 409, "delivery_not_pending")
      for (const action of ["retry", "skip"]) {
        assertProblem(yield* bob.send("POST", `${own}/${action}`), 404, "not_found")
      }
      assertProblem(yield* bob.send("POST", `${path}/force-next`), 404, "not_found")
    }))

  it.effect("extension: a delivery whose event or subscription is deleted can't be repeated", () =>
    Effect.gen(function*() {
      const { ann } = yield* ContractServer
      const { delivery, source, webhook } = yield* failing(ann)
      yield* ann.send("DELETE", `/subscriptions?emitter_id=${idOf(source)}&listener_id=${idOf(webhook)}`)
      assertProblem(
        yield* ann.send("POST", `/deliveries/${idOf(delivery)}/retry`),
        409,
        "delivery_not_repeatable"
      )
    }))

  it.effect("extension: a webhook is tested, paused and resumed", () =>
    Effect.gen(function*() {
      const { ann, bob } = yield* ContractServer
      const { delivery, path, source } = yield* failing(ann)
      for (const body of [{}, { payload: { a: 1 } }, { emitter_id: idOf(source), event_id: delivery["event_id"] }]) {
        const tested = yield* ann.ok("POST", `${path}/test`, body)
        Json.assertHolds(tested["attempt"], { outcome: "failed", error_class: "connect", next_attempt_at_ms: null })
      }
      assertInvalid(yield* ann.send("POST", `${path}/test`, { body: { event_id: delivery["event_id"] } }), "emitter_id")
      Json.assertHolds(yield* ann.ok("POST", `${path}/pause`), { active: false })
      Json.assertHolds(yield* ann.ok("POST", `${path}/resume`, { from: "now" }), { active: true })
      Json.assertHolds(yield* ann.ok("GET", `/deliveries/${idOf(delivery)}`), { state: "dropped" })
      assertInvalid(yield* ann.send("POST", `${path}/resume`, { body: { from: "then" } }), "from")
      for (const action of ["test", "pause", "resume"]) {
        assertProblem(yield* bob.send("POST", `${path}/${action}`), 404, "not_found")
      }
    }))

  it.effect("extension: many deliveries are dealt with at once, which is counted first, paused, resumed and cancelled", () =>
    Effect.gen(function*() {
      const { bob, fresh } = yield* ContractServer
      const ann = yield* fresh("bulk")
      const { delivery, path, source, webhook } = yield* failing(ann)
      const begin = Effect.fnUntraced(function*(place: string, body: unknown) {
        const answer = yield* ann.send("POST", place, { body })
        assert.strictEqual(answer.status, 202, answer.text)
        return `/bulk_actions/${idOf(answer.json["data"]!)}`
      })
      const isDone = ({ state }: Json.Json) => state as unknown === "done"
      const filter = { webhook_id: idOf(webhook), state: "pending" }
      const counted = yield* begin("/bulk_actions", { action: "retry", filter, dry_run: true })
      Json.assertHolds(yield* until(ann, counted, isDone), { matched: 1, left: 1, done: 0, filter })
      const retried = yield* begin("/bulk_actions", { action: "retry", filter, rate_limit: 1 })
      Json.assertHolds(yield* until(ann, retried, isDone), { matched: 1, failed: 1, left: 0 })
      const skipped = yield* begin("/bulk_actions", { action: "skip", filter })
      Json.assertHolds(yield* until(ann, skipped, isDone), { matched: 1, done: 1 })
      Json.assertHolds(yield* ann.ok("GET", `/deliveries/${idOf(delivery)}`), { state: "dropped" })

      yield* ann.ok("POST", `${path}/pause`)
      const replayed = yield* begin(`${path}/replay`, { emitter_id: idOf(source), from: delivery["event_id"] })
      Json.assertHolds(yield* ann.ok("POST", `${replayed}/pause`), { state: "paused" })
      Json.assertHolds(yield* ann.ok("PUT", replayed, { rate_limit: 7 }), { rate_limit: 7 })
      Json.assertHolds(yield* ann.ok("POST", `${replayed}/resume`), { state: "running" })
      Json.assertHolds(yield* ann.ok("POST", `${replayed}/cancel`), { state: "cancelled" })
      for (const action of ["pause", "resume"]) {
        assertProblem(yield* ann.send("POST", `${replayed}/${action}`), 409, "bulk_action_ended")
      }
      assertProblem(yield* ann.send("PUT", replayed, { body: { rate_limit: 8 } }), 409, "bulk_action_ended")

      // They hold no place while the webhook is paused.
      const waits = yield* begin(`${path}/replay`, { since: 0 })
      Json.assertHolds(yield* ann.ok("GET", waits), { state: "running", waits_at: [idOf(webhook)], stopped_at: [] })
      yield* ann.ok("POST", `${path}/resume`)
      yield* until(ann, waits, isDone)
      yield* emit(source, 60)
      yield* ann.listed(`${path}/deliveries?limit=100`, 61)
      for (let n = 0; n < 20; n++) yield* begin(`${path}/replay`, { since: 0, rate_limit: 1 })
      assertProblem(yield* ann.send("POST", `${path}/replay`, { body: { since: 0 } }), 409, "bulk_actions_full")
      const another = yield* ann.send("POST", "/bulk_actions", { body: { action: "retry", filter } })
      assertProblem(another, 409, "bulk_actions_full")
      assert.strictEqual((yield* ann.listed("/bulk_actions?limit=100", 25)).length, 25)

      assertInvalid(yield* ann.send("POST", "/bulk_actions", { body: { action: "burn" } }), "action", "filter")
      const ended = { action: "skip", filter: { state: "exhausted", to: "1-0" } }
      assertInvalid(yield* ann.send("POST", "/bulk_actions", { body: ended }), "filter.emitter_id", "filter.state")
      assertInvalid(yield* ann.send("POST", `${path}/replay`, { body: {} }), "emitter_id")
      assertInvalid(yield* ann.send("PUT", replayed, { body: { rate_limit: 0 } }), "rate_limit")
      for (const [method, place] of [["GET", replayed], ["PUT", replayed], ["POST", `${replayed}/cancel`]] as const) {
        assertProblem(yield* bob.send(method, place, method === "PUT" ? { body: {} } : {}), 404, "not_found")
      }
      assertProblem(yield* bob.send("POST", `${path}/replay`, { body: { since: 0 } }), 404, "not_found")
      for (const foreign of [filter, { emitter_id: idOf(source) }]) {
        const body = { action: "retry", filter: foreign }
        assertProblem(yield* bob.send("POST", "/bulk_actions", { body }), 404, "not_found")
      }
    }))
}
