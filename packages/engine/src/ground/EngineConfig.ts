import { Context } from "effect"

/** The engine's view of its deployment. */
export class EngineConfig extends Context.Service<EngineConfig, {
  /** Base of the URLs programs answer at, without a trailing slash. */
  readonly publicUrl: string
  /** The domain of the addresses at which programs take e-mail; undefined where the server takes none. */
  readonly mailDomain?: string | undefined
}>()("@headwater/engine/ground/EngineConfig") {}

/** The URL at which a program's HTTP interface answers. */
export const endpointUrl = (publicUrl: string, endpointKey: string): string => `${publicUrl}/http/${endpointKey}`

/** The address at which a program takes e-mail. Its case does not matter, as some senders change it. */
export const mailAddress = (mailDomain: string, endpointKey: string): string =>
  `${endpointKey.toLowerCase()}@${mailDomain}`
