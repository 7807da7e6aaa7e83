import type { LoggedEvent, NewEvent } from "@headwater/domain/Event"
import * as EventId from "@headwater/domain/EventId"
import type { Commit } from "@headwater/log/commit/Commit"
import { GroupCommit } from "@headwater/log/commit/GroupCommit"
import type { CommitError, Submission } from "@headwater/log/commit/Submission"
import { type Head, Heads, ordinalOf } from "@headwater/log/logs/Heads"
import { Clock, Effect, Option } from "effect"
import type { SqlError } from "effect/sql"

/** Everything but the head and the events, which the log itself fills in. */
export type CommitParts = Omit<Commit, "head" | "events">

/** The parts of a commit, or what makes them of the events as they are appended. */
export type PartsOf = CommitParts | ((appended: ReadonlyArray<LoggedEvent>) => CommitParts)

/**
 * The owner's side of one emitter's log: assigns ids and numbers and puts commits in line, in one step, so that they are
 * written in the order of their ids. After a failed commit what it holds is wrong; the owner has to acquire the log anew.
 */
export class EmitterLog {
  readonly emitterId: string
  private last: Head
  private readonly writer: GroupCommit["Service"]
  private readonly clock: Clock.Clock

  private constructor(acquired: Head, writer: GroupCommit["Service"], clock: Clock.Clock) {
    this.emitterId = acquired.emitterId
    this.last = acquired
    this.writer = writer
    this.clock = clock
  }

  /** Makes the caller the owner of an emitter's log; none if there is no such emitter. */
  static readonly acquire: (
    emitterId: string
  ) => Effect.Effect<Option.Option<EmitterLog>, SqlError.SqlError, GroupCommit | Heads> = Effect.fnUntraced(
    function*(emitterId) {
      const writer = yield* GroupCommit
      const clock = yield* Clock.Clock
      return Option.map(yield* (yield* Heads).acquire(emitterId), (head) => new EmitterLog(head, writer, clock))
    }
  )

  /** The head as it will be once everything in line is committed. */
  get head(): Head {
    return this.last
  }

  /** Puts events and parts in line as one commit, whether there is room or not. */
  submit(events: ReadonlyArray<NewEvent>, parts: PartsOf): Submission {
    const appended = this.assign(events)
    const made = typeof parts === "function" ? parts(appended) : parts
    return this.writer.submit({ ...made, head: this.last, events: appended })
  }

  /** Appends events and writes the parts in one commit, once there is room. Returns the events when they are durable. */
  commit(
    events: ReadonlyArray<NewEvent>,
    parts: CommitParts
  ): Effect.Effect<ReadonlyArray<LoggedEvent>, CommitError> {
    return Effect.andThen(
      this.writer.room(this.last.accountId),
      Effect.suspend(() => {
        let appended: ReadonlyArray<LoggedEvent> = []
        const submission = this.submit(events, (assigned) => {
          appended = assigned
          return parts
        })
        return Effect.as(submission.durable, appended)
      })
    )
  }

  /** Gives events their places, and moves the head behind them. */
  private assign(events: ReadonlyArray<NewEvent>): ReadonlyArray<LoggedEvent> {
    if (events.length === 0) return []
    const { emitterId, last } = this
    const ordinals = new Map<string, number>()
    // There may be very many: each one is the next at the same time, which is the first's plus one.
    let lastId = EventId.next(last.lastId, events[0]?.at ?? this.clock.currentTimeMillisUnsafe()) - 1n
    const assigned = events.map(({ at, cause, emitId, hops, meta, payload, stream }): LoggedEvent => {
      lastId = at === undefined ? lastId + 1n : EventId.next(lastId, at)
      const n = (ordinals.get(stream) ?? ordinalOf(last, stream)) + 1
      ordinals.set(stream, n)
      return { stream, emitId, hops, meta, cause, payload, emitterId, id: lastId, n }
    })
    this.last = { ...last, lastId, streams: { ...last.streams, ...Object.fromEntries(ordinals) } }
    return assigned
  }
}
