import type { ConsumerId } from "@headwater/domain/Id"
import type { ConsumerPage } from "@headwater/engine/ConsumerLifecycle"
import { type Model, type ModelCursor, type ModelSource, type ModelSubscription, newCursor } from "./Model.ts"
import { broken } from "./ModelBroken.ts"
import { isDropped, isFiltered } from "./ModelFate.ts"

/** How long a reader's lease lasts, in seconds, and by how much longer where its owner has changed, in milliseconds. */
export const leaseSeconds = 30
export const leaseSlackMs = leaseSeconds * 500

export interface ModelConsumer {
  readonly id: ConsumerId
  readonly subscriptionId: string
  /** The last that a reader was given. */
  lease: { readonly id: string; until: number } | undefined
  /** What was read with it and not committed: by emitter, the numbers of its events. */
  readonly page: Map<string, ReadonlyArray<bigint>>
}

const cursorOf = ({ cursors }: ModelSubscription, emitterId: string): ModelCursor => {
  const cursor = cursors.get(emitterId) ?? newCursor(0n)
  cursors.set(emitterId, cursor)
  return cursor
}

/** The events of a source that a reader is to get, in order. */
const toRead = (model: Model, subscription: ModelSubscription, source: ModelSource) => {
  const { n } = cursorOf(subscription, source.id)
  return model.events(source, subscription.stream).filter((event) =>
    event.n > n && !isDropped(event) && !isFiltered(subscription, event)
  )
}

const heard = (model: Model, subscription: ModelSubscription): ReadonlyArray<ModelSource> =>
  [...model.sources.values()].filter(({ id }) => model.matches(subscription, id))

/** Whether there is anything to read. */
export const hasMore = (model: Model, subscription: ModelSubscription): boolean =>
  heard(model, subscription).some((source) => toRead(model, subscription, source).length > 0)

/** What was read has to be, of each emitter, what comes next. */
export const read = (
  model: Model,
  consumer: ModelConsumer,
  subscription: ModelSubscription,
  page: ConsumerPage
): void => {
  consumer.page.clear()
  if (page.events.length === 0 && hasMore(model, subscription)) broken("there was more to read", { consumer })
  for (const [emitterId, events] of Map.groupBy(page.events, (event) => event.emitterId)) {
    const source = heard(model, subscription).find(({ id }) => id === emitterId)
    if (source === undefined) return broken("an event of an emitter that is not heard was read", { emitterId })
    const next = toRead(model, subscription, source)
    for (const [index, event] of events.entries()) {
      if (next[index]?.id !== event.id || next[index].payload !== event.payload) {
        return broken("what was read is not what comes next", { consumer: consumer.id, event, next: next[index] })
      }
    }
    consumer.page.set(emitterId, events.map(({ n }) => BigInt(n)))
  }
}

/** All up to an event of the page is committed. */
export const committed = (model: Model, subscription: ModelSubscription, emitterId: string, to: bigint): void => {
  const source = model.sources.get(emitterId)
  if (source === undefined) return
  const cursor = cursorOf(subscription, emitterId)
  for (const event of model.events(source, subscription.stream)) {
    if (event.n <= cursor.n || event.n > to) continue
    cursor.n = event.n
    if (isDropped(event)) cursor.dropped += 1n
    else if (isFiltered(subscription, event)) cursor.filtered += 1n
    else cursor.delivered += 1n
  }
}

/** Its cursors start anew: before the first event that is still there, or at the end. */
export const place = (model: Model, subscription: ModelSubscription, to: "beginning" | "end"): void => {
  for (const source of heard(model, subscription)) {
    const events = model.events(source, subscription.stream)
    const first = to === "beginning" ? events.find(({ deleted }) => !deleted) : undefined
    subscription.cursors.set(source.id, newCursor(first === undefined ? BigInt(events.length) : first.n - 1n))
  }
}
