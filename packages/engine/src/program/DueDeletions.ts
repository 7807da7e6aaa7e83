import * as EmitId from "@headwater/domain/EmitId"
import type { DueItem } from "@headwater/log/work/DueWork"
import { Effect, Schema } from "effect"
import { EventRange } from "../ground/ActorCalls.ts"

const Payload = Schema.fromJsonString(Schema.toCodecJson(EventRange))
const encodePayload = Schema.encodeSync(Payload)
const decodePayload = Schema.decodeUnknownEffect(Payload)

/** A deletion that an emitter owes since a time, in Unix milliseconds. */
export const item = (emitterId: string, range: EventRange, dueAt: number): DueItem => ({
  ownerId: emitterId,
  kind: "delete",
  key: EmitId.make(),
  dueAt,
  payload: encodePayload(range)
})

/** What such an item is to delete. What does not read as a range was not written by us: a defect. */
export const decode = ({ payload }: DueItem): Effect.Effect<EventRange> => Effect.orDie(decodePayload(payload))
