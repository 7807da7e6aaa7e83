import { readsLog } from "@headwater/domain/BulkAction"
import * as EventId from "@headwater/domain/EventId"
import * as Id from "@headwater/domain/Id"
import type { DeliveryFilter, DeliveryList, ListedDelivery, ListedState } from "@headwater/log/lists/DeliveryList"
import type { PassedEvent, ReplayList } from "@headwater/log/lists/ReplayList"
import type { BulkPart } from "@headwater/log/work/BulkActions"
import { Effect, Option } from "effect"
import type { SqlError } from "effect/sql"
import type { BulkItem, BulkItemPage } from "../bulk/BulkRun.ts"

/** A delivery or an event that a bulk action is at. */
export type DeliveryItem =
  & BulkItem
  & { readonly emitterId: string }
  & (
    | { readonly _tag: "Delivery"; readonly listed: ListedDelivery }
    | { readonly _tag: "Event"; readonly event: PassedEvent }
  )

/** The states of the deliveries that an action takes if its filter names none. */
const statesOf = ({ action: { action } }: BulkPart): ReadonlyArray<ListedState> | undefined =>
  action === "retry"
    ? ["pending", "exhausted", "dropped"]
    : action === "replay"
    ? undefined
    : ["pending"]

const parsed = (text: string | undefined) => text === undefined ? undefined : Option.getOrUndefined(EventId.parse(text))

/** The time up to which an action takes items: those that came after it was begun are not meant. */
const untilOf = ({ action: { createdAt, filter } }: BulkPart): number =>
  Math.min(filter.until ?? Infinity, createdAt + 1)

const deliveryFilterOf = (part: BulkPart): DeliveryFilter => {
  const { eventId, from, to, ...filter } = part.action.filter
  return {
    ...filter,
    webhookId: part.ownerId,
    states: statesOf(part),
    until: untilOf(part),
    eventId: parsed(eventId),
    from: parsed(from),
    to: parsed(to)
  }
}

const replayFilterOf = (part: BulkPart) => {
  const { emitterId, from, since = 0, stream, subscriptionId, to } = part.action.filter
  const first = EventId.make(since, 0)
  const last = EventId.make(untilOf(part), 0) - 1n
  return {
    subscriptionId,
    emitterId,
    stream,
    from: bigger(parsed(from) ?? first, first),
    to: smaller(parsed(to) ?? last, last)
  }
}

const bigger = (one: bigint, other: bigint) => one > other ? one : other
const smaller = (one: bigint, other: bigint) => one < other ? one : other

const eventIdOf = (item: DeliveryItem): EventId.EventId =>
  item._tag === "Delivery" ? item.listed.eventId : item.event.eventId

export const inLogOrder = (one: DeliveryItem, other: DeliveryItem): number => Number(eventIdOf(one) - eventIdOf(other))

/** The next items that a part is at, in the order in which it takes them. */
export const page = (
  { deliveryList, replayList }: {
    readonly deliveryList: DeliveryList["Service"]
    readonly replayList: ReplayList["Service"]
  },
  part: BulkPart,
  place: string,
  limit: number
): Effect.Effect<BulkItemPage<DeliveryItem>, SqlError.SqlError> => {
  if (readsLog(part.action)) {
    return Effect.map(
      replayList.page(part.ownerId, replayFilterOf(part), place, limit),
      ({ goesOnAt, items }) => ({
        items: items.map((event) => ({
          _tag: "Event",
          key: event.key,
          at: EventId.milliseconds(event.eventId),
          emitterId: event.emitterId,
          event
        })),
        goesOnAt
      })
    )
  }
  const request = { limit, after: undefined, before: place }
  return Effect.map(
    deliveryList.page(part.action.accountId, deliveryFilterOf(part), request),
    ({ goesOnAt, items }) => ({
      items: items.toReversed().map((listed) => ({
        _tag: "Delivery",
        key: listed.id,
        at: Id.timeOf(listed.id),
        emitterId: listed.emitterId,
        listed
      })),
      goesOnAt
    })
  )
}
