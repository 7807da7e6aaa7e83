import * as EventId from "@headwater/domain/EventId"
import type { TracedBatch } from "@headwater/engine/EventTrace"

/** The field of an answer that says what a delivery is of, where that is more than one event. */
export const shown = (batch: TracedBatch | undefined) =>
  batch === undefined ? {} : {
    batch: {
      first_event_id: EventId.format(batch.firstEventId),
      last_event_id: EventId.format(batch.lastEventId),
      event_count: batch.events
    }
  }
