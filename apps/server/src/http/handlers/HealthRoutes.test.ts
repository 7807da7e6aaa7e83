import { assert, it } from "@effect/vitest"
import { ActorCalls } from "@headwater/engine/ActorCalls"
import { Draining } from "@headwater/engine/Draining"
import { EngineConfig } from "@headwater/engine/EngineConfig"
import { Accounts } from "@headwater/log/access/Accounts"
import { CommittedTopic, GroupCommit } from "@headwater/log/commit/GroupCommit"
import { Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import { HttpSettings } from "../conventions/HttpSettings.ts"
import * as HealthRoutes from "./HealthRoutes.ts"

it.effect("a server is ready once it has its share of the actors and while the database takes commits, and alive all the time", () =>
  Effect.gen(function*() {
    let hasShards = false
    let ageMs = 0
    const { dispose, handler } = HttpRouter.toWebHandler(
      HealthRoutes.layer.pipe(
        Layer.provide([
          Layer.mock(Accounts, { count: Effect.succeed(1) }),
          Layer.mock(ActorCalls, {
            ingest: () => assert.fail("nothing is ingested"),
            isHere: () => true,
            hasShards: Effect.sync(() => hasShards),
            wake: () => {}
          }),
          Layer.mock(GroupCommit, {
            ageMs: () => ageMs,
            isFull: () => false,
            takeAppendedTo: () => new Set(),
            submit: () => assert.fail("nothing is written"),
            committed: new CommittedTopic()
          }),
          Draining.layer,
          Layer.succeed(EngineConfig, { publicUrl: "http://localhost" }),
          Layer.succeed(HttpSettings, {
            maxBody: 1,
            rateLimit: 0,
            byteRateLimit: 0,
            maxCode: 1,
            maxProp: 1,
            maxStoredValue: 1,
            maxHeapMebibytes: 1
          })
        ])
      ),
      { disableLogger: true }
    )
    yield* Effect.addFinalizer(() => Effect.promise(dispose))
    const statusOf = (path: string) =>
      Effect.promise(async () => (await handler(new Request(`http://localhost${path}`))).status)
    assert.deepStrictEqual([yield* statusOf("/healthz"), yield* statusOf("/readyz")], [200, 503])
    hasShards = true
    assert.strictEqual(yield* statusOf("/readyz"), 200)
    ageMs = 9_999
    assert.strictEqual(yield* statusOf("/readyz"), 200)
    ageMs = 10_000
    assert.deepStrictEqual([yield* statusOf("/healthz"), yield* statusOf("/readyz")], [200, 503])
  }))
