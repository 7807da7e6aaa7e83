import * as EmitterPattern from "@headwater/domain/EmitterPattern"
import { maxHops } from "@headwater/domain/Event"
import * as Stream from "@headwater/domain/Stream"
import type { Subscription } from "@headwater/domain/Subscription"
import type { EventPlace } from "@headwater/log/logs/EventLog"

/** The reasons for which a subscription does not deliver an event. */
export type Mismatch =
  | "other_emitter"
  | "other_stream"
  | "own_event"
  | "too_many_hops"
  | "before_start"
  | "filtered"
  | "filter_too_costly"

/** The reason for which a subscription does not deliver an event, its filter and cursor aside; undefined if it does. */
export const mismatchOf = (
  { emitterId, eventName, listenerId }: Pick<Subscription, "emitterId" | "eventName" | "listenerId">,
  event: Pick<EventPlace, "emitterId" | "stream" | "hops">
): Mismatch | undefined => {
  const isGlob = EmitterPattern.isGlob(emitterId)
  if (isGlob ? !EmitterPattern.matches(emitterId, event.emitterId) : emitterId !== event.emitterId) {
    return "other_emitter"
  }
  if (Stream.normalize(eventName) !== event.stream) return "other_stream"
  if (isGlob && listenerId === event.emitterId) return "own_event"
  return event.hops >= maxHops ? "too_many_hops" : undefined
}
