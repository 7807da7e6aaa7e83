import type { EventSummary } from "@headwater/api/EventsApi"
import * as Tail from "@headwater/api/Tail"
import { Effect, Stream } from "effect"
import { ApiAccess, whyLost } from "../access/ApiAccess.ts"
import * as PassingFailure from "../access/PassingFailure.ts"
import type { Kind } from "../given/ProgramByName.ts"

/** A log, and the event or position behind which to begin in it. */
export interface Place {
  readonly log: Tail.Log
  readonly after: string
}

/** The listener of tails that are lost and found together. */
export interface Watcher {
  readonly event: (event: EventSummary) => Effect.Effect<void>
  /** The connection is lost, and why; it is tried again by itself. */
  readonly lost: (why: string) => Effect.Effect<void>
  readonly back: Effect.Effect<void>
}

/** The logs of streams of a source or workflow. */
export const logsOf = (kind: Kind, id: string, streams: ReadonlyArray<string>): ReadonlyArray<Tail.Log> =>
  streams.map((stream) => kind === "source" ? { source: id, stream } : { workflow: id, stream })

/** All of them behind the same event: `0-0` is before the first. */
export const behind = (logs: ReadonlyArray<Tail.Log>, after: string): ReadonlyArray<Place> =>
  logs.map((log) => ({ log, after }))

/** The present ends of logs. */
export const ends = Effect.fnUntraced(function*(logs: ReadonlyArray<Tail.Log>) {
  const { call } = yield* ApiAccess
  return yield* Effect.forEach(
    logs,
    (log) => Effect.map(call((client) => Tail.end(client, log)), (after): Place => ({ log, after }))
  )
})

/** Shows every event of some logs from there on, once and in each log's order, until the server refuses it. */
export const follow = Effect.fnUntraced(function*(places: ReadonlyArray<Place>, watcher: Watcher) {
  const { call } = yield* ApiAccess
  let isLost = false

  const turned = (toLost: boolean, told: Effect.Effect<void>) =>
    Effect.suspend(() => {
      if (isLost === toLost) return Effect.void
      isLost = toLost
      return told
    })

  const followOne = ({ after, log }: Place) =>
    Tail.follow((lastEventId) => call((client) => Tail.connect(client, log, lastEventId)), {
      after,
      isPassing: PassingFailure.is
    }).pipe(Stream.runForEach((item) => {
      switch (item.type) {
        case "event":
          return watcher.event(item.event)
        case "connected":
          return turned(false, watcher.back)
        case "lost":
          return turned(
            true,
            watcher.lost(item.error === undefined ? "the server has ended the connection" : whyLost(item.error))
          )
        case "position":
          return Effect.void
      }
    }))

  return yield* Effect.forEach(places, followOne, { concurrency: "unbounded", discard: true })
})
