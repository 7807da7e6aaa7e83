import type { EventSummary } from "@headwater/api/EventsApi"
import { Effect } from "effect"
import { ApiAccess } from "../access/ApiAccess.ts"
import type { Kind } from "../given/ProgramByName.ts"
import * as LastingTail from "./LastingTail.ts"

/** The emitter whose log is shown. */
export interface Emitter {
  readonly kind: Kind
  readonly id: string
}

/** A stream of an emitter's, and the id of the event behind which to begin in it. */
export interface Place {
  readonly stream: string
  readonly after: string
}

export interface Watcher extends LastingTail.Watcher {
  readonly event: (stream: string, event: EventSummary) => Effect.Effect<void>
}

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
    const tail = LastingTail.make(watcher)

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
      )
      return tail(connect, (event) => {
        last = event.id
        return watcher.event(stream, event)
      })
    }

    return yield* Effect.forEach(places, followOne, { concurrency: "unbounded", discard: true })
  }
)
