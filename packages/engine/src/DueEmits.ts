import type { NewEvent } from "@headwater/domain/Event"
import type { DueItem } from "@headwater/log/DueWork"
import { Effect, Schema } from "effect"
import { DelayedEmit } from "./RunEvents.ts"

const decodePayload = Schema.decodeUnknownEffect(DelayedEmit)

/** The events of delayed emits. What does not read as one was not written by us: a defect. */
export const decode = (items: ReadonlyArray<DueItem>): Effect.Effect<ReadonlyArray<NewEvent>> =>
  Effect.forEach(items, (item) => Effect.orDie(decodePayload(item.payload)))
