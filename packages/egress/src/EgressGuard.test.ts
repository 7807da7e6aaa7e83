import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { AddressInfo } from "node:net"
import * as Net from "node:net"
import * as EgressAllowList from "./EgressAllowList.ts"
import { EgressGuard } from "./EgressGuard.ts"
import { NameResolver } from "./NameResolver.ts"

const zone = NameResolver.layerStatic({
  "public.test": ["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"],
  "mixed.test": ["93.184.215.14", "10.0.0.1"],
  "inside.test": ["10.0.0.1"],
  "loop.test": ["127.0.0.1"],
  "six.test": ["2606:2800:21f:cb07:6820:80da:af6b:8b2c", "fe80::1"]
})

const asker = { accountId: "u_1", use: "delivery" } as const

const guarding = (allow: string) =>
  Layer.unwrap(Effect.map(Effect.fromResult(EgressAllowList.fromString(allow)), EgressGuard.layerNoNames)).pipe(
    Layer.provide(zone)
  )

/** What a host is resolved to, which is the same where it is known already. */
const resolve = Effect.fnUntraced(function*(host: string) {
  const guard = yield* EgressGuard
  const resolved = yield* Effect.result(guard.resolve(host, asker))
  assert.deepStrictEqual(guard.resolveKnown(host), resolved)
  return yield* Effect.fromResult(resolved)
})

describe("EgressGuard", () => {
  const refused: Record<string, ReadonlyArray<string>> = {
    unspecified: ["0.0.0.0", "0", "0.1.2.3", "::", "[::]"],
    loopback: [
      "127.0.0.1",
      "127.1",
      "127.255.255.254",
      "2130706433",
      "0x7f000001",
      "017700000001",
      "0x7f.1",
      "127.0.0.1.",
      "::1"
    ],
    private: ["10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.0.1", "0xa.0.0.1", "１０.0.0.1"],
    "carrier-grade NAT": ["100.64.0.1", "100.127.255.255"],
    "link-local": ["169.254.169.254", "0xA9FEA9FE", "fe80::1", "febf::1"],
    documentation: ["192.0.2.1", "198.51.100.1", "203.0.113.1", "2001:db8::1", "3fff::1"],
    benchmarking: ["198.18.0.1", "198.19.255.255", "2001:2::1"],
    multicast: ["224.0.0.1", "239.255.255.255", "ff02::1"],
    reserved: ["240.0.0.1", "255.255.255.255", "192.0.0.1", "4000::1", "2001:20::1"],
    "unique local": ["fc00::1", "fd00:ec2::254"],
    "site-local": ["fec0::1"],
    "IPv4-mapped": ["::ffff:127.0.0.1", "::ffff:8.8.8.8", "0:0:0:0:0:ffff:7f00:1"],
    "IPv4-compatible": ["::127.0.0.1", "::8.8.8.8"],
    "IPv4-translated": ["::ffff:0:127.0.0.1"],
    NAT64: ["64:ff9b::7f00:1", "64:ff9b:1::a00:1"],
    "6to4": ["2002:7f00:1::1"],
    Teredo: ["2001:0:7f00:1::1"],
    ISATAP: ["2606:2800::5efe:a00:1", "2606:2800::200:5efe:a00:1"]
  }
  for (const [why, hosts] of Object.entries(refused)) {
    for (const host of hosts) {
      it.effect(`${host} is refused as ${why}`, () =>
        Effect.gen(function*() {
          const error = yield* Effect.flip(resolve(host))
          assert.strictEqual(error._tag, "EgressRefused")
          assert.include(error.message, `(${why})`)
        }).pipe(Effect.provide(guarding(""))))
    }
  }

  for (
    const host of [
      "8.8.8.8",
      "172.32.0.1",
      "100.128.0.1",
      "134744072",
      "2606:4700:4700::1111",
      "[2606:4700:4700::1111]"
    ]
  ) {
    it.effect(`${host} is let through`, () =>
      Effect.gen(function*() {
        assert.strictEqual((yield* resolve(host)).length, 1)
      }).pipe(Effect.provide(guarding(""))))
  }

  for (
    const host of [
      "",
      "a b",
      "exa/mple.com",
      "user@host",
      "fe80::1%eth0",
      "[::1",
      "1.2.3.4.5.6",
      "300.1.1.1",
      "host:80"
    ]
  ) {
    it.effect(`"${host}" is not a host`, () =>
      Effect.gen(function*() {
        const error = yield* Effect.flip(resolve(host))
        assert.deepInclude({ ...error }, { _tag: "EgressRefused", why: "host" })
      }).pipe(Effect.provide(guarding(""))))
  }

  it.effect("a name is refused if any of its addresses is", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* resolve("public.test")).length, 2)
      for (const host of ["mixed.test", "MIXED.test.", "six.test", "inside.test"]) {
        const error = yield* Effect.flip(resolve(host))
        assert.deepInclude({ ...error }, { _tag: "EgressRefused", why: "address" })
      }
      const unknown = yield* Effect.flip(resolve("unknown.test"))
      assert.deepInclude({ ...unknown }, { _tag: "DnsFailed", code: "ENOTFOUND" })
    }).pipe(Effect.provide(guarding(""))))

  it.effect("the operator allows networks, addresses, hosts, and loopback", () =>
    Effect.gen(function*() {
      for (
        const host of [
          "10.0.0.7",
          "inside.test",
          "mixed.test",
          "::ffff:10.0.0.7",
          "127.0.0.1",
          "::1",
          "fd00::5",
          "192.168.7.7"
        ]
      ) {
        assert.isAbove((yield* resolve(host)).length, 0, host)
      }
      for (const host of ["10.1.0.1", "192.168.7.8", "64:ff9b::a00:7"]) yield* Effect.flip(resolve(host))
    }).pipe(Effect.provide(guarding("10.0.0.0/24, loopback,, fd00::/8, 192.168.7.7"))))

  it.effect("an allowed host is allowed by its exact name only", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* resolve("INSIDE.test"), ["10.0.0.1"])
      yield* Effect.flip(resolve("mixed.test"))
      yield* Effect.flip(resolve("10.0.0.1"))
    }).pipe(Effect.provide(guarding("inside.test"))))

  for (const entry of ["10.0.0.1/24", "10.0.0.0/33", "a b", "http://x", "*.example.com"]) {
    it.effect(`"${entry}" is not an entry of the allow-list`, () =>
      Effect.gen(function*() {
        const error = yield* Effect.flip(Effect.fromResult(EgressAllowList.fromString(`loopback,${entry}`)))
        assert.strictEqual(error.entry, entry)
      }))
  }

  it.effect("a URL is checked for its scheme, its host and a literal address", () =>
    Effect.gen(function*() {
      const guard = yield* EgressGuard
      assert.strictEqual((yield* guard.checkUrl("https://hooks.example.com/a?b")).host, "hooks.example.com")
      for (
        const [url, why] of [
          ["ftp://example.com", "scheme"],
          ["file:///etc/passwd", "scheme"],
          ["example.com/x", "url"],
          ["", "url"],
          ["http://", "url"],
          ["http://127.0.0.1/", "address"],
          ["http://0x7f.1/", "address"],
          ["http://[::ffff:7f00:1]/", "address"],
          ["http://user:pass@169.254.169.254/", "address"]
        ] as const
      ) {
        const error = yield* Effect.flip(guard.checkUrl(url))
        assert.strictEqual(error.why, why, url)
      }
    }).pipe(Effect.provide(guarding(""))))

  it.effect("connect dials the checked address, and says what went wrong", () =>
    Effect.gen(function*() {
      const guard = yield* EgressGuard
      const server = Net.createServer((socket) => void socket.on("error", () => {}).end("hello"))
      yield* Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void)))
      const { port } = server.address() as AddressInfo
      const socket = yield* guard.connect({ host: "loop.test", port }, asker)
      assert.strictEqual(socket.remoteAddress, "127.0.0.1")
      socket.destroy()
      yield* Effect.callback<void>((resume) => void server.close(() => resume(Effect.void)))
      const closed = yield* Effect.flip(guard.connect({ host: "loop.test", port }, asker))
      assert.deepInclude({ ...closed }, { _tag: "ConnectFailed", code: "ECONNREFUSED", address: "127.0.0.1" })
      const noPort = yield* Effect.flip(guard.connect({ host: "loop.test", port: 0 }, asker))
      assert.deepInclude({ ...noPort }, { _tag: "EgressRefused", why: "port" })
    }).pipe(Effect.provide(guarding("loopback"))))
})
