import { assert, describe, layer } from "@effect/vitest"
import { EgressBroker } from "@headwater/egress/EgressBroker"
import { componentOf, realSandbox, runCode } from "@headwater/fixtures/RealSandbox"
import { authority, certificate, privateKey } from "@headwater/fixtures/TestCertificate"
import * as WebhookSink from "@headwater/fixtures/WebhookSink"
import { Effect, Layer } from "effect"
import * as Fs from "node:fs/promises"
import * as Http from "node:http"
import * as Https from "node:https"
import type { AddressInfo } from "node:net"
import * as Net from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { WebSocketServer } from "ws"

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

/** Sends back what it is sent, and closes with 4321 when that is "bye". */
const echo = (server: Http.Server | Https.Server) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const sockets = new WebSocketServer({ server, perMessageDeflate: true, handleProtocols: () => "second" })
      sockets.on("connection", (socket) =>
        socket.on("message", (data, binary) => {
          if (String(data) === "bye") socket.close(4321, "gone")
          else socket.send(data, { binary })
        }))
      return sockets
    }),
    (sockets) => Effect.sync(() => sockets.clients.forEach((socket) => socket.terminate()))
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

    it.effect("a name that can't be resolved is the error that it is in Node, whoever asks", () =>
      Effect.gen(function*() {
        const result = yield* runCode(componentOf(`
          const asks = {
            lookup: () => process.getBuiltinModule("node:dns").promises.lookup("nowhere.invalid"),
            resolve: () => process.getBuiltinModule("node:dns").promises.resolve4("nowhere.invalid"),
            socket: () => new Promise((_, reject) =>
              process.getBuiltinModule("node:net").connect(80, "nowhere.invalid").on("error", reject)),
            fetch: () => fetch("http://nowhere.invalid/").catch((error) => Promise.reject(error.cause))
          }
          for (const [how, ask] of Object.entries(asks)) {
            const { code, errno = 0, hostname, message, syscall } = await ask().catch((error) => error)
            this.$emit({ how, code, errno, hostname, message, syscall })
          }`))
        const errors = result.emits.map(({ payload }) => JSON.parse(payload))
        const hostname = "nowhere.invalid"
        // Whether a name server says that the name is not there, or nobody answers, is a matter of where this runs.
        const isUnanswered = errors[0]?.code === "EAI_AGAIN"
        const [code, errno] = isUnanswered ? ["EAI_AGAIN", -3001] : ["ENOTFOUND", -3008]
        const looked = { code, errno, hostname, message: `getaddrinfo ${code} ${hostname}`, syscall: "getaddrinfo" }
        const queried = errors[1]?.code
        assert.include(["ENOTFOUND", "ESERVFAIL", "ETIMEOUT"], queried)
        assert.deepStrictEqual(errors, [
          { how: "lookup", ...looked },
          {
            how: "resolve",
            code: queried,
            errno: 0,
            hostname,
            message: `queryA ${queried} ${hostname}`,
            syscall: "queryA"
          },
          { how: "socket", ...looked },
          { how: "fetch", ...looked }
        ])
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

    it.effect("what is no port, host or name is refused at once, as Node does", () =>
      Effect.gen(function*() {
        const result = yield* runCode(componentOf(`
          const net = process.getBuiltinModule("node:net")
          const dns = process.getBuiltinModule("node:dns")
          const http = process.getBuiltinModule("node:http")
          const codes = []
          for (const attempt of [
            () => net.connect({ port: NaN }), () => net.connect({ port: -1 }), () => net.connect({ port: 65536 }),
            () => net.connect({ port: 1.5 }), () => net.connect({ port: "" }), () => net.connect({ port: "http" }),
            () => net.connect({ port: {} }), () => net.connect({}), () => net.connect({ port: 80, host: 5 }),
            () => new Promise((_, reject) => http.get({ port: -1 }).on("error", reject)), () => dns.lookup(5, () => {}), () => dns.promises.lookup({}), () => dns.promises.resolve4(5)
          ]) {
            try { await Promise.race([attempt(), new Promise((resolve) => setTimeout(resolve, 10_000))]); codes.push("none") }
            catch (error) { codes.push(error.code) }
          }
          this.$emit(codes)`))
        const [badPort, badType] = ["ERR_SOCKET_BAD_PORT", "ERR_INVALID_ARG_TYPE"]
        assert.deepStrictEqual(JSON.parse(result.emits[0]?.payload ?? JSON.stringify(result.error)), [
          ...Array.from({ length: 6 }, () => badPort),
          badType,
          "ERR_MISSING_ARGS",
          badType,
          badPort,
          badType,
          badType,
          badType
        ])
      }))

    it.effect("each token that a run has is told to be refused once", () =>
      Effect.gen(function*() {
        const { url } = yield* WebhookSink.make(() => ({ status: 401 }))
        const refused: Array<unknown> = []
        const tokens = {
          ofProps: { app: { account: "apn_1", generation: 1, token: "first-token" } },
          watch: () => () => {},
          refused: (token: unknown) => void refused.push(token)
        }
        const result = yield* runCode(
          `export default { props: { app: { type: "app", app: "shop" } }, async run({ url }) {
             const headers = { authorization: this.app.$auth.oauth_access_token }
             for (let n = 0; n < 5; n++) this.$emit((await fetch(url, { headers })).status)
           } }`,
          { event: { url }, tokens, credentials: { app: {} }, props: { app: { authProvisionId: "apn_1" } } }
        )
        assert.deepStrictEqual(result.emits.map(({ payload }) => payload), Array.from({ length: 5 }, () => "401"))
        assert.deepStrictEqual(refused, [{ account: "apn_1", generation: 1 }])
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

    it.effect("WebSocket sends and receives text and bytes, and closes from either end", () =>
      Effect.gen(function*() {
        const server = yield* httpServer
        yield* echo(server)
        const code = componentOf(`
          const next = (socket, type) => new Promise((resolve) => socket.addEventListener(type, resolve, { once: true }))
          const socket = new WebSocket("http://127.0.0.1:" + event.port + "/path", ["first", "second"])
          this.$emit([socket.url.replace(event.port, "port"), socket.readyState, socket.binaryType, WebSocket.OPEN])
          try { socket.send("early") } catch (error) { this.$emit([error instanceof DOMException, error.name]) }
          await new Promise((resolve) => socket.onopen = resolve)
          this.$emit([socket.readyState, socket.protocol])
          const echoed = async (data) => {
            const received = next(socket, "message")
            socket.send(data)
            return (await received).data
          }
          this.$emit([await echoed("text \u00e9"), (await echoed("x".repeat(200_000))).length])
          const blob = await echoed(new Uint8Array([0, 1, 2, 3]).subarray(1, 3))
          this.$emit([blob instanceof Blob, [...new Uint8Array(await blob.arrayBuffer())]])
          socket.binaryType = "arraybuffer"
          for (const data of [new Uint8Array([4, 5]).buffer, new Blob(["\x06\x07"])]) {
            this.$emit([...new Uint8Array(await echoed(data))])
          }
          try { socket.close(1001) } catch (error) { this.$emit(error.name) }
          const closed = next(socket, "close")
          socket.send("bye")
          const { code, reason, wasClean } = await closed
          this.$emit([code, reason, wasClean, socket.readyState])
          const other = new WebSocket(socket.url)
          await next(other, "open")
          other.close(3000, "enough")
          this.$emit([other.readyState, (await next(other, "close")).code])`)
        const result = yield* runCode(code, { event: { port: portOf(server) } })
        assert.strictEqual(result.outcome, "success", JSON.stringify(result.error))
        assert.deepStrictEqual(result.emits.map((_) => JSON.parse(_.payload)), [
          ["ws://127.0.0.1:port/path", 0, "blob", 1],
          [true, "InvalidStateError"],
          [1, "second"],
          ["text \u00e9", 200_000],
          [true, [1, 2]],
          [4, 5],
          [6, 7],
          "InvalidAccessError",
          [4321, "gone", true, 3],
          [2, 3000]
        ])
      }))

    it.effect("a WebSocket that can't be had ends with an error and a close event, or is refused at once", () =>
      Effect.gen(function*() {
        const port = portOf(yield* httpServer)
        const ended = yield* httpServer
        const endedPort = portOf(ended)
        ended.close()
        const code = componentOf(`
          for (const [url, use] of [
            ["ws://127.0.0.1:" + event.endedPort],
            ["ws://127.0.0.1:" + event.port],
            ["ws://169.254.169.254/latest/meta-data"],
            ["ws://127.0.0.1:" + event.port, (socket) => socket.close()]
          ]) {
            const heard = []
            const socket = new WebSocket(url)
            use?.(socket)
            socket.onerror = ({ message, type }) => heard.push(type, message.replace(event.endedPort, "port"))
            await new Promise((resolve) => socket.onclose = ({ code, type, wasClean }) =>
              resolve(heard.push(type, code, wasClean, socket.readyState)))
            this.$emit(heard)
          }
          for (const values of [["/path"], ["ftp://a.example"], ["ws://a.example#b"], ["ws://a.example", ["a", "A"]]]) {
            try { new WebSocket(...values) } catch (error) { this.$emit(error.name) }
          }`)
        const result = yield* runCode(code, { event: { port, endedPort } })
        assert.strictEqual(result.outcome, "success", JSON.stringify(result.error))
        assert.deepStrictEqual(result.emits.map((_) => JSON.parse(_.payload)), [
          ["error", "connect ECONNREFUSED 127.0.0.1:port", "close", 1006, false, 3],
          ["error", "Unexpected server response: 200", "close", 1006, false, 3],
          [
            "error",
            "The egress guard refused 169.254.169.254: it is not a public address (link-local). " +
            "The operator can allow it with HEADWATER_EGRESS_ALLOW",
            "close",
            1006,
            false,
            3
          ],
          ["error", "WebSocket was closed before the connection was established", "close", 1006, false, 3],
          ...Array(4).fill("SyntaxError")
        ])
      }))

    it.effect("what a WebSocket's listener throws is the run's error", () =>
      Effect.gen(function*() {
        const server = yield* httpServer
        yield* echo(server)
        const code = componentOf(`
          const socket = new WebSocket("ws://127.0.0.1:" + event.port)
          socket.onopen = () => { throw new RangeError("too far") }
          await new Promise(() => {})`)
        const result = yield* runCode(code, { event: { port: portOf(server) } })
        assert.deepInclude(result.error, { name: "RangeError", message: "too far", line: 4 })
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
        it.effect(`https to a certificate of it is ${trusted ? "trusted" : "refused"}, by fetch, WebSocket and node:tls`, () =>
          Effect.gen(function*() {
            const server = yield* httpsServer
            yield* echo(server)
            const port = portOf(server)
            const result = yield* runCode(
              `import { connect } from "node:tls"
               export default { props: {}, async run({ port }) {
                 const outcome = (promise) => promise.then((value) => this.$emit(value), (error) => this.$emit("refused " + error.message))
                 await outcome(new Promise((resolve, reject) => {
                   const socket = new WebSocket("wss://localhost:" + port)
                   socket.onerror = ({ error }) => reject(error)
                   socket.onmessage = ({ data }) => resolve(data)
                   socket.onopen = () => socket.send("secure too")
                 }))
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
            if (trusted) assert.deepStrictEqual(said, [`"secure too"`, `"secure /fetch"`, "true"])
            else for (const text of said) assert.match(text, /refused .*(certificate|issuer)/i)
            assert.strictEqual(said.length, 3)
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
        it.effect(`${host} is refused by fetch, by a socket and by WebSocket`, () =>
          Effect.gen(function*() {
            const port = portOf(yield* httpServer)
            const result = yield* runCode(
              `import net from "node:net"
               export default { props: {}, async run({ host, port }) {
                 for (const open of [
                   () => fetch("http://" + host + ":" + port),
                   () => new Promise((resolve, reject) =>
                     net.connect(port, host.replace(/[\\[\\]]/g, "")).on("connect", resolve).on("error", reject)),
                   () => new Promise((resolve, reject) => {
                     const socket = new WebSocket("ws://" + host + ":" + port)
                     socket.onopen = resolve
                     socket.onerror = ({ error }) => reject(error)
                   })
                 ]) {
                   try { await open(); this.$emit("OPENED") } catch (error) { this.$emit([error.code, error.message]) }
                 }
               } }`,
              { event: { host, port } }
            )
            assert.strictEqual(result.emits.length, 3)
            for (const { payload } of result.emits) assert.match(payload, /"EACCES".*egress guard refused/)
          }))
      }

      it.effect("the broker's own port leads nowhere without a ticket", () =>
        Effect.gen(function*() {
          const { port } = yield* EgressBroker
          const heard = yield* Effect.callback<string>((resume) => {
            const socket = Net.connect(port, "127.0.0.1", () => socket.write(`${"f".repeat(64)}GET / HTTP/1.0\r\n\r\n`))
            socket.on("data", (data) => resume(Effect.succeed(`answered ${data.toString()}`)))
            socket.on("error", () => {}).on("close", () => resume(Effect.succeed("closed")))
          })
          assert.strictEqual(heard, "closed")
        }))
    }
  )
})
