import type { Program } from "@headwater/domain/Program"
import { Context, Effect, Layer } from "effect"
import { ActorCalls, type EventRange, type ProgramNotFound } from "../ground/ActorCalls.ts"
import type { Unavailable } from "../ground/Unavailable.ts"

/** Has emitters delete events of theirs. Durable once it returns; the events are gone soon after. */
export class EventDeletion extends Context.Service<EventDeletion, {
  readonly delete: (program: Program, range: EventRange) => Effect.Effect<void, ProgramNotFound | Unavailable>
}>()("@headwater/engine/program/EventDeletion") {
  static readonly layer = Layer.effect(
    EventDeletion,
    Effect.gen(function*() {
      const actors = yield* ActorCalls
      return EventDeletion.of({
        delete: (program, range) => actors.deleteEvents(program.id, range)
      })
    })
  )
}
