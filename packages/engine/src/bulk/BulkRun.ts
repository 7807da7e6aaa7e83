import * as RealTime from "@headwater/domain/RealTime"
import type { Commit } from "@headwater/log/commit/Commit"
import { untilAnswered } from "@headwater/log/database/TransientSqlError"
import {
  type BulkActions,
  type BulkMark,
  type BulkOutcome,
  type BulkPart,
  noTally
} from "@headwater/log/work/BulkActions"
import type { DueItem } from "@headwater/log/work/DueWork"
import { Effect, type Latch, Option } from "effect"
import { Pace } from "./Pace.ts"

/** Lines of items that are dealt with at once. */
const mostLines = 4

/** The items of a page, and of one that is only counted or skipped. */
const pageSize = 100
const countedAtOnce = 1_000

/** A slow action has so many seconds' worth of items in a page, and no fewer than so many items. */
const pageSeconds = 5
const leastOfPage = 10

/** A client's change to an action is noticed within this time, in milliseconds. */
const controlMs = 250

/** A part is due again so long after it was last at work, in milliseconds: if its owner is gone, another goes on. */
const leaseMs = 10_000

/** A part that waits for its client looks again after so long, unless it is told to, in milliseconds. */
const pausedMs = 60_000

/** A thing that an action deals with: a delivery, an event or a run. */
export interface BulkItem {
  /** Its place in the part's order. */
  readonly key: string
  /** Unix milliseconds. */
  readonly at: number
}

export interface BulkItemPage<Item extends BulkItem> {
  readonly items: ReadonlyArray<Item>
  /** The place behind which there is more; undefined at the end. */
  readonly goesOnAt: string | undefined
}

/** Tells whether an owner has items dealt with now, or looks again at a time, or lets none of them through any more. */
export type BulkStanding =
  | { readonly _tag: "Open" }
  | { readonly _tag: "Closed"; readonly until: number }
  | { readonly _tag: "Disabled"; readonly reason: string }

/** The owner's side of a part: its items, and what is done with them. */
export interface BulkWork<Item extends BulkItem> {
  readonly isStopping: () => boolean
  /** Unix milliseconds. */
  readonly now: () => number
  readonly standing: (now: number) => BulkStanding
  /** Returns when everything that was handed over has ended. */
  readonly settled: Effect.Effect<void>
  readonly commit: (commit: Pick<Commit, "dueDone" | "duePut" | "updates">) => Effect.Effect<void>
  readonly page: (place: string, limit: number) => Effect.Effect<BulkItemPage<Item>>
  /** Those of a page that are dealt with one after the other, in the order in which that is done. */
  readonly linesOf: (items: ReadonlyArray<Item>) => ReadonlyArray<ReadonlyArray<Item>>
  /** Deals with an item, whose turn it is, and marks it, unless the part is to halt. */
  readonly deal: (run: BulkRun<Item>, item: Item) => Effect.Effect<void>
  /**
   * Given where all of a page is dealt with in one commit, which writes what is told of how many of them were. Answers
   * false where nothing was.
   */
  readonly dealAtOnce:
    | ((
      keys: ReadonlyArray<string>,
      also: (done: number) => Pick<Commit, "duePut" | "updates">
    ) => Effect.Effect<boolean>)
    | undefined
}

/**
 * The reasons for which a part stops before it is over: its owner stops or has to read its state anew, its client has
 * cancelled or paused it, or nothing can be dealt with for the moment, or any more.
 */
type Halt = "stopped" | "cancelled" | "paused" | "closed" | "disabled"

interface Options<Item extends BulkItem> {
  readonly bulk: BulkActions["Service"]
  /** Open when runs that wait are to end soon. */
  readonly halting: Latch.Latch
  readonly part: BulkPart
  readonly work: BulkWork<Item>
}

/**
 * An owner's part of a bulk action, at work page by page:
 *
 * - B1. An item is marked with its outcome in the commit of what is done with it. A part that goes on leaves marked items out.
 * - B2. The next page begins when the marks of this one are in the database, or none of it is passed.
 * - B3. A part that halts reads the items that were not done again when it goes on.
 * - B4. If the owner was switched off for a reason, the rest is skipped, and the part ends.
 */
export class BulkRun<Item extends BulkItem> {
  private readonly options: Options<Item>
  private readonly pace = new Pace()
  private rateLimit: number
  private controlledAt = -Infinity
  private halt: Halt | undefined
  /** The reason for which what is left is skipped. */
  private skipsFor: string | undefined
  /** The time at which a closed one looks again, in Unix milliseconds. */
  private closedUntil = 0

  constructor(options: Options<Item>) {
    this.options = options
    this.rateLimit = options.part.action.rateLimit
  }

  readonly toItsEnd: Effect.Effect<void> = Effect.gen({ self: this }, function*() {
    const { part, work } = this.options
    let marked = yield* this.marked
    let { place } = part
    while (true) {
      yield* this.heed
      if (this.halt !== undefined) {
        yield* this.rest(this.halt)
        if (this.halt !== undefined) return
        marked = yield* this.marked
        continue
      }
      const page = yield* work.page(place, this.limit)
      yield* this.dealWith(place, page, marked)
      // Items that were not done are read again when the part goes on.
      if (this.halt !== undefined || work.isStopping()) continue
      if (page.goesOnAt === undefined) return yield* this.end
      place = page.goesOnAt
    }
  })

  /** True if it begins nothing more, after what its client and its owner wish now. */
  get isHalted(): Effect.Effect<boolean> {
    return Effect.map(this.heed, () => this.halt !== undefined)
  }

  /** Has it look again later: nothing can be dealt with until then. */
  close(until: number): void {
    this.closedUntil = until
    this.halt ??= "closed"
  }

  /** Waits for so many milliseconds, or until runs are to end. */
  pause(millis: number): Effect.Effect<unknown> {
    return Effect.timeoutOption(this.options.halting.await, millis)
  }

  /** The mark of an item that is dealt with, with its outcome. */
  markOf({ key }: Item, outcome: BulkOutcome): { readonly bulkMarks: ReadonlyArray<BulkMark> } {
    const { bulkId, ownerId } = this.options.part
    return { bulkMarks: [{ bulkId, ownerId, key, outcome }] }
  }

  /** All marks are in the database when they are read. */
  private get marked(): Effect.Effect<ReadonlySet<string>> {
    const { bulk, part, work } = this.options
    return Effect.andThen(work.settled, untilAnswered(bulk.marked(part)))
  }

  private get limit(): number {
    const { part: { action: { dryRun } }, work } = this.options
    if (dryRun || this.skipsFor !== undefined) return countedAtOnce
    return work.dealAtOnce === undefined
      ? Math.max(leastOfPage, Math.min(pageSize, this.rateLimit * pageSeconds))
      : pageSize
  }

  /** Notes the wishes of its client and its owner. */
  private readonly heed: Effect.Effect<void> = Effect.clockWith((clock) =>
    this.heedAt(RealTime.elapsedUnsafe(clock), clock.currentTimeMillisUnsafe())
  )

  /** @param elapsed as time elapses, in milliseconds */
  private heedAt(elapsed: number, now: number): Effect.Effect<void> {
    const { bulk, part, work } = this.options
    if (work.isStopping()) {
      this.halt = "stopped"
      return Effect.void
    }
    if (elapsed - this.controlledAt < controlMs) return Effect.sync(() => this.heedOwner(now))
    return Effect.map(untilAnswered(bulk.control(part.bulkId)), (control) => {
      this.controlledAt = elapsed
      const { rateLimit, state } = Option.getOrElse(control, () => ({ state: "cancelled" as const, rateLimit: 1 }))
      this.rateLimit = rateLimit
      if (state !== "running") this.halt = state
      else this.heedOwner(now)
    })
  }

  private heedOwner(now: number): void {
    const { part, work } = this.options
    if (part.action.dryRun || this.skipsFor !== undefined) return
    const standing = work.standing(now)
    if (standing._tag === "Closed") return this.close(standing.until)
    if (standing._tag === "Open") return
    this.skipsFor = standing.reason
    this.halt = "disabled"
  }

  /** Ends, or is put off; goes on at once if it was resumed meanwhile, or skips what is left. */
  private rest(halt: Halt): Effect.Effect<void> {
    return Effect.gen({ self: this }, function*() {
      const { part, work } = this.options
      if (halt === "stopped") return
      if (halt === "cancelled") return yield* this.end
      if (halt === "disabled") {
        this.halt = undefined
        return
      }
      const dueAt = halt === "paused" ? work.now() + pausedMs : this.closedUntil
      yield* work.commit({ duePut: [dueItem(part, dueAt)] })
      yield* work.settled
      if (halt !== "paused") return
      this.controlledAt = -Infinity
      this.halt = undefined
      yield* this.heed
    })
  }

  private get end(): Effect.Effect<void> {
    const { bulk, part, work } = this.options
    return Effect.suspend(() =>
      work.commit({
        dueDone: [dueItem(part, Number.MAX_SAFE_INTEGER)],
        updates: [bulk.end(part, work.now())]
      })
    ).pipe(
      // Until then it is at work: nobody begins it anew.
      Effect.andThen(work.settled)
    )
  }

  private dealWith(place: string, page: BulkItemPage<Item>, marked: ReadonlySet<string>): Effect.Effect<void> {
    return Effect.suspend(() => {
      const { bulk, part, work } = this.options
      const last = page.items.at(-1)
      const next = page.goesOnAt ?? last?.key ?? place
      const placeAt = last?.at ?? null
      if (part.action.dryRun) {
        return work.commit(this.atPlace([bulk.count(part, { place: next, placeAt, count: page.items.length })]))
      }
      const toDo = page.items.filter(({ key }) => !marked.has(key))
      if (this.skipsFor === undefined && work.dealAtOnce === undefined) {
        return this.dealOnePage(place, page, toDo, marked)
      }
      const also = (done: number) =>
        this.atPlace([bulk.advance(part, {
          place: next,
          placeAt,
          kept: behind(marked, next),
          toDo: 0,
          tally: { done, failed: 0, skipped: toDo.length - done },
          stoppedFor: this.skipsFor ?? null
        })])
      if (this.skipsFor !== undefined || work.dealAtOnce === undefined) return work.commit(also(0))
      return Effect.map(work.dealAtOnce(toDo.map(({ key }) => key), also), (isDone) => {
        if (!isDone) this.halt = "stopped"
      })
    })
  }

  /** Deals with the items of a page one by one. */
  private dealOnePage(
    place: string,
    page: BulkItemPage<Item>,
    toDo: ReadonlyArray<Item>,
    marked: ReadonlySet<string>
  ): Effect.Effect<void> {
    return Effect.gen({ self: this }, function*() {
      const { bulk, part, work } = this.options
      const begins = {
        place,
        placeAt: page.items[0]?.at ?? null,
        kept: behind(marked, place),
        toDo: toDo.length,
        tally: noTally,
        stoppedFor: null
      }
      yield* work.commit(this.atPlace([bulk.advance(part, begins)]))
      yield* Effect.forEach(
        work.linesOf(toDo),
        (line) => Effect.forEach(line, (item) => this.take(item), { discard: true }),
        { concurrency: mostLines, discard: true }
      )
      // The next page begins when all of this one is in the database, or none of it is passed.
      yield* work.settled
    })
  }

  private atPlace(updates: NonNullable<Commit["updates"]>): Pick<Commit, "duePut" | "updates"> {
    const { part, work } = this.options
    return { duePut: [dueItem(part, work.now() + leaseMs)], updates }
  }

  /** Deals with an item when it is its turn, unless the part is to halt. */
  private take(item: Item): Effect.Effect<void> {
    return Effect.gen({ self: this }, function*() {
      if (this.halt !== undefined) return
      let wait = this.pace.take(this.rateLimit, yield* RealTime.elapsed)
      while (true) {
        if (yield* this.isHalted) return
        if (wait < 1) break
        const nap = Math.min(wait, controlMs)
        yield* this.pause(nap)
        wait -= nap
      }
      yield* this.options.work.deal(this, item)
    })
  }
}

/** The number of items that are marked behind a place. */
const behind = (marked: ReadonlySet<string>, place: string): number => {
  let count = 0
  for (const key of marked) if (key > place) count += 1
  return count
}

const dueItem = ({ bulkId, ownerId }: BulkPart, dueAt: number): DueItem => ({
  ownerId,
  kind: "bulk",
  key: bulkId,
  dueAt,
  payload: "{}"
})
