import { assert, layer } from "@effect/vitest"
import type { LoggedEvent } from "@headwater/domain/Event"
import * as EventId from "@headwater/domain/EventId"
import * as Id from "@headwater/domain/Id"
import * as Stream from "@headwater/domain/Stream"
import * as TestTables from "@headwater/fixtures/TestTables"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { EventLog } from "../logs/EventLog.ts"
import { Heads } from "../logs/Heads.ts"
import { EventList, type EventListFilter, type EventListPage, type EventListPlace } from "./EventList.ts"

const mebibyte = 1024 * 1024

const random = new Uint8Array(Id.randomLength)

/** The account of a number. */
const accountOf = (n: number): Id.AccountId => Id.AccountId.make(Id.of("account", n, random))

interface Item {
  readonly emitterId: string
  readonly stream: string
  readonly id: bigint
  readonly payload: string
}

const put = Effect.fnUntraced(function*(accountId: Id.AccountId, items: ReadonlyArray<Item>) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    INSERT INTO accounts (id, username, email, plan, created_at) VALUES (${accountId}, 'a', 'a@b', 'free', 0)
    ON CONFLICT DO NOTHING`
  for (const [emitterId, own] of Map.groupBy(items, (item) => item.emitterId)) {
    yield* (yield* Heads).create(emitterId, accountId)
    const streams = Object.fromEntries(own.map(({ stream }) => [stream, own.length]))
    const lastId = own.reduce((last, { id }) => id > last ? id : last, 0n)
    yield* sql`
      UPDATE heads_folded SET streams = ${JSON.stringify(streams)}::jsonb, last_id = ${lastId}
      WHERE emitter_id = ${emitterId}`
  }
  yield* (yield* EventLog).append(items.map((item, index): LoggedEvent => ({
    ...item,
    n: index + 1,
    emitId: `e${index}`,
    hops: 0,
    meta: {}
  })))
})

const keyOf = ({ emitterId, id }: EventListPlace) => `${id} ${emitterId}`

/** All that is listed, in the direction's order, and the pages that took. */
const walk = Effect.fnUntraced(function*(
  accountId: Id.AccountId,
  filter: EventListFilter,
  limit: number,
  direction: "after" | "before",
  isOldestFirst = false
) {
  const list = yield* EventList
  const keys: Array<string> = []
  const pages: Array<EventListPage> = []
  let at: EventListPlace | undefined = direction === "after"
    ? undefined
    : isOldestFirst
    ? { id: EventId.last, emitterId: "" }
    : { id: -1n, emitterId: "" }
  while (true) {
    const page: EventListPage = yield* list.page(accountId, filter, {
      limit,
      after: undefined,
      before: undefined,
      maxBytes: mebibyte,
      whole: false,
      isOldestFirst,
      [direction]: at
    })
    pages.push(page)
    assert.isAtMost(page.items.length, limit)
    const found = page.items.map(keyOf)
    keys.push(...(direction === "after" ? found : found.toReversed()))
    if (page.goesOnAt === undefined) return { keys, pages }
    at = page.goesOnAt
  }
})

layer(TestTables.layer, { timeout: "60 seconds" })("the list of an account's events", (it) => {
  it.effect("walks those of all emitters and streams in the order of their ids, each once, both ways", () =>
    Effect.gen(function*() {
      const accountId = accountOf(1)
      const streams = ["", "other", Stream.logs, Stream.requests]
      // Some emitters are busy and some are not, and at many times several have an event.
      const items = Array.from({ length: 250 }, (_, n): Item => ({
        emitterId: `dc_${[0, 0, 0, 1, 1, 2, 3 + n % 9][n % 7]}`,
        stream: streams[n % 5 % 4]!,
        id: BigInt(1_000 + n),
        payload: JSON.stringify({ n, even: n % 2 === 0 })
      })).flatMap((item) => [item, { ...item, emitterId: "dc_twin" }])
      yield* put(accountId, items)
      yield* put(accountOf(2), [{ ...items[0]!, emitterId: "dc_other" }])
      const wanted = (keep: (item: Item) => boolean) =>
        items.filter((item) => item.stream !== Stream.requests && keep(item))
          .toSorted((a, b) => a.id === b.id ? a.emitterId < b.emitterId ? 1 : -1 : a.id < b.id ? 1 : -1).map(keyOf)
      const cases: ReadonlyArray<readonly [EventListFilter, (item: Item) => boolean]> = [
        [{}, () => true],
        [{ emitterIds: ["dc_1", "dc_7"] }, ({ emitterId }) => emitterId === "dc_1" || emitterId === "dc_7"],
        [{ emitterIds: ["dc_other"] }, () => false],
        [{ stream: "other" }, ({ stream }) => stream === "other"],
        [{ id: 1_007n }, ({ id }) => id === 1_007n],
        [{ from: 1_100n, until: 1_140n }, ({ id }) => id >= 1_100n && id < 1_140n],
        [{ text: "\"even\":true" }, ({ payload }) => payload.includes("\"even\":true")],
        [
          { text: "\"n\":77,", stream: Stream.logs },
          ({ payload, stream }) => stream === Stream.logs && payload.includes("\"n\":77,")
        ]
      ]
      for (const [filter, keep] of cases) {
        for (const limit of [1, 7, 100]) {
          if (limit === 1 && keep(items[0]!) && keep(items[1]!)) continue
          const { keys } = yield* walk(accountId, filter, limit, "after")
          assert.deepStrictEqual(keys, wanted(keep))
          const back = yield* walk(accountId, filter, limit, "before")
          assert.deepStrictEqual(back.keys, wanted(keep).toReversed())
          const oldest = yield* walk(accountId, filter, limit, "after", true)
          assert.deepStrictEqual(oldest.keys, wanted(keep).toReversed())
          const fromEnd = yield* walk(accountId, filter, limit, "before", true)
          assert.deepStrictEqual(fromEnd.keys, wanted(keep))
        }
      }
    }))

  it.effect("looks into so many payloads for a page and goes on behind them, and gives no more bytes than a page may have", () =>
    Effect.gen(function*() {
      const accountId = accountOf(3)
      const rare = new Set([3, 5_000])
      const items = Array.from({ length: 6_000 }, (_, n): Item => ({
        emitterId: "dc_many",
        stream: "",
        id: BigInt(n),
        payload: JSON.stringify(rare.has(n) ? "rare" : "common")
      }))
      const large = Array.from({ length: 12 }, (_, n): Item => ({
        emitterId: "dc_large",
        stream: "",
        id: BigInt(10_000 + n),
        payload: JSON.stringify(`sought${"x".repeat(mebibyte)}`)
      }))
      yield* put(accountId, [...items, ...large])
      for (const direction of ["after", "before"] as const) {
        const { keys, pages } = yield* walk(accountId, { text: "rare" }, 10, direction)
        const [older, newer] = [keyOf(items[3]!), keyOf(items[5_000]!)]
        assert.deepStrictEqual(keys, direction === "after" ? [newer, older] : [older, newer])
        assert.isAbove(pages.length, 3)
      }
      const found = yield* walk(accountId, { text: "sought" }, 100, "after")
      assert.deepStrictEqual(found.keys, large.map(keyOf).toReversed())
      const list = yield* EventList
      const request = { limit: 100, after: undefined, before: undefined, maxBytes: 4 * mebibyte, whole: true }
      for (const text of [undefined, "sought"]) {
        const page = yield* list.page(accountId, { text }, request)
        assert.deepStrictEqual(page.items.map(keyOf), large.map(keyOf).toReversed().slice(0, 4))
        assert.deepStrictEqual(keyOf(page.goesOnAt!), keyOf(large[8]!))
      }
      const empty = yield* list.page(accountId, { text: "nowhere" }, request)
      assert.deepStrictEqual([empty.items.length, keyOf(empty.goesOnAt!)], [0, keyOf(large[4]!)])
    }))

  it.effect("of more logs than a page looks into, has what came since the last event of the others, and says so", () =>
    Effect.gen(function*() {
      const accountId = accountOf(4)
      const sql = yield* SqlClient.SqlClient
      yield* put(
        accountId,
        Array.from({ length: 11 }, (_, n) => ({
          emitterId: `dc_deep${n}`,
          stream: "",
          id: BigInt(n + 1),
          payload: "1"
        }))
      )
      const streams = JSON.stringify(
        Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [n === 0 ? "" : `s${n}`, 1]))
      )
      yield* sql`UPDATE heads_folded SET streams = ${streams}::jsonb WHERE account_id = ${accountId}`
      const { keys, pages } = yield* walk(accountId, {}, 100, "after")
      assert.deepStrictEqual(keys, Array.from({ length: 5 }, (_, n) => `${11 - n} dc_deep${10 - n}`))
      assert.isTrue(pages.at(-1)!.isCut)
      const oldest = yield* walk(accountId, {}, 2, "after", true)
      assert.deepStrictEqual(oldest.keys, keys.toReversed())
      assert.deepStrictEqual(oldest.pages.map(({ isCut }) => isCut), [true, false, false])
    }))
})
