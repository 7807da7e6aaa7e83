import { assert, layer } from "@effect/vitest"
import * as Id from "@headwater/domain/Id"
import * as TestDatabase from "@headwater/fixtures/TestDatabase"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { BulkActions } from "./BulkActions.ts"

layer(BulkActions.layer.pipe(Layer.provideMerge(TestDatabase.layer)), { timeout: "60 seconds" })(
  "a bulk action at a webhook that its owner paused",
  (it) => {
    it.effect("waits and holds no place if it sends; others are at work there", () =>
      Effect.gen(function*() {
        const bulk = yield* BulkActions
        const sql = yield* SqlClient.SqlClient
        const accountId = Id.AccountId.make(Id.of("account", 1, new Uint8Array(Id.randomLength)))
        const webhookId = Id.of("webhook", 1, new Uint8Array(Id.randomLength))
        yield* sql`
          INSERT INTO accounts (id, username, email, plan, created_at) VALUES (${accountId}, 'a', 'a@b', 'free', 0)`
        yield* sql`
          INSERT INTO webhooks (id, account_id, url, active, secret, created_at, updated_at)
          VALUES (${webhookId}, ${accountId}, 'http://a', false, '', 0, 0)`
        const waitsAt = Effect.fnUntraced(function*(action: "retry" | "skip", dryRun: boolean) {
          const begun = { accountId, action, dryRun, filter: {}, rateLimit: 1, rerun: null }
          const { id } = yield* bulk.insert(begun, { at: "webhooks", id: undefined, ownOnly: true })
          return Option.getOrThrow(yield* bulk.get(accountId, id)).progress.waitsAt
        })
        assert.deepStrictEqual(yield* waitsAt("retry", false), [webhookId])
        assert.deepStrictEqual(yield* waitsAt("retry", true), [])
        assert.deepStrictEqual(yield* waitsAt("skip", false), [])
        assert.deepStrictEqual(yield* bulk.countOpen(accountId), { all: 3, atWork: 1 })
      }))
  }
)
