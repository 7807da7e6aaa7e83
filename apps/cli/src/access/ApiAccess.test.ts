import { assert, it } from "@effect/vitest"
import * as Loopback from "@headwater/fixtures/Loopback"
import { Context, Effect, Layer, Redacted } from "effect"
import * as Net from "node:net"
import * as HeadwaterCommand from "../../test/HeadwaterCommand.ts"
import { ApiAccess } from "./ApiAccess.ts"

/** Asks a server once after the other, whatever it answers. */
const asking = Effect.fnUntraced(function*(url: string, times: number) {
  const access = Context.get(yield* Layer.build(ApiAccess.layerOf({ url, apiKey: Redacted.make("hw_key") })), ApiAccess)
  const ask = access.call(({ users }) => users.settings({ query: {} }))
  yield* Effect.replicateEffect(Effect.exit(ask), times, { discard: true })
})

it.live("a command asks its server over one connection", () =>
  Effect.gen(function*() {
    const ports: Array<number | undefined> = []
    const url = yield* Loopback.serve((request, response) => {
      ports.push(request.socket.remotePort)
      response.writeHead(200, { "content-type": "application/json" }).end("{}")
    })
    yield* asking(url, 3)
    assert.lengthOf(ports, 3)
    assert.strictEqual(new Set(ports).size, 1)
  }))

it.live("a command is told where the protocol of the URL is not the server's", () =>
  Effect.gen(function*() {
    const plain = yield* Loopback.serve((_, response) => void response.end("{}"))
    const toldAt = (url: string) =>
      Effect.map(
        HeadwaterCommand.run(["settings", "get"], { HEADWATER_URL: url, HEADWATER_API_KEY: "hw_key" }),
        ({ stderr }) => stderr
      )
    assert.include(
      yield* toldAt(plain.replace("http:", "https:")),
      "does not speak TLS (EPROTO). Is its URL one of http?"
    )
    const tls = yield* Effect.acquireRelease(
      Effect.callback<Net.Server>((resume) => {
        // The alert of a server that was not greeted by TLS.
        const server = Net.createServer((socket) => socket.once("data", () => socket.end("\x15\x03\x03\0\x02\x02\n")))
        server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
      }),
      (server) => Effect.sync(() => server.close())
    )
    const { port } = tls.address() as Net.AddressInfo
    assert.include(yield* toldAt(`http://127.0.0.1:${port}`), "does not speak HTTP (HPE_INVALID_CONSTANT)")
  }), HeadwaterCommand.patienceMs)

it.live("a command is redirected, to another server without the key", () =>
  Effect.gen(function*() {
    const keys: Array<string | undefined> = []
    const there = yield* Loopback.serve((request, response) => {
      keys.push(request.headers.authorization)
      response.writeHead(200, { "content-type": "application/json" }).end("{}")
    })
    const here = yield* Loopback.serve((request, response) => {
      keys.push(request.headers.authorization)
      const isFirst = request.url!.startsWith("/v1")
      response.writeHead(307, { location: isFirst ? `/moved${request.url}` : there }).end()
    })
    yield* asking(here, 1)
    assert.deepStrictEqual(keys, ["Bearer hw_key", "Bearer hw_key", undefined])
  }))

it.live("a command asks through the proxy of the environment, where Node is to use one", () =>
  Effect.gen(function*() {
    const asked: Array<string | undefined> = []
    const proxy = yield* Loopback.serve((request, response) => {
      asked.push(request.url)
      response.writeHead(200, { "content-type": "application/json" }).end("{}")
    })
    const environment = {
      HEADWATER_URL: "http://headwater.invalid",
      HEADWATER_API_KEY: "hw_key",
      HTTP_PROXY: proxy
    }
    yield* HeadwaterCommand.run(["settings", "get"], environment)
    assert.deepStrictEqual(asked, [])
    yield* HeadwaterCommand.run(["settings", "get"], { ...environment, NODE_USE_ENV_PROXY: "1" })
    assert.deepStrictEqual(asked, ["http://headwater.invalid/v1/users/me/settings"])
  }), HeadwaterCommand.patienceMs)
