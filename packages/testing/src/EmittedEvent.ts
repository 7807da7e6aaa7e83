import type { LoggedEvent } from "@headwater/domain/Event"
import * as EventId from "@headwater/domain/EventId"
import type { ParsedJson } from "./ParsedJson.ts"

/** An event in the log of a source or workflow. */
export interface EmittedEvent {
  /** Its place in the log. */
  readonly eventId: string
  /** The time at which it came into the log. */
  readonly at: string
  /** The id that the code gave it. */
  readonly id?: string | number
  readonly summary?: string
  readonly data: ParsedJson
}

export const make = ({ id, meta, payload }: LoggedEvent): EmittedEvent => ({
  eventId: EventId.format(id),
  at: new Date(EventId.milliseconds(id)).toISOString(),
  ...(meta.id === undefined ? {} : { id: meta.id }),
  ...(meta.summary === undefined ? {} : { summary: meta.summary }),
  data: JSON.parse(payload)
})
