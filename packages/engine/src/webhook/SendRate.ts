import type { RateLimit } from "@headwater/domain/WebhookSettings"

/** An attempt may come so much before its place in the rate, so that late timers cost none of it. */
const earlyMs = 20

/** The time for which attempts are reserved ahead, in milliseconds. */
const blockMs = 1_000

/**
 * The times at which attempts may begin by a rate, after the generic cell rate algorithm: each has a place in time, one
 * interval behind the one before. Places are reserved before they are used, for a second at a time or one by one if
 * they are further apart. An owner that goes on from the reservation alone is never too early, and at most a second too
 * late.
 */
export class SendRate {
  private readonly intervalMs: number
  private readonly aheadMs: number
  private readonly blockMs: number
  /** The place of the next attempt, Unix milliseconds. */
  private place: number
  private reservedUntil: number

  /** @param reservedUntil the time up to which places may have been used, in Unix milliseconds */
  constructor({ burst, intervalMs, limit }: RateLimit, reservedUntil: number) {
    this.intervalMs = intervalMs / limit
    this.aheadMs = Math.max((burst - 1) * this.intervalMs, earlyMs)
    this.blockMs = this.intervalMs < blockMs ? blockMs : 0
    this.place = reservedUntil
    this.reservedUntil = reservedUntil
  }

  /** The time at which the next attempt may begin. */
  startsAt(now: number): number {
    // It can be further ahead only if the clock was set back.
    const furthest = now + this.aheadMs + this.intervalMs + this.blockMs
    if (this.place > furthest) this.place = furthest
    return Math.ceil(this.place - this.aheadMs)
  }

  isReserved(now: number): boolean {
    return this.placeAfter(now) <= this.reservedUntil
  }

  /** The time up to which to reserve places, for the next attempt and those after it. */
  toReserve(now: number): number {
    return Math.ceil(this.placeAfter(now) + this.blockMs)
  }

  /** Places are reserved up to here. */
  noteReserved(until: number): void {
    this.reservedUntil = Math.max(this.reservedUntil, until)
  }

  /** An attempt begins. */
  take(now: number): void {
    this.place = this.placeAfter(now)
  }

  private placeAfter(now: number): number {
    return Math.max(this.place, now) + this.intervalMs
  }
}
