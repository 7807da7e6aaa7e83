import { assert, layer } from "@effect/vitest"
import type { LoggedEvent } from "@headwater/domain/Event"
import * as EventId from "@headwater/domain/EventId"
import type * as Id from "@headwater/domain/Id"
import { EventLog } from "@headwater/log/logs/EventLog"
import { Heads } from "@headwater/log/logs/Heads"
import { Journals } from "@headwater/log/logs/Journals"
import { Consumers } from "@headwater/log/resources/Consumers"
import { Accounting } from "@headwater/log/work/Accounting"
import { Cursors } from "@headwater/log/work/Cursors"
import { Clock, Effect, Fiber, Option } from "effect"
import { TestClock } from "effect/testing"
import * as EngineFixture from "../../test/EngineFixture.ts"
import type { ConsumerPage, PageEvent, ReadRequest } from "../ground/ConsumerRequests.ts"
import { Draining } from "../ground/Draining.ts"
import { EmitterLog } from "../ground/EmitterLog.ts"
import { defaults, EngineLimits } from "../ground/EngineLimits.ts"
import * as Wake from "../ground/Wake.ts"
import { ConsumerActor } from "./ConsumerActor.ts"

const { append, appendTo } = EngineFixture

const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index)

const request: ReadRequest = { lease: null, max: 100, maxBytes: 1_000_000, waitMs: 0 }

const payloads = (events: ReadonlyArray<PageEvent>) => events.map(({ payload }) => JSON.parse(payload!))

/** The last event of each emitter on a page. */
const positions = ({ events }: ConsumerPage) => [
  ...new Map(events.map(({ emitterId, id }) => [emitterId, { emitterId, id }])).values()
]

const consumerOf = Effect.fnUntraced(function*(accountId: Id.AccountId, emitterId: string, options: {
  readonly filter?: string
  readonly from?: EventId.EventId
  readonly leaseSeconds?: number
} = {}) {
  const consumer = yield* (yield* Consumers).insert({
    accountId,
    name: null,
    leaseSeconds: options.leaseSeconds ?? 60,
    emitterId,
    eventName: "",
    filter: options.filter ?? null,
    from: options.from
  })
  const actor = yield* ConsumerActor.make(consumer.id)
  const commitAll = (page: ConsumerPage) =>
    actor.commit({ lease: page.lease!.id, positions: positions(page), release: false })
  const hint = (events: ReadonlyArray<LoggedEvent>) => {
    const { emitterId, stream } = events[0]!
    actor.hint(Wake.forEvents([{ subscriptionId: consumer.subscriptionId, emitterId, stream, events }]))
  }
  return { actor, commitAll, consumer, hint }
})

const setup = Effect.fnUntraced(function*(options: Parameters<typeof consumerOf>[2] = {}) {
  const account = yield* EngineFixture.account
  const log = yield* EngineFixture.emitter(account.id)
  return { account, log, ...(yield* consumerOf(account.id, log.emitterId, options)) }
})

/** What became of a consumer's events, by emitter, after it was seen that it adds up. */
const accounts = Effect.fnUntraced(function*(id: Id.ConsumerId) {
  const consumer = Option.getOrThrow(yield* (yield* Consumers).getById(id))
  const found = yield* (yield* Cursors).ofSubscription(
    { ...consumer, id: consumer.subscriptionId, listenerId: id },
    "",
    1_000
  )
  assert.deepStrictEqual(
    (yield* (yield* Accounting).imbalances).filter(({ subscriptionId }) => subscriptionId === consumer.subscriptionId),
    []
  )
  return found.map(({ head, position, tally: { delivered, dropped, filtered } }) => ({
    waiting: head.n - position.n,
    delivered,
    dropped,
    filtered
  }))
})

/** Moves the clock second by second until a fiber has ended. */
const untilEnded = <A, E>(fiber: Fiber.Fiber<A, E>) =>
  Effect.gen(function*() {
    while (fiber.pollUnsafe() === undefined) {
      yield* TestClock.adjust("1 second")
      yield* TestClock.withLive(Effect.sleep("2 millis"))
    }
    return yield* Fiber.join(fiber)
  })

layer(EngineFixture.layerNoSandbox, { timeout: "60 seconds" })("a consumer", (it) => {
  it.effect("leaves large payloads out of a page for those alone who can read one without", () =>
    Effect.gen(function*() {
      const { actor, log } = yield* setup()
      const large = "x".repeat(100_000)
      yield* append(log, [1, large, 2])
      const whole = yield* actor.read(request)
      assert.deepStrictEqual(payloads(whole.events), [1, large, 2])
      const { events } = yield* actor.read({ ...request, lease: whole.lease!.id, mayLeaveOut: true })
      assert.deepStrictEqual(events.map(({ bytes, payload }) => [bytes, payload]), [[1, "1"], [100_002, null], [
        1,
        null
      ]])
    }))

  it.effect("reads what is behind its last commit, the same again until it is committed", () =>
    Effect.gen(function*() {
      const { actor, commitAll, consumer, log } = yield* setup()
      yield* append(log, numbers(0, 5))
      const first = yield* actor.read({ ...request, max: 2 })
      assert.deepStrictEqual(payloads(first.events), [0, 1])
      const lease = first.lease!.id
      assert.deepStrictEqual(payloads((yield* actor.read({ ...request, lease, max: 3 })).events), [0, 1, 2])
      yield* commitAll(first)
      const second = yield* actor.read({ ...request, lease })
      assert.deepStrictEqual(payloads(second.events), [2, 3, 4])
      assert.deepStrictEqual(yield* accounts(consumer.id), [{ waiting: 3, delivered: 2, dropped: 0, filtered: 0 }])
      yield* commitAll(second)
      yield* commitAll(second)
      yield* commitAll(first)
      assert.deepStrictEqual((yield* actor.read({ ...request, lease })).events, [])
      assert.deepStrictEqual(yield* accounts(consumer.id), [{ waiting: 0, delivered: 5, dropped: 0, filtered: 0 }])
    }))

  it.effect("is read by one reader at a time, whose lease ends by itself and with it its right to commit", () =>
    Effect.gen(function*() {
      const { actor, commitAll, hint, log } = yield* setup({ leaseSeconds: 30 })
      yield* append(log, [1, 2])
      const slow = yield* actor.read(request)
      yield* TestClock.adjust("29 seconds")
      assert.strictEqual((yield* Effect.flip(actor.read(request)))._tag, "LeaseHeld")
      // Whoever reads again has it for longer.
      yield* actor.read({ ...request, lease: slow.lease!.id })
      yield* TestClock.adjust("29 seconds")
      const other = yield* Effect.forkChild(actor.read({ ...request, waitMs: 60_000 }))
      const next = yield* untilEnded(other)
      assert.deepStrictEqual(payloads(next.events), [1, 2])
      assert.strictEqual((yield* Effect.flip(commitAll(slow)))._tag, "LeaseLost")
      assert.strictEqual(
        (yield* Effect.flip(actor.read({ ...request, lease: slow.lease!.id })))._tag,
        "LeaseLost"
      )
      yield* commitAll(next)
      // A lease that has ended is as good as before while nobody else has one.
      hint(yield* append(log, [3]))
      const third = yield* actor.read({ ...request, lease: next.lease!.id })
      yield* TestClock.adjust("1 hour")
      yield* commitAll(third)
      yield* actor.commit({ lease: next.lease!.id, positions: [], release: true })
      hint(yield* append(log, [4]))
      assert.deepStrictEqual(payloads((yield* actor.read(request)).events), [4])
    }))

  it.effect("keeps a reader's lease and place where its owner changes, and commits what the one before has read", () =>
    Effect.gen(function*() {
      const { actor, commitAll, consumer, log } = yield* setup({ filter: JSON.stringify({ n: { $gt: 1 } }) })
      yield* append(log, numbers(0, 6).map((n) => ({ n })))
      const page = yield* actor.read(request)
      const next = yield* ConsumerActor.make(consumer.id)
      assert.strictEqual((yield* Effect.flip(next.read(request)))._tag, "LeaseHeld")
      const { events: [first] } = page
      yield* next.commit({ lease: page.lease!.id, positions: [first!], release: false })
      assert.deepStrictEqual(yield* accounts(consumer.id), [{ waiting: 3, delivered: 1, dropped: 0, filtered: 2 }])
      // The one before writes nothing on what it knew, and does it again as the owner.
      yield* commitAll(page)
      assert.deepStrictEqual(yield* accounts(consumer.id), [{ waiting: 0, delivered: 4, dropped: 0, filtered: 2 }])
      // Beyond what the server has promised the lease is over, also for an owner that has not seen it.
      yield* append(log, [{ n: 9 }])
      yield* TestClock.adjust("2 minutes")
      const last = yield* (yield* ConsumerActor.make(consumer.id)).read(request)
      assert.deepStrictEqual(payloads(last.events), [{ n: 9 }])
    }))

  it.effect("waits for events, and is woken by a commit without looking into the database meanwhile", () =>
    Effect.gen(function*() {
      const log = yield* EventLog
      let looks = 0
      const counted = EventLog.of({
        ...log,
        inTurns: (...args) => {
          looks += 1
          return log.inTurns(...args)
        }
      })
      const account = yield* EngineFixture.account
      const emitter = yield* EngineFixture.emitter(account.id)
      const { actor, hint } = yield* consumerOf(account.id, emitter.emitterId).pipe(
        Effect.provideService(EventLog, counted)
      )
      const reading = yield* Effect.forkChild(actor.read({ ...request, waitMs: 60_000 }))
      for (const _ of numbers(0, 8)) {
        yield* TestClock.adjust("1 second")
        yield* TestClock.withLive(Effect.sleep("5 millis"))
      }
      assert.strictEqual(looks, 0)
      hint(yield* append(emitter, ["new"]))
      const page = yield* Fiber.join(reading)
      assert.deepStrictEqual(payloads(page.events), ["new"])
      assert.strictEqual(looks, 1)
    }))

  it.effect("answers an empty page when nothing came in time, and finds what no hint came of", () =>
    Effect.gen(function*() {
      const { actor, log } = yield* setup()
      const nothing = yield* Effect.forkChild(actor.read({ ...request, waitMs: 20_000 }))
      assert.deepStrictEqual(yield* untilEnded(nothing), { events: [], lease: null })
      const reading = yield* Effect.forkChild(actor.read({ ...request, waitMs: 60_000 }))
      yield* TestClock.adjust("1 second")
      yield* append(log, [1])
      assert.deepStrictEqual(payloads((yield* untilEnded(reading)).events), [1])
    }))

  it.effect("ends reads that wait when its node is to stop, and when it is removed", () =>
    Effect.gen(function*() {
      const draining = yield* Draining.ofActor
      const { account, consumer, log } = yield* setup()
      const actor = yield* ConsumerActor.make(consumer.id).pipe(Effect.provideService(Draining, draining))
      const reading = yield* Effect.forkChild(actor.read({ ...request, waitMs: 600_000 }))
      yield* TestClock.adjust("1 second")
      yield* draining.begin
      const begun = yield* Clock.currentTimeMillis
      assert.deepStrictEqual(yield* untilEnded(reading), { events: [], lease: null })
      assert.isBelow((yield* Clock.currentTimeMillis) - begun, 300_000)
      assert.strictEqual((yield* Effect.flip(actor.read(request)))._tag, "Unavailable")
      const other = yield* consumerOf(account.id, log.emitterId)
      const waiting = yield* Effect.forkChild(Effect.flip(other.actor.read({ ...request, waitMs: 600_000 })))
      yield* TestClock.adjust("1 second")
      yield* other.actor.retire
      yield* (yield* Consumers).delete(account.id, other.consumer.id)
      assert.strictEqual((yield* untilEnded(waiting))._tag, "ConsumerNotFound")
    }))

  it.effect("is not found by who reads once it has gone under its owner", () =>
    Effect.gen(function*() {
      const { account, actor, consumer, hint, log } = yield* setup({ filter: JSON.stringify({ n: 1 }) })
      yield* append(log, numbers(2, 4).map((n) => ({ n })))
      // The read passes what the filter keeps out.
      assert.deepStrictEqual((yield* actor.read(request)).events, [])
      hint(yield* append(log, numbers(2, 4).map((n) => ({ n }))))
      yield* (yield* Consumers).delete(account.id, consumer.id)
      assert.strictEqual((yield* Effect.flip(actor.read(request)))._tag, "ConsumerNotFound")
    }))

  it.effect("is not found by who commits or seeks once it has gone under its owner", () =>
    Effect.gen(function*() {
      const { account, actor, consumer, log } = yield* setup()
      yield* append(log, numbers(0, 1))
      const page = yield* actor.read(request)
      yield* (yield* Consumers).delete(account.id, consumer.id)
      const commit = actor.commit({ lease: page.lease!.id, positions: positions(page), release: false })
      assert.strictEqual((yield* Effect.flip(commit))._tag, "ConsumerNotFound")
      const seek = actor.seek({ emitterId: null, from: null })
      assert.strictEqual((yield* Effect.flip(seek))._tag, "ConsumerNotFound")
    }))

  it.effect("takes turns between emitters, each in its log's order, within bounds of events and bytes", () =>
    Effect.gen(function*() {
      const account = yield* EngineFixture.account
      const logs = yield* Effect.forEach(numbers(0, 3), () => EngineFixture.emitter(account.id))
      const { actor, commitAll, consumer } = yield* consumerOf(account.id, "dc_*")
      yield* append(logs[0]!, numbers(0, 50).map((n) => `a${n}`))
      yield* append(logs[1]!, numbers(0, 3).map((n) => `b${n}`))
      const late = yield* EngineFixture.emitter(account.id)
      yield* append(late, numbers(0, 2).map((n) => `c${n}`))
      const seen: Array<string> = []
      let lease: string | null = null
      while (true) {
        const page: ConsumerPage = yield* actor.read({ ...request, lease, max: seen.length < 12 ? 1 : 4 })
        if (page.events.length === 0) break
        seen.push(...payloads(page.events))
        lease = page.lease!.id
        yield* commitAll(page)
      }
      for (const letter of ["a", "b", "c"]) {
        const own = seen.filter((text) => text.startsWith(letter))
        assert.deepStrictEqual(own, own.map((_, n) => `${letter}${n}`))
      }
      assert.strictEqual(seen.length, 55)
      assert.isBelow(seen.indexOf("b2"), 12)
      assert.isBelow(seen.indexOf("c1"), 12)
      assert.deepStrictEqual((yield* accounts(consumer.id)).map(({ waiting }) => waiting), [0, 0, 0, 0])

      yield* append(logs[0]!, ["x".repeat(400), "y".repeat(400), "z".repeat(400)])
      yield* append(logs[1]!, ["w".repeat(400)])
      const look = Wake.forEverything
      actor.hint(look)
      const large = yield* actor.read({ ...request, lease, maxBytes: 500 })
      assert.strictEqual(large.events.length, 2)
      assert.strictEqual((yield* actor.read({ ...request, lease, maxBytes: 1 })).events.length, 1)
    }))

  it.effect("passes what its filter keeps out and what was deleted, and never skips what is not committed", () =>
    Effect.gen(function*() {
      const { actor, commitAll, consumer, log } = yield* setup({ filter: JSON.stringify({ kept: true }) })
      const { emitterId } = log
      const events = yield* append(log, numbers(0, 1_200).map((n) => ({ n, kept: n === 700 || n === 1_100 })))
      yield* (yield* EventLog).removeSome({ emitterId, stream: "" }, { from: events[10]!.id, to: events[19]!.id })
      const page = yield* actor.read({ ...request, max: 1 })
      assert.deepStrictEqual(payloads(page.events).map(({ n }) => n), [700])
      yield* commitAll(page)
      const next = yield* actor.read({ ...request, lease: page.lease!.id })
      assert.deepStrictEqual(payloads(next.events).map(({ n }) => n), [1_100])
      yield* commitAll(next)
      assert.deepStrictEqual(yield* accounts(consumer.id), [{ waiting: 0, delivered: 2, dropped: 10, filtered: 1_188 }])
      // The tail of a log, too.
      const tail = yield* append(log, [{ kept: true }, { kept: true }])
      yield* (yield* EventLog).removeSome({ emitterId, stream: "" }, { from: tail[0]!.id, to: tail[1]!.id })
      actor.hint(Wake.forEverything)
      assert.deepStrictEqual((yield* actor.read({ ...request, lease: page.lease!.id })).events, [])
      assert.deepStrictEqual(yield* accounts(consumer.id), [{ waiting: 0, delivered: 2, dropped: 12, filtered: 1_188 }])
    }))

  it.effect("comes to emitters for whose hints there was no room", () =>
    Effect.gen(function*() {
      const account = yield* EngineFixture.account
      const logs = yield* Effect.forEach(numbers(0, 6), () => EngineFixture.emitter(account.id))
      const { actor, commitAll, hint } = yield* consumerOf(account.id, "dc_*").pipe(
        Effect.provideService(EngineLimits, { ...defaults, consumerReady: 2, idle: 1 })
      )
      assert.deepStrictEqual((yield* actor.read(request)).events, [])
      for (const [index, log] of logs.entries()) hint(yield* append(log, [index]))
      const first = yield* actor.read(request)
      assert.deepStrictEqual(payloads(first.events), [0, 1])
      yield* commitAll(first)
      const rest = yield* actor.read({ ...request, lease: first.lease!.id })
      assert.deepStrictEqual(payloads(rest.events).toSorted(), [2, 3, 4, 5])
      yield* commitAll(rest)
      hint(yield* append(logs[0]!, ["more"]))
      assert.deepStrictEqual(payloads((yield* actor.read({ ...request, lease: first.lease!.id })).events), ["more"])
    }))

  it.effect("refuses places that it can't commit", () =>
    Effect.gen(function*() {
      const { actor, log } = yield* setup()
      yield* append(log, [1])
      const { lease } = yield* actor.read(request)
      const commit = (emitterId: string, id: bigint) =>
        Effect.map(
          Effect.flip(actor.commit({ lease: lease!.id, positions: [{ emitterId, id }], release: false })),
          (error) => error._tag === "BadPosition" ? error.message : error._tag
        )
      assert.match(yield* commit(log.emitterId, EventId.make(9_999_999_999_999 / 2 | 0, 0) + (1n << 60n)), /beyond/)
      assert.match(yield* commit("dc_other", 1n), /not read/)
    }))

  it.effect("starts and seeks at the beginning, the end, an id and a time, and is accounted for from there", () =>
    Effect.gen(function*() {
      const { account, actor, commitAll, consumer, log } = yield* setup()
      const journals = yield* Journals
      yield* TestClock.adjust("1 second")
      const early = yield* append(log, numbers(0, 10))
      yield* TestClock.adjust("1 second")
      const late = yield* append(log, numbers(10, 20))
      const other = yield* EngineFixture.emitter(account.id)
      const page = yield* actor.read(request)
      assert.lengthOf(page.events, 20)
      yield* commitAll(page)
      const from = (place: bigint | null) =>
        Effect.gen(function*() {
          yield* actor.seek({ from: place, emitterId: null })
          const read = yield* actor.read(request)
          if (read.lease !== null) yield* actor.commit({ lease: read.lease.id, positions: [], release: true })
          return payloads(read.events)
        })
      assert.deepStrictEqual(yield* from(0n), numbers(0, 20))
      assert.deepStrictEqual(yield* from(early[3]!.id), numbers(3, 20))
      assert.deepStrictEqual(yield* from(EventId.make(EventId.milliseconds(late[0]!.id), 0)), numbers(10, 20))
      yield* journals.fold
      assert.deepStrictEqual(yield* from(early[8]!.id), numbers(8, 20))
      assert.deepStrictEqual(yield* accounts(consumer.id), [{ waiting: 12, delivered: 0, dropped: 0, filtered: 0 }])
      const held = yield* actor.read(request)
      yield* actor.seek({ from: null, emitterId: other.emitterId })
      assert.strictEqual((yield* Effect.flip(commitAll(held)))._tag, "LeaseLost")
      yield* commitAll(yield* actor.read({ ...request, max: 5 }))
      yield* journals.fold
      assert.deepStrictEqual(yield* accounts(consumer.id), [{ waiting: 7, delivered: 5, dropped: 0, filtered: 0 }])
      assert.deepStrictEqual(yield* from(null), [])
      const started = yield* consumerOf(account.id, log.emitterId, { from: late[5]!.id })
      assert.deepStrictEqual(payloads((yield* started.actor.read(request)).events), numbers(15, 20))
    }))

  it.effect("goes with the one emitter that it reads, and forgets one of many", () =>
    Effect.gen(function*() {
      const account = yield* EngineFixture.account
      const log = yield* EngineFixture.emitter(account.id)
      const gone = yield* EngineFixture.emitter(account.id)
      const alone = yield* consumerOf(account.id, gone.emitterId)
      const many = yield* consumerOf(account.id, "dc_*")
      yield* append(log, [1])
      yield* append(gone, [2])
      const page = yield* many.actor.read(request)
      assert.sameMembers(payloads(page.events), [1, 2])
      const consumers = yield* Consumers
      yield* consumers.removeOfEmitter(account.id, gone.emitterId)
      yield* (yield* Heads).remove(gone.emitterId)
      yield* (yield* Cursors).removeOfEmitter(gone.emitterId)
      assert.isTrue(Option.isNone(yield* consumers.getById(alone.consumer.id)))
      assert.strictEqual((yield* Effect.flip(alone.actor.read(request)))._tag, "ConsumerNotFound")
      yield* many.commitAll(page)
      assert.deepStrictEqual(yield* accounts(many.consumer.id), [{ waiting: 0, delivered: 1, dropped: 0, filtered: 0 }])
    }))

  it.effect(
    "answers a page of ten thousand emitters with few reads, and comes round to all",
    () =>
      Effect.gen(function*() {
        const account = yield* EngineFixture.account
        const { actor, commitAll, hint } = yield* consumerOf(account.id, "dc_*")
        const ids = yield* EngineFixture.emitterIds(account.id, 10_000)
        const some = ids.filter((_, index) => index % 100 === 0)
        for (const id of some) yield* appendTo(Option.getOrThrow(yield* EmitterLog.acquire(id)), "", [id])
        const page = yield* actor.read(request)
        assert.lengthOf(page.events, 100)
        yield* commitAll(page)
        const last = Option.getOrThrow(yield* EmitterLog.acquire(ids[5_555]!))
        hint(yield* append(last, ["late"]))
        const next = yield* actor.read({ ...request, lease: page.lease!.id })
        assert.deepStrictEqual(payloads(next.events), ["late"])
      }),
    120_000
  )
})
