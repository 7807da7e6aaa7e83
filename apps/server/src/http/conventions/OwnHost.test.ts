import { assert, describe, it, layer } from "@effect/vitest"
import { EngineConfig } from "@headwater/engine/EngineConfig"
import { Effect, Result } from "effect"
import { HttpServer, HttpServerRequest, HttpServerResponse } from "effect/http"
import { IpNetwork } from "effect/net"
import { request } from "node:http"
import * as Http from "../../../test/HttpAppFixture.ts"
import { HttpSettings } from "./HttpSettings.ts"
import * as OwnHost from "./OwnHost.ts"

describe("a host", () => {
  const names = ["events.example.com", "*.internal.example", "Scraper_1"]

  it("is the server's own as an address, as the own machine, and by the names that are given", () => {
    const own = [
      ["127.0.0.1", "127.0.0.1:8787", "10.1.2.3", "[::1]", "[::1]:8787", "[2001:db8::1]:80"],
      ["localhost", "LOCALHOST:8787", "localhost.", "app.localhost:1", ""],
      ["events.example.com", "Events.Example.COM.:443", "a.internal.example", "a.b.internal.example:9"]
    ]
    for (const host of own.flat()) assert.isTrue(OwnHost.isOwn(host, names), host)
  })

  it("is a stranger's by any other name", () => {
    const strange = [
      ["evil.example", "events.example.com.evil.example", "evil-events.example.com", "example.com", "localhost.evil"],
      ["internal.example", "evilinternal.example", "notlocalhost", "127.0.0.1.evil.example", "1.2.3", "0x7f000001"],
      ["[::1].evil", "a@events.example.com", "events.example.com:80:80", "evil.example:127.0.0.1"]
    ]
    for (const host of strange.flat()) assert.isFalse(OwnHost.isOwn(host, names), host)
  })

  it("is the server's own by any name where that is said", () => {
    assert.isTrue(OwnHost.isOwn("evil.example", ["*"]))
  })

  it.effect("is left to the proxies where some are trusted", () =>
    Effect.gen(function*() {
      const trustedProxies = [Result.getOrThrow(IpNetwork.fromString("10.0.0.0/8"))]
      const settings = { maxBody: 1, rateLimit: 0, byteRateLimit: 0, maxCode: 1, maxProp: 1 }
      const statusWith = (more: Partial<HttpSettings["Service"]>) =>
        Effect.gen(function*() {
          const ofOwnHost = yield* OwnHost.make
          const request = new Request("http://evil.example/metrics", { headers: { host: "evil.example" } })
          return (yield* Effect.provideService(
            ofOwnHost(Effect.succeed(HttpServerResponse.empty())),
            HttpServerRequest.HttpServerRequest,
            HttpServerRequest.fromWeb(request)
          )).status
        }).pipe(
          Effect.provideService(EngineConfig, { publicUrl: "https://events.example.com" }),
          Effect.provideService(HttpSettings, { ...settings, ...more })
        )
      assert.strictEqual(yield* statusWith({}), 403)
      assert.strictEqual(yield* statusWith({ trustedProxies }), 204)
    }))
})

const askedAs = Effect.fnUntraced(function*(host: string, path: string, method = "GET") {
  const { address } = yield* HttpServer.HttpServer
  const port = address._tag === "InetAddressV4" ? address.port : 0
  return yield* Effect.callback<{ readonly status: number; readonly text: string }>((resume) => {
    const sent = request({ host: "127.0.0.1", port, method, path, headers: { host }, agent: false }, (response) => {
      let text = ""
      response.on("data", (chunk) => {
        text += chunk
      })
      response.on("end", () => resume(Effect.succeed({ status: response.statusCode ?? 0, text })))
    })
    sent.end()
  })
})

const inside = ["/metrics", "/metrics/", "/%6detrics", "/console", "/console/", "/console/events", "/%63onsole/"]
const open = ["/healthz", "/readyz", "/openapi.json", "/llms.txt"]

layer(Http.layerWith({ ownHosts: ["0.0.0.0", "scraper.internal"] }), { excludeTestServices: true })(
  "a server that trusts no proxy",
  (it) => {
    it.effect("shows its metrics and its console under its own names alone", () =>
      Effect.gen(function*() {
        for (const path of inside) {
          for (const method of ["GET", "HEAD"]) {
            for (const host of ["127.0.0.1", "events.example.com", "scraper.internal:8787"]) {
              assert.isBelow((yield* askedAs(host, path, method)).status, 400, `${method} ${host}${path}`)
            }
            const refused = yield* askedAs("evil.example:8787", path, method)
            assert.strictEqual(refused.status, 403, `${method} ${path}`)
            if (method === "GET") assert.include(refused.text, "HEADWATER_ALLOWED_HOSTS")
          }
          // Who names the host in the target speaks to that one, whatever the header says (RFC 9112, 3.2.2).
          assert.strictEqual((yield* askedAs("127.0.0.1", `http://evil.example${path}`)).status, 403)
        }
        for (const path of open) assert.strictEqual((yield* askedAs("evil.example", path)).status, 200, path)
      }))
  }
)
