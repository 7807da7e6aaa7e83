import { assert, layer } from "@effect/vitest"
import * as EventId from "@headwater/domain/EventId"
import * as Id from "@headwater/domain/Id"
import * as TestTables from "@headwater/fixtures/TestTables"
import { Effect } from "effect"
import { type Attempt, Attempts } from "../work/Attempts.ts"
import { Deliveries } from "../work/Deliveries.ts"
import { type DeliveryFilter, DeliveryList, type ListedDelivery, type ListedState } from "./DeliveryList.ts"
import type { UncountedPage } from "./Page.ts"

const start = Date.parse("2026-11-21T12:00:00Z")

const random = new Uint8Array(Id.randomLength)

/** The id of the delivery that begins so many milliseconds after the start. */
const idOf = (n: number): string => Id.of("delivery", start + n, random)

interface Item {
  readonly n: number
  readonly state: ListedState
  readonly accountId: string
  readonly emitterId?: string
  /** Attempts before the last one, which failed. */
  readonly failures?: number
}

const attemptsOf = ({ accountId, emitterId = "dc_a", failures = 0, n, state }: Item): ReadonlyArray<Attempt> =>
  Array.from({ length: failures + 1 }, (_, index): Attempt => {
    const hasArrived = state === "delivered" && index === failures
    return {
      accountId,
      deliveryId: idOf(n),
      attempt: index + 1,
      webhookId: `wh_${accountId}`,
      subscriptionId: "sub_a",
      emitterId,
      stream: "",
      eventId: EventId.make(start + n, 0),
      emitId: `e${n}`,
      startedAt: start + n + index,
      durationMs: 1,
      outcome: hasArrived ? "delivered" : "failed",
      status: hasArrived ? 200 : 500,
      address: null,
      errorClass: hasArrived ? null : "status",
      errorMessage: null,
      responseHeaders: null,
      responseBody: null,
      nextAt: null,
      requestHeaders: null,
      dnsMs: null,
      connectMs: null,
      tlsMs: null,
      firstByteMs: null
    }
  })

const put = Effect.fnUntraced(function*(items: ReadonlyArray<Item>) {
  yield* (yield* Attempts).record(items.flatMap(attemptsOf))
  yield* (yield* Deliveries).insert(items.flatMap((item) => {
    if (item.state === "delivered") return []
    const { accountId, emitterId = "dc_a", failures = 0, n, state } = item
    return [{
      id: idOf(n),
      accountId,
      webhookId: `wh_${accountId}`,
      subscriptionId: "sub_a",
      emitterId,
      stream: "",
      eventId: EventId.make(start + n, 0),
      attempts: failures + 1,
      state,
      last: { at: start + n + failures, status: 500, errorClass: "status" },
      apart: false
    }]
  }))
})

/** All that is listed, in the direction's order, and how many pages that took. */
const walk = Effect.fnUntraced(function*(
  accountId: string,
  filter: DeliveryFilter,
  limit: number,
  direction: "after" | "before",
  isOldestFirst = false
) {
  const list = yield* DeliveryList
  const ids: Array<string> = []
  let at: string | undefined = direction === "after" ? undefined : isOldestFirst ? "dlv_~" : "dlv_"
  for (let pages = 1;; pages++) {
    const page: UncountedPage<ListedDelivery> = yield* list.page(accountId, filter, {
      limit,
      after: undefined,
      before: undefined,
      isOldestFirst,
      [direction]: at
    })
    assert.isAtMost(page.items.length, limit)
    const found = page.items.map(({ id }) => id)
    ids.push(...(direction === "after" ? found : found.toReversed()))
    if (page.goesOnAt === undefined) return { ids, pages }
    at = page.goesOnAt
  }
})

const states: ReadonlyArray<ListedState> = ["delivered", "pending", "delivered", "exhausted", "dropped"]

layer(TestTables.layer, { timeout: "60 seconds" })("the list of deliveries", (it) => {
  it.effect("walks those of all states in the order in which they began, each once, both ways", () =>
    Effect.gen(function*() {
      const items = Array.from({ length: 150 }, (_, n): Item => ({
        n,
        state: states[(n * 7) % states.length]!,
        accountId: "u_walk",
        emitterId: `dc_${n % 3}`,
        failures: n % 4
      }))
      yield* put(items)
      yield* put(items.map((item) => ({ ...item, n: item.n + 1_000, accountId: "u_other" })))
      const wanted = (keep: (item: Item) => boolean) => items.filter(keep).map(({ n }) => idOf(n)).toReversed()
      const cases: ReadonlyArray<readonly [DeliveryFilter, (item: Item) => boolean]> = [
        [{}, () => true],
        [{ webhookId: "wh_u_walk" }, () => true],
        [{ state: "dropped" }, ({ state }) => state === "dropped"],
        [{ state: "delivered", emitterId: "dc_1" }, (item) => item.state === "delivered" && item.emitterId === "dc_1"],
        [{ errorClass: "status" }, ({ state }) => state !== "delivered"],
        [{ status: [200, 299] }, ({ state }) => state === "delivered"],
        [{ status: [500, 599], state: "pending" }, ({ state }) => state === "pending"],
        [{ since: start + 20, until: start + 40 }, ({ n }) => n >= 20 && n < 40],
        [{ lastAttemptSince: start + 100 }, ({ failures = 0, n }) => n + failures >= 100],
        [
          { lastAttemptSince: start + 100, state: "exhausted" },
          ({ failures = 0, n, state }) => state === "exhausted" && n + failures >= 100
        ],
        [{ eventId: EventId.make(start + 7, 0) }, ({ n }) => n === 7],
        [{ state: "delivered", errorClass: "status" }, () => false]
      ]
      for (const [filter, keep] of cases) {
        for (const limit of [1, 7, 100]) {
          const { ids } = yield* walk("u_walk", filter, limit, "after")
          assert.deepStrictEqual(ids, wanted(keep))
          const back = yield* walk("u_walk", filter, limit, "before")
          assert.deepStrictEqual(back.ids, wanted(keep).toReversed())
          const oldest = yield* walk("u_walk", filter, limit, "after", true)
          assert.deepStrictEqual(oldest.ids, wanted(keep).toReversed())
          const fromEnd = yield* walk("u_walk", filter, limit, "before", true)
          assert.deepStrictEqual(fromEnd.ids, wanted(keep))
        }
      }
    }))

  it.effect("looks at so many for a page and goes on behind them, whatever the filter leaves out", () =>
    Effect.gen(function*() {
      const first = 100_000
      const [three, four] = [first + 3, first + 4]
      yield* put(Array.from({ length: 12_000 }, (_, index): Item => ({
        n: first + index,
        state: index % 2 === 0 ? "delivered" : "exhausted",
        accountId: "u_many",
        emitterId: index === 3 || index === 4 ? "dc_rare" : "dc_a"
      })))
      for (const direction of ["after", "before"] as const) {
        const { ids, pages } = yield* walk("u_many", { emitterId: "dc_rare" }, 10, direction)
        assert.deepStrictEqual(ids, direction === "after" ? [idOf(four), idOf(three)] : [idOf(three), idOf(four)])
        assert.isAbove(pages, 1)
      }
    }))

  it.effect("tells a delivery with its attempts, to its own account alone", () =>
    Effect.gen(function*() {
      yield* put([{ n: 500_000, state: "exhausted", accountId: "u_one", failures: 2 }])
      const list = yield* DeliveryList
      const found = yield* Effect.flatMap(list.get("u_one", idOf(500_000)), Effect.fromOption)
      assert.strictEqual(found.delivery.state, "exhausted")
      assert.deepStrictEqual(found.attempts.map(({ attempt }) => attempt), [1, 2, 3])
      assert.strictEqual((yield* list.get("u_two", idOf(500_000)))._tag, "None")
    }))
})
