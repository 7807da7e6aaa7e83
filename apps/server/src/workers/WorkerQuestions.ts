import type { Excess } from "../http/conventions/RateBuckets.ts"

/** What the supervisor asks a worker. */
export type OfWorker = {
  /** What this worker measures, in Prometheus's text format. */
  readonly metrics: readonly [given: null, answer: string]
  /** Why this worker can't take work; null if it can. */
  readonly unready: readonly [given: null, answer: string | null]
  /** Answered once the server's own components are in the registry, or have been given up. */
  readonly published: readonly [given: null, answer: null]
}

/** What a worker asks the supervisor. */
export type OfSupervisor = {
  /** Says that this worker serves. */
  readonly serving: readonly [given: null, answer: null]
  /** What all workers of the machine measure, in Prometheus's text format. */
  readonly metrics: readonly [given: null, answer: string]
  /** Why the machine can't take work; null if it can. */
  readonly unready: readonly [given: null, answer: string | null]
  /** Takes a request from what an account may still send; says what it has too much of, if anything. */
  readonly takeRequest: readonly [given: string, answer: Excess | null]
  readonly noteBytes: readonly [given: { readonly accountId: string; readonly bytes: number }, answer: null]
  /** Sources and workflows that a crash of the machine left half-made or half-removed. Told once. */
  readonly abandoned: readonly [given: null, answer: ReadonlyArray<string>]
}
