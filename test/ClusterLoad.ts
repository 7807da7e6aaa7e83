import * as Json from "@headwater/fixtures/Json"
import type { WebhookSink } from "@headwater/fixtures/WebhookSink"
import { Accounting } from "@headwater/log/work/Accounting"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { assert } from "vitest"
import { pathOf, payloadsOf, until } from "./ClusterNodes.ts"

/** Emits the order of each request. */
export const emitter = `
export default {
  props: { http: "$.interface.http" },
  async run(event) {
    this.$emit(event.body.order)
  }
}`

/** What it has counted is right only if each event changed its state exactly once. */
export const ledger = `
export default {
  props: { db: "$.service.db" },
  async run(order) {
    const count = (this.db.get("count") ?? 0) + 1
    this.db.set("count", count)
    this.$emit({ order, count })
  }
}`

/** Answers the status. */
export const postOrder = async (
  url: string,
  order: number,
  { patienceMs, signal }: { readonly signal: AbortSignal; readonly patienceMs: number }
): Promise<number> => {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ order }),
    signal: AbortSignal.any([signal, AbortSignal.timeout(patienceMs)])
  })
  await response.arrayBuffer()
  return response.status
}

/** Posts a number a time to one of the nodes, until it is acknowledged, while `going` says so. */
const load = (url: () => string, acknowledged: Array<number>, options: {
  readonly going: () => boolean
  readonly next: () => number
}) =>
  Effect.gen(function*() {
    while (options.going()) {
      const order = options.next()
      yield* Effect.tryPromise((signal) => postOrder(url(), order, { signal, patienceMs: 5_000 })).pipe(
        Effect.map((status) => {
          if (status === 200) acknowledged.push(order)
          else assert.strictEqual(status, 503)
        }),
        Effect.catch(() => Effect.sleep("100 millis"))
      )
      yield* Effect.sleep("5 millis")
    }
  })

/** Posts to all sources at once, each request to one of the nodes, until it is ended. */
export const begin = Effect.fnUntraced(function*(sources: ReadonlyArray<Json.Json>, url: () => string) {
  let going = true
  let count = 0
  const acknowledged = sources.map((): Array<number> => [])
  const loads = yield* Effect.forEach(sources, (source, index) => {
    const path = pathOf(source)
    return Effect.forkChild(load(() => url() + path, acknowledged[index]!, {
      going: () => going,
      next: () => ++count
    }))
  })
  return {
    /** What was acknowledged, by source. */
    acknowledged,
    /** Waits until some requests more have been acknowledged by each source. */
    goesOn: (what: string) =>
      Effect.suspend(() => {
        const before = acknowledged.map(({ length }) => length)
        return until(what, 60, Effect.sync(() => acknowledged.every(({ length }, i) => length > before[i]! + 20)))
      }),
    end: Effect.suspend(() => {
      going = false
      return Effect.forEach(loads, Fiber.join, { discard: true })
    })
  }
})

/** That nothing of a load was lost, doubled or reordered, by a listener that is a ledger, and a webhook that hears all. */
export const check = Effect.fnUntraced(function*({ acknowledged, listener, sink, sources }: {
  readonly sources: ReadonlyArray<Json.Json>
  readonly acknowledged: ReadonlyArray<ReadonlyArray<number>>
  readonly listener: Json.Json
  readonly sink: WebhookSink
}) {
  const sql = yield* SqlClient.SqlClient
  const logs = () => Effect.forEach(sources, payloadsOf)
  yield* until(
    "every acknowledged request is run",
    60,
    Effect.map(logs(), (logs) => logs.every((log, i) => acknowledged[i]!.every((order) => log.includes(order))))
  )
  const emitted = yield* logs()
  for (const log of emitted) assert.strictEqual(new Set(log).size, log.length, "a request was run twice")
  const all = emitted.flat()
  assert.isAtLeast(all.length, acknowledged.flat().length)
  yield* until(
    "the ledger has counted each",
    60,
    Effect.map(payloadsOf(listener), (entries) => entries.length >= all.length)
  )
  const ledgerEntries = yield* payloadsOf(listener)
  assert.deepStrictEqual(ledgerEntries.map(({ count }) => count), all.map((_, index) => index + 1))
  assert.sameMembers(ledgerEntries.map(({ order }) => order), all)
  const received = () => sink.received.filter(({ headers }) => headers["x-headwater-test"] === undefined)
  const delivered = () => new Set(received().map(({ headers }) => headers["webhook-id"]))
  // What all sources emitted, the ledger's entries among it.
  yield* until("all is delivered", 60, Effect.sync(() => delivered().size >= 2 * all.length))
  for (const [index, source] of sources.entries()) {
    const seen = new Set<string>()
    const firsts = received().filter(({ headers }) => {
      const id = headers["webhook-id"]!
      if (headers["x-headwater-emitter-id"] !== Json.textOf(source["id"]) || seen.has(id)) return false
      seen.add(id)
      return true
    })
    assert.deepStrictEqual(firsts.map(({ body }) => JSON.parse(body)), emitted[index])
  }
  const accounting = yield* Accounting
  yield* until(
    "the last deliveries are accounted for",
    60,
    Effect.map(
      sql<{ waiting: bigint }>`
    SELECT coalesce(sum((h.streams ->> '')::bigint - c.n), 0)::bigint AS waiting FROM cursors c
    JOIN heads h ON h.emitter_id = c.emitter_id WHERE c.subscription_id LIKE 'sub_%'`,
      ([row]) => row!.waiting === 0n
    )
  )
  assert.deepStrictEqual(yield* accounting.imbalances, [])
})
