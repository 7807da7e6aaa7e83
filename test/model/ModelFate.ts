import { maxHops } from "@headwater/domain/Event"
import type { ModelEvent, ModelSubscription } from "./Model.ts"
import { lets } from "./ModelFilter.ts"

/** Events that no listener gets. */
export const isDropped = (event: ModelEvent): boolean => event.deleted || event.hops >= maxHops

/** Events that a listener does not get because of its filter. */
export const isFiltered = ({ filter }: ModelSubscription, event: ModelEvent): boolean =>
  !isDropped(event) && !lets(filter, event.payload)

/** Whether a subscription's listener gets an event, when it is its turn. */
export const passes = (subscription: ModelSubscription, event: ModelEvent): boolean =>
  !isDropped(event) && !isFiltered(subscription, event)
