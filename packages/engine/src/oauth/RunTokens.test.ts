import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as EngineFixture from "../../test/EngineFixture.ts"
import { connected } from "../../test/OAuthFixture.ts"
import { actorOf, onRequest, stream } from "../../test/ProgramFixture.ts"
import { send } from "../../test/WorkflowFixture.ts"
import { AccountTokens } from "./AccountTokens.ts"

/** A source whose code has the account. */
const sourceOf = Effect.fnUntraced(function*(body: string) {
  const setup = yield* connected
  const code = onRequest(body).replace("props: {", `props: { shop: { type: "app", app: "shop" },`)
  const props = { shop: { authProvisionId: setup.id } }
  const program = yield* EngineFixture.program(setup.account.id, code, { state: "creating", props })
  const actor = yield* actorOf(program).pipe(Effect.provideService(AccountTokens, setup.tokens))
  yield* actor.deploy()
  return { ...setup, actor, program }
})

const untilInRealTime = (condition: () => boolean) =>
  TestClock.withLive(Effect.repeat(Effect.delay(Effect.sync(condition), "5 millis"), { until: (holds) => holds }))

layer(EngineFixture.layer, { timeout: "60 seconds", excludeTestServices: true })(
  "a run with an account over OAuth",
  (it) => {
    it.effect("always has the live token, also where it is renewed while the run goes on, and logs none of them", () =>
      Effect.gen(function*() {
        const { actor, first, id, program, server, tokens } = yield* sourceOf(`
        const { $auth } = this.shop
        const before = $auth.oauth_access_token
        console.log("before", before)
        const same = { ...$auth }
        while ($auth.oauth_access_token === before) await fetch(event.body)
        console.log("after", $auth.oauth_access_token)
        this.$emit([before, $auth.oauth_access_token, same])
        throw new Error("with " + this.shop.$auth.oauth_access_token)`)
        const working = yield* Effect.forkChild(send(actor, server.apiUrl))
        yield* untilInRealTime(() => server.apiRequests > 0)
        yield* tokens.renew(id)
        yield* Fiber.join(working)
        const [[before, after, same]] = yield* stream(program)
        assert.strictEqual(before, first)
        assert.notStrictEqual(after, first)
        assert.deepStrictEqual(same, { shop: "north", oauth_client_id: "north", oauth_access_token: first })
        const logs = JSON.stringify([yield* stream(program, "$logs"), yield* stream(program, "$errors")])
        assert.include(logs, "with ***")
        assert.notInclude(logs, before)
        assert.notInclude(logs, after)
      }).pipe(Effect.scoped, EngineFixture.onTestClock))

    it.effect("has a token renewed that an API refuses, once, and asks again for nothing", () =>
      Effect.gen(function*() {
        const { account, actor, first, id, program, server, tokens } = yield* sourceOf(`
        const { get } = await import("node:http")
        const headers = () => ({ authorization: "Bearer " + this.shop.$auth.oauth_access_token })
        const byHttp = () => new Promise((resolve) => get(event.body.url, { headers: headers() }, ({ statusCode }) => resolve(statusCode)))
        const byFetch = async () => (await fetch(event.body.url, { headers: headers() })).status
        this.$emit(await Promise.all([byHttp(), byFetch(), byFetch()]))`)
        yield* send(actor, { n: 1, url: server.apiUrl })
        yield* server.endAccess(first)
        yield* TestClock.adjust("6 minutes")
        yield* send(actor, { n: 2, url: server.apiUrl })
        yield* Effect.repeat(tokens.of(account.id, new Map([[id, {}]])), {
          until: (found) => found.get(id)?.token?.token !== first
        })
        yield* send(actor, { n: 3, url: server.apiUrl })
        assert.deepStrictEqual(yield* stream(program), [[200, 200, 200], [401, 401, 401], [200, 200, 200]])
        assert.strictEqual(server.renewals, 1)
      }).pipe(Effect.scoped, EngineFixture.onTestClock))
  }
)
