import * as RealTime from "@headwater/domain/RealTime"
import * as Recurring from "@headwater/domain/Recurring"
import { GroupCommit } from "@headwater/log/commit/GroupCommit"
import { untilAnswered } from "@headwater/log/database/TransientSqlError"
import { beforeAll, type DueOwner, DueWork } from "@headwater/log/work/DueWork"
import { Clock, Effect, Layer } from "effect"
import { ActorCalls } from "../ground/ActorCalls.ts"
import { Suspensions } from "../ground/Suspensions.ts"
import * as Wake from "../ground/Wake.ts"

/**
 * The least time between two looks for due work, in milliseconds, and so the most that a timer or a retry is late by on its
 * owner's node. The most is for work that another node has put in, or that came without a commit.
 */
const leastRestMs = 200
const mostRestMs = 1_000

/** A scan that has woken so many owners leaves the rest to the next: about as many as a node gets done meanwhile. */
const mostWoken = 200

/** The rows of a page, and the most pages that a scan reads of newly due work, and of a round. */
const pageRows = 1_000
const mostPages = 10

/** Work may be committed so long after its due time, in milliseconds. A round finds work that is committed later. */
const commitMs = 2_000

/** A round over all due work begins so often, in milliseconds: an owner that left its work due is woken again by it. */
const roundMs = 10_000

/** An owner that was woken for work that has just become due is not woken again for it within so many milliseconds. */
const wokenMs = 1_000

/** Owners that were woken a short while ago, and the due times that they were woken for. */
class WokenOwners {
  private readonly woken = new Map<string, { readonly dueAt: number; readonly at: number }>()

  forgetBefore(time: number): void {
    for (const [ownerId, { at }] of this.woken) {
      if (at > time) return
      this.woken.delete(ownerId)
    }
  }

  /** Notes that an owner is woken; answers false if it was woken for this work, or for work that was due later. */
  note({ dueAt, ownerId }: DueOwner, at: number): boolean {
    if (dueAt <= (this.woken.get(ownerId)?.dueAt ?? -Infinity)) return false
    this.woken.delete(ownerId)
    this.woken.set(ownerId, { dueAt, at })
    return true
  }
}

/**
 * Wakes the owners of work whose time has come. Due work needs no resident actor; this finds it. A node wakes the
 * actors of its own shards as their work becomes due, and in a round every few seconds all that still have due work, on
 * any node: those whose work was passed while no node had their shard, or was committed late.
 */
export const layer = Layer.effectDiscard(Effect.gen(function*() {
  const actors = yield* ActorCalls
  const commits = yield* GroupCommit
  const dueWork = yield* DueWork
  const suspensions = yield* Suspensions
  const woken = new WokenOwners()
  /** The place up to which everything that is due was seen. */
  let seen = beforeAll
  /** The place of the round under way. */
  let round: DueOwner | undefined
  /** The beginning of the next round, as time elapses: that goes on while the calendar may stand. */
  let nextRoundAt = -Infinity
  /** The time of the next scan, in Unix milliseconds. */
  let nextScanAt = -Infinity

  /**
   * Wakes owners with something due from a place on, page by page. Answers how far it came, which is undefined at the
   * end, and the time at which the next work is due.
   */
  const wakeFrom = Effect.fnUntraced(function*(
    place: DueOwner,
    until: number,
    isToWake: (owner: DueOwner) => boolean
  ) {
    let at = place
    let count = 0
    for (let pages = 0; pages < mostPages && count < mostWoken; pages++) {
      const { later, next, owners } = yield* untilAnswered(dueWork.ownersDue(until, at, pageRows))
      for (const owner of owners) {
        // The work of a suspended account is not done, and is passed by.
        if (suspensions.holds(owner.ownerId) || !isToWake(owner)) continue
        actors.wake(owner.ownerId, Wake.forDueWork)
        count += 1
      }
      if (next === undefined) return { place: undefined, later: later ?? Infinity }
      at = next
    }
    return { place: at, later: until }
  })

  const wakeNewlyDue = Effect.fnUntraced(function*(now: number, elapsed: number) {
    const isToWake = (owner: DueOwner) => actors.isHere(owner.ownerId) && woken.note(owner, elapsed)
    const { later, place } = yield* wakeFrom(seen, now, isToWake)
    // An owner that was woken for other work just before this was committed is woken once that is forgotten.
    seen = place ?? { ownerId: "", dueAt: now - commitMs - wokenMs }
    nextScanAt = Math.min(later, now + mostRestMs)
  })

  const goOnWithRound = Effect.fnUntraced(function*(now: number, elapsed: number) {
    if (round === undefined && elapsed >= nextRoundAt) {
      round = beforeAll
      nextRoundAt = elapsed + roundMs
    }
    if (round === undefined) return
    round = (yield* wakeFrom(round, Math.min(now, seen.dueAt), () => true)).place
    if (round !== undefined) nextScanAt = now
  })

  const scan = Effect.gen(function*() {
    const now = yield* Clock.currentTimeMillis
    const elapsed = yield* RealTime.elapsed
    woken.forgetBefore(elapsed - wokenMs)
    yield* wakeNewlyDue(now, elapsed)
    yield* goOnWithRound(now, elapsed)
  })

  /** Rests until the next scan, or until a commit of this node puts in work that is due before it. */
  const rest = Effect.gen(function*() {
    yield* Effect.sleep(leastRestMs)
    // The calendar may be set back meanwhile.
    const left = Math.min(mostRestMs, nextScanAt - (yield* Clock.currentTimeMillis))
    if (left > 0) yield* Effect.timeoutOption(commits.dueBefore(nextScanAt), left)
  })

  yield* Recurring.every("scan for due work", 0, Effect.andThen(rest, scan))
}))
