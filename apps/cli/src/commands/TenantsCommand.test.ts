import { assert, describe, it } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import * as TestTables from "@headwater/fixtures/TestTables"
import { Accounts } from "@headwater/log/access/Accounts"
import { ApiKeys } from "@headwater/log/access/ApiKeys"
import { SealCheck } from "@headwater/log/access/SealCheck"
import { Effect, Option, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as CommandInProcess from "../../test/CommandInProcess.ts"
import * as HeadwaterCommand from "../../test/HeadwaterCommand.ts"

const paid = {
  username: "ann",
  email: "ann@example.com",
  plan: "paid",
  daily_invocations_quota: 1_000,
  daily_compute_time_quota: null,
  billing_period_invocations_quota: 0,
  retention_days: 90
}

describe("headwater tenants", () => {
  it.live(
    "create makes an account that is an emitter, with a key that is shown once and names it",
    () =>
      Effect.gen(function*() {
        const headwater = yield* CommandInProcess.onTestDatabase
        const keys = yield* ApiKeys
        const sql = yield* SqlClient.SqlClient
        const created = yield* headwater("account", "create", "bob", "--email", "bob@localhost")
        assert.deepStrictEqual([created.code, created.stderr], [0, ""])
        const id = /^Account +(u_[0-9A-Za-z]{20})$/m.exec(created.stdout)?.[1] ?? ""
        const key = /^API key +(hw_[0-9A-Za-z]{40}) +shown only once: save it$/m.exec(created.stdout)?.[1] ?? ""
        const accountOf = Effect.fnUntraced(function*(text: string) {
          const found = yield* keys.authenticate(Redacted.make(text))
          return Option.map(found, ({ accountId }) => accountId)
        })
        assert.deepStrictEqual<unknown>(yield* accountOf(key), Option.some(id))
        assert.lengthOf(yield* sql`SELECT 1 FROM heads WHERE emitter_id = ${id}`, 1)
        const limited = HeadwaterCommand.jsonOf(
          yield* headwater(
            ..."account create ann --email ann@example.com --plan paid --json --daily-invocations-quota 1000".split(
              " "
            ),
            ..."--daily-compute-time-quota none --billing-period-invocations-quota 0 --retention-days 90".split(" ")
          )
        )
        Json.assertHolds(limited, paid)
        const authenticated = yield* accountOf(Json.textOf(limited["api_key"]))
        assert.deepStrictEqual<unknown>(authenticated, Option.some(limited["id"]))
        const listed = yield* headwater("account", "list")
        const rows = listed.stdout.trimEnd().split("\n").map((line) => line.split(/ {3,}/).slice(0, 9))
        assert.deepStrictEqual(rows.slice(1), [
          [id, "bob", "bob@localhost", "free", "none", "none", "none", "default", "active"],
          [Json.textOf(limited["id"]), "ann", "ann@example.com", "paid", "1000", "none", "0", "90", "active"]
        ])
        const { api_key: _, ...shown } = limited
        const all = Json.listOf(HeadwaterCommand.jsonOf(yield* headwater("account", "list", "--json")))
        assert.deepStrictEqual<unknown>(all[1], shown)
        assert.notInclude(listed.stdout + JSON.stringify(all), "hw_")
      }).pipe(Effect.provide(TestTables.layer)),
    HeadwaterCommand.patienceMs
  )

  it.live("set changes what is given, of the account of that id or username", () =>
    Effect.gen(function*() {
      const headwater = yield* CommandInProcess.onTestDatabase
      const accounts = yield* Accounts
      const account = yield* accounts.create({ username: "ann", email: "a@b", plan: "free", dailyInvocationsQuota: 5 })
      const limited = yield* headwater("account", "set", "ann", "--daily-compute-time-quota", "60000", "--plan", "paid")
      assert.match(limited.stdout, /^Daily compute time quota +1m$/m)
      const renamed = yield* headwater(
        ...`account set ${account.id} --username anna --email anna@b --json`.split(" "),
        ..."--daily-invocations-quota none --billing-period-invocations-quota 9 --retention-days 7".split(" ")
      )
      const changed = {
        username: "anna",
        email: "anna@b",
        plan: "paid",
        dailyInvocationsQuota: null,
        dailyComputeTimeQuotaMs: 60_000,
        billingPeriodInvocationsQuota: 9,
        retentionDays: 7
      } as const
      assert.deepStrictEqual(yield* accounts.get(account.id), Option.some({ ...account, ...changed }))
      Json.assertHolds(HeadwaterCommand.jsonOf(renamed), { id: account.id, username: "anna", plan: "paid" })
    }).pipe(Effect.provide(TestTables.layer)), HeadwaterCommand.patienceMs)

  it.live("create gives a username to one of those that ask for it at once", () =>
    Effect.gen(function*() {
      const headwater = yield* CommandInProcess.onTestDatabase
      const ended = yield* Effect.all(
        Array.from({ length: 4 }, () => headwater("tenants", "create", "ann", "--email", "ann@b")),
        { concurrency: "unbounded" }
      )
      const refused = ended.filter(({ code }) => code !== 0)
      assert.lengthOf(refused, 3)
      for (const one of refused) HeadwaterCommand.assertRefused(one, /"ann" is taken/)
      assert.lengthOf(yield* (yield* Accounts).byUsername("ann"), 1)
    }).pipe(Effect.provide(TestTables.layer)), HeadwaterCommand.patienceMs)

  it.live("suspend, resume and delete do so, delete only where it is meant", () =>
    Effect.gen(function*() {
      const headwater = yield* CommandInProcess.onTestDatabase
      const accounts = yield* Accounts
      const ann = yield* accounts.create({ username: "ann", email: "ann@b", plan: "free" })
      const bob = yield* accounts.create({ username: "bob", email: "bob@b", plan: "free" })
      const suspended = HeadwaterCommand.jsonOf(yield* headwater("account", "suspend", "ann", "--json"))
      const { suspendedAt } = Option.getOrThrow(yield* accounts.get(ann.id))
      assert.isNotNull(suspendedAt)
      Json.assertHolds(suspended, { id: ann.id, suspended_at: suspendedAt })
      assert.match((yield* headwater("account", "list")).stdout, new RegExp(`^${ann.id} .* suspended `, "m"))
      const resumed = HeadwaterCommand.jsonOf(yield* headwater("account", "resume", ann.id, "--json"))
      Json.assertHolds(resumed, { id: ann.id, suspended_at: null })
      HeadwaterCommand.assertRefused(yield* headwater("account", "delete", "ann"), /--yes/)
      assert.sameMembers((yield* accounts.list).map(({ id }) => id), [ann.id, bob.id])
      const deleted = HeadwaterCommand.jsonOf(yield* headwater("account", "delete", "ann", "--yes", "--json"))
      Json.assertHolds(deleted, { id: ann.id, deleted: true })
      assert.deepStrictEqual((yield* accounts.list).map(({ id }) => id), [bob.id])
      const env = yield* TestTables.environment
      const asked = (typed: string) => CommandInProcess.run(["tenants", "delete", "bob"], { env, typed })
      const kept = yield* asked("n")
      assert.strictEqual(kept.code, 1)
      assert.match(kept.stderr, /Nothing was done/)
      assert.lengthOf(yield* accounts.list, 1)
      assert.strictEqual((yield* asked("y")).code, 0)
      assert.deepStrictEqual(yield* accounts.list, [])
    }).pipe(Effect.provide(TestTables.layer)), HeadwaterCommand.patienceMs)

  it.live("refuses what can't be meant in one line, and changes nothing", () =>
    Effect.gen(function*() {
      const headwater = yield* CommandInProcess.onTestDatabase
      const accounts = yield* Accounts
      const ann = yield* accounts.create({ username: "ann", email: "ann@b", plan: "free" })
      for (const email of ["one@b", "two@b"]) yield* accounts.create({ username: "twin", email, plan: "free" })
      const before = yield* accounts.list
      const refused: ReadonlyArray<readonly [reason: RegExp, ...args: ReadonlyArray<string>]> = [
        [/u_0Uz1W6zoEr8WsXj4LtGp/, "account", "set", "u_0Uz1W6zoEr8WsXj4LtGp", "--plan", "paid"],
        [/Several accounts/, "account", "set", "twin", "--plan", "paid"],
        [/"ann" is taken/, "account", "create", "ann", "--email", "ann@b"],
        [/"twin" is taken/, "account", "set", "ann", "--username", "twin"],
        [/at least one/, "account", "set", "ann"],
        [/--daily-invocations-quota/, "account", "set", "ann", "--daily-invocations-quota", "-1"],
        [/--retention-days/, "account", "set", "ann", "--retention-days", "0"],
        [/--email/, "account", "create", "bob", "--email", "bob"],
        [/<username>/, "account", "create", ann.id, "--email", "bob@b"]
      ]
      yield* Effect.forEach(
        refused,
        ([reason, ...args]) => Effect.map(headwater(...args), (ended) => HeadwaterCommand.assertRefused(ended, reason)),
        { concurrency: 2 }
      )
      assert.deepStrictEqual(yield* accounts.list, before)
    }).pipe(Effect.provide(TestTables.layer)), HeadwaterCommand.patienceMs)

  it.live(
    "tells in one line that the database or its secret is not as configured, and shows no password",
    () =>
      Effect.gen(function*() {
        const headwater = yield* CommandInProcess.onTestDatabase
        yield* (yield* SealCheck).keep
        assert.strictEqual((yield* headwater("account", "list")).code, 0)
        const other = yield* CommandInProcess.onTestDatabaseWith({
          HEADWATER_SECRET_KEY: Buffer.alloc(32, 8).toString("base64")
        })
        HeadwaterCommand.assertRefused(yield* other("account", "list"), /HEADWATER_SECRET_KEY/)
        const away = yield* CommandInProcess.onTestDatabaseWith({ DATABASE_URL: "postgres://ann:hush@127.0.0.1:9/x" })
        const refused = yield* away("account", "list")
        HeadwaterCommand.assertRefused(refused, /ECONNREFUSED/)
        assert.notInclude(refused.stderr, "hush")
      }).pipe(Effect.provide(TestTables.layer)),
    HeadwaterCommand.patienceMs
  )
})
