import { assert, describe, it } from "@effect/vitest"
import * as Id from "@headwater/domain/Id"
import * as RandomBytes from "@headwater/domain/RandomBytes"
import * as TestDatabase from "@headwater/fixtures/TestDatabase"
import { Clock, Effect, Layer, Logger } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { texts } from "../internal/SqlArray.ts"
import { Accounts } from "./Accounts.ts"
import { ApiKeys } from "./ApiKeys.ts"
import { type AuditEntry, type AuditFilter, AuditLog } from "./AuditLog.ts"

const tables = Layer.mergeAll(Accounts.layer, ApiKeys.layer, AuditLog.layer).pipe(
  Layer.provide([SecureRandom.layerWebCrypto, Digest.layerWebCrypto]),
  Layer.provideMerge(TestDatabase.layer)
)

const account = Effect.gen(function*() {
  const { id } = yield* (yield* Accounts).create({ username: "ann", email: "ann@example.com", plan: "free" })
  const key = yield* (yield* ApiKeys).create(id, "deploy")
  return { id, key }
})

const entryOf = (
  { id: accountId, key }: Effect.Success<typeof account>,
  given: Partial<AuditEntry> = {}
): Effect.Effect<AuditEntry> =>
  Effect.map(Clock.currentTimeMillis, (now) => ({
    id: Id.AuditId.make(Id.of("audit", now, RandomBytes.take(Id.randomLength))),
    accountId,
    keyId: key.id,
    sessionId: null,
    operation: "webhooks.pause",
    method: "POST",
    path: "/v1/webhooks/wh_a/pause",
    resourceId: "wh_a",
    status: 200,
    clientIp: "203.0.113.7",
    ...given
  }))

/** Lets time pass, a little at a time, until what is written together a moment later is there. */
const whileTimePasses = Effect.fnUntraced(
  function*<A, E, R>(found: Effect.Effect<A, E, R>, isSo: (found: A) => boolean) {
    while (true) {
      yield* TestClock.adjust("100 millis")
      yield* TestClock.withLive(Effect.sleep("5 millis"))
      const now = yield* found
      if (isSo(now)) return now
    }
  }
)

/** Notes entries, and returns once those of them that can be written are. */
const noted = Effect.fnUntraced(
  function*(entries: ReadonlyArray<AuditEntry>, written: ReadonlyArray<AuditEntry> = entries) {
    const audit = yield* AuditLog
    const sql = yield* SqlClient.SqlClient
    yield* Effect.forEach(entries, audit.note, { discard: true })
    const count = sql<{ count: bigint }>`
    SELECT count(*) AS count FROM audit_log WHERE id = ANY (${texts(written.map(({ id }) => id))})`
    yield* whileTimePasses(count, ([row]) => Number(row!.count) === written.length)
  }
)

const pageOf = (accountId: Id.AccountId, filter: AuditFilter = {}, limit = 100, after?: string) =>
  Effect.flatMap(AuditLog, (audit) => audit.page(accountId, filter, { limit, after, before: undefined }))

describe("the audit log", () => {
  it.effect("lists what an account did, newest first, by key, session, operation and time", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(1_000_000)
      const own = yield* account
      const other = yield* account
      const second = { ...own, key: yield* (yield* ApiKeys).create(own.id, "second") }
      const sessionId = Id.SessionId.make("ses_00000000aaaaaaaaaaaa")
      const entries: Array<AuditEntry> = []
      for (
        const entry of [
          entryOf(own),
          entryOf(own, { sessionId }),
          entryOf(second, { operation: "keys.create", resourceId: null, status: 403 }),
          entryOf(other)
        ]
      ) {
        entries.push(yield* entry)
        yield* TestClock.adjust("1 second")
      }
      yield* noted(entries)
      const [first, inSession, refused] = entries.map(({ id }) => id)
      const idsOf = (filter: AuditFilter) =>
        Effect.map(pageOf(own.id, filter), ({ items }) => items.map(({ id }) => id))
      assert.deepStrictEqual(yield* idsOf({}), [refused, inSession, first])
      assert.deepStrictEqual(yield* idsOf({ keyId: own.key.id }), [inSession, first])
      assert.deepStrictEqual(yield* idsOf({ sessionId }), [inSession])
      assert.deepStrictEqual(yield* idsOf({ operation: "keys.create" }), [refused])
      assert.deepStrictEqual(yield* idsOf({ from: 1_001_000, to: 1_002_000 }), [inSession])
      const { items: [shown] } = yield* pageOf(own.id, { operation: "keys.create" })
      assert.deepStrictEqual(shown, { ...entries[2]!, keyName: "second" })
    }).pipe(Effect.provide(tables)))

  it.effect("pages through a long list, where few match, in steps of bounded work", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(1_000_000)
      const own = yield* account
      const entries: Array<AuditEntry> = []
      for (let i = 0; i < 7_000; i++) {
        yield* TestClock.adjust("1 milli")
        entries.push(yield* entryOf(own, i % 3_500 === 0 ? { operation: "rare" } : {}))
      }
      yield* noted(entries.slice(0, 3_500))
      yield* noted(entries.slice(3_500))
      const found: Array<string> = []
      let pages = 0
      let after: string | undefined
      do {
        const { goesOnAt, items } = yield* pageOf(own.id, { operation: "rare" }, 1, after)
        found.push(...items.map(({ id }) => id))
        after = goesOnAt
        pages += 1
      } while (after !== undefined)
      assert.deepStrictEqual(found, [entries[3_500]!.id, entries[0]!.id])
      assert.isAtMost(pages, 5)
    }).pipe(Effect.provide(tables)))

  it.effect("forgets what is older than asked, and what an account did with the account", () =>
    Effect.gen(function*() {
      const audit = yield* AuditLog
      const own = yield* account
      const other = yield* account
      const old = yield* entryOf(own)
      yield* TestClock.adjust("1 day")
      const recent = yield* entryOf(own)
      const theirs = yield* entryOf(other)
      yield* noted([old, recent, theirs])
      yield* audit.expire((yield* Clock.currentTimeMillis) - 3_600_000)
      assert.deepStrictEqual((yield* pageOf(own.id)).items.map(({ id }) => id), [recent.id])
      yield* audit.removeOfAccount(own.id)
      assert.deepStrictEqual((yield* pageOf(own.id)).items, [])
      assert.lengthOf((yield* pageOf(other.id)).items, 1)
    }).pipe(Effect.provide(tables)))

  it.effect("writes the others where an account was deleted meanwhile", () =>
    Effect.gen(function*() {
      const own = yield* account
      const gone = yield* account
      const entries = [yield* entryOf(gone), yield* entryOf(own)]
      yield* (yield* Accounts).remove(gone.id)
      yield* noted(entries, entries.slice(1))
      assert.lengthOf((yield* pageOf(own.id)).items, 1)
    }).pipe(Effect.provide(tables)))

  it.effect("tells the server's log of what it could not write", () => {
    const lines: Array<string> = []
    const logger = Logger.map(Logger.formatJson, (line) => void lines.push(line))
    return Effect.gen(function*() {
      const own = yield* account
      const sql = yield* SqlClient.SqlClient
      yield* sql`ALTER TABLE audit_log ADD CONSTRAINT none CHECK (status <> 200)`
      const entry = yield* entryOf(own)
      yield* noted([entry], [])
      const told = yield* whileTimePasses(
        Effect.sync(() => lines.filter((line) => line.includes("A request is missing in the audit log"))),
        ({ length }) => length > 0
      )
      assert.lengthOf(told, 1)
      for (const text of [entry.id, "webhooks.pause", own.key.id]) assert.include(told[0], text)
    }).pipe(Effect.provide(Layer.provideMerge(tables, Logger.layer([logger]))))
  })
})
