import { assert, layer } from "@effect/vitest"
import type * as Id from "@headwater/domain/Id"
import { Accounts } from "@headwater/log/access/Accounts"
import { OAuthAccounts } from "@headwater/log/access/OAuthAccounts"
import { DueWork } from "@headwater/log/work/DueWork"
import type { LiveToken } from "@headwater/sandbox/Run"
import { Clock, Deferred, Effect, Fiber } from "effect"
import { SqlError } from "effect/sql"
import { TestClock } from "effect/testing"
import * as EngineFixture from "../../test/EngineFixture.ts"
import { connected as setup, node } from "../../test/OAuthFixture.ts"
import { type AccountTokens, timed } from "./AccountTokens.ts"

const minutes = 60_000

const tokenOf = (tokens: AccountTokens["Service"], accountId: Id.AccountId, id: string) =>
  Effect.map(tokens.of(accountId, new Map([[id, {}]])), (found) => found.get(id)!.token!)

/** A node that does some things otherwise with the table. */
const nodeWith = (accounts: OAuthAccounts["Service"], otherwise: Partial<OAuthAccounts["Service"]>) =>
  Effect.provideService(node, OAuthAccounts, OAuthAccounts.of({ ...accounts, ...otherwise }))

const away = new SqlError.SqlError({ reason: new SqlError.ConnectionError({ cause: new Error("away") }) })

/** The types of the events that the account's log is about to have. */
const told = Effect.fnUntraced(function*(accountId: Id.AccountId) {
  const due = yield* (yield* DueWork).allOf(accountId, "emit")
  return due.map(({ payload }) => JSON.parse(JSON.parse(payload).payload) as Record<string, unknown>)
})

layer(EngineFixture.layerNoSandbox, { timeout: "60 seconds", excludeTestServices: true })(
  "the token of an account",
  (it) => {
    it.effect("is renewed before it ends, and those who watch hear of it", () =>
      Effect.gen(function*() {
        const { account, accounts, first, id, server, tokens } = yield* setup
        const heard: Array<LiveToken> = []
        const token = yield* tokenOf(tokens, account.id, id)
        assert.deepStrictEqual(token, { account: id, generation: 1, token: first })
        const stop = tokens.watch([token], (renewed) => heard.push(renewed))
        yield* TestClock.adjust(49 * minutes)
        yield* tokens.renewDue
        assert.strictEqual(server.renewals, 0)
        yield* TestClock.adjust(1 * minutes)
        yield* tokens.renewDue
        assert.strictEqual(server.renewals, 1)
        const renewed = yield* tokenOf(tokens, account.id, id)
        assert.strictEqual(renewed.generation, 2)
        assert.notStrictEqual(renewed.token, first)
        assert.deepStrictEqual(heard, [renewed])
        stop()
        yield* TestClock.adjust(55 * minutes)
        yield* tokens.renewDue
        assert.strictEqual(heard.length, 1)
        const standing = (yield* accounts.find(account.id, [id])).get(id)!
        assert.strictEqual(standing.generation, 3)
        assert.strictEqual(standing.expiresAt, yield* Effect.map(Clock.currentTimeMillis, (now) => now + 60 * minutes))
      }).pipe(Effect.scoped, EngineFixture.onTestClock))

    it.effect("is asked for once by all who need it, on however many nodes", () =>
      Effect.gen(function*() {
        const { account, id, server, tokens } = yield* setup
        const other = yield* node
        yield* TestClock.adjust(59 * minutes + 30_000)
        const found = yield* EngineFixture.whileTimePasses(Effect.forEach(
          [tokens, tokens, other, other, tokens],
          (each) => tokenOf(each, account.id, id),
          { concurrency: "unbounded" }
        ))
        assert.strictEqual(server.renewals, 1)
        assert.deepStrictEqual(new Set(found.map(({ generation }) => generation)), new Set([2]))
      }).pipe(Effect.scoped, EngineFixture.onTestClock))

    it.effect("is heard of on other nodes than the one that renews it", () =>
      Effect.gen(function*() {
        const { account, id, tokens } = yield* setup
        const other = yield* node
        const heard: Array<LiveToken> = []
        other.watch([yield* tokenOf(other, account.id, id)], (token) => heard.push(token))
        yield* tokens.renew(id)
        yield* other.lookForRenewed
        yield* other.lookForRenewed
        assert.deepStrictEqual(heard, [yield* tokenOf(tokens, account.id, id)])
      }).pipe(Effect.scoped, EngineFixture.onTestClock))

    it.effect("is renewed where a node that has claimed it is lost, also while runs wait for it", () =>
      Effect.gen(function*() {
        const { account, accounts, id, server, tokens } = yield* setup
        yield* TestClock.adjust(59 * minutes + 30_000)
        const now = yield* Clock.currentTimeMillis
        assert.isTrue(yield* accounts.claim(id, 1, now, now + 60_000))
        const { generation } = yield* EngineFixture.whileTimePasses(tokenOf(tokens, account.id, id))
        assert.strictEqual(generation, 1)
        yield* TestClock.adjust(1 * minutes)
        yield* EngineFixture.whileTimePasses(Effect.timeoutOption(tokens.renewDue, "20 seconds"))
        const renewed = yield* EngineFixture.whileTimePasses(tokenOf(tokens, account.id, id))
        assert.strictEqual(renewed.generation, 2)
        assert.strictEqual(server.renewals, 1)
      }).pipe(Effect.scoped, EngineFixture.onTestClock))

    it.effect("fails once for all when its renewal is refused, and recovers with the next one", () =>
      Effect.gen(function*() {
        const { account, accounts, first, id, server, tokens } = yield* setup
        const { refreshToken } = (yield* accounts.open([id])).get(id)!.tokens
        yield* server.revoke(refreshToken!)
        yield* TestClock.adjust(55 * minutes)
        yield* tokens.renewDue
        const failing = (yield* accounts.find(account.id, [id])).get(id)!
        assert.deepInclude(failing, { state: "failing", renewAt: null, failingSince: 55 * minutes, generation: 1 })
        assert.include(failing.error!, "invalid_grant")
        assert.notInclude(failing.error!, refreshToken!)
        const [event, ...more] = yield* told(account.id)
        assert.deepStrictEqual(more, [])
        assert.deepInclude(event, { type: "account.failing", account_id: id, app: "shop", error: failing.error })
        assert.strictEqual((yield* tokenOf(tokens, account.id, id)).token, first)

        yield* TestClock.adjust(90 * minutes)
        yield* tokens.renewDue
        assert.strictEqual(server.renewals, 1)
        const again = yield* server.grant
        const now = yield* Clock.currentTimeMillis
        yield* tokens.take(id, (before) => timed({ ...before, accessToken: again.access_token }, now, now + 3_600_000))
        assert.strictEqual((yield* tokenOf(tokens, account.id, id)).token, again.access_token)
        assert.strictEqual((yield* accounts.find(account.id, [id])).get(id)!.state, "connected")
        const types = (yield* told(account.id)).map(({ type }) => type)
        assert.sameMembers(types, ["account.failing", "account.recovered"])
      }).pipe(Effect.scoped, EngineFixture.onTestClock))

    it.effect("is asked for again while the provider is away, and fails once it has ended", () =>
      Effect.gen(function*() {
        const { account, accounts, id, server, tokens } = yield* setup
        const state = Effect.map(accounts.find(account.id, [id]), (found) => found.get(id)!.state)
        server.isDown = true
        yield* TestClock.adjust(51 * minutes)
        yield* tokens.renewDue
        assert.strictEqual(yield* state, "connected")
        yield* tokens.renewDue
        assert.strictEqual(server.renewals, 1)
        for (const seconds of [30, 60, 120, 240, 480]) {
          yield* TestClock.adjust(seconds * 1_000)
          yield* tokens.renewDue
        }
        assert.strictEqual(server.renewals, 6)
        assert.strictEqual(yield* state, "failing")
        server.isDown = false
        yield* TestClock.adjust(16 * minutes)
        yield* tokens.renewDue
        assert.strictEqual(yield* state, "connected")
        const types = (yield* told(account.id)).map(({ type }) => type)
        assert.sameMembers(types, ["account.failing", "account.recovered"])
      }).pipe(Effect.scoped, EngineFixture.onTestClock))

    it.effect("is taken over where the node that renewed it went away in the middle of it", () =>
      Effect.gen(function*() {
        const { account, accounts, id, server, tokens } = yield* setup
        yield* TestClock.adjust(55 * minutes)
        const now = yield* Clock.currentTimeMillis
        assert.deepStrictEqual(yield* accounts.claimDue(now, now + 60_000, 10), [id])
        yield* tokens.renewDue
        assert.strictEqual(server.renewals, 0)
        yield* TestClock.adjust(1 * minutes)
        yield* tokens.renewDue
        assert.strictEqual((yield* tokenOf(tokens, account.id, id)).generation, 2)
      }).pipe(Effect.scoped, EngineFixture.onTestClock))

    it.effect("is not asked for by a node whose claim was over before it asked", () =>
      Effect.gen(function*() {
        const { accounts, id, server, tokens } = yield* setup
        yield* TestClock.adjust(55 * minutes)
        const slow = yield* nodeWith(accounts, {
          open: (ids) =>
            Effect.tap(accounts.open(ids), () => Effect.andThen(TestClock.adjust(2 * minutes), tokens.renewDue))
        })
        yield* slow.renewDue
        assert.strictEqual(server.renewals, 1)
        assert.strictEqual((yield* accounts.open([id])).get(id)!.standing.generation, 2)
      }).pipe(Effect.scoped, EngineFixture.onTestClock))

    it.effect("is kept however long the database is away", () =>
      Effect.gen(function*() {
        const { accounts, first, id } = yield* setup
        yield* TestClock.adjust(55 * minutes)
        let tries = 0
        const kept = yield* Deferred.make<void>()
        const patient = yield* nodeWith(accounts, {
          renewed: (...all) =>
            Effect.andThen(
              Deferred.succeed(kept, undefined),
              Effect.suspend(() => ++tries < 30 ? Effect.fail(away) : accounts.renewed(...all))
            )
        })
        const renewing = yield* Effect.forkChild(patient.renew(id))
        yield* Deferred.await(kept)
        yield* EngineFixture.whileTimePasses(Fiber.join(renewing), "500 millis")
        assert.strictEqual(tries, 30)
        const { standing, tokens } = (yield* accounts.open([id])).get(id)!
        assert.deepInclude(standing, { state: "connected", generation: 2 })
        assert.notStrictEqual(tokens.accessToken, first)
      }).pipe(Effect.scoped, EngineFixture.onTestClock))

    it.effect("stays when the client is changed while it is renewed, and so does the client", () =>
      Effect.gen(function*() {
        const { account, accounts, first, id } = yield* setup
        const fields = { name: undefined, credentials: undefined }
        const meanwhile = yield* nodeWith(accounts, {
          renewed: (...all) =>
            Effect.gen(function*() {
              const now = yield* Clock.currentTimeMillis
              yield* Effect.orDie(
                accounts.change(account.id, id, fields, ({ standing: { client } }) =>
                  Effect.succeed({ client, clientSecret: "another", keepsRefreshToken: true }), now)
              )
              return yield* accounts.renewed(...all)
            })
        })
        yield* meanwhile.renew(id)
        const { clientSecret, standing, tokens } = (yield* accounts.open([id])).get(id)!
        assert.strictEqual(clientSecret, "another")
        assert.strictEqual(standing.generation, 2)
        assert.notStrictEqual(tokens.accessToken, first)
      }).pipe(Effect.scoped, EngineFixture.onTestClock))

    it.effect("that somebody else got is made from those that a renewal has left", () =>
      Effect.gen(function*() {
        const { accounts, id, tokens } = yield* setup
        const before = (yield* accounts.open([id])).get(id)!.tokens
        let renewals = 0
        const late = yield* nodeWith(accounts, {
          renewed: (...all) =>
            Effect.andThen(renewals++ === 0 ? tokens.renew(id) : Effect.void, accounts.renewed(...all))
        })
        yield* late.take(id, (present) => timed({ ...present, accessToken: "given" }, 0, null))
        const after = (yield* accounts.open([id])).get(id)!
        assert.strictEqual(after.tokens.accessToken, "given")
        assert.notStrictEqual(after.tokens.refreshToken, before.refreshToken)
        assert.strictEqual(after.standing.generation, 3)
      }).pipe(Effect.scoped, EngineFixture.onTestClock))

    it.effect("of a suspended account waits, and takes the place of no other", () =>
      Effect.gen(function*() {
        const suspended = yield* setup
        yield* TestClock.adjust(1 * minutes)
        const { accounts, id } = yield* setup
        yield* (yield* Accounts).suspend(suspended.account.id)
        yield* TestClock.adjust(55 * minutes)
        const now = yield* Clock.currentTimeMillis
        const claimed = yield* accounts.claimDue(now, now + minutes, 100)
        assert.include(claimed, id)
        assert.notInclude(claimed, suspended.id)
        yield* (yield* Accounts).resume(suspended.account.id)
        assert.deepStrictEqual(yield* accounts.claimDue(now, now + minutes, 100), [suspended.id])
      }).pipe(Effect.scoped, EngineFixture.onTestClock))

    it.effect("lasts ten years at most, whatever is said of it", () =>
      Effect.sync(() => {
        const tokens = { accessToken: "a", refreshToken: "r", told: {} }
        for (const said of [1e300, Infinity, Number.MAX_SAFE_INTEGER]) {
          const { expiresAt, renewAt } = timed(tokens, 1_000, said)
          assert.strictEqual(new Date(expiresAt!).getUTCFullYear(), 1979)
          assert.isBelow(renewAt!, expiresAt!)
        }
        assert.strictEqual(timed(tokens, 1_000, -1e300).expiresAt, 0)
        assert.strictEqual(timed(tokens, 1_000, -1e300).renewAt, 250)
      }))
  }
)
