import type { EventSummary } from "@headwater/api/EventsApi"
import { explain } from "@headwater/server/ErrorExplanation"
import { Effect, Schedule, Schema, Stream } from "effect"
import { ApiAccess } from "./ApiAccess.ts"
import * as PassingFailure from "./PassingFailure.ts"
import type { Kind } from "./ProgramByName.ts"

/** Whose log is shown. */
export interface Emitter {
  readonly kind: Kind
  readonly id: string
}

/** A stream of an emitter's, and the id of the event behind which to begin in it. */
export interface Place {
  readonly stream: string
  readonly after: string
}

export interface Watcher {
  readonly event: (stream: string, event: EventSummary) => Effect.Effect<void>
  /** The connection is lost, and why; it is tried again by itself. */
  readonly lost: (why: string) => Effect.Effect<void>
  readonly back: Effect.Effect<void>
}

/** A server that shuts down takes connections and ends them at once: one counts that lasts this long, or has an event. */
const steady = "2 seconds"

/** The beginnings of a new emitter's streams. */
export const beginnings = (streams: ReadonlyArray<string>): ReadonlyArray<Place> =>
  streams.map((stream) => ({ stream, after: "0-0" }))

/** The present ends of an emitter's streams. */
export const ends = Effect.fnUntraced(function*({ id, kind }: Emitter, streams: ReadonlyArray<string>) {
  const { call } = yield* ApiAccess
  return yield* Effect.forEach(streams, (stream) =>
    Effect.map(
      call(({ log }) =>
        log[kind === "source" ? "sourceEvents" : "workflowEvents"]({
          params: { id },
          query: { event_name: stream, limit: 1 }
        })
      ),
      ({ data }): Place => ({ stream, after: data[0]?.id ?? "0-0" })
    ))
})

/** Shows every event of an emitter's streams from there on, once and in order, and connects again when that ends. */
export const follow = Effect.fnUntraced(
  function*({ id, kind }: Emitter, places: ReadonlyArray<Place>, watcher: Watcher) {
    const { call } = yield* ApiAccess
    let isLost = false

    const lost = (why: string) =>
      Effect.suspend(() => {
        if (isLost) return Effect.void
        isLost = true
        return watcher.lost(why)
      })

    const back = Effect.suspend(() => {
      if (!isLost) return Effect.void
      isLost = false
      return watcher.back
    })

    const followOne = ({ after, stream }: Place) => {
      let last = after
      const connect = Effect.suspend(() =>
        call(({ log }) =>
          log[kind === "source" ? "sourceTail" : "workflowTail"]({
            params: { id },
            query: { event_name: stream },
            headers: { "last-event-id": last }
          })
        )
      ).pipe(
        Effect.tapError((error) => PassingFailure.is(error) ? lost(error.message) : Effect.void),
        PassingFailure.retry
      )
      const read = (events: Effect.Success<typeof connect>) =>
        Stream.runForEach(events, (event) => {
          last = event.id
          return Effect.andThen(back, watcher.event(stream, event))
        }).pipe(
          Effect.andThen(lost("the server has ended the connection")),
          Effect.catchIf((error) => !Schema.isSchemaError(error), (error) => lost(explain(error)))
        )
      return connect.pipe(
        Effect.tap(Effect.forkScoped(Effect.delay(back, steady))),
        Effect.flatMap(read),
        Effect.scoped,
        Effect.repeat(Schedule.spaced("1 second"))
      )
    }

    return yield* Effect.forEach(places, followOne, { concurrency: "unbounded", discard: true })
  }
)
