import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Http from "node:http"
import type { AddressInfo } from "node:net"
import * as DnsServer from "../test/DnsServer.ts"
import * as EgressAllowList from "./EgressAllowList.ts"
import { EgressGuard } from "./EgressGuard.ts"
import { EgressHttp } from "./EgressHttp.ts"

/** The one address that is allowed: it stands for the public internet. */
const outside = "127.0.0.9"

/** Spellings of addresses inside, as the host of a URL. */
const literals = [
  "127.0.0.1",
  "127.1",
  "127.0.1",
  "2130706433",
  "0x7f000001",
  "0x7F.0.0.1",
  "0177.0.0.1",
  "017700000001",
  "0x7f.1",
  "127.0.0.1.",
  "127.0.\t0.1",
  "%31%32%37.0.0.1",
  "１２７.０.０.１",
  "127。0。0。1",
  "①②⑦.⓪.⓪.①",
  "0",
  "0.0.0.0",
  "0x0",
  "[::1]",
  "[0:0:0:0:0:0:0:1]",
  "[::]",
  "[::ffff:127.0.0.1]",
  "[::FFFF:7F00:1]",
  "[::127.0.0.1]",
  "[::ffff:0:7f00:1]",
  "[64:ff9b::7f00:1]",
  "[64:ff9b:1::7f00:1]",
  "[2002:7f00:1::]",
  "[2001:0:4136:e378:8000:63bf:80ff:fffe]",
  "[2001:db8::5efe:7f00:1]",
  "[fe80::1]",
  "[fec0::1]",
  "[fd00:ec2::254]",
  "169.254.169.254",
  "0xa9fea9fe",
  "2852039166",
  "0251.0376.0251.0376",
  "[::ffff:a9fe:a9fe]",
  "100.100.100.200",
  "10.0.0.1",
  "172.16.0.1",
  "192.168.0.1",
  "192.0.0.192",
  "198.18.0.1",
  "224.0.0.1",
  "255.255.255.255"
]

/** Names that lead inside, and where to. */
const names: Record<string, ReadonlyArray<string>> = {
  "loop.test": ["127.0.0.1"],
  "meta.test": ["169.254.169.254"],
  "one-of-two.test": [outside, "127.0.0.1"],
  "one-of-both.test": [outside, "::1"],
  "mapped.test": ["::ffff:127.0.0.1"],
  "nat64.test": ["64:ff9b::7f00:1"]
}

/** URLs that look as if they led outside, or somewhere else than by HTTP. */
const disguised = (port: number) => [
  `http://${outside}@127.0.0.1:${port}/`,
  `http://${outside}:${port}@127.0.0.1:${port}/`,
  `http://127.0.0.1:${port}\\@${outside}:${port}/`,
  `http://127.0.0.1:${port}#@${outside}:${port}/`,
  `http://127.0.0.1:${port}?@${outside}:${port}/`,
  `http:127.0.0.1:${port}/`,
  `http:/\\127.0.0.1:${port}/`,
  `  http://127.0.0.1:${port}/`,
  `HTTP://LOOP.TEST:${port}/`,
  `http://loop.test.:${port}/`,
  `file:///etc/passwd`,
  `gopher://127.0.0.1:${port}/_GET%20/`,
  `ftp://127.0.0.1:${port}/`,
  `ws://127.0.0.1:${port}/`,
  `data:text/plain,x`,
  `unix:/var/run/docker.sock`,
  `http://unix:/var/run/docker.sock`
]

const listen = (port: number, host: string, handle: Http.RequestListener) =>
  Effect.acquireRelease(
    Effect.callback<Http.Server>((resume) => {
      const server = Http.createServer(handle)
      server.listen(port, host, () => resume(Effect.succeed(server)))
    }),
    (server) =>
      Effect.callback<void>((resume) => {
        server.closeAllConnections()
        server.close(() => resume(Effect.void))
      })
  )

/** A server outside that redirects to where it is told, and one inside on the same port that nothing may come to. */
const setting = Effect.gen(function*() {
  let reached = 0
  const inner = yield* listen(0, "127.0.0.1", (_, response) => {
    reached += 1
    response.end("inside")
  })
  const { port } = inner.address() as AddressInfo
  yield* listen(port, outside, (request, response) => {
    const location = new URL(request.url ?? "/", "http://outside").searchParams.get("to")
    if (location !== null) response.writeHead(302, { location })
    response.end("outside")
  })
  return { port, reached: () => reached }
})

const asker = { accountId: "u_1", use: "delivery" } as const

const send = (url: string) =>
  Effect.flatMap(
    EgressHttp,
    (http) => http.request({ asker, method: "GET", url, headers: {}, timeoutMillis: 20_000, maxBodyBytes: 1_024 })
  )

const guarded = (dns: DnsServer.DnsServer) =>
  EgressHttp.layer().pipe(
    Layer.provideMerge(EgressGuard.layerNoNames(EgressAllowList.fromEntries([outside]).pipe(allowed))),
    Layer.provide(dns.layer)
  )

const allowed = (list: ReturnType<typeof EgressAllowList.fromEntries>) => Effect.runSync(Effect.fromResult(list))

const zone = (name: string) => names[name.toLowerCase()] ?? []

it.live("what a URL spells out of the inside is refused when it is registered and when it is sent to", () =>
  Effect.gen(function*() {
    const { port, reached } = yield* setting
    yield* Effect.gen(function*() {
      const guard = yield* EgressGuard
      for (const host of literals) {
        const url = `http://${host}:${port}/`
        const registered = yield* Effect.flip(guard.checkUrl(url))
        assert.strictEqual(registered._tag, "EgressRefused", url)
        const sent = yield* Effect.flip(send(url))
        assert.strictEqual(sent.reason, "refused", url)
      }
    }).pipe(Effect.provide(guarded(yield* DnsServer.make(zone))))
    assert.strictEqual(reached(), 0)
  }))

it.live("a name that leads inside, and a URL that hides where it leads, is sent nothing", () =>
  Effect.gen(function*() {
    const { port, reached } = yield* setting
    yield* Effect.gen(function*() {
      for (const url of [...Object.keys(names).map((name) => `http://${name}:${port}/`), ...disguised(port)]) {
        const { reason } = yield* Effect.flip(send(url))
        assert.include(["refused", "dns"], reason, url)
      }
    }).pipe(Effect.provide(guarded(yield* DnsServer.make(zone))))
    assert.strictEqual(reached(), 0)
  }))

it.live("a name that leads inside is refused from memory too", () =>
  Effect.gen(function*() {
    const { port, reached } = yield* setting
    const dns = yield* DnsServer.make(zone, { ttl: 60 })
    yield* Effect.gen(function*() {
      for (const name of Object.keys(names)) {
        for (let attempt = 0; attempt < 3; attempt++) {
          const { reason } = yield* Effect.flip(send(`http://${name}:${port}/`))
          assert.strictEqual(reason, "refused", name)
        }
        assert.strictEqual(dns.lookups(name), 1, name)
      }
    }).pipe(Effect.provide(guarded(dns)))
    assert.strictEqual(reached(), 0)
  }))

it.live("a redirect to the inside is an answer, and nothing more", () =>
  Effect.gen(function*() {
    const { port, reached } = yield* setting
    yield* Effect.gen(function*() {
      const targets = [
        ...literals.map((host) => `http://${host}:${port}/`),
        ...Object.keys(names).map((name) => `http://${name}:${port}/`),
        ...disguised(port)
      ]
      for (const target of targets) {
        const answer = yield* send(`http://${outside}:${port}/?to=${encodeURIComponent(encodeURI(target))}`)
        assert.strictEqual(answer.status, 302, target)
        assert.strictEqual(Buffer.from(answer.body).toString(), "outside")
      }
    }).pipe(Effect.provide(guarded(yield* DnsServer.make(zone))))
    assert.strictEqual(reached(), 0)
  }))

it.live("a name is looked up once for an attempt and again for the next, whatever it says then", () =>
  Effect.gen(function*() {
    const { port, reached } = yield* setting
    const inside = ["127.0.0.1", "169.254.169.254", "10.0.0.1", "::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "fd00::1"]
    const rebinding = yield* DnsServer.make((name, count) => {
      const then = inside[Number(/^then-(\d+)\./.exec(name)?.[1])]
      return count === 1 || then === undefined ? [outside] : [then]
    })
    yield* Effect.gen(function*() {
      for (const [index, address] of inside.entries()) {
        const name = `then-${index}.test`
        const url = `http://${name}:${port}/`
        const answer = yield* send(url)
        assert.deepStrictEqual([answer.status, answer.address], [200, outside])
        assert.strictEqual(rebinding.lookups(name), 1)
        // The connection to the address that was allowed is still open.
        const { message, reason } = yield* Effect.flip(send(url))
        assert.strictEqual(reason, "refused", `${message} (${address})`)
        assert.strictEqual(rebinding.lookups(name), 2)
      }
    }).pipe(Effect.provide(guarded(rebinding)))
    assert.strictEqual(reached(), 0)
  }))
