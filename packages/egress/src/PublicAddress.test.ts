import { assert, it } from "@effect/vitest"
import { Effect, Layer, Result, Schema } from "effect"
import { Address4, Address6 } from "ip-address"
import ipaddr from "ipaddr.js"
import * as EgressAllowList from "./EgressAllowList.ts"
import { EgressGuard } from "./EgressGuard.ts"
import { NameResolver } from "./NameResolver.ts"

const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

const fourOf = <A extends Schema.Top>(one: A) => Schema.Tuple([one, one, one, one])

/** Where an address lies in or beside a block, and bits for what the block leaves open. */
const Place = Schema.Struct({
  block: between(0, 9_999),
  at: Schema.Literals(["before", "first", "within", "last", "after", "anywhere"]),
  bits: fourOf(between(0, 0xffff_ffff)),
  spelling: between(0, 9_999),
  radices: fourOf(between(0, 2))
})
type Place = typeof Place.Type

/** Blocks with something special about them, and some without. */
const blocks4 = [
  "0.0.0.0/8",
  "8.8.8.0/24",
  "10.0.0.0/8",
  "93.184.0.0/16",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.31.196.0/24",
  "192.52.193.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "192.175.48.0/24",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
  "255.255.255.255/32"
]

const blocks6 = [
  "::/128",
  "::1/128",
  "::/96",
  "::ffff:0:0/96",
  "::ffff:0:0:0/96",
  "64:ff9b::/96",
  "64:ff9b:1::/48",
  "100::/64",
  "2001::/32",
  "2001:2::/48",
  "2001:20::/28",
  "2001:db8::/32",
  "2002::/16",
  "2400:cb00::/32",
  "2606:4700::/32",
  "2620:4f:8000::/48",
  "2a00::/12",
  "3fff::/20",
  "4000::/3",
  "5f00::/16",
  "fc00::/7",
  "fe80::/10",
  "fec0::/10",
  "ff00::/8"
]

const numberOf = (address: Address4 | Address6): bigint => address.bigInt()

/** The address that a place means, as a number of so many bits. */
const numberAt = (blocks: ReadonlyArray<string>, width: number, { at, bits, block }: Place): bigint => {
  const cidr = blocks[block % blocks.length]!
  const [base, length] = cidr.split("/")
  const first = numberOf(width === 32 ? new Address4(base!) : new Address6(base!))
  const open = BigInt(width - Number(length))
  const last = first + (1n << open) - 1n
  const any = bits.reduce((number, part) => (number << 32n) | BigInt(part), 0n)
  const all = (1n << BigInt(width)) - 1n
  switch (at) {
    case "before":
      return first === 0n ? 0n : first - 1n
    case "first":
      return first
    case "within":
      return first + (any & ((1n << open) - 1n))
    case "last":
      return last
    case "after":
      return last === all ? all : last + 1n
    case "anywhere":
      return any & all
  }
}

const written = (value: bigint, radix: number): string =>
  radix === 0 ? String(value) : radix === 1 ? `0x${value.toString(16)}` : `0${value.toString(8)}`

const fullWidth = (text: string): string =>
  text.replace(/[0-9]/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)))

/** The ways in which the URL standard lets an IPv4 address be written ("IPv4 parser"). */
const spelled4 = (number: bigint, { radices, spelling }: Place): string => {
  const parts = [24n, 16n, 8n, 0n].map((shift) => (number >> shift) & 0xffn)
  const mixed = (values: ReadonlyArray<bigint>) => values.map((value, i) => written(value, radices[i]!)).join(".")
  const spellings = [
    () => parts.join("."),
    () => mixed(parts),
    () => mixed([number]),
    () => mixed([parts[0]!, number & 0xffffffn]),
    () => mixed([parts[0]!, parts[1]!, number & 0xffffn]),
    () => `${parts.join(".")}.`,
    () => fullWidth(parts.join(".")),
    () => parts.join("\u3002")
  ]
  return spellings[spelling % spellings.length]!()
}

/** The ways in which an IPv6 address can be written (RFC 4291, section 2.2), in brackets or not. */
const spelled6 = (address: Address6, number: bigint, { spelling }: Place): string => {
  const tail = [24n, 16n, 8n, 0n].map((shift) => (number >> shift) & 0xffn).join(".")
  const spellings = [
    address.correctForm(),
    address.canonicalForm(),
    address.correctForm().toUpperCase(),
    `${address.canonicalForm().split(":").slice(0, 6).join(":")}:${tail}`
  ]
  const text = spellings[spelling % spellings.length]!
  return spelling % 2 === 0 ? text : `[${text}]`
}

const letsThrough = (spelled: string) =>
  EgressGuard.pipe(
    Effect.flatMap((guard) => Effect.result(guard.resolve(spelled, { accountId: "u_1", use: "delivery" }))),
    Effect.map((result) => {
      if (Result.isSuccess(result)) return true
      assert.deepInclude({ ...result.failure }, { _tag: "EgressRefused", why: "address" }, spelled)
      return false
    }),
    Effect.provide(EgressGuard.layerNoNames(EgressAllowList.empty).pipe(Layer.provide(NameResolver.layerStatic({}))))
  )

it.effect.prop(
  "an IPv4 address is let through just where two other libraries take it for public, however it is spelled",
  [Place],
  ([place]) =>
    Effect.gen(function*() {
      const number = numberAt(blocks4, 32, place)
      const address = Address4.fromBigInt(number)
      // The one takes two anycast addresses out of a block that is reserved, the other does not.
      const isPublic = address.isGlobal() && ipaddr.parse(address.correctForm()).range() === "unicast"
      const spelled = spelled4(number, place)
      assert.strictEqual(yield* letsThrough(spelled), isPublic, `${spelled} (${address.correctForm()})`)
    }),
  { arbitrary: { runs: 2_000 } }
)

/** Blocks that the guard refuses whole, though one of the others takes parts of them for public. */
const refusedWhole = ["2001::/23", "2002::/16", "64:ff9b::/96", "::/96", "5f00::/16", "2620:4f:8000::/48"].map((cidr) =>
  new Address6(cidr)
)

it.effect.prop(
  "an IPv6 address is let through just where two other libraries take it for public and it wraps none, however spelled",
  [Place],
  ([place]) =>
    Effect.gen(function*() {
      const number = numberAt(blocks6, 128, place)
      const address = Address6.fromBigInt(number)
      const isPublic = address.isGlobal() && ipaddr.parse(address.correctForm()).range() === "unicast"
      const spelled = spelled6(address, number, place)
      const passes = yield* letsThrough(spelled)
      if (!isPublic) assert.isFalse(passes, spelled)
      const isGlobalUnicast = number >> 125n === 1n
      const isIsatap = ["0:5efe", "200:5efe"].includes(
        [(number >> 48n) & 0xffffn, (number >> 32n) & 0xffffn].map((part) => part.toString(16)).join(":")
      )
      const isRefusedWhole = refusedWhole.some((block) => address.isHostInSubnet(block))
      if (isPublic && isGlobalUnicast && !isIsatap && !isRefusedWhole) assert.isTrue(passes, spelled)
    }),
  { arbitrary: { runs: 2_000 } }
)
