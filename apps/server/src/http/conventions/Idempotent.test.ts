import { assert, describe, it, layer } from "@effect/vitest"
import { CurrentAccount } from "@headwater/api/Authorization"
import * as Problem from "@headwater/api/Problem"
import * as Json from "@headwater/fixtures/Json"
import * as TestTables from "@headwater/fixtures/TestTables"
import { Accounts } from "@headwater/log/access/Accounts"
import { IdempotencyKeys, leaseMs } from "@headwater/log/access/IdempotencyKeys"
import { Clock, Deferred, Effect, Exit, Fiber, Option, Schedule, Schema } from "effect"
import { HttpServer, HttpServerRequest, HttpServerResponse } from "effect/http"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import * as Http from "../../../test/HttpAppFixture.ts"
import * as Idempotent from "./Idempotent.ts"

const url = "http://127.0.0.1:9/"

/** Code whose source takes a moment to come about. */
const slow = `export default {
  hooks: { async deploy() { await new Promise((resolve) => setTimeout(resolve, 500)) } },
  async run() {}
}`

const keyed = (key: string) => ({ headers: { "idempotency-key": key } })

const countOf = Effect.fnUntraced(function*(http: Http.Tenant, list: string) {
  const { json } = yield* http.request("GET", list)
  return Number(json["page_info"]!["total_count"])
})

const assertReplayed = (answer: Http.Answer, first: Http.Answer) => {
  assert.deepStrictEqual([answer.status, answer.text], [first.status, first.text])
  assert.strictEqual(answer.headers.get("content-type"), first.headers.get("content-type"))
  assert.isNull(first.headers.get("idempotency-replayed"))
  assert.strictEqual(answer.headers.get("idempotency-replayed"), "true")
  assert.notStrictEqual(answer.headers.get("x-request-id"), first.headers.get("x-request-id"))
}

layer(Http.layer, { excludeTestServices: true })("a POST with an Idempotency-Key", (it) => {
  it.effect("is done once, and answered again as the first time", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const create = http.request("POST", "/v1/webhooks?exclude=url,user_id", {
        ...keyed("a key"),
        body: { url, name: "ünï" }
      })
      const first = yield* create
      assert.strictEqual(first.status, 200)
      assertReplayed(yield* create, first)
      assert.strictEqual(yield* countOf(http, "/v1/users/me/webhooks"), 1)
      const rotate = http.request("POST", `/v1/webhooks/${first.json["data"]!["id"]}/secret/rotate`, keyed("rotation"))
      const rotated = yield* rotate
      assertReplayed(yield* rotate, rotated)
      const unkeyed = yield* http.request("POST", "/v1/webhooks", { body: { url, name: "ünï" } })
      assert.notStrictEqual(unkeyed.json["data"]!["id"], first.json["data"]!["id"])
    }))

  it.effect("conflicts with another request under its key, in path, query or body, of the same account alone", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const stranger = yield* Http.tenant()
      const ask = (path: string, body: unknown, as = http) => as.request("POST", path, { ...keyed("k"), body })
      assert.strictEqual((yield* ask("/v1/webhooks", { url })).status, 200)
      for (
        const [path, body] of [
          ["/v1/webhooks", { url, name: "n" }],
          ["/v1/webhooks?name=n", { url }],
          ["/v1/subscriptions", { url }]
        ] as const
      ) {
        Http.assertProblem(yield* ask(path, body), 409, "idempotency_conflict")
      }
      assert.strictEqual((yield* ask("/v1/webhooks", { url, name: "n" }, stranger)).status, 200)
      assert.strictEqual(yield* countOf(http, "/v1/users/me/webhooks"), 1)
      const listed = yield* http.request("GET", "/v1/users/me/webhooks", keyed("k"))
      assert.strictEqual(listed.status, 200)
    }))

  it.effect("creates one thing where it comes several times at once", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const create = http.request("POST", "/v1/sources", { ...keyed("k"), body: { component_code: slow } })
      const answers = yield* Effect.all([create, create, create, create], { concurrency: "unbounded" })
      const [first, ...others] = answers.toSorted((a, b) =>
        Number(a.headers.has("idempotency-replayed")) - Number(b.headers.has("idempotency-replayed"))
      )
      assert.strictEqual(first!.status, 200, first!.text)
      for (const other of others) assertReplayed(other, first!)
      assert.strictEqual(yield* countOf(http, "/v1/users/me/sources"), 1)
    }))

  it.effect("goes on where its client has gone, for a repeat to learn how it ended", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const { address } = yield* HttpServer.HttpServer
      const sql = yield* SqlClient.SqlClient
      const client = yield* Effect.forkChild(Effect.promise((signal) =>
        fetch(`${HttpServer.formatAddress(address)}/v1/sources`, {
          method: "POST",
          headers: {
            authorization: `Bearer ${http.key}`,
            "content-type": "application/json",
            "idempotency-key": "k"
          },
          body: JSON.stringify({ component_code: slow }),
          signal
        })
      ))
      yield* sql`SELECT key FROM idempotency_keys WHERE account_id = ${http.accountId}`.pipe(
        Effect.repeat({
          until: (claims) =>
            claims.length > 0,
          schedule: Schedule.spaced("10 millis")
        })
      )
      yield* Fiber.interrupt(client)
      const again = yield* http.request("POST", "/v1/sources", { ...keyed("k"), body: { component_code: slow } })
      assert.deepStrictEqual([again.status, again.headers.get("idempotency-replayed")], [200, "true"])
      const list = yield* http.request("GET", "/v1/users/me/sources")
      assert.deepStrictEqual(
        Json.listOf(list.json["data"]).map(({ id }) => id),
        [again.json["data"]!["id"]]
      )
    }))

  it.effect("is answered again with an error of the request, but not with one that passes", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const sql = yield* SqlClient.SqlClient
      const broken = http.request("POST", "/v1/components", { ...keyed("c"), body: { component_code: "let" } })
      const first = yield* broken
      Http.assertProblem(first, 422, "component_invalid")
      assertReplayed(yield* broken, first)
      const create = http.request("POST", "/v1/webhooks", { ...keyed("w"), body: { url } })
      yield* sql`ALTER TABLE webhooks RENAME TO away`
      const failed = yield* Effect.ensuring(create, Effect.orDie(sql`ALTER TABLE away RENAME TO webhooks`))
      Http.assertProblem(failed, 500, "internal_error")
      const done = yield* create
      assert.deepStrictEqual([done.status, done.headers.get("idempotency-replayed")], [200, null])
    }))

  it.effect("that was refused before it was done can be mended under its key", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      const refused: ReadonlyArray<Http.RequestOptions> = [
        { body: {} },
        { raw: "{", headers: { "content-type": "application/json" } },
        { body: { url: 1 } },
        { raw: `{"url":"${url}"}`, headers: { "content-type": "text/plain" } }
      ]
      for (const options of refused) {
        const answer = yield* http.request("POST", "/v1/webhooks", {
          ...options,
          headers: { ...options.headers, ...keyed("k").headers }
        })
        assert.include([400, 415], answer.status)
      }
      const wrongKey = yield* http.request("POST", "/v1/webhooks", { ...keyed("k"), body: { url }, key: "hw_wrong" })
      Http.assertProblem(wrongKey, 401, "unauthorized")
      const mended = yield* http.request("POST", "/v1/webhooks", { ...keyed("k"), body: { url } })
      assert.strictEqual(mended.status, 200)
    }))

  it.effect("is refused where the key is none", () =>
    Effect.gen(function*() {
      const http = yield* Http.tenant()
      for (const key of ["", "x".repeat(256), "ö", "a\tb"]) {
        const answer = yield* http.request("POST", "/v1/webhooks", { ...keyed(key), body: { url } })
        Http.assertProblem(answer, 400, "invalid_request")
        assert.deepStrictEqual(Http.issuePaths(answer), ["Idempotency-Key"])
      }
      const longest = yield* http.request("POST", "/v1/webhooks", { ...keyed("~ ".repeat(127) + "x"), body: { url } })
      assert.strictEqual(longest.status, 200)
    }))
})

/** What the middleware does with a handler, on a clock that only the test moves. */
const start = Effect.fnUntraced(function*(handle: Effect.Effect<HttpServerResponse.HttpServerResponse>) {
  const keys = yield* IdempotencyKeys
  let underWay = 0
  const counted = <A, E>(question: Effect.Effect<A, E>) =>
    Effect.acquireUseRelease(
      Effect.sync(() => void underWay++),
      () => question,
      () => Effect.sync(() => void underWay--)
    )
  const once = yield* Idempotent.make.pipe(
    Effect.provideService(IdempotencyKeys, {
      ...keys,
      claim: (request) => counted(keys.claim(request)),
      renew: (claim) => counted(keys.renew(claim))
    })
  )
  const sql = yield* SqlClient.SqlClient
  const { id: accountId } = yield* (yield* Accounts).create({ username: "a", email: "a@example.com", plan: "free" })
  const request = HttpServerRequest.fromWeb(new Request("http://a/v1/webhooks", { method: "POST", ...keyed("k") }))
  let done = 0
  return {
    ask: once(Effect.andThen(Effect.sync(() => done += 1), handle)).pipe(
      Effect.provideService(HttpServerRequest.HttpServerRequest, request),
      Effect.provideService(CurrentAccount, accountId)
    ),
    timesDone: () => done,
    /** How long the key is still claimed, in milliseconds. */
    held: Effect.gen(function*() {
      const now = yield* Clock.currentTimeMillis
      const [row] = yield* sql<{ readonly claimed_until: bigint }>`
        SELECT claimed_until FROM idempotency_keys WHERE account_id = ${accountId}`
      return row === undefined ? 0 : Number(row.claimed_until) - now
    }),
    /** Moves the clock on until a fiber has ended. No time passes while the database is asked, however busy it is. */
    untilEnded: <A, E>(fiber: Fiber.Fiber<A, E>) =>
      TestClock.adjust("100 millis").pipe(
        Effect.andThen(
          Effect.repeat(TestClock.withLive(Effect.sleep("2 millis")), { until: () => underWay === 0 })
        ),
        Effect.repeat({ while: () => fiber.pollUnsafe() === undefined }),
        Effect.andThen(Fiber.await(fiber))
      ),
    /** As a server leaves it that is killed before it answers. */
    forgetAnswer: sql`UPDATE idempotency_keys SET answer = NULL WHERE account_id = ${accountId}`
  }
})

describe("a claimed Idempotency-Key", () => {
  it.effect("is held for as long as its request works; one that waits for it gives up after 20 seconds", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<HttpServerResponse.HttpServerResponse>()
      const { ask, held, timesDone, untilEnded } = yield* start(Deferred.await(gate))
      const first = yield* Effect.forkChild(ask)
      yield* held.pipe(Effect.repeat({ until: (left) => left > 0 }))
      const asked = yield* Clock.currentTimeMillis
      const second = yield* untilEnded(yield* Effect.forkChild(ask))
      assert.isAtLeast((yield* Clock.currentTimeMillis) - asked, 20_000)
      const refusal = Exit.findErrorOption(second).pipe(
        Option.filter(Schema.is(Problem.Unavailable)),
        Option.getOrThrow
      )
      assert.strictEqual(refusal.details.retry_after_seconds, 5)
      assert.isAbove(yield* held, 0)
      yield* Deferred.succeed(gate, HttpServerResponse.text("done"))
      yield* Fiber.join(first)
      const again = yield* ask
      assert.deepStrictEqual([again.headers["idempotency-replayed"], timesDone()], ["true", 1])
    }).pipe(Effect.provide(TestTables.layer)))

  it.effect("is taken over when the server that held it is gone, and the request is done again", () =>
    Effect.gen(function*() {
      const { ask, forgetAnswer, timesDone, untilEnded } = yield* start(Effect.succeed(HttpServerResponse.text("done")))
      yield* ask
      yield* forgetAnswer
      const asked = yield* Clock.currentTimeMillis
      const again = yield* Effect.forkChild(ask)
      assert.isTrue(Exit.isSuccess(yield* untilEnded(again)))
      assert.isAtLeast((yield* Clock.currentTimeMillis) - asked, leaseMs)
      assert.strictEqual(timesDone(), 2)
    }).pipe(Effect.provide(TestTables.layer)))
})
