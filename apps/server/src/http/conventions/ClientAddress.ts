import { Option } from "effect"
import * as IpNetwork from "effect/net/IpNetwork"
import * as NetAddress from "effect/net/NetAddress"

/** An entry of `X-Forwarded-For`, which may come with a port, and for IPv6 in brackets. */
const addressOf = (entry: string): Option.Option<NetAddress.IpAddress> => {
  const text = /^\[(.*)\](?::\d+)?$/.exec(entry)?.[1] ?? /^([\d.]+):\d+$/.exec(entry)?.[1] ?? entry
  return Option.map(Option.getSuccess(NetAddress.ipFromString(text)), (address) => NetAddress.toCanonical(address))
}

const contains = (networks: ReadonlyArray<IpNetwork.IpNetwork>, address: NetAddress.IpAddress): boolean =>
  networks.some((network) => IpNetwork.contains(network, address))

/**
 * True if the server believes what a peer says about its client.
 *
 * @param peer the address at the other end of the connection
 */
export const isTrusted = (peer: string, trusted: ReadonlyArray<IpNetwork.IpNetwork>): boolean =>
  trusted.length > 0 && Option.exists(addressOf(peer), (address) => contains(trusted, address))

/**
 * The sender of a request: the nearest address that is not a trusted proxy's. Proxies append to `X-Forwarded-For`, so
 * it is read from its end, and only as far as those who wrote it are trusted.
 *
 * @param peer the address at the other end of the connection
 */
export const of = (
  peer: string,
  forwarded: string | undefined,
  trusted: ReadonlyArray<IpNetwork.IpNetwork>
): string => {
  if (trusted.length === 0) return peer.replace(/^::ffff:/, "")
  const first = addressOf(peer)
  if (Option.isNone(first)) return peer
  let client = first.value
  for (const entry of (forwarded ?? "").split(",").toReversed()) {
    if (!contains(trusted, client)) break
    const before = addressOf(entry.trim())
    if (Option.isNone(before)) break
    client = before.value
  }
  return NetAddress.formatIp(client)
}
