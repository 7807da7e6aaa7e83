import { assert, describe, layer } from "@effect/vitest"
import { EgressBroker } from "@headwater/egress/EgressBroker"
import { componentOf, realSandbox, runCode } from "@headwater/testing/RealSandbox"
import { authority, certificate, privateKey } from "@headwater/testing/TestCertificate"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Fs from "node:fs/promises"
import * as Http from "node:http"
import * as Https from "node:https"
import type { AddressInfo } from "node:net"
import type * as Net from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"

const httpServer = Effect.acquireRelease(
  Effect.callback<Http.Server>((resume) => {
    const server = Http.createServer((request, response) => {
      if (request.url === "/redirect") return response.writeHead(302, { location: "/hello" }).end()
      if (request.url === "/metadata") return response.writeHead(302, { location: "http://169.254.169.254/" }).end()
      if (request.url === "/gzip") return response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("small"))
      if (request.url === "/slow") {
        response.write("one,")
        return setTimeout(() => response.end("two"), 50)
      }
      const chunks: Array<Buffer> = []
      request.on("data", (chunk: Buffer) => chunks.push(chunk))
      return request.on(
        "end",
        () =>
          response.writeHead(200, { "x-method": request.method ?? "" }).end(`${request.url} ${Buffer.concat(chunks)}`)
      )
    })
    server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
  }),
  (server) =>
    Effect.callback<void>((resume) => {
      server.closeAllConnections()
      server.close(() => resume(Effect.void))
    })
)

const httpsServer = Effect.acquireRelease(
  Effect.callback<Https.Server>((resume) => {
    const server = Https.createServer(
      { key: privateKey, cert: certificate },
      (request, response) => response.end(`secure ${request.url}`)
    )
    server.on("tlsClientError", () => {})
    server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
  }),
  (server) =>
    Effect.callback<void>((resume) => {
      server.closeAllConnections()
      server.close(() => resume(Effect.void))
    })
)

const portOf = (server: Net.Server): number => (server.address() as AddressInfo).port

describe("The network of the sandbox", () => {
  layer(realSandbox({ allow: "loopback", pool: { warmProcesses: 1 } }), {
    excludeTestServices: true,
    timeout: "60 seconds"
  })("where loopback is allowed", (it) => {
    it.effect("fetch reaches a server, streams, follows redirects and decodes", () =>
      Effect.gen(function*() {
        const port = portOf(yield* httpServer)
        const result = yield* runCode(
          componentOf(`
            const base = "http://127.0.0.1:" + event.port
            const post = await fetch(base + "/post", { method: "POST", body: JSON.stringify({ a: 1 }) })
            this.$emit([post.status, post.headers.get("x-method"), await post.text()])
            const redirected = await fetch(base + "/redirect")
            this.$emit([redirected.redirected, redirected.url.slice(base.length), await redirected.text()])
            this.$emit(await (await fetch(base + "/gzip")).text())
            const slow = []
            for await (const chunk of (await fetch(base + "/slow")).body) slow.push(Buffer.from(chunk).toString())
            this.$emit(slow)`),
          { event: { port } }
        )
        assert.strictEqual(result.outcome, "success", JSON.stringify(result.error))
        assert.deepStrictEqual(result.emits.map((_) => _.payload), [
          `[200,"POST","/post {\\"a\\":1}"]`,
          `[true,"/hello","/hello "]`,
          `"small"`,
          `["one,","two"]`
        ])
      }))

    it.effect("node:http, node:net and node:dns work, by name too", () =>
      Effect.gen(function*() {
        const port = portOf(yield* httpServer)
        const result = yield* runCode(
          `import http from "node:http"
           import { connect } from "node:net"
           import { lookup } from "node:dns/promises"
           export default { props: {}, async run({ port }) {
             const text = (stream) => new Promise((resolve, reject) => {
               let all = ""
               stream.on("data", (chunk) => all += chunk).on("end", () => resolve(all)).on("error", reject)
             })
             this.$emit(await new Promise((resolve, reject) =>
               http.get({ host: "localhost", port, path: "/http" }, (response) => resolve(text(response))).on("error", reject)))
             const socket = connect(port, "127.0.0.1")
             socket.write("GET /net HTTP/1.0\\r\\n\\r\\n")
             this.$emit((await text(socket)).split("\\r\\n").at(-1))
             this.$emit((await lookup("127.0.0.1")).address)
           } }`,
          { event: { port } }
        )
        assert.strictEqual(result.outcome, "success", JSON.stringify(result.error))
        assert.deepStrictEqual(result.emits.map((_) => _.payload), [`"/http "`, `"/net "`, `"127.0.0.1"`])
      }))

    it.effect("a redirect to what is not allowed is refused, and says so in the component's own lines", () =>
      Effect.gen(function*() {
        const port = portOf(yield* httpServer)
        const result = yield* runCode(componentOf(`await fetch("http://127.0.0.1:" + event.port + "/metadata")`), {
          event: { port }
        })
        assert.strictEqual(result.outcome, "error")
        assert.match(result.error?.message ?? "", /egress guard refused 169\.254\.169\.254/)
        assert.strictEqual(result.error?.line, 2)
      }))

    it.effect("a run that has ended opens no more connections", () =>
      Effect.gen(function*() {
        let requests = 0
        const server = yield* httpServer
        server.on("request", () => void requests++)
        yield* runCode(
          componentOf(`setTimeout(() => fetch("http://127.0.0.1:" + event.port + "/late").catch(() => {}), 50)`),
          { event: { port: portOf(server) }, accountId: "u_late" }
        )
        yield* Effect.sleep("300 millis")
        assert.strictEqual(requests, 0)
      }))

    it.effect("what a server does not do ends as an error of the component, not of the process", () =>
      Effect.gen(function*() {
        const server = yield* httpServer
        const port = portOf(server)
        server.close()
        const result = yield* runCode(
          componentOf(`try { await fetch("http://127.0.0.1:" + event.port) } catch (error) { this.$emit(error.code) }`),
          { event: { port } }
        )
        assert.deepStrictEqual(result.emits, [{ payload: `"ECONNREFUSED"` }])
      }))
  })

  const withAuthority = Layer.unwrap(Effect.gen(function*() {
    const extraCaFile = yield* Effect.acquireRelease(
      Effect.promise(async () => {
        const file = join(await Fs.mkdtemp(join(tmpdir(), "headwater-ca-")), "ca.pem")
        await Fs.writeFile(file, authority)
        return file
      }),
      (file) => Effect.promise(() => Fs.rm(join(file, ".."), { recursive: true }))
    )
    return realSandbox({ allow: "loopback", pool: { warmProcesses: 1 }, extraCaFile })
  }))

  for (const trusted of [true, false]) {
    const sandbox = trusted ? withAuthority : realSandbox({ allow: "loopback", pool: { warmProcesses: 1 } })
    layer(sandbox, { excludeTestServices: true, timeout: "60 seconds" })(
      trusted ? "with an extra authority" : "without the extra authority",
      (it) => {
        it.effect(`https to a certificate of it is ${trusted ? "trusted" : "refused"}, by fetch and by node:tls`, () =>
          Effect.gen(function*() {
            const port = portOf(yield* httpsServer)
            const result = yield* runCode(
              `import { connect } from "node:tls"
               export default { props: {}, async run({ port }) {
                 const outcome = (promise) => promise.then((value) => this.$emit(value), (error) => this.$emit("refused " + error.message))
                 await outcome(fetch("https://localhost:" + port + "/fetch").then((response) => response.text()))
                 await outcome(new Promise((resolve, reject) => {
                   const socket = connect({ host: "localhost", port }, () => { resolve(socket.authorized); socket.destroy() })
                   socket.on("error", reject)
                 }))
               } }`,
              { event: { port } }
            )
            assert.strictEqual(result.outcome, "success", JSON.stringify(result.error))
            const said = result.emits.map((_) => _.payload)
            if (trusted) assert.deepStrictEqual(said, [`"secure /fetch"`, "true"])
            else for (const text of said) assert.match(text, /refused .*(certificate|issuer)/i)
            assert.strictEqual(said.length, 2)
          }))
      }
    )
  }

  layer(realSandbox({ pool: { warmProcesses: 1 } }), { excludeTestServices: true, timeout: "60 seconds" })(
    "where nothing is allowed",
    (it) => {
      for (
        const host of ["127.0.0.1", "localhost", "[::1]", "0x7f.1", "2130706433", "10.0.0.1", "[::ffff:127.0.0.1]"]
      ) {
        it.effect(`${host} is refused by fetch and by a socket`, () =>
          Effect.gen(function*() {
            const port = portOf(yield* httpServer)
            const result = yield* runCode(
              `import net from "node:net"
               export default { props: {}, async run({ host, port }) {
                 for (const open of [
                   () => fetch("http://" + host + ":" + port),
                   () => new Promise((resolve, reject) =>
                     net.connect(port, host.replace(/[\\[\\]]/g, "")).on("connect", resolve).on("error", reject))
                 ]) {
                   try { await open(); this.$emit("OPENED") } catch (error) { this.$emit([error.code, error.message]) }
                 }
               } }`,
              { event: { host, port } }
            )
            assert.strictEqual(result.emits.length, 2)
            for (const { payload } of result.emits) assert.match(payload, /"EACCES".*egress guard refused/)
          }))
      }

      it.effect("the broker's own port leads nowhere without a ticket", () =>
        Effect.gen(function*() {
          const { port } = yield* EgressBroker
          const code = componentOf(`
            const connection = await Deno.connect({ hostname: "127.0.0.1", port: event.port })
            await connection.write(new TextEncoder().encode("f".repeat(64) + "GET / HTTP/1.0\\r\\n\\r\\n"))
            const read = await connection.read(new Uint8Array(10)).catch((error) => error.name)
            this.$emit(read)`)
          const result = yield* runCode(code, { event: { port } })
          assert.strictEqual(result.outcome, "success", JSON.stringify(result.error))
          assert.match(result.emits[0]?.payload ?? "", /^(null|"ConnectionReset")$/)
        }))
    }
  )
})
