import { assert, describe, it } from "@effect/vitest"
import type { AccountId } from "@headwater/domain/Id"
import { Seal } from "@headwater/domain/Seal"
import type { WebhookRequestChange } from "@headwater/domain/WebhookRequest"
import * as TestDatabase from "@headwater/fixtures/TestDatabase"
import { Effect, Layer, Option, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Accounts } from "../access/Accounts.ts"
import { AutoSubscriptions } from "./AutoSubscriptions.ts"
import { Subscriptions } from "./Subscriptions.ts"
import { overlapMs, Webhooks } from "./Webhooks.ts"

const tables = Layer.mergeAll(Accounts.layer, Layer.provideMerge(Webhooks.layer, Subscriptions.layer)).pipe(
  Layer.provide(AutoSubscriptions.layer),
  Layer.provide([SecureRandom.layerWebCrypto, Seal.layer(Redacted.make(new Uint8Array(32).fill(7)))]),
  Layer.provideMerge(TestDatabase.layer)
)

const newAccount = Effect.flatMap(
  Accounts,
  (accounts) => accounts.create({ username: "ann", email: "ann@example.com", plan: "free" })
)

const newWebhook = Effect.fnUntraced(function*(accountId: AccountId) {
  const webhooks = yield* Webhooks
  return yield* webhooks.insert({ accountId, name: "hook", description: null, url: "http://localhost/x" })
})

const unchanged = { name: undefined, description: undefined, url: undefined, active: true }

describe("Webhooks", () => {
  it.effect("gives back what was created, to its account alone", () =>
    Effect.gen(function*() {
      const webhooks = yield* Webhooks
      const account = yield* newAccount
      const other = yield* newAccount
      const webhook = yield* newWebhook(account.id)
      assert.deepStrictEqual(yield* webhooks.get(account.id, webhook.id), Option.some(webhook))
      assert.deepStrictEqual(yield* webhooks.getById(webhook.id), Option.some(webhook))
      assert.deepStrictEqual(yield* webhooks.get(other.id, webhook.id), Option.none())
      assert.deepStrictEqual(yield* webhooks.update(other.id, webhook.id, unchanged), Option.none())
      assert.deepStrictEqual(yield* webhooks.rotate(other.id, webhook.id), Option.none())
      assert.isFalse(yield* webhooks.delete(other.id, webhook.id))
      assert.isTrue(yield* webhooks.delete(account.id, webhook.id))
      assert.deepStrictEqual(yield* webhooks.secrets(webhook.id), [])
    }).pipe(Effect.provide(tables)))

  it.effect("takes its subscriptions with it", () =>
    Effect.gen(function*() {
      const webhooks = yield* Webhooks
      const subscriptions = yield* Subscriptions
      const account = yield* newAccount
      const { id } = yield* newWebhook(account.id)
      const kept = yield* newWebhook(account.id)
      const subscribe = (listenerId: string) =>
        subscriptions.create({ accountId: account.id, emitterId: "dc_*", listenerId, eventName: "" })
      yield* subscribe(id)
      const left = yield* subscribe(kept.id)
      yield* webhooks.delete(account.id, id)
      assert.deepStrictEqual(yield* subscriptions.list(account.id), [left])
    }).pipe(Effect.provide(tables)))

  it.effect("signs with a secret of 32 bytes, and for 24 hours after a rotation with both", () =>
    Effect.gen(function*() {
      const webhooks = yield* Webhooks
      const account = yield* newAccount
      const webhook = yield* newWebhook(account.id)
      const live = Effect.map(webhooks.secrets(webhook.id), (secrets) => secrets.map(Redacted.value))
      const [first] = yield* live
      assert.strictEqual(Buffer.from(first!.slice("whsec_".length), "base64").length, 32)
      const second = Redacted.value(Option.getOrThrow(yield* webhooks.rotate(account.id, webhook.id)))
      assert.deepStrictEqual(yield* live, [second, first!])
      yield* TestClock.adjust(overlapMs - 1)
      assert.strictEqual((yield* live).length, 2)
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(yield* live, [second])
    }).pipe(Effect.provide(tables)))

  it.effect("signs with what its signature says, and for 24 hours after a rotation with both key pairs", () =>
    Effect.gen(function*() {
      const webhooks = yield* Webhooks
      const account = yield* newAccount
      const webhook = yield* newWebhook(account.id)
      const live = Effect.map(webhooks.signingKeys(webhook.id), (keys) => keys.map(Redacted.value))
      const signBy = (signature: "hmac" | "ed25519" | "both" | null) =>
        webhooks.update(account.id, webhook.id, { ...unchanged, request: { signature } })
      const [secret] = (yield* webhooks.secrets(webhook.id)).map(Redacted.value)
      assert.deepStrictEqual(yield* live, [secret!])
      // It may be asked for before it signs.
      const first = Redacted.value(Option.getOrThrow(yield* webhooks.keyPair(account.id, webhook.id)))
      assert.match(first, /^whsk_[A-Za-z0-9+/]{86}==$/)
      yield* signBy("ed25519")
      assert.deepStrictEqual(yield* live, [first])
      yield* signBy("both")
      assert.deepStrictEqual(yield* live, [secret!, first])
      const second = Redacted.value(Option.getOrThrow(yield* webhooks.rotateKeyPair(account.id, webhook.id)))
      assert.deepStrictEqual(yield* live, [secret!, second, first])
      yield* TestClock.adjust(overlapMs - 1)
      assert.strictEqual((yield* live).length, 3)
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(yield* live, [secret!, second])
      yield* signBy(null)
      assert.deepStrictEqual(yield* live, [secret!])
      const made = yield* webhooks.insert({
        accountId: account.id,
        name: null,
        description: null,
        url: "http://localhost/x",
        request: { signature: "ed25519" }
      })
      assert.deepStrictEqual(
        (yield* webhooks.signingKeys(made.id)).map(Redacted.value),
        Option.toArray(yield* webhooks.keyPair(account.id, made.id)).map(Redacted.value)
      )
      const other = yield* newAccount
      assert.deepStrictEqual(yield* webhooks.keyPair(other.id, webhook.id), Option.none())
      assert.deepStrictEqual(yield* webhooks.rotateKeyPair(other.id, webhook.id), Option.none())
    }).pipe(Effect.provide(tables)))

  it.effect("keeps what is secret of its requests sealed, and what is not given again as it was", () =>
    Effect.gen(function*() {
      const webhooks = yield* Webhooks
      const sql = yield* SqlClient.SqlClient
      const account = yield* newAccount
      const { id } = yield* webhooks.insert({
        accountId: account.id,
        name: null,
        description: null,
        url: "http://localhost/x",
        request: { headers: { "x-a": "1" }, secretHeaders: { authorization: "7Yb2", "x-key": "k" }, maxBytes: 9 }
      })
      const change = (request: WebhookRequestChange) =>
        Effect.map(
          webhooks.update(account.id, id, { ...unchanged, request }),
          (after) => Option.getOrThrow(after).request
        )
      const secretHeaders = Effect.map(webhooks.requestSecrets(id), ({ headers }) => headers)
      assert.deepStrictEqual(yield* change({}), {
        headers: { "x-a": "1" },
        secretHeaders: ["authorization", "x-key"],
        maxBytes: 9
      })
      assert.deepStrictEqual(yield* secretHeaders, { authorization: "7Yb2", "x-key": "k" })
      const [row] = yield* sql<{ readonly text: string }>`SELECT w::text AS text FROM webhooks w WHERE id = ${id}`
      assert.notInclude(row!.text, "7Yb2")
      assert.notInclude(row!.text, Buffer.from("7Yb2").toString("hex"))
      yield* change({ secretHeaders: { authorization: null, "x-new": "n" }, headers: null })
      assert.deepStrictEqual(yield* secretHeaders, { authorization: "7Yb2", "x-new": "n" })
      assert.isNull(yield* change({ secretHeaders: null, maxBytes: null }))
      assert.isUndefined(yield* secretHeaders)
    }).pipe(Effect.provide(tables)))

  it.effect("never shortens a throttle, and keeps the earlier start of failing", () =>
    Effect.gen(function*() {
      const webhooks = yield* Webhooks
      const account = yield* newAccount
      const { id } = yield* newWebhook(account.id)
      const now = Effect.map(webhooks.getById(id), Option.getOrThrow)
      yield* webhooks.throttle(id, 2_000)
      yield* webhooks.throttle(id, 1_000)
      yield* webhooks.markFailing(id, 2_000)
      yield* webhooks.markFailing(id, 3_000)
      assert.strictEqual((yield* now).throttledUntil, 2_000)
      assert.strictEqual((yield* now).failingSince, 2_000)
      yield* webhooks.markFailing(id, 1_000)
      assert.strictEqual((yield* now).failingSince, 1_000)
      yield* webhooks.markHealthy(id)
      assert.isNull((yield* now).failingSince)
    }).pipe(Effect.provide(tables)))

  it.effect("is disabled once, and forgets why when made active again", () =>
    Effect.gen(function*() {
      const webhooks = yield* Webhooks
      const account = yield* newAccount
      const { id } = yield* newWebhook(account.id)
      yield* webhooks.markFailing(id, 1_000)
      assert.isTrue(yield* webhooks.disable(id, "failing", 9_000))
      assert.isFalse(yield* webhooks.disable(id, "gone", 10_000))
      const disabled = Option.getOrThrow(yield* webhooks.getById(id))
      assert.deepInclude(disabled, { active: false, disabledReason: "failing", failingSince: 1_000, updatedAt: 9 })
      const still = yield* webhooks.update(account.id, id, { ...unchanged, name: null, active: false })
      assert.deepInclude(Option.getOrThrow(still), { name: null, active: false, disabledReason: "failing" })
      const again = yield* webhooks.update(account.id, id, unchanged)
      assert.deepInclude(Option.getOrThrow(again), { active: true, disabledReason: null, failingSince: null })
    }).pipe(Effect.provide(tables)))

  it.effect("takes part in the surrounding transaction", () =>
    Effect.gen(function*() {
      const webhooks = yield* Webhooks
      const sql = yield* SqlClient.SqlClient
      const account = yield* newAccount
      const { id } = yield* newWebhook(account.id)
      yield* sql.withTransaction(Effect.andThen(webhooks.disable(id, "gone", 1), Effect.fail("no"))).pipe(Effect.flip)
      assert.isTrue(Option.getOrThrow(yield* webhooks.getById(id)).active)
    }).pipe(Effect.provide(tables)))
})
