import { assert, describe, it } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import * as TestTables from "@headwater/fixtures/TestTables"
import { Accounts } from "@headwater/log/access/Accounts"
import { ApiKeys } from "@headwater/log/access/ApiKeys"
import { Clock, Effect, Option, Redacted } from "effect"
import * as CommandInProcess from "../../test/CommandInProcess.ts"
import * as HeadwaterCommand from "../../test/HeadwaterCommand.ts"

const shownKey = (ended: HeadwaterCommand.Ended) =>
  Redacted.make(/^API key +(hw_[0-9A-Za-z]{40}) +shown only once: save it$/m.exec(ended.stdout)?.[1] ?? "")

/** Whose live key it is. */
const accountOf = Effect.fnUntraced(function*(key: Redacted.Redacted) {
  const found = yield* (yield* ApiKeys).authenticate(key)
  return Option.map(found, ({ accountId }) => accountId)
})

describe("headwater key", () => {
  it.live("create, list, rotate and revoke do so with the keys of one account", () =>
    Effect.gen(function*() {
      const headwater = yield* CommandInProcess.onTestDatabase
      const keys = yield* ApiKeys
      const account = yield* (yield* Accounts).create({ username: "ann", email: "a@b", plan: "free" })
      const created = yield* headwater("key", "create", "ann", "--name", "deploy Ü", "--scope", "run")
      const first = shownKey(created)
      assert.deepStrictEqual(yield* accountOf(first), Option.some(account.id))
      const id = (yield* keys.list(account.id))[0]!.id
      const before = Math.floor((yield* Clock.currentTimeMillis) / 1000)
      const rotated = HeadwaterCommand.jsonOf(
        yield* headwater("key", "rotate", id, "--overlap", "90m", "--json")
      )
      Json.assertHolds(rotated, { account_id: account.id, name: "deploy Ü", scope: "run", expires_at: null })
      const second = Redacted.make(Json.textOf(rotated["key"]))
      for (const key of [first, second]) {
        assert.deepStrictEqual(yield* accountOf(key), Option.some(account.id))
      }
      const listed = Json.listOf(HeadwaterCommand.jsonOf(yield* headwater("key", "list", account.id, "--json")))
      assert.deepStrictEqual(listed.map((key) => Json.textOf(key["id"])), [id, Json.textOf(rotated["id"])])
      assert.approximately(Number(listed[0]!["expires_at"]), before + 90 * 60, 30)
      const table = yield* headwater("key", "list", "ann")
      assert.match(table.stdout, new RegExp(`^${id} +deploy Ü +run +\\S+ \\S+ UTC +\\S+ \\S+ UTC$`, "m"))
      assert.match(table.stdout, new RegExp(`^${Json.textOf(rotated["id"])} .* never$`, "m"))
      assert.notInclude(table.stdout + JSON.stringify(listed), "hw_")
      const third = shownKey(yield* headwater("key", "rotate", id, "--overlap", "0 seconds"))
      const revoked = yield* headwater("key", "revoke", Json.textOf(rotated["id"]))
      assert.strictEqual(revoked.code, 0)
      assert.match(revoked.stdout, /^Revoked key_/)
      yield* Effect.sleep("1100 millis")
      for (const key of [first, second]) assert.deepStrictEqual(yield* keys.authenticate(key), Option.none())
      assert.deepStrictEqual(yield* accountOf(third), Option.some(account.id))
    }).pipe(Effect.provide(TestTables.layer)), HeadwaterCommand.patienceMs)

  it.live(
    "refuses an unknown account, an unknown or revoked key, and an overlap of over 30 days",
    () =>
      Effect.gen(function*() {
        const headwater = yield* CommandInProcess.onTestDatabase
        const keys = yield* ApiKeys
        const account = yield* (yield* Accounts).create({ username: "ann", email: "a@b", plan: "free" })
        const live = yield* keys.create(account.id, "")
        const dead = yield* keys.create(account.id, "")
        yield* keys.revoke(account.id, dead.id)
        const refused: ReadonlyArray<readonly [reason: RegExp, ...args: ReadonlyArray<string>]> = [
          [/There is no account "bob"/, "key", "create", "bob"],
          [/There is no account "bob"/, "key", "list", "bob"],
          [/There is no live key "key_unknown"/, "key", "rotate", "key_unknown"],
          [/There is no live key "key_/, "key", "revoke", dead.id],
          [/--overlap/, "key", "rotate", live.id, "--overlap", "31 days"],
          [/--overlap/, "key", "rotate", live.id, "--overlap", "soon"],
          [/--scope/, "key", "create", "ann", "--scope", "all"]
        ]
        yield* Effect.forEach(
          refused,
          ([reason, ...args]) =>
            Effect.map(headwater(...args), (ended) => HeadwaterCommand.assertRefused(ended, reason)),
          { concurrency: 2 }
        )
        const { key: _, ...left } = live
        assert.deepStrictEqual(yield* keys.list(account.id), [left])
      }).pipe(Effect.provide(TestTables.layer)),
    HeadwaterCommand.patienceMs
  )
})
