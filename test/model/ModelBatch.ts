import { maxHops } from "@headwater/domain/Event"
import * as EventId from "@headwater/domain/EventId"
import type { SubscriptionBatch } from "@headwater/domain/SubscriptionBatch"
import { type FilterName, lets } from "./ModelFilter.ts"
import type { EventRow } from "./Observation.ts"

/** Batches that subscriptions are given, by name. */
const batches = {
  pairs: { maxEvents: 2, maxWaitMs: 30_000, maxBytes: 1_048_576 },
  prompt: { maxEvents: 100, maxWaitMs: 0, maxBytes: 1_048_576 },
  short: { maxEvents: 100, maxWaitMs: 5_000, maxBytes: 1_024 }
} as const satisfies Record<string, SubscriptionBatch>

export type BatchName = keyof typeof batches

export const names = ["pairs", "prompt", "short"] as const satisfies ReadonlyArray<BatchName>

/** What a client gives. */
export const batchOf = (name: BatchName): SubscriptionBatch => batches[name]

/** What the code of a lister asks for, where its subscription does not. */
export const ofLister: BatchName = "pairs"

/** The JSON list of payloads. */
export const listOf = (payloads: ReadonlyArray<string>): string => `[${payloads.join(",")}]`

/** Whether what is in front of a cursor is not to go yet: it waits for others to go with. */
export const waits = (
  batch: BatchName,
  filter: FilterName | null,
  rows: ReadonlyArray<EventRow>,
  now: number
): boolean => {
  const { maxBytes, maxEvents } = batches[batch]
  const list: Array<string> = []
  let first: EventRow | undefined
  for (const row of rows) {
    if (row.hops >= maxHops) return false
    if (!lets(filter, row.payload)) continue
    first ??= row
    list.push(row.payload)
    if (list.length >= maxEvents || Buffer.byteLength(listOf(list)) >= maxBytes) return false
  }
  return first !== undefined && now < dueAt(batch, first)
}

/** When a list that begins with an event goes at the latest, in Unix milliseconds. */
export const dueAt = (batch: BatchName, first: Pick<EventRow, "id">): number =>
  EventId.milliseconds(first.id) + batches[batch].maxWaitMs

/** Whether so many payloads may have gone together, of which the first was appended with an id, and the next one that is known. */
export const mayGo = (
  batch: BatchName,
  events: ReadonlyArray<EventRow>,
  next: EventRow | undefined,
  latest: number
): boolean => {
  const { maxBytes, maxEvents } = batches[batch]
  const payloads = events.map(({ payload }) => payload)
  const bytes = Buffer.byteLength(listOf(payloads))
  if (events.length > maxEvents || (events.length > 1 && bytes > maxBytes)) return false
  if (events.length === maxEvents || bytes >= maxBytes) return true
  if (latest >= dueAt(batch, events[0]!)) return true
  return next !== undefined && (next.hops >= maxHops || bytes + 1 + Buffer.byteLength(next.payload) > maxBytes)
}
