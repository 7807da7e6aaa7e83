import type { LoggedEvent } from "@headwater/domain/Event"
import type { AttemptBatch } from "@headwater/log/work/Attempts"
import type { DeliveryBatch } from "@headwater/log/work/Deliveries"
import { createHash } from "node:crypto"

/** Events of one feed on their way to a listener together. */
export interface EventBatch extends DeliveryBatch {
  /** Those of its events that are there, in the order of the log: one at least. */
  readonly events: ReadonlyArray<LoggedEvent>
}

/** Bytes of an id, as many as of an event's. */
const idBytes = 18

/** @param events one at least, in the order of the log */
export const make = (events: ReadonlyArray<LoggedEvent>): EventBatch => {
  const last = events.at(-1)!
  const ends = createHash("sha256").update(`${events[0]!.emitId} ${last.emitId}`).digest()
  return {
    id: ends.subarray(0, idBytes).toString("base64url"),
    lastEventId: last.id,
    eventIds: events.map(({ id }) => id),
    events
  }
}

/** The JSON list of the payloads, each as it is stored. */
export const body = ({ events }: EventBatch): string => `[${events.map(({ payload }) => payload).join(",")}]`

/** The most hops that one of its events has come by. */
export const hops = ({ events }: EventBatch): number => Math.max(...events.map((event) => event.hops))

/** The part of it that the record of an attempt holds. */
export const sent = (batch: EventBatch | undefined): AttemptBatch | undefined =>
  batch && { lastEventId: batch.lastEventId, events: batch.events.length, eventIds: batch.eventIds }

/** The part of it that the row of a delivery holds. */
export const kept = (batch: EventBatch | undefined): DeliveryBatch | undefined =>
  batch && { id: batch.id, lastEventId: batch.lastEventId, eventIds: batch.eventIds }
