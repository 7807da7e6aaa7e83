import { IpNetwork, NetAddress } from "effect/net"

const named = (ranges: Record<string, string>) =>
  Object.entries(ranges).map(([cidr, name]) => ({ network: IpNetwork.fromStringUnsafe(cidr), name }))

/** IANA IPv4 Special-Purpose Address Registry (RFC 6890), multicast (RFC 5771) and reserved space (RFC 1112). */
const specialIpv4 = named({
  "0.0.0.0/8": "unspecified",
  "10.0.0.0/8": "private",
  "100.64.0.0/10": "carrier-grade NAT",
  "127.0.0.0/8": "loopback",
  "169.254.0.0/16": "link-local",
  "172.16.0.0/12": "private",
  "192.0.0.0/24": "reserved",
  "192.0.2.0/24": "documentation",
  "192.31.196.0/24": "reserved",
  "192.52.193.0/24": "reserved",
  "192.88.99.0/24": "6to4 relay",
  "192.168.0.0/16": "private",
  "192.175.48.0/24": "reserved",
  "198.18.0.0/15": "benchmarking",
  "198.51.100.0/24": "documentation",
  "203.0.113.0/24": "documentation",
  "224.0.0.0/4": "multicast",
  "240.0.0.0/4": "reserved"
})

/** IANA IPv6 Special-Purpose Address Registry; the narrower range comes first, its name is the one reported. */
const specialIpv6 = named({
  "::/128": "unspecified",
  "::1/128": "loopback",
  "::ffff:0:0/96": "IPv4-mapped",
  "::/96": "IPv4-compatible",
  "::ffff:0:0:0/96": "IPv4-translated",
  "64:ff9b::/96": "NAT64",
  "64:ff9b:1::/48": "NAT64",
  "100::/64": "discard-only",
  "2001::/32": "Teredo",
  "2001:2::/48": "benchmarking",
  "2001::/23": "reserved",
  "2001:db8::/32": "documentation",
  "2002::/16": "6to4",
  "2620:4f:8000::/48": "reserved",
  "3fff::/20": "documentation",
  "5f00::/16": "reserved",
  "fc00::/7": "unique local",
  "fe80::/10": "link-local",
  "fec0::/10": "site-local",
  "ff00::/8": "multicast"
})

/** The only space from which IPv6 unicast addresses are assigned (RFC 4291, section 2.4; IANA IPv6 address space). */
const globalUnicastIpv6 = IpNetwork.fromStringUnsafe("2000::/3")

/** ISATAP puts an IPv4 address behind `0:5efe` or `200:5efe` under any prefix (RFC 5214, section 6.1). */
const isIsatap = (address: NetAddress.Ipv6Address): boolean => {
  const segments = NetAddress.ipv6ToSegments(address)
  return (segments[4] === 0 || segments[4] === 0x200) && segments[5] === 0x5efe
}

/**
 * The reason why an address is not a public unicast address, in a word or two; `undefined` if it is one. Every IPv6
 * form that wraps an IPv4 address counts as not public, whatever it wraps.
 */
export const whyNotPublic = (address: NetAddress.IpAddress): string | undefined => {
  if (NetAddress.isIpv4Address(address)) {
    return specialIpv4.find(({ network }) => IpNetwork.contains(network, address))?.name
  }
  const special = specialIpv6.find(({ network }) => IpNetwork.contains(network, address))
  if (special !== undefined) return special.name
  if (!IpNetwork.contains(globalUnicastIpv6, address)) return "reserved"
  return isIsatap(address) ? "ISATAP" : undefined
}
