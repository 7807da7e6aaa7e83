import * as EmitId from "@headwater/domain/EmitId"
import { NewEvent } from "@headwater/domain/Event"
import type { DueItem } from "@headwater/log/work/DueWork"
import { Effect, Schema } from "effect"
import { EventRange } from "./ActorCalls.ts"

/** The payload of due items as JSON text. A payload that does not read as one was not written by this code: a defect. */
const payloadOf = <S extends Schema.ConstraintCodec<unknown, unknown>>(schema: S) => {
  const text = Schema.fromJsonString(Schema.toCodecJson(schema))
  const decode = Schema.decodeUnknownEffect(text)
  return {
    encode: Schema.encodeSync(text),
    decode: ({ payload }: DueItem) => Effect.orDie(decode(payload))
  }
}

const event = payloadOf(NewEvent)
const range = payloadOf(EventRange)

/** An event that its emitter is to append at a time, in Unix milliseconds. */
export const emit = (emitterId: string, emitted: NewEvent, dueAt: number): DueItem => ({
  ownerId: emitterId,
  kind: "emit",
  key: emitted.emitId,
  dueAt,
  payload: event.encode(emitted)
})

/** The events of items that `emit` made. */
export const emitted = (items: ReadonlyArray<DueItem>): Effect.Effect<ReadonlyArray<NewEvent>> =>
  Effect.forEach(items, event.decode)

/** A deletion that an emitter owes since a time, in Unix milliseconds. */
export const deletion = (emitterId: string, deleted: EventRange, dueAt: number): DueItem => ({
  ownerId: emitterId,
  kind: "delete",
  key: EmitId.make(),
  dueAt,
  payload: range.encode(deleted)
})

/** The events that an item of `deletion` is to delete. */
export const deleted = (item: DueItem): Effect.Effect<EventRange> => range.decode(item)
