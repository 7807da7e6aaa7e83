import type { LoggedEvent, NewEvent } from "@headwater/domain/Event"
import * as EventId from "@headwater/domain/EventId"
import type { Commit } from "@headwater/log/Commit"
import { type CommitError, GroupCommit } from "@headwater/log/GroupCommit"
import { type Head, Heads, ordinalOf } from "@headwater/log/Heads"
import { Clock, Effect, Option } from "effect"
import type { SqlError } from "effect/sql"

/** Everything but the head and the events, which the log itself fills in. */
export type CommitParts = Omit<Commit, "head" | "events">

/**
 * The owner's side of one emitter's log: assigns ids and numbers and hands commits to the node's writer in that order.
 * After a failed commit what it holds is wrong; the owner has to acquire the log anew.
 */
export interface EmitterLog {
  readonly emitterId: string
  /** The head as it will be once everything handed over is committed. */
  readonly head: () => Head
  /**
   * Appends events and writes the parts in one commit, their places given with no other commit of this emitter in
   * between. Returns when they are durable.
   */
  readonly commit: (
    events: ReadonlyArray<NewEvent>,
    parts: CommitParts | ((appended: ReadonlyArray<LoggedEvent>) => CommitParts)
  ) => Effect.Effect<ReadonlyArray<LoggedEvent>, CommitError>
}

/** Makes the caller the owner of an emitter's log; none if there is no such emitter. */
export const acquire: (emitterId: string) => Effect.Effect<
  Option.Option<EmitterLog>,
  SqlError.SqlError,
  GroupCommit | Heads
> = Effect.fnUntraced(function*(emitterId) {
  const heads = yield* Heads
  const writer = yield* GroupCommit
  const acquired = yield* heads.acquire(emitterId)
  return Option.map(acquired, (initial): EmitterLog => {
    let head = initial

    const assign = (event: NewEvent, now: number): LoggedEvent => {
      const id = EventId.next(head.lastId, now)
      const n = ordinalOf(head, event.stream) + 1
      head = { ...head, lastId: id, streams: { ...head.streams, [event.stream]: n } }
      return { ...event, emitterId, id, n }
    }

    return {
      emitterId,
      head: () => head,
      commit: Effect.fnUntraced(function*(events, parts) {
        const now = yield* Clock.currentTimeMillis
        let appended: ReadonlyArray<LoggedEvent> = []
        yield* writer.submit(() => {
          appended = events.map((event) => assign(event, now))
          return { ...(typeof parts === "function" ? parts(appended) : parts), head, events: appended }
        })
        return appended
      })
    }
  })
})
