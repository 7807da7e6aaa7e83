import { assert, layer } from "@effect/vitest"
import * as EventId from "@headwater/domain/EventId"
import * as Id from "@headwater/domain/Id"
import { Accounts } from "@headwater/log/access/Accounts"
import { ApiKeys } from "@headwater/log/access/ApiKeys"
import { AuditLog } from "@headwater/log/access/AuditLog"
import { Sessions } from "@headwater/log/access/Sessions"
import { Figures } from "@headwater/log/commit/Figures"
import { DedupeMarks } from "@headwater/log/logs/DedupeMarks"
import { EventLog } from "@headwater/log/logs/EventLog"
import { Journals } from "@headwater/log/logs/Journals"
import { Subscriptions } from "@headwater/log/resources/Subscriptions"
import { Webhooks } from "@headwater/log/resources/Webhooks"
import { type Attempt, Attempts } from "@headwater/log/work/Attempts"
import { Deliveries, noAttempt } from "@headwater/log/work/Deliveries"
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import * as EngineFixture from "../test/EngineFixture.ts"
import type { EmitterLog } from "./ground/EmitterLog.ts"
import * as Wake from "./ground/Wake.ts"
import * as AccountActor from "./placement/AccountActor.ts"
import * as Retention from "./Retention.ts"

const days = (count: number) => count * 24 * 3_600_000
const start = Date.parse("2026-11-21T12:00:00Z")
/** Of a table of Postgres. */
const pageBytes = 8_192

/** The last payloads of a stream, oldest first. */
const payloads = Effect.fnUntraced(function*(emitterId: string, stream = "") {
  const found = yield* (yield* EventLog).latest({ emitterId, stream, limit: 10_000 })
  return found.toReversed().map(({ payload }) => JSON.parse(payload))
})

const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i)

const appendTo = (log: EmitterLog, stream: string, payloads: ReadonlyArray<unknown>) =>
  log.commit(payloads.map((payload) => EngineFixture.newEvent(payload, stream)), {})

const webhookOf = Effect.fnUntraced(function*(accountId: Id.AccountId, emitterId: string) {
  const webhook = yield* (yield* Webhooks).insert({
    accountId,
    name: null,
    description: null,
    url: "http://127.0.0.1:1"
  })
  const key = { accountId, emitterId, listenerId: webhook.id, eventName: "" }
  return { webhook, subscription: yield* (yield* Subscriptions).create(key) }
})

const attempt = (deliveryId: string, startedAt: number): Attempt => ({
  accountId: "u_retention",
  deliveryId,
  attempt: 1,
  webhookId: "wh_retention",
  subscriptionId: "sub_a",
  emitterId: "dc_a",
  stream: "",
  eventId: EventId.make(startedAt, 0),
  emitId: deliveryId,
  startedAt,
  durationMs: 1,
  outcome: "failed",
  status: 500,
  address: null,
  errorClass: null,
  errorMessage: null,
  responseHeaders: null,
  responseBody: null,
  nextAt: null,
  requestHeaders: null,
  dnsMs: null,
  connectMs: null,
  tlsMs: null,
  firstByteMs: null
})

layer(EngineFixture.layerNoSandbox, { timeout: "60 seconds", excludeTestServices: true })("retention", (it) => {
  it.effect("removes events that are too old, but not the last hundred of a stream nor requests that are not run", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(start)
      const account = yield* EngineFixture.account
      const busy = yield* EngineFixture.emitter(account.id)
      const quiet = yield* EngineFixture.emitter(account.id)
      yield* appendTo(busy, "", numbers(0, 2_500))
      yield* appendTo(busy, "$errors", numbers(0, 120))
      yield* appendTo(busy, "$requests", numbers(0, 150))
      yield* appendTo(quiet, "", numbers(0, 130))
      yield* TestClock.adjust("20 days")
      yield* appendTo(busy, "", numbers(2_500, 2_700))
      yield* TestClock.adjust("9 days")
      yield* Retention.sweep({ defaultDays: 30, auditDays: 90 })
      assert.lengthOf(yield* payloads(busy.emitterId), 2_700)
      yield* TestClock.adjust("2 days")
      yield* Retention.sweep({ defaultDays: 30, auditDays: 90 })
      assert.deepStrictEqual(yield* payloads(busy.emitterId), numbers(2_500, 2_700))
      assert.deepStrictEqual(yield* payloads(busy.emitterId, "$errors"), numbers(20, 120))
      assert.lengthOf(yield* payloads(busy.emitterId, "$requests"), 150)
      assert.deepStrictEqual(yield* payloads(quiet.emitterId), numbers(30, 130))
    }).pipe(EngineFixture.onTestClock))

  it.effect("removes requests an hour after they came, once they have run", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(start)
      const sql = yield* SqlClient.SqlClient
      const account = yield* EngineFixture.account
      const log = yield* EngineFixture.emitter(account.id)
      const { emitterId } = log
      yield* appendTo(log, "$requests", numbers(0, 1_150))
      yield* sql`
        INSERT INTO cursors_folded (subscription_id, emitter_id, n, id, start_n)
        SELECT '$requests', emitter_id, n, id, 0 FROM events
        WHERE emitter_id = ${emitterId} AND stream = '$requests' AND n = 1100`
      yield* TestClock.adjust("59 minutes")
      yield* Retention.sweep({ defaultDays: 30, auditDays: 90 })
      assert.lengthOf(yield* payloads(emitterId, "$requests"), 1_150)
      yield* TestClock.adjust("2 minutes")
      yield* Retention.sweep({ defaultDays: 30, auditDays: 90 })
      assert.deepStrictEqual(yield* payloads(emitterId, "$requests"), numbers(1_100, 1_150))
    }).pipe(EngineFixture.onTestClock))

  it.effect("keeps the audit log for as long as it is told, and no session that has ended", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(start)
      const audit = yield* AuditLog
      const account = yield* EngineFixture.account
      const keys = yield* ApiKeys
      const key = yield* keys.create(account.id, "")
      yield* (yield* Sessions).create(Option.getOrThrow(yield* keys.authenticate(key.key)))
      const sql = yield* SqlClient.SqlClient
      const id = Id.AuditId.make(Id.of("audit", start, new Uint8Array(Id.randomLength)))
      yield* sql`INSERT INTO audit_log VALUES (${id}, ${account.id}, ${key.id}, NULL, 'a.b', 'PUT', '/', NULL, 200, '::1')`
      const left = Effect.gen(function*() {
        yield* Retention.sweep({ defaultDays: 30, auditDays: 90 })
        const { items } = yield* audit.page(account.id, {}, { limit: 10, after: undefined, before: undefined })
        const sessions = yield* sql`SELECT id FROM sessions WHERE account_id = ${account.id}`
        return [items.length, sessions.length]
      })
      assert.deepStrictEqual(yield* left, [1, 1])
      yield* TestClock.adjust("90 days")
      assert.deepStrictEqual(yield* left, [1, 0])
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* left, [0, 0])
    }).pipe(EngineFixture.onTestClock))

  it.effect("follows the account's own, where it has one", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(start)
      const account = yield* EngineFixture.account
      yield* (yield* Accounts).update(account.id, { retentionDays: 2 })
      const log = yield* EngineFixture.emitter(account.id)
      yield* appendTo(log, "", numbers(0, 200))
      yield* TestClock.adjust("3 days")
      yield* Retention.sweep({ defaultDays: 30, auditDays: 90 })
      assert.deepStrictEqual(yield* payloads(log.emitterId), numbers(100, 200))
    }).pipe(EngineFixture.onTestClock))

  it.effect("keeps what a delivery waits to be retried with, and forgets those that were given up", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(start)
      const account = yield* EngineFixture.account
      const log = yield* EngineFixture.emitter(account.id)
      const { subscription, webhook } = yield* webhookOf(account.id, log.emitterId)
      const events = yield* appendTo(log, "", numbers(0, 200))
      const deliveries = yield* Deliveries
      yield* deliveries.insert([[3, "pending"], [4, "exhausted"]].map(([index, state]) => ({
        id: `dlv_${account.id}_${index}`,
        accountId: account.id,
        webhookId: webhook.id,
        subscriptionId: subscription.id,
        emitterId: log.emitterId,
        stream: "",
        eventId: events[Number(index)]!.id,
        attempts: 1,
        state: state === "pending" ? "pending" : "exhausted",
        last: noAttempt,
        apart: false
      })))
      yield* TestClock.adjust("31 days")
      yield* Retention.sweep({ defaultDays: 30, auditDays: 90 })
      assert.deepStrictEqual(yield* payloads(log.emitterId), [3, ...numbers(100, 200)])
      const left = yield* deliveries.find([3, 4].map((index) => `dlv_${account.id}_${index}`))
      assert.deepStrictEqual(left.map(({ state }) => state), ["pending"])
    }).pipe(EngineFixture.onTestClock))

  it.effect("tells the account, once, how many events a listener never came to", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(start)
      const account = yield* EngineFixture.account
      const log = yield* EngineFixture.emitter(account.id)
      yield* appendTo(log, "", numbers(0, 50))
      const { subscription, webhook } = yield* webhookOf(account.id, log.emitterId)
      yield* appendTo(log, "", numbers(50, 300))
      yield* TestClock.adjust("31 days")
      yield* Retention.sweep({ defaultDays: 30, auditDays: 90 })
      yield* Retention.sweep({ defaultDays: 30, auditDays: 90 })
      yield* (yield* AccountActor.make(account.id)).wake(Wake.forDueWork)
      const told = yield* payloads(account.id, "$errors")
      assert.deepStrictEqual(told, [{
        type: "events.dropped",
        listener_id: webhook.id,
        subscription_id: subscription.id,
        emitter_id: log.emitterId,
        event_name: "",
        count: 150,
        ts: start + days(31)
      }])
    }).pipe(EngineFixture.onTestClock))

  it.effect("drops the attempts of days that are over, and those that had no day of their own", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(start)
      const attempts = yield* Attempts
      const sql = yield* SqlClient.SqlClient
      const partitions = Effect.map(
        sql<
          { name: string }
        >`SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'attempts'::regclass`,
        (rows) => rows.map(({ name }) => name)
      )
      yield* Retention.sweep({ defaultDays: 30, auditDays: 90 })
      assert.includeMembers(yield* partitions, ["attempts_20261121", "attempts_20261124"])
      yield* attempts.record([attempt("dlv_before", start - days(1)), attempt("dlv_today", start)])
      const [row] = yield* sql`SELECT tableoid::regclass::text AS name FROM attempts WHERE delivery_id = 'dlv_today'`
      assert.strictEqual(row?.["name"], "attempts_20261121")
      const left = Effect.map(attempts.ofWebhook("wh_retention"), (found) => found.map(({ deliveryId }) => deliveryId))
      yield* TestClock.setTime(start + days(30))
      yield* Retention.sweep({ defaultDays: 30, auditDays: 90 })
      assert.deepStrictEqual(yield* left, ["dlv_today"])
      yield* TestClock.adjust("1 day")
      yield* Retention.sweep({ defaultDays: 30, auditDays: 90 })
      assert.deepStrictEqual(yield* left, [])
      assert.notInclude(yield* partitions, "attempts_20261121")
    }).pipe(EngineFixture.onTestClock))

  it.effect("goes on where attempts were made on a day that had no partition yet, as after days at a standstill", () =>
    Effect.gen(function*() {
      const later = start + days(300)
      yield* TestClock.setTime(later)
      const attempts = yield* Attempts
      const sql = yield* SqlClient.SqlClient
      const account = yield* EngineFixture.account
      const log = yield* EngineFixture.emitter(account.id)
      yield* appendTo(log, "", numbers(0, 120))
      yield* TestClock.adjust("31 days")
      yield* attempts.record([attempt("dlv_first", later + days(31))])
      yield* Retention.sweep({ defaultDays: 30, auditDays: 90 })
      assert.deepStrictEqual(yield* payloads(log.emitterId), numbers(20, 120))
      yield* TestClock.adjust("1 day")
      yield* attempts.record([attempt("dlv_second", later + days(32))])
      const [row] = yield* sql`SELECT tableoid::regclass::text AS name FROM attempts WHERE delivery_id = 'dlv_second'`
      assert.notStrictEqual(row?.["name"], "attempts_default")
    }).pipe(EngineFixture.onTestClock))

  it.effect("remembers an id for as long as the account's events are kept, and no less than thirty days", () =>
    Effect.gen(function*() {
      const later = start + days(500)
      yield* TestClock.setTime(later)
      const marks = yield* DedupeMarks
      const emitterOf = Effect.fnUntraced(function*(retentionDays: number) {
        const account = yield* EngineFixture.account
        yield* (yield* Accounts).update(account.id, { retentionDays })
        const { emitterId } = yield* EngineFixture.emitter(account.id)
        yield* marks.add([{ emitterId, mark: "id:1", value: "", seenAt: later }])
        return emitterId
      })
      const emitters = [yield* emitterOf(90), yield* emitterOf(7)]
      const knownOf = (emitterId: string) => Effect.map(marks.known(emitterId, ["id:1"]), ({ length }) => length)
      const remembered = Effect.andThen(
        Retention.sweep({ defaultDays: 60, auditDays: 90 }),
        Effect.forEach(emitters, knownOf)
      )
      yield* TestClock.adjust("29 days")
      assert.deepStrictEqual(yield* remembered, [1, 1])
      yield* TestClock.adjust("2 days")
      assert.deepStrictEqual(yield* remembered, [1, 0])
      yield* TestClock.adjust("60 days")
      assert.deepStrictEqual(yield* remembered, [0, 0])
    }).pipe(EngineFixture.onTestClock))

  it.effect("keeps tables as large as they are at constant load", () =>
    Effect.gen(function*() {
      const later = start + days(1_000)
      const attempts = yield* Attempts
      const marks = yield* DedupeMarks
      const sql = yield* SqlClient.SqlClient
      yield* TestClock.setTime(later)
      const account = yield* EngineFixture.account
      const log = yield* EngineFixture.emitter(account.id)
      const { emitterId } = log
      yield* sql`
        INSERT INTO cursors_folded (subscription_id, emitter_id, n, id, start_n) VALUES ('$requests', ${emitterId}, 0, 0, 0)`
      const aDay = numbers(0, 500)
      const everyOther = (from: number, to: number) => numbers(from, to).map((n) => 2 * n)
      const live = Effect.fnUntraced(function*(day: number) {
        const now = later + days(day)
        yield* TestClock.setTime(now)
        yield* appendTo(log, "$requests", aDay.map((n) => `${n}`.repeat(50)))
        yield* sql`
          UPDATE cursors_folded SET (n, id) = (
            SELECT n, id FROM events WHERE emitter_id = ${emitterId} AND stream = '$requests' ORDER BY id DESC LIMIT 1
          ) WHERE subscription_id = '$requests' AND emitter_id = ${emitterId}`
        yield* appendTo(log, "", aDay.map((n) => `${n}`.repeat(50)))
        yield* marks.add(aDay.map((n) => ({ emitterId, mark: `id:${day}-${n}`, value: "", seenAt: now })))
        yield* attempts.record(aDay.map((n) => attempt(`dlv_${day}_${n}`, now)))
        yield* TestClock.adjust("2 hours")
        yield* Effect.flatMap(Figures, ({ write }) => write)
        yield* Retention.sweep({ defaultDays: 10, auditDays: 90 })
        yield* Effect.flatMap(Journals, ({ fold }) => fold)
        yield* sql`
          VACUUM events, dedupe_marks, cursors_folded, cursors_journal, heads_folded, heads_journal, batches, trims,
            attempts_default, figures_hours, figures_minutes`
      })
      const sizes = sql<{ name: string; bytes: bigint }>`
        SELECT regexp_replace(relname, '_[0-9]{8}$', '') AS name, sum(pg_total_relation_size(oid))::bigint AS bytes
        FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace GROUP BY 1`
      yield* Effect.forEach(everyOther(0, 20), live, { discard: true })
      const before = new Map((yield* sizes).map(({ bytes, name }) => [name, Number(bytes)]))
      assert.isAbove(before.get("events") ?? 0, 1_000_000)
      yield* Effect.forEach(everyOther(20, 40), live, { discard: true })
      // A small table is a page larger or smaller by when it is vacuumed.
      for (const { bytes, name } of yield* sizes) {
        assert.isAtMost(Number(bytes), 1.1 * (before.get(name) ?? 0) + 4 * pageBytes, name)
      }
    }).pipe(EngineFixture.onTestClock))
})
