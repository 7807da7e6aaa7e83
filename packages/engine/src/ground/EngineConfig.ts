import { Context } from "effect"

/** The engine's view of its deployment. */
export class EngineConfig extends Context.Service<EngineConfig, {
  /** Base of the URLs programs answer at, without a trailing slash. */
  readonly publicUrl: string
}>()("@headwater/engine/ground/EngineConfig") {}

/** The URL at which a program's HTTP interface answers. */
export const endpointUrl = (publicUrl: string, endpointKey: string): string => `${publicUrl}/http/${endpointKey}`
