/** Names for webhooks: one that leads to this machine, and others whose name server never answers. */
import { Effect } from "effect"
import * as DnsServer from "../../packages/egress/test/DnsServer.ts"

/** A name that the certificate of the sink is for. */
const live = "hooks.example.com"

/** What a server is started with to ask a name server for them. Each look-up of the live name holds for a second. */
export const environment = Effect.map(
  DnsServer.make((name) => name === live ? ["127.0.0.1"] : "silence", { ttl: 1 }),
  ({ address }) => ({ HEADWATER_NAME_SERVERS: address })
)

/** The same place by its name. */
export const named = (url: string): string => url.replace("//127.0.0.1:", `//${live}:`)

export const dead = (number: number): string => `http://dead-${number}.bench.test/`
