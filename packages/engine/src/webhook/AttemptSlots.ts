import type { Webhook } from "@headwater/domain/Webhook"
import type { Lanes } from "../routing/Lanes.ts"
import { SendRate } from "./SendRate.ts"

/** First attempts are made in log order, retries when they are due, those of bulk actions and tests when clients ask. */
export type AttemptKind = "first" | "retry" | "bulk" | "test"

/**
 * A webhook has one slot for retries for so many of first attempts. If it wants fewer requests at once than this, all
 * but its tests share the same slots.
 */
const firstsPerRetry = 4

/** The most attempts of bulk actions at once. */
const mostBulk = 4

/** The most tests at once. */
export const mostTests = 4

/**
 * Decides when the attempts of a webhook begin: it alone knows concurrency, rate, circuit and probe.
 *
 * - S1. First attempts have `concurrency` slots, retries a fourth as many beside them, bulk actions four.
 * - S2. With fewer than four slots, first attempts, retries and bulk actions share them: one slot at most is a retry's or a
 *   bulk action's.
 * - S3. Retries and first attempts take turns at what is scarce: once a retry waits, the next slot or place by the rate is
 *   for it. Bulk actions come after both.
 * - S4. An attempt begins at its place by the rate, and places are reserved in the database before they are used.
 * - S5. One attempt at a time probes an endpoint whose circuit has been open for long enough; no other begins meanwhile.
 * - S6. Tests have slots of their own and heed neither rate nor circuit.
 */
export class AttemptSlots {
  /** A retry waits for a slot or a place that first attempts would take. */
  private retryWaits = false
  private readonly taken: Record<AttemptKind, number> = { first: 0, retry: 0, bulk: 0, test: 0 }
  private readonly concurrency: number
  private readonly isOfWorkflow: boolean
  private readonly mostRetries: number
  private readonly lanes: Pick<Lanes, "readyCount">
  private readonly isGated: boolean
  private readonly rate: SendRate | undefined
  private isProbing = false

  /**
   * @param lanes whose first attempts wait
   * @param mostRetries the most retries at once of any webhook
   */
  constructor(
    { rateReservedUntil, settings: { circuit, concurrency, rateLimit }, workflowId }: Webhook,
    lanes: Pick<Lanes, "readyCount">,
    mostRetries: number
  ) {
    this.concurrency = concurrency
    this.isOfWorkflow = workflowId !== null
    // Each request of a workflow goes to a place of its own: none is to wait for others.
    this.mostRetries = this.isOfWorkflow ? concurrency : Math.min(mostRetries, Math.floor(concurrency / firstsPerRetry))
    this.lanes = lanes
    this.isGated = circuit !== null || rateLimit !== null
    this.rate = rateLimit === null ? undefined : new SendRate(rateLimit, rateReservedUntil ?? 0)
  }

  /** True if first attempts, retries and bulk actions share the same slots. */
  get isShared(): boolean {
    return this.concurrency < firstsPerRetry
  }

  /** True if an attempt of a kind may take a slot now. */
  hasRoom(kind: AttemptKind): boolean {
    const { beside, taken: { bulk, first, test } } = this
    switch (kind) {
      case "first":
        return first < (this.isShared ? this.concurrency - beside - (this.retryWaits ? 1 : 0) : this.concurrency)
      case "retry":
        return this.isShared && !this.isOfWorkflow
          ? beside === 0 && first < this.concurrency
          : beside < this.mostRetries
      case "bulk":
        return bulk < mostBulk && (!this.isShared || !this.isWanted && this.hasRoom("retry"))
      case "test":
        return test < mostTests
    }
  }

  take(kind: AttemptKind): void {
    this.taken[kind] += 1
    if (kind === "retry") this.retryWaits = false
  }

  giveBack(kind: AttemptKind): void {
    this.taken[kind] -= 1
  }

  /** True if a retry has to wait until another one, or an attempt of a bulk action, gives a slot back. */
  get retriesAreFull(): boolean {
    return !this.hasRoom("retry") && this.beside > 0
  }

  /** A retry is due that may not begin: it takes the next place by the rate, and the next slot of those that all share. */
  noteRetryWaits(): void {
    this.retryWaits = !this.retriesAreFull
  }

  /** Retries are looked at anew: none waits so far. */
  beginRetries(): void {
    this.retryWaits = false
  }

  get hasWaitingRetry(): boolean {
    return this.retryWaits
  }

  /**
   * The time at which the next attempt of a kind may begin by rate and circuit, in Unix milliseconds; infinity while a
   * probe is under way or attempts of other kinds go first.
   */
  startsAt(kind: AttemptKind, now: number): number {
    if (!this.isGated) return now
    if (this.isProbing || kind === "first" && this.retryWaits || kind === "bulk" && this.isWanted) return Infinity
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
    if (!this.isGated) return false
    this.rate?.take(now)
    if (circuitUntil !== null) this.isProbing = true
    return circuitUntil !== null
  }

  /** The probe has an outcome, or came to nothing. */
  probed(): void {
    this.isProbing = false
  }

  /** The number of slots that retries have, and bulk actions if all share the same. */
  private get beside(): number {
    return this.taken.retry + (this.isShared ? this.taken.bulk : 0)
  }

  /** True if first attempts or retries wait, which go before bulk actions. */
  private get isWanted(): boolean {
    return this.lanes.readyCount > 0 || this.retryWaits
  }
}
