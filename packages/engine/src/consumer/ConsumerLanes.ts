import type { EventId } from "@headwater/domain/EventId"
import { beginning, type CursorMove, noTally, type Position } from "@headwater/log/work/Cursors"
import type { Limits } from "../ground/EngineLimits.ts"
import type { FedEvents } from "../ground/Wake.ts"

/** The judgement of an event that was read. */
export type Verdict = "delivered" | "filtered" | "dropped" | "filter_too_costly"

interface Read extends Position {
  readonly verdict: Verdict
}

/** One emitter's stream, from its cursor on. */
export interface Lane {
  readonly emitterId: string
  /** The last position that was committed; undefined if it is yet to be looked up. */
  position: Position | undefined
  /** The events behind the position that have been read, without gaps but for those that were deleted. */
  read: Array<Read>
  /** The number of the last event that is known to have been appended. */
  known: number
  /** True if all events behind that are hinted at. */
  isComplete: boolean
}

/** The emitters that a consumer may read from, and the order of their turns. */
export class ConsumerLanes {
  private readonly lanes = new Map<string, Lane>()
  /** Lanes that may have something to read; the one that was committed last comes last. */
  private readonly ready = new Set<Lane>()
  private hasMissed = false
  private readonly limits: Pick<Limits, "consumerReady" | "idle">

  constructor(limits: Pick<Limits, "consumerReady" | "idle">) {
    this.limits = limits
  }

  get readyCount(): number {
    return this.ready.size
  }

  /** Tells whether there was a hint at an emitter for which there was no room, and forgets it. */
  takeMissed(): boolean {
    const { hasMissed } = this
    this.hasMissed = false
    return hasMissed
  }

  find(emitterId: string): Lane | undefined {
    return this.lanes.get(emitterId)
  }

  /** The lanes whose turn it is. */
  first(count: number): ReadonlyArray<Lane> {
    const lanes: Array<Lane> = []
    for (const lane of this.ready) {
      if (lanes.length >= count) break
      lanes.push(lane)
    }
    return lanes
  }

  /** Takes a hint in. Answers whether there may be more to read than before. */
  offer({ emitterId, events }: FedEvents): boolean {
    const lane = this.lanes.get(emitterId) ?? this.addHinted(emitterId)
    if (lane === undefined) return false
    const last = events.at(-1)
    if (last === undefined) lane.isComplete = false
    else lane.known = Math.max(lane.known, last.n)
    return this.settle(lane)
  }

  private addHinted(emitterId: string): Lane | undefined {
    if (this.ready.size >= this.limits.consumerReady) {
      this.hasMissed = true
      return undefined
    }
    return this.add(emitterId, undefined)
  }

  /** Notes that something is owed from a position on, unless the lane knows better. */
  owe(emitterId: string, position: Position): void {
    const lane = this.lanes.get(emitterId) ?? this.add(emitterId, position)
    lane.position ??= position
    lane.isComplete = false
    this.settle(lane)
  }

  /** Adds a lane of which nothing is known but the position of its cursor. */
  add(emitterId: string, position: Position | undefined): Lane {
    const lane: Lane = { emitterId, position, read: [], known: 0, isComplete: false }
    this.lanes.set(emitterId, lane)
    return lane
  }

  /** Forgets a lane: the emitter is gone, or its cursor stands elsewhere. */
  remove(lane: Lane): void {
    this.lanes.delete(lane.emitterId)
    this.ready.delete(lane)
  }

  /** Notes an event that was read behind those read before. */
  note(lane: Lane, event: Position, verdict: Verdict): void {
    lane.read.push({ n: event.n, id: event.id, verdict })
    lane.known = Math.max(lane.known, event.n)
  }

  /** Forgets the events that were read, to read them again. */
  forgetRead(lane: Lane): void {
    lane.read = []
  }

  /** Notes that the events read so far are all there are, but for those that are hinted at. */
  complete(lane: Lane): void {
    lane.isComplete = true
    this.settle(lane)
  }

  /**
   * The move that commits the events read up to one and, behind it, those that are not for the reader. None if none of
   * them was read.
   */
  moveTo(subscriptionId: string, lane: Lane, id: EventId): CursorMove | undefined {
    const from = lane.position ?? beginning
    let to = from
    let delivered = 0
    let filtered = 0
    let tooCostly = 0
    for (const read of lane.read) {
      if (read.id > id && read.verdict === "delivered") break
      to = read
      if (read.verdict === "delivered") delivered += 1
      if (read.verdict === "filtered") filtered += 1
      if (read.verdict === "filter_too_costly") tooCostly += 1
    }
    if (to === from) return undefined
    const dropped = to.n - from.n - delivered - filtered
    return {
      subscriptionId,
      emitterId: lane.emitterId,
      from: from.n,
      to: { n: to.n, id: to.id },
      tally: { ...noTally, delivered, filtered, dropped, tooCostly }
    }
  }

  /** The cursor was moved. Another emitter's turn comes first. */
  moved({ emitterId, to }: CursorMove): void {
    const lane = this.lanes.get(emitterId)
    if (lane === undefined) return
    lane.position = to
    lane.known = Math.max(lane.known, to.n)
    lane.read = lane.read.filter(({ n }) => n > to.n)
    this.ready.delete(lane)
    this.settle(lane)
  }

  /** Puts a lane among the ready ones or takes it out. Answers whether it has become ready. */
  private settle(lane: Lane): boolean {
    const isReady = lane.position === undefined || !lane.isComplete || lane.known > lane.position.n
    if (isReady) {
      if (this.ready.has(lane)) return false
      this.ready.add(lane)
      return true
    }
    this.ready.delete(lane)
    if (this.lanes.size - this.ready.size > this.limits.idle) this.lanes.delete(lane.emitterId)
    return false
  }
}
