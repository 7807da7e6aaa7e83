import { assert, it } from "@effect/vitest"
import { Actors } from "@headwater/engine/Actors"
import { Draining } from "@headwater/engine/Draining"
import { Accounts } from "@headwater/log/Accounts"
import { Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import * as HealthRoutes from "./HealthRoutes.ts"

it.effect("a server is ready once it has its share of the actors, and alive before", () =>
  Effect.gen(function*() {
    let hasShards = false
    const { dispose, handler } = HttpRouter.toWebHandler(
      HealthRoutes.layer.pipe(
        Layer.provide([
          Layer.mock(Accounts, { count: Effect.succeed(1) }),
          Layer.mock(Actors, { isHere: () => true, hasShards: Effect.sync(() => hasShards), wake: () => {} }),
          Draining.layer
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
  }))
