import * as Effect from "effect/Effect"
import * as Host from "effect/net/Host"
import * as IpNetwork from "effect/net/IpNetwork"
import * as NetAddress from "effect/net/NetAddress"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/** An entry of `HEADWATER_EGRESS_ALLOW` that is neither a network, a host, nor the word `loopback`. */
export class EgressAllowListInvalid extends Schema.TaggedError<EgressAllowListInvalid>()("EgressAllowListInvalid", {
  entry: Schema.String,
  message: Schema.String
}) {}

/**
 * What the operator lets the guard pass although it is not public (`delivery.md`, "The egress guard"): networks in CIDR
 * form or single addresses, and hosts by exact name, whatever they resolve to.
 */
export interface EgressAllowList {
  readonly networks: ReadonlyArray<IpNetwork.IpNetwork>
  readonly hosts: ReadonlySet<string>
}

const loopback = ["127.0.0.0/8", "::1/128"].map(IpNetwork.fromStringUnsafe)

export const empty: EgressAllowList = { networks: [], hosts: new Set() }

/** Reads the comma-separated form of `HEADWATER_EGRESS_ALLOW`. */
export const fromString = (text: string): Effect.Effect<EgressAllowList, EgressAllowListInvalid> =>
  fromEntries(text.split(","))

/** Reads a list of CIDRs, addresses, hosts, or the word `loopback`. Blank entries are skipped. */
export const fromEntries = Effect.fnUntraced(function*(
  entries: Iterable<string>
): Effect.fn.Return<EgressAllowList, EgressAllowListInvalid> {
  const networks: Array<IpNetwork.IpNetwork> = []
  const hosts = new Set<string>()
  for (const raw of entries) {
    const entry = raw.trim()
    if (entry === "") continue
    if (entry.toLowerCase() === "loopback") {
      networks.push(...loopback)
      continue
    }
    if (entry.includes("/")) {
      const network = IpNetwork.fromString(entry)
      if (Result.isFailure(network)) {
        return yield* new EgressAllowListInvalid({ entry, message: `"${entry}" is not a network in CIDR form` })
      }
      networks.push(network.success)
      continue
    }
    const host = Host.hostFromString(entry)
    if (Result.isFailure(host)) {
      return yield* new EgressAllowListInvalid({ entry, message: `"${entry}" is not an address, network or host` })
    }
    if (NetAddress.isIpAddress(host.success)) networks.push(singleAddress(host.success))
    else hosts.add(host.success.replace(/\.$/, ""))
  }
  return { networks, hosts }
})

const singleAddress = (address: NetAddress.IpAddress): IpNetwork.IpNetwork =>
  IpNetwork.fromAddressUnsafe(address, NetAddress.isIpv4Address(address) ? 32 : 128)

/** Whether the operator allows this address; an IPv4-mapped address counts as the IPv4 address that it reaches. */
export const allowsAddress = (self: EgressAllowList, address: NetAddress.IpAddress): boolean => {
  const reached = NetAddress.toCanonical(address)
  return self.networks.some((network) => IpNetwork.contains(network, reached) || IpNetwork.contains(network, address))
}

export const allowsHost = (self: EgressAllowList, host: string): boolean => self.hosts.has(host)
