import type { EventLog } from "@headwater/log/logs/EventLog"
import type { Attempt } from "@headwater/log/work/Attempts"
import type { Delivery, DeliveryBatch } from "@headwater/log/work/Deliveries"
import { Effect, Option } from "effect"
import type { SqlError } from "effect/sql"
import type { AttemptRequest } from "./AttemptRecord.ts"

/** The events that an attempt sends. */
export type DeliveryEvents = Pick<AttemptRequest, "event" | "batch">

/** Reads the events that an attempt at a delivery sends: those that are still in the log, if any are. */
export const read = (
  events: EventLog["Service"],
  delivery: Pick<Delivery, "batch" | "emitterId" | "eventId" | "stream">
): Effect.Effect<DeliveryEvents | undefined, SqlError.SqlError> => {
  const { batch } = delivery
  if (batch === undefined) {
    return Effect.map(
      events.find(delivery, delivery.eventId),
      Option.match({ onNone: () => undefined, onSome: (event) => ({ event }) })
    )
  }
  return Effect.map(events.some(delivery, batch.eventIds), (found) => {
    const [event] = found
    return event === undefined ? undefined : { event, batch: { ...batch, events: found } }
  })
}

/** The batch that an attempt sent, as it was when it began. */
export const batchOf = ({ batch, emitId }: Attempt): DeliveryBatch | undefined =>
  batch && { id: emitId, lastEventId: batch.lastEventId, eventIds: batch.eventIds }
