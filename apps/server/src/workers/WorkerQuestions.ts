import type { Excess } from "../http/conventions/RateBuckets.ts"

/** The questions of the supervisor to a worker. */
export type OfWorker = {
  /** The metrics of this worker, in Prometheus's text format. */
  readonly metrics: readonly [given: null, answer: string]
  /** The reason why this worker can't take work; null if it can. */
  readonly unready: readonly [given: null, answer: string | null]
  /** Answered once the server's own components are in the registry, or have been given up. */
  readonly published: readonly [given: null, answer: null]
}

/** The questions of a worker to the supervisor. */
export type OfSupervisor = {
  /** Says that this worker serves. */
  readonly serving: readonly [given: null, answer: null]
  /** The metrics of all workers of the machine, in Prometheus's text format. */
  readonly metrics: readonly [given: null, answer: string]
  /** The reason why the machine can't take work; null if it can. */
  readonly unready: readonly [given: null, answer: string | null]
  /** Takes a request from what an account may still send; says what it has too much of, if anything. */
  readonly takeRequest: readonly [given: string, answer: Excess | null]
  readonly noteBytes: readonly [given: { readonly accountId: string; readonly bytes: number }, answer: null]
  /** Sources and workflows that a crash of the machine left half-made or half-removed. Told once. */
  readonly abandoned: readonly [given: null, answer: ReadonlyArray<string>]
}
