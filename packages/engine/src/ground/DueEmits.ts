import { NewEvent } from "@headwater/domain/Event"
import type { DueItem } from "@headwater/log/work/DueWork"
import { Effect, Schema } from "effect"

const Payload = Schema.fromJsonString(Schema.toCodecJson(NewEvent))
const encodePayload = Schema.encodeSync(Payload)
const decodePayload = Schema.decodeUnknownEffect(Payload)

/** An event that its emitter is to append at a time, in Unix milliseconds. */
export const item = (emitterId: string, event: NewEvent, dueAt: number): DueItem => ({
  ownerId: emitterId,
  kind: "emit",
  key: event.emitId,
  dueAt,
  payload: encodePayload(event)
})

/** The events of such items. What does not read as one was not written by us: a defect. */
export const decode = (items: ReadonlyArray<DueItem>): Effect.Effect<ReadonlyArray<NewEvent>> =>
  Effect.forEach(items, (item) => Effect.orDie(decodePayload(item.payload)))
