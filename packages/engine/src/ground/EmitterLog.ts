import type { LoggedEvent, NewEvent } from "@headwater/domain/Event"
import * as EventId from "@headwater/domain/EventId"
import type { Commit } from "@headwater/log/commit/Commit"
import { type CommitError, GroupCommit } from "@headwater/log/commit/GroupCommit"
import type { Submission } from "@headwater/log/commit/Submission"
import { type Head, Heads, ordinalOf } from "@headwater/log/logs/Heads"
import { Clock, Effect, Option } from "effect"
import type { SqlError } from "effect/sql"

/** Everything but the head and the events, which the log itself fills in. */
export type CommitParts = Omit<Commit, "head" | "events">

/** The parts of a commit, or what makes them of the events as they are appended. */
export type PartsOf =
  | CommitParts
  | ((appended: ReadonlyArray<LoggedEvent>, submission: Submission<CommitError>) => CommitParts)

/**
 * The owner's side of one emitter's log: assigns ids and numbers and hands commits to the node's writer in that order.
 * After a failed commit what it holds is wrong; the owner has to acquire the log anew.
 */
export interface EmitterLog {
  readonly emitterId: string
  /** The head as it will be once everything handed over is committed. */
  readonly head: () => Head
  /** Returns when the writer has room for the account. */
  readonly room: Effect.Effect<void>
  /**
   * Hands over events and parts as one commit, whether the writer has room or not, the events' places given with no other
   * commit of this emitter in between.
   */
  readonly submitUnsafe: (events: ReadonlyArray<NewEvent>, parts: PartsOf) => Submission<CommitError>
}

/** Appends events and writes the parts in one commit. Returns the events when they are durable. */
export const commit = Effect.fnUntraced(function*(
  log: EmitterLog,
  events: ReadonlyArray<NewEvent>,
  parts: CommitParts
) {
  let appended: ReadonlyArray<LoggedEvent> = []
  yield* log.room
  const submission = log.submitUnsafe(events, (assigned) => {
    appended = assigned
    return parts
  })
  yield* submission.durable
  return appended
})

/** Makes the caller the owner of an emitter's log; none if there is no such emitter. */
export const acquire: (emitterId: string) => Effect.Effect<
  Option.Option<EmitterLog>,
  SqlError.SqlError,
  GroupCommit | Heads
> = Effect.fnUntraced(function*(emitterId) {
  const heads = yield* Heads
  const writer = yield* GroupCommit
  const clock = yield* Clock.Clock
  const acquired = yield* heads.acquire(emitterId)
  return Option.map(acquired, (initial): EmitterLog => {
    let head = initial

    /** Gives events their places, and moves the head behind them. */
    const assign = (events: ReadonlyArray<NewEvent>, now: number): ReadonlyArray<LoggedEvent> => {
      if (events.length === 0) return []
      const ordinals = new Map<string, number>()
      // There may be very many: each one is the next at the same time, which is the first's plus one.
      let lastId = EventId.next(head.lastId, events[0]?.at ?? now) - 1n
      const assigned = events.map(({ at, cause, emitId, hops, meta, payload, stream }): LoggedEvent => {
        lastId = at === undefined ? lastId + 1n : EventId.next(lastId, at)
        const n = (ordinals.get(stream) ?? ordinalOf(head, stream)) + 1
        ordinals.set(stream, n)
        return { stream, emitId, hops, meta, cause, payload, emitterId, id: lastId, n }
      })
      head = { ...head, lastId, streams: { ...head.streams, ...Object.fromEntries(ordinals) } }
      return assigned
    }

    return {
      emitterId,
      head: () => head,
      room: writer.room(initial.accountId),
      submitUnsafe: (events, parts) =>
        writer.submitUnsafe((submission) => {
          const now = clock.currentTimeMillisUnsafe()
          const appended = assign(events, now)
          return { ...(typeof parts === "function" ? parts(appended, submission) : parts), head, events: appended }
        })
    }
  })
})
