import type { Source } from "@headwater/domain/Source"
import { Context, Effect, Layer } from "effect"
import { Actors } from "./Actors.ts"
import type { EventRange } from "./DueDeletions.ts"
import type { SourceNotFound } from "./SourceNotFound.ts"
import type { Unavailable } from "./Unavailable.ts"

/** Has emitters delete events of theirs. Durable once it returns; the events are gone soon after. */
export class EventDeletion extends Context.Service<EventDeletion, {
  readonly delete: (source: Source, range: EventRange) => Effect.Effect<void, SourceNotFound | Unavailable>
}>()("@headwater/engine/EventDeletion") {
  static readonly layer = Layer.effect(
    EventDeletion,
    Effect.gen(function*() {
      const actors = yield* Actors
      return EventDeletion.of({
        delete: (source, range) => actors.deleteEvents(source.id, range)
      })
    })
  )
}
