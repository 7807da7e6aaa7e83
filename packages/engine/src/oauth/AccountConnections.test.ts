import { assert, layer } from "@effect/vitest"
import { AppAccounts } from "@headwater/log/access/AppAccounts"
import { Context, Deferred, Effect, Fiber, Layer, Option, Redacted } from "effect"
import { TestClock } from "effect/testing"
import * as EngineFixture from "../../test/EngineFixture.ts"
import { connected } from "../../test/OAuthFixture.ts"
import { AccountConnections } from "./AccountConnections.ts"
import { TokenEndpoint } from "./TokenEndpoint.ts"

/**
 * Connections of an account at a provider that answers when it is told to.
 *
 * @param isDeleted true if the account is deleted while the provider is asked for a device code
 */
const setupWith = Effect.fnUntraced(function*(isDeleted: boolean) {
  const { account, accounts, id } = yield* connected
  const appAccounts = yield* AppAccounts
  const asked = yield* Deferred.make<void>()
  const answer = yield* Deferred.make<void>()
  const endpoint = TokenEndpoint.of({
    token: () =>
      Effect.gen(function*() {
        yield* Deferred.succeed(asked, undefined)
        yield* Deferred.await(answer)
        return { accessToken: "granted", refreshToken: "next", lifetimeSeconds: 60, told: {} }
      }),
    ask: () =>
      Effect.as(isDeleted ? Effect.orDie(appAccounts.remove(account.id, id)) : Effect.void, {
        device_code: "d",
        user_code: "u",
        verification_uri: "https://a.example",
        interval: 1e300
      })
  })
  const connections = Context.get(
    yield* Layer.build(Layer.fresh(AccountConnections.layer)).pipe(Effect.provideService(TokenEndpoint, endpoint)),
    AccountConnections
  )
  const appAccount = Option.getOrThrow(yield* appAccounts.get(account.id, id))
  /** Completes a connection, whose request goes away while the provider is asked. */
  const completeAndGo = Effect.fnUntraced(function*(confirmation: string) {
    const options = { access: "key", confirmation: Redacted.make(confirmation) }
    const working = yield* Effect.forkChild(connections.complete(appAccount, options))
    yield* Deferred.await(asked)
    const going = yield* Effect.forkChild(Fiber.interrupt(working))
    yield* Effect.yieldNow
    yield* Deferred.succeed(answer, undefined)
    yield* Fiber.join(going)
    return (yield* accounts.open([id])).get(id)!.tokens
  })
  return { appAccount, completeAndGo, connections }
})

const setup = setupWith(false)

layer(EngineFixture.layerNoSandbox, { timeout: "60 seconds", excludeTestServices: true })(
  "the connection of an account",
  (it) => {
    it.effect("by a code keeps the tokens, also where the request that completes it goes away", () =>
      Effect.gen(function*() {
        const { appAccount, completeAndGo, connections } = yield* setup
        const { url } = yield* connections.begin(appAccount, { access: "key", returnTo: null })
        const state = new URL(url).searchParams.get("state")!
        const arrival = yield* connections.arrive({ state, code: "c", error: undefined })
        assert(arrival._tag === "Allowed")
        assert.deepInclude(yield* completeAndGo(arrival.confirmation), { accessToken: "granted", refreshToken: "next" })
      }).pipe(Effect.scoped, EngineFixture.onTestClock))

    it.effect("by a device code keeps them too, and may ask every minute at least", () =>
      Effect.gen(function*() {
        const { appAccount, completeAndGo, connections } = yield* setup
        const { confirmation, intervalMs } = yield* connections.beginDevice(appAccount, { access: "key" })
        assert.strictEqual(intervalMs, 60_000)
        yield* TestClock.adjust("59 seconds")
        const early = yield* Effect.flip(
          connections.complete(appAccount, { access: "key", confirmation: Redacted.make(confirmation!) })
        )
        assert.strictEqual(early._tag, "ConnectionPending")
        yield* TestClock.adjust("1 second")
        assert.deepInclude(yield* completeAndGo(confirmation!), { accessToken: "granted", refreshToken: "next" })
      }).pipe(Effect.scoped, EngineFixture.onTestClock))

    it.effect("can't begin where it is deleted meanwhile", () =>
      Effect.gen(function*() {
        const { appAccount, connections } = yield* setupWith(true)
        const failure = yield* Effect.flip(connections.beginDevice(appAccount, { access: "key" }))
        assert.deepInclude(failure, { _tag: "NotConnectable", message: "it has been deleted" })
      }).pipe(Effect.scoped, EngineFixture.onTestClock))
  }
)
