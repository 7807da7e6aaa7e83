import { assert, it } from "@effect/vitest"
import { charactersOf, type LoggedEvent } from "@headwater/domain/Event"
import * as EventId from "@headwater/domain/EventId"
import * as Stream from "@headwater/domain/Stream"
import type { SubscriptionBatch } from "@headwater/domain/SubscriptionBatch"
import { AccountTurns } from "@headwater/domain/Turns"
import { beginning, noTally, type Tally } from "@headwater/log/work/Cursors"
import { Clock, Effect, Option, Schema } from "effect"
import { TestClock } from "effect/testing"
import { defaults } from "../ground/EngineLimits.ts"
import { EventDocuments, EventFilter } from "./EventFilter.ts"
import { Feed, type FeedItem } from "./Feed.ts"
import { FeedRoom } from "./FeedRoom.ts"

const address = { emitterId: "dc_test", stream: "" }
const key = { subscriptionId: "sub_test", emitterId: "dc_test" }

const kept = JSON.stringify({ kept: true })

/** A payload of more than is read at once. */
const large = (payload: string) => `${payload}${" ".repeat(20_000)}`

const event = (n: number, now: number, hops: number, payload = "1"): LoggedEvent => ({
  ...address,
  n,
  id: EventId.make(now, n),
  emitId: String(n),
  hops,
  meta: {},
  payload
})

/** How many events are delivered with an item. */
const eventsOf = (item: FeedItem): number => item._tag === "Event" ? 1 : item._tag === "Passed" ? 0 : item.events.length

const three: SubscriptionBatch = { maxEvents: 3, maxWaitMs: 6_000, maxBytes: 1024 * 1024 }

const batches = { none: undefined, three, short: { maxEvents: 100, maxWaitMs: 6_000, maxBytes: 60 } }

/** The JSON list of some events. */
const listOf = (events: ReadonlyArray<LoggedEvent>) => `[${events.map(({ payload }) => payload).join(",")}]`

const filterOf = (documents: EventDocuments, text: string) => new EventFilter(text, "u_test", documents)

const below = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum }))

/** What happens around a feed: events are appended, told of or not, deleted, and taken. */
const Step = Schema.Struct({
  append: below(6),
  /** Of those appended, how many the hint leaves out at its beginning; more than there are is no hint. */
  untold: below(8),
  hops: Schema.Literals([1, 1, 1, 16]),
  payload: Schema.Literals(["1", kept, kept, large("1"), large(kept)]),
  delete: Schema.Boolean,
  /** Whether more than 3 s pass before events are taken. */
  wait: Schema.Boolean,
  /** Appended and told of while a page is read. */
  meanwhile: below(3),
  take: below(6),
  /** When others take all the room there is. */
  pressed: Schema.Literals(["never", "before", "meanwhile", "between"])
})

it.effect.prop(
  "passes every event once and in order whatever it was told, none long after its deletion, and counts what it dropped",
  [Schema.Array(Step), Schema.Boolean, Schema.Literals(["none", "three", "three", "short"])],
  ([steps, filters, batched]) =>
    Effect.gen(function*() {
      const batch = batches[batched]
      const log: Array<LoggedEvent> = []
      let head = 0
      const append = Effect.fnUntraced(function*(count: number, hops = 1, payload = kept) {
        const now = yield* Clock.currentTimeMillis
        const appended = Array.from({ length: count }, () => event(++head, now, hops, payload))
        log.push(...appended)
        return appended
      })
      let meanwhile = 0
      let pressed: typeof Step.Type["pressed"] = "never"
      const full = filters ? 30_000 : 100
      const room = new FeedRoom({ ...defaults, feedRoom: full })
      const filter = filterOf(yield* EventDocuments.make, JSON.stringify({ kept: true }))
      const isKept = ({ hops, payload }: LoggedEvent) => hops < 16 && (!filters || payload.startsWith(kept))
      const pressIf = (when: typeof pressed) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          if (pressed === when) room.take({ letGo: () => {} }, full, now)
        })
      const feed = new Feed(
        key,
        address,
        beginning,
        room,
        filters ? filter : undefined,
        batch
      )
      const reader = {
        page: (_: typeof address, after: { readonly id: bigint }, limit: number) =>
          Effect.gen(function*() {
            const seen = head
            const now = yield* Clock.currentTimeMillis
            const events = log.filter(({ id }) => id > after.id).slice(0, Math.min(3, limit))
            feed.offer(yield* append(meanwhile))
            meanwhile = 0
            yield* pressIf("meanwhile")
            return { events, head: { n: seen, id: EventId.make(now, seen) } }
          })
      }
      const delivered: Array<number> = []
      const deleted = new Set<number>()
      let longDeleted: ReadonlySet<number> = new Set()
      let position = 0
      let tally: Tally = noTally
      const takeOne = Effect.fnUntraced(function*() {
        const next: Option.Option<FeedItem> = yield* feed.next(reader)
        if (Option.isNone(next)) return false
        const item = next.value
        yield* pressIf("between")
        const move = feed.pass(item, { delivered: eventsOf(item) })
        assert.strictEqual(move.from, position)
        assert.isAbove(move.to.n, position, "a cursor only moves forward")
        position = move.to.n
        tally = {
          ...tally,
          delivered: tally.delivered + move.tally.delivered,
          dropped: tally.dropped + move.tally.dropped,
          filtered: tally.filtered + move.tally.filtered
        }
        for (const event of item._tag === "Passed" ? [] : item._tag === "Event" ? [item.event] : item.events) {
          assert.isFalse(longDeleted.has(event.n), `${event.n} was deleted`)
          assert.isTrue(isKept(event))
          delivered.push(event.n)
        }
        if (item._tag === "Batch" && batch !== undefined) {
          const { events } = item
          assert.isAtMost(events.length, batch.maxEvents)
          const bytes = listOf(events).length
          if (events.length > 1) assert.isAtMost(bytes, batch.maxBytes)
          const next = log.find((event) => event.n > move.to.n && (event.hops === 16 || isKept(event)))
          const waited = (yield* Clock.currentTimeMillis) - EventId.milliseconds(events[0]!.id) >= batch.maxWaitMs
          const isFull = events.length === batch.maxEvents ||
            bytes + 1 + (next === undefined ? 0 : next.payload.length) > batch.maxBytes
          const isEnough = isFull || waited || next?.hops === 16
          assert.isTrue(isEnough || steps.some(({ pressed }) => pressed !== "never"), "others could have come")
        }
        return true
      })
      for (const step of steps) {
        const appended = yield* append(step.append, step.hops, step.payload)
        if (step.untold < appended.length) feed.offer(appended.slice(step.untold))
        else feed.lookAgain()
        if (step.delete && log.length > 0) deleted.add(log.splice(Math.floor(log.length / 2), 1)[0]!.n)
        if (step.wait) {
          yield* TestClock.adjust("4 seconds")
          longDeleted = new Set(deleted)
        }
        meanwhile = step.meanwhile
        pressed = step.pressed
        yield* pressIf("before")
        for (let i = 0; i < step.take; i++) yield* takeOne()
      }
      // Once more for what is appended while the first is read.
      for (let i = 0; i < 2; i++) {
        yield* TestClock.adjust(three.maxWaitMs)
        feed.lookAgain()
        while (yield* takeOne()) { /* to the head */ }
      }
      assert.strictEqual(position, head)
      assert.strictEqual(tally.delivered + tally.dropped + tally.filtered, head)
      if (!filters) assert.strictEqual(tally.filtered, 0)
      assert.deepStrictEqual(delivered, [...new Set(delivered)].toSorted((a, b) => a - b))
      const left = log.filter(isKept).map(({ n }) => n)
      for (const n of left) assert.include(delivered, n)
    }),
  { arbitrary: { runs: 2_000 } }
)

/** A feed that has looked into an empty log. */
const atHead = (filter?: EventFilter) => {
  const feed = new Feed(key, address, beginning, new FeedRoom(defaults), filter)
  Effect.runSync(feed.next({ page: () => Effect.succeed({ events: [], head: beginning }) }))
  return feed
}

it.effect("passes a stretch that its filter keeps out at once, and with it what comes until that is committed", () =>
  Effect.gen(function*() {
    const documents = yield* EventDocuments.make
    const feed = atHead(filterOf(documents, kept))
    const none = { page: () => Effect.die("the log was read") }
    feed.offer(Array.from({ length: 50 }, (_, i) => event(i + 1, 0, 1)))
    const first = Option.getOrThrow(yield* feed.next(none))
    assert.deepInclude(first, { _tag: "Passed", filtered: 50, dropped: 0 })
    assert.strictEqual(feed.pass(first).to.n, 50)
    feed.isPassing = true
    feed.offer(Array.from({ length: 20 }, (_, i) => event(i + 51, 0, 1)))
    assert.deepStrictEqual(yield* feed.next(none), Option.none())
    assert.isFalse(feed.takesLook)
    feed.offer([event(71, 0, 1, kept), event(72, 0, 1), event(73, 0, 1, kept)])
    const items = feed.knownEvents(1, 10, 1_000)
    assert.deepStrictEqual(items.map(({ event: { n }, filtered }) => [n, filtered]), [[71, 20], [73, 1]])
    assert.deepInclude(feed.pass(items[0]!, { delivered: 1 }).tally, { delivered: 1, filtered: 20 })
    feed.offer([event(74, 0, 1)])
    feed.setFilter(filterOf(documents, JSON.stringify({ $eq: 1 })))
    assert.deepStrictEqual(feed.knownEvents(1, 10, 1_000).map(({ event: { n } }) => n), [72, 74])
    feed.setFilter(undefined)
    assert.deepStrictEqual(feed.knownEvents(1, 10, 1_000).map(({ event: { n } }) => n), [72, 73, 74])
  }))

it.effect("judges no more at once than takes a moment, and what is large in its account's turn", () =>
  Effect.gen(function*() {
    const feed = atHead(filterOf(yield* EventDocuments.make, kept))
    const none = { page: () => Effect.die("the log was read") }
    const half = `"${"x".repeat(10_000)}"`
    feed.offer(Array.from({ length: 50 }, (_, i) => event(i + 1, 0, 1, half)))
    assert.deepInclude(feed.known(1), { _tag: "Passed", filtered: 26 })
    feed.pass(feed.known(1)!)
    for (let item = feed.known(1); item !== undefined; item = feed.known(1)) feed.pass(item)
    assert.strictEqual(feed.passed, 50)
    feed.offer([event(51, 0, 1, large("1")), event(52, 0, 1, large(kept))])
    assert.isUndefined(feed.known(1))
    assert.isTrue(feed.takesLook)
    const next = Option.getOrThrow(yield* feed.next(none))
    assert.deepInclude(next, { _tag: "Passed", filtered: 1 })
    feed.pass(next)
    assert.isTrue(Option.exists(yield* feed.next(none), ({ _tag }) => _tag === "Event"))
  }))

it.effect("judges small events at once by the work that they are, and those that are too much of it are dropped", () =>
  Effect.gen(function*() {
    const documents = new EventDocuments(new AccountTurns(), { work: 30_000, documents: 1_000_000 })
    const filter = { a: { $not: { $in: { $ref: "b" } } }, kept: true }
    const feed = atHead(filterOf(documents, JSON.stringify(filter)))
    const none = { page: () => Effect.die("the log was read") }
    const costly = (count: number) =>
      JSON.stringify({
        a: Array.from({ length: count }, () => "a"),
        b: [...Array.from({ length: 20 }, () => "b"), "a"]
      })
    feed.offer(Array.from({ length: 100 }, (_, i) => event(i + 1, 0, 1, costly(20))))
    const first = feed.known(1)
    assert.isTrue(first?._tag === "Passed" && first.filtered > 10 && first.filtered < 40, "as much as is no long time")
    for (let item = first; item !== undefined; item = feed.known(1)) feed.pass(item)
    assert.strictEqual(feed.passed, 100)
    feed.offer([event(101, 0, 1, costly(2_000)), event(102, 0, 1, JSON.stringify({ a: [1], b: [], kept: true }))])
    assert.isUndefined(feed.known(1), "it is to be told of")
    const item = Option.getOrThrow(yield* feed.next(none))
    assert.deepInclude(item, { _tag: "Event", dropped: 1, tooCostly: 1, filtered: 0 })
    assert.deepInclude(feed.pass(item, { delivered: 1 }), { from: 100, to: { n: 102, id: EventId.make(0, 102) } })
  }))

it("what waits for long is read again before it is sent, but for requests, which go only once they are passed", () => {
  const first = event(1, 0, 1)
  const later = (stream: string) => {
    const feed = new Feed(key, { ...address, stream }, beginning, new FeedRoom(defaults))
    Effect.runSync(feed.next({ page: () => Effect.succeed({ events: [], head: beginning }) }))
    feed.offer([{ ...first, stream }])
    return feed.known(60_000)
  }
  assert.isUndefined(later(""))
  assert.deepStrictEqual(later(Stream.requests), {
    _tag: "Event",
    event: { ...first, stream: Stream.requests },
    dropped: 0,
    tooCostly: 0,
    filtered: 0
  })
})

it("takes what follows on also while it is to look for more, and reads once it has come to the end of that", () => {
  const feed = atHead()
  feed.offer([event(1, 0, 1)])
  feed.lookAgain()
  feed.offer([event(2, 0, 1), event(3, 0, 1)])
  const passed: Array<number> = []
  for (let item = feed.known(1); item !== undefined; item = feed.known(1)) passed.push(feed.pass(item).to.n)
  assert.deepStrictEqual(passed, [1, 2, 3])
  assert.isTrue(feed.takesLook)
  feed.offer([event(5, 0, 1)])
  assert.isUndefined(feed.known(1), "there is one between")
})

it("holds no more events than there is room for what their emits said beside them", () => {
  const feed = new Feed(key, address, beginning, new FeedRoom(defaults))
  feed.offer([])
  // Reads that there is nothing, after which it takes what is offered.
  Effect.runSync(feed.next({ page: () => Effect.succeed({ events: [], head: beginning }) }))
  const summary = "s".repeat(1_000_000)
  feed.offer(Array.from({ length: 20 }, (_, i) => ({ ...event(i + 1, 1, 1), meta: { summary } })))
  let held = 0
  for (let item = feed.peek(); item !== undefined; item = feed.peek(), held++) feed.pass(item)
  assert.strictEqual(held, 5)
})

it("the room is not exceeded by many who hold a little, and who held longest lets go first", () => {
  const room = new FeedRoom({ ...defaults, feedRoom: 100 })
  const gone: Array<number> = []
  const holders = Array.from({ length: 20 }, (_, n) => ({ letGo: () => void gone.push(n) }))
  for (const [n, holder] of holders.entries()) room.take(holder, 10, n)
  assert.deepStrictEqual(gone, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  assert.isTrue(room.isScarce)
  room.giveBack(holders[10]!, 10)
  room.take(holders[11]!, 10, 20)
  room.take(holders[0]!, 10, 21)
  assert.deepStrictEqual(gone.slice(10), [12])
  room.clearBefore(20)
  assert.deepStrictEqual(gone.slice(11), [13, 14, 15, 16, 17, 18, 19])
  assert.isFalse(room.isScarce)
  room.clearBefore(30)
  assert.deepStrictEqual(gone.slice(18), [])
})

it.effect("events that are known are taken together up to so many characters, and one in any case", () =>
  Effect.gen(function*() {
    const now = yield* Clock.currentTimeMillis
    const feed = new Feed(key, address, beginning, new FeedRoom(defaults))
    const events = [1, 2, 3, 4].map((n) => ({ ...event(n, now, 1), payload: "x".repeat(1_000) }))
    yield* feed.next({ page: () => Effect.succeed({ events, head: { n: 4, id: events[3]!.id } }) })
    const each = charactersOf(events[0]!)
    const taken = (characters: number) => feed.knownEvents(now, 64, characters).map((item) => item.event.n)
    assert.deepStrictEqual([taken(4 * each), taken(3 * each - 1), taken(1)], [[1, 2, 3, 4], [1, 2], [1]])
  }))

/** A feed of batches on a log, and the number of events of each page that was read of it. */
const batchedOn = (batch: SubscriptionBatch, limits = {}, filter?: EventFilter) => {
  const room = new FeedRoom({ ...defaults, ...limits })
  const log: Array<LoggedEvent> = []
  const pages: Array<number> = []
  const reader = {
    page: (_: typeof address, after: { readonly id: bigint }, limit: number) => {
      const events = log.filter(({ id }) => id > after.id).slice(0, Math.min(limit, room.page.count))
      pages.push(events.length)
      return Effect.succeed({ events, head: { n: log.length, id: log.at(-1)?.id ?? 0n } })
    }
  }
  const append = (count: number, payload = "1", meta: LoggedEvent["meta"] = {}) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      const appended = Array.from({ length: count }, (_, i) => ({
        ...event(log.length + i + 1, now, 1, payload),
        meta
      }))
      log.push(...appended)
      return appended
    })
  const feed = new Feed(key, address, beginning, room, filter, batch)
  return { append, feed, next: Effect.map(feed.next(reader), Option.map(eventsOf)), pages, room }
}

it.effect("sends together what it can hold, however many are asked for and however long they could wait", () =>
  Effect.gen(function*() {
    const limits = { feed: { count: 4, characters: 1_000 } }
    const { append, next } = batchedOn({ ...three, maxEvents: 100 }, limits)
    yield* append(10)
    assert.deepStrictEqual(yield* next, Option.some(4))
  }))

it.effect("reads once what waits for others longer than it is held, when that goes, and not with each that comes", () =>
  Effect.gen(function*() {
    const batch = { maxEvents: 8, maxWaitMs: 60_000, maxBytes: 1_024 }
    const { append, feed, next, pages, room } = batchedOn(batch, { feedRoom: 5 })
    yield* append(3)
    assert.deepStrictEqual(yield* next, Option.none())
    assert.deepStrictEqual(pages, [3])
    // Others read, and have those let go who hold what is old.
    yield* TestClock.adjust("4 seconds")
    room.clearBefore(yield* Clock.currentTimeMillis)
    for (let n = 4; n < 8; n++) {
      // One of them was not told of.
      const appended = yield* append(1)
      if (n !== 5) feed.offer(appended)
      else feed.lookAgain()
      assert.deepStrictEqual(yield* next, Option.none())
    }
    assert.deepStrictEqual(pages, [3, 1])
    feed.offer(yield* append(1))
    assert.deepStrictEqual(yield* next, Option.some(8))
    assert.deepStrictEqual(pages, [3, 1, 8])
  }))

it.effect("lets what waits go where something behind it goes round too often: somebody may wait to hear of that", () =>
  Effect.gen(function*() {
    const { append, feed, next } = batchedOn({ maxEvents: 8, maxWaitMs: 60_000, maxBytes: 1_024 })
    yield* append(2)
    assert.deepStrictEqual(yield* next, Option.none())
    const [looped] = yield* append(1)
    feed.offer([{ ...looped!, hops: 16 }])
    assert.deepStrictEqual(yield* next, Option.some(2))
  }))

it.effect("sends full batches of a backlog whose events have all waited long enough, over pages and judgements", () =>
  Effect.gen(function*() {
    const filter = filterOf(yield* EventDocuments.make, JSON.stringify({ kept: true }))
    const { append, next } = batchedOn(
      { maxEvents: 10, maxWaitMs: 0, maxBytes: 1024 * 1024 },
      { feedPage: { count: 4, bytes: 1_000_000 } },
      filter
    )
    yield* append(12, large(kept))
    assert.deepStrictEqual(yield* next, Option.some(10))
  }))

it.effect("reads pages of what its filter keeps out, however few are missing", () =>
  Effect.gen(function*() {
    const filter = filterOf(yield* EventDocuments.make, JSON.stringify({ kept: true }))
    const { append, next, pages } = batchedOn({ maxEvents: 2, maxWaitMs: 60_000, maxBytes: 1_024 }, {}, filter)
    yield* append(1, kept)
    yield* append(500)
    assert.deepStrictEqual(yield* next, Option.none())
    assert.isAtMost(pages.length, 6)
  }))

it.effect("puts nothing of shadow into a batch with what is sent", () =>
  Effect.gen(function*() {
    const { append, feed, next } = batchedOn({ maxEvents: 8, maxWaitMs: 0, maxBytes: 1_024 })
    for (const [count, meta] of [[2, { shadow: true }], [3, {}], [1, { shadow: true }]] as const) {
      yield* append(count, "1", meta)
    }
    const sizes = [yield* next]
    for (let item = feed.known(0); item !== undefined; item = feed.known(0)) {
      feed.pass(item)
      sizes.push(Option.map(Option.fromUndefinedOr(feed.known(0)), eventsOf))
    }
    assert.deepStrictEqual(sizes, [Option.some(2), Option.some(3), Option.some(1), Option.none()])
  }))
