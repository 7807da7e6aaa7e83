import { assert, layer } from "@effect/vitest"
import { Accounts } from "@headwater/log/access/Accounts"
import { Webhooks } from "@headwater/log/resources/Webhooks"
import { Context, Effect, Layer } from "effect"
import * as EngineFixture from "../../test/EngineFixture.ts"
import { ActorCalls } from "./ActorCalls.ts"
import { Suspensions } from "./Suspensions.ts"
import * as Wake from "./Wake.ts"

layer(EngineFixture.layerNoSandbox, { timeout: "60 seconds", excludeTestServices: true })("a suspension", (it) => {
  it.effect("holds an account's actors, and once it is over, they look for everything that they owe", () =>
    Effect.gen(function*() {
      const accounts = yield* Accounts
      const account = yield* EngineFixture.account
      const webhook = yield* (yield* Webhooks).insert({
        accountId: account.id,
        name: null,
        description: null,
        url: "https://hooks.example.com/",
        settings: {}
      })
      const woken: Array<readonly [actorId: string, wake: Wake.Wake]> = []
      const actors = Layer.mock(ActorCalls, {
        ingest: () => assert.fail("nothing is ingested"),
        isHere: () => true,
        wake: (...hint) => void woken.push(hint)
      })
      const built = yield* Layer.build(
        Suspensions.layerWaking.pipe(Layer.provide(actors), Layer.provideMerge(Suspensions.layer))
      )
      const suspensions = Context.get(built, Suspensions)
      const until = (isSo: () => boolean) =>
        EngineFixture.whileTimePasses(Effect.repeat(Effect.sleep("20 millis"), { until: isSo }))

      yield* accounts.suspend(account.id)
      yield* until(() => suspensions.holds(webhook.id))
      assert.isEmpty(woken)
      yield* accounts.resume(account.id)
      yield* until(() => woken.length > 0)
      assert.deepStrictEqual(woken, [[webhook.id, Wake.forEverything]])
      assert.isFalse(suspensions.holds(webhook.id))
    }).pipe(Effect.scoped, EngineFixture.onTestClock))
})
