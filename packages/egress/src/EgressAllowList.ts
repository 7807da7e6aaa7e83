import { Result, Schema } from "effect"
import { Host, IpNetwork, NetAddress } from "effect/net"

/** An entry of `HEADWATER_EGRESS_ALLOW` that is neither a network, a host, nor the word `loopback`. */
export class EgressAllowListInvalid extends Schema.TaggedError<EgressAllowListInvalid>()("EgressAllowListInvalid", {
  entry: Schema.String,
  message: Schema.String
}) {}

/**
 * Targets that the operator lets the guard pass although they are not public (`delivery.md`, "The egress guard"):
 * networks in CIDR form or single addresses, and hosts by exact name, whatever they resolve to.
 */
export interface EgressAllowList {
  readonly networks: ReadonlyArray<IpNetwork.IpNetwork>
  readonly hosts: ReadonlySet<string>
}

/** The networks that the word `loopback` stands for. */
export const loopback: EgressAllowList = {
  networks: ["127.0.0.0/8", "::1/128"].map(IpNetwork.fromStringUnsafe),
  hosts: new Set()
}

export const empty: EgressAllowList = { networks: [], hosts: new Set() }

/** Reads the comma-separated form of `HEADWATER_EGRESS_ALLOW`. */
export const fromString = (text: string): Result.Result<EgressAllowList, EgressAllowListInvalid> =>
  fromEntries(text.split(","))

/** Reads a list of CIDRs, addresses, hosts, or the word `loopback`. Blank entries are skipped. */
export const fromEntries = (
  entries: Iterable<string>
): Result.Result<EgressAllowList, EgressAllowListInvalid> => {
  const networks: Array<IpNetwork.IpNetwork> = []
  const hosts = new Set<string>()
  for (const raw of entries) {
    const entry = raw.trim()
    if (entry === "") continue
    if (entry.toLowerCase() === "loopback") {
      networks.push(...loopback.networks)
      continue
    }
    if (entry.includes("/")) {
      const network = IpNetwork.fromString(entry)
      if (Result.isFailure(network)) {
        return Result.fail(new EgressAllowListInvalid({ entry, message: `"${entry}" is not a network in CIDR form` }))
      }
      networks.push(network.success)
      continue
    }
    const host = Host.hostFromString(entry)
    if (Result.isFailure(host)) {
      return Result.fail(
        new EgressAllowListInvalid({ entry, message: `"${entry}" is not an address, network or host` })
      )
    }
    if (NetAddress.isIpAddress(host.success)) networks.push(singleAddress(host.success))
    else hosts.add(host.success.replace(/\.$/, ""))
  }
  return Result.succeed({ networks, hosts })
}

const singleAddress = (address: NetAddress.IpAddress): IpNetwork.IpNetwork =>
  IpNetwork.fromAddressUnsafe(address, NetAddress.isIpv4Address(address) ? 32 : 128)

/** True if the operator allows this address; an IPv4-mapped address counts as the IPv4 address that it reaches. */
export const allowsAddress = (self: EgressAllowList, address: NetAddress.IpAddress): boolean => {
  const reached = NetAddress.toCanonical(address)
  return self.networks.some((network) => IpNetwork.contains(network, reached) || IpNetwork.contains(network, address))
}

export const allowsHost = (self: EgressAllowList, host: string): boolean => self.hosts.has(host)
