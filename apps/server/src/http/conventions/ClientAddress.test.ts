import { assert, it } from "@effect/vitest"
import * as IpNetwork from "effect/net/IpNetwork"
import * as ClientAddress from "./ClientAddress.ts"

const trusted = ["10.0.0.0/8", "fd00::/8"].map(IpNetwork.fromStringUnsafe)

const cases: ReadonlyArray<readonly [what: string, peer: string, forwarded: string | undefined, client: string]> = [
  ["no proxy", "203.0.113.9", undefined, "203.0.113.9"],
  ["a stranger who claims to be a proxy", "203.0.113.9", "198.51.100.1", "203.0.113.9"],
  ["a proxy that says nothing", "10.0.0.1", undefined, "10.0.0.1"],
  ["a proxy", "10.0.0.1", "198.51.100.1", "198.51.100.1"],
  ["a proxy over an IPv4-mapped address", "::ffff:10.0.0.1", "198.51.100.1", "198.51.100.1"],
  ["two proxies", "10.0.0.1", "198.51.100.1, fd00::7", "198.51.100.1"],
  ["a client that forges an entry", "10.0.0.1", "192.0.2.66, 198.51.100.1", "198.51.100.1"],
  ["a client that forges a trusted entry", "10.0.0.1", "192.0.2.66, 10.1.1.1, 198.51.100.1, 10.0.0.2", "198.51.100.1"],
  ["entries with ports", "10.0.0.1", "[2001:db8::5]:4711, 10.0.0.2:80", "2001:db8::5"],
  ["an entry that is no address", "10.0.0.1", "192.0.2.66, unknown, 10.0.0.2", "10.0.0.2"],
  ["proxies alone", "10.0.0.1", "10.0.0.3,10.0.0.2", "10.0.0.3"]
]

for (const [what, peer, forwarded, client] of cases) {
  it(`behind ${what}, a client is ${client}`, () => {
    assert.strictEqual(ClientAddress.of(peer, forwarded, trusted), client)
  })
}

it("without trusted proxies, a client is whoever connects", () => {
  assert.strictEqual(ClientAddress.of("::ffff:10.0.0.1", "198.51.100.1", []), "10.0.0.1")
})
