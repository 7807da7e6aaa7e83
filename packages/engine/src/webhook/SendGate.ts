import type { Webhook } from "@headwater/domain/Webhook"
import { SendRate } from "./SendRate.ts"

/**
 * Lets through the attempts of a webhook that has a rate or a circuit. Of the circuit it knows the one attempt that
 * probes the endpoint when the circuit has been open for long enough; whether it is open is the webhook's own state.
 */
export class SendGate {
  private readonly rate: SendRate | undefined
  private isProbing = false

  /** None if the webhook has neither. */
  static of({ rateReservedUntil, settings: { circuit, rateLimit } }: Webhook): SendGate | undefined {
    if (circuit === null && rateLimit === null) return undefined
    return new SendGate(rateLimit === null ? undefined : new SendRate(rateLimit, rateReservedUntil ?? 0))
  }

  constructor(rate: SendRate | undefined) {
    this.rate = rate
  }

  /** The time at which the next attempt may begin, in Unix milliseconds; infinity while a probe is under way. */
  startsAt(now: number): number {
    if (this.isProbing) return Infinity
    return this.rate?.startsAt(now) ?? now
  }

  /** The time up to which places of the rate are to be reserved before an attempt begins; undefined if they are. */
  toReserve(now: number): number | undefined {
    return this.rate === undefined || this.rate.isReserved(now) ? undefined : this.rate.toReserve(now)
  }

  noteReserved(until: number): void {
    this.rate?.noteReserved(until)
  }

  /** An attempt begins. Answers whether it is the probe. */
  begin({ circuitUntil }: Webhook, now: number): boolean {
    this.rate?.take(now)
    if (circuitUntil !== null) this.isProbing = true
    return circuitUntil !== null
  }

  /** The probe has an outcome, or came to nothing. */
  probed(): void {
    this.isProbing = false
  }
}
