import { Context } from "effect"

/** What the engine needs to know of its deployment. */
export class EngineConfig extends Context.Service<EngineConfig, {
  /** Base of the URLs sources answer at, without a trailing slash. */
  readonly publicUrl: string
}>()("@headwater/engine/EngineConfig") {}

/** Where a source's HTTP interface answers. */
export const endpointUrl = (publicUrl: string, endpointKey: string): string => `${publicUrl}/http/${endpointKey}`

/** How many requests a source may have acknowledged and not run, and how many bytes of them. */
export const backlog = { requests: 100_000, bytes: 256 * 1024 * 1024 }

/** How long a caller waits for a run's answer, from receipt, in milliseconds. */
export const responseTimeoutMs = 30_000

/** How long an owner answers a repeated request with its first outcome, in milliseconds. */
export const repeatWindowMs = 60_000
