import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { assertFail } from "./Attempts.ts"
import { componentOf, HostileServer, outside } from "./HostileServer.ts"
import * as OutsideServer from "./OutsideServer.ts"

/** Takes down the tickets that sockets begin with, and keeps them back if told to. */
const catchingTickets = `
  const net = process.getBuiltinModule("node:net")
  const tickets = []
  let keptBack = false
  const open = () => new Promise((resolve, reject) => {
    const socket = net.connect(event.body.port, event.body.host)
    socket.on("connect", () => resolve(socket)).on("error", reject)
  })
  const first = await open()
  const handles = Object.getPrototypeOf(first._handle)
  const write = handles.writeLatin1String
  handles.writeLatin1String = function(request, text) {
    if (/^[0-9a-f]{64}$/.test(text)) {
      tickets.push(text)
      if (keptBack) return 0
    }
    return write.call(this, request, text)
  }
  // On a connection to the broker whose own ticket is kept back.
  const redeem = async (ticket) => {
    const socket = await open()
    try {
      return await new Promise((resolve) => {
        const closed = () => resolve("closed")
        socket.on("data", () => resolve("answered")).on("close", closed).on("error", closed)
        socket.write(ticket + "GET /of-a-ticket HTTP/1.0\\r\\n\\r\\n")
      })
    } finally { socket.destroy() }
  }`

layer(HostileServer.layer, { excludeTestServices: true })(
  "Between hostile code and the server",
  (it) => {
    it.effect("a ticket of the broker's leads to where it was given for, once, whoever is first; a forged one nowhere", () =>
      Effect.gen(function*() {
        const { neighbour, run } = yield* HostileServer
        const asked: Array<string> = []
        const { port } = yield* OutsideServer.make((request, response) => {
          asked.push(request.url ?? "")
          response.end("answered")
        })
        const { emitted, errors } = yield* run(
          componentOf(`
          ${catchingTickets}
          await open()
          const [spent] = tickets
          keptBack = true
          await open()
          const unspent = tickets.at(-1)
          const raced = await Promise.all([1, 2, 3, 4].map(() => redeem(unspent)))
          const replayed = [await redeem(spent), await redeem(unspent)]
          const forged = await Promise.all(["0".repeat(64), "f".repeat(64), unspent.replaceAll("a", "b"), "GET / HTTP/1.1".padEnd(64)].map(redeem))
          handles.writeLatin1String = write
          this.$emit({ raced: raced.sort(), replayed, forged })`),
          { body: { host: outside, port } }
        )
        assert.deepStrictEqual(errors, [])
        assert.deepStrictEqual<unknown>(emitted, [{
          raced: ["answered", "closed", "closed", "closed"],
          replayed: ["closed", "closed"],
          forged: ["closed", "closed", "closed", "closed"]
        }])
        assert.deepStrictEqual(asked, ["/of-a-ticket"])
        yield* neighbour.undisturbed
      }))

    it.effect("a server outside leads it to no address inside, by whatever it redirects with", () =>
      Effect.gen(function*() {
        const { server } = yield* HostileServer
        const { port } = yield* OutsideServer.make((request, response) => {
          const [, status = "302", location = ""] = decodeURIComponent(request.url ?? "").split("!")
          response.writeHead(Number(status), { location }).end()
        })
        const targets = [
          `\${302}!${server.url}/metrics`,
          `307!http://169.254.169.254/`,
          `301!http://localhost:${port}/`
        ]
          .map((target) => target.replace("${302}", "302"))
        const base = `http://${outside}:${port}/!`
        yield* assertFail(
          targets.flatMap((target) => [
            `fetch("${base}${encodeURIComponent(target)}")`,
            `fetch("${base}${encodeURIComponent(target)}", { method: "POST", body: "x" })`
          ]),
          {},
          /EACCES: .*egress guard refused/
        )
      }))

    it.effect("what it writes to any descriptor is no message, nor a question to the guard", () =>
      Effect.gen(function*() {
        const { neighbour, run } = yield* HostileServer
        const { connections, port } = yield* OutsideServer.make(() => {})
        const { emitted, errors } = yield* run(
          componentOf(`
          const { writeSync } = process.getBuiltinModule("node:fs")
          const written = new Set()
          for (let fd = 1; fd < 40; fd++) {
            for (const message of [
              { _tag: "Connect", run: "", ask: 1_000_000, ...event.body },
              { _tag: "Emitted", run: "", payload: '"forged"' },
              { _tag: "Ended", run: "", cpuMs: 0 }
            ]) {
              try { writeSync(fd, "\\n" + JSON.stringify(message) + "\\n"); written.add(fd) } catch {}
            }
          }
          await new Promise((resolve) => setTimeout(resolve, 100))
          this.$emit([...written].slice(0, 2))`),
          { body: { host: outside, port } }
        )
        assert.deepStrictEqual(errors, [])
        assert.deepStrictEqual<unknown>(emitted, [[1, 2]])
        assert.strictEqual(connections(), 0)
        yield* neighbour.undisturbed
      }))

    it.effect("what it replaces of the language takes in no other run, and the source's next run is as it was", () =>
      Effect.gen(function*() {
        const { deploy, neighbour, request, traces } = yield* HostileServer
        const source = yield* deploy(componentOf(`
        if (event.body.spoil) {
          const caught = []
          const { stringify } = JSON
          const spy = (target, key) => {
            const original = target[key]
            target[key] = function(...values) { caught.push(key, ...values.filter((value) => typeof value === "string")); return original.apply(this, values) }
          }
          for (const key of ["stringify", "parse"]) spy(JSON, key)
          for (const key of ["slice", "indexOf", "startsWith"]) spy(String.prototype, key)
          for (const key of ["then", "finally"]) spy(Promise.prototype, key)
          spy(TextEncoder.prototype, "encode")
          spy(TextDecoder.prototype, "decode")
          for (const key of ["_tag", "payload", "run", "then", "value", "error"]) {
            Object.defineProperty(Object.prototype, key, { __proto__: null, configurable: true, set(value) { caught.push(key, String(value)) }, get() { return undefined } })
          }
          this.$emit({ first: true })
          await null
          console.log("logged")
          const seen = stringify(caught)
          for (const key of ["_tag", "payload", "run", "then", "value", "error"]) delete Object.prototype[key]
          this.$emit({ seen: /Emitted|Logged|[A-Za-z0-9_-]{32}/.test(seen.replaceAll(/eyJ[\\w.-]+/g, "")) })
        } else this.$emit({ next: event.body.n })`))
        yield* request(source, { spoil: true })
        yield* request(source, { n: 2 })
        const { emitted, errors } = yield* traces(source, 3)
        assert.deepStrictEqual(errors, [])
        assert.deepStrictEqual<unknown>(emitted, [{ first: true }, { seen: false }, { next: 2 }])
        yield* neighbour.undisturbed
      }))

    it.effect("what it emits, by whatever name, goes into its own log alone, and not to where requests wait", () =>
      Effect.gen(function*() {
        const { neighbour, run } = yield* HostileServer
        const { errors } = yield* run(
          componentOf(`
          for (const name of ["$requests", "x".repeat(201), "\\0", event.body.other]) this.$emit({ forged: name }, { name })
          for (let n = 0; n < 1_100; n++) this.$emit({ n }, { name: "stream " + n })`),
          { body: { other: neighbour.sourceId } }
        )
        assert.deepStrictEqual(errors.map(({ code }) => code), ["InvalidStreamName"])
        assert.match(errors[0]!.message, /^10\d events were not emitted/)
        yield* neighbour.undisturbed
      }))

    it.effect("an answer of its own cannot break out of its headers, nor speak for the connection", () =>
      Effect.gen(function*() {
        const { deploy, neighbour, request } = yield* HostileServer
        const source = yield* deploy(componentOf(`
        await this.http.respond({ status: event.body.status, headers: {
          "x-real": "1", "x-split": "a\\r\\nx-injected: 1", "x-split\\r\\nx-injected": "1", "": "1", "x-nul": "\\0",
          "content-length": "9999", "transfer-encoding": "chunked", "connection": "upgrade", "upgrade": "x"
        }, body: "body" })`))
        const { headers, status, text } = yield* request(source, { status: 200 })
        assert.deepStrictEqual([status, text, headers.get("x-real"), headers.get("content-length")], [
          200,
          "body",
          "1",
          "4"
        ])
        for (const name of ["x-injected", "x-split", "x-nul", "upgrade"]) assert.isFalse(headers.has(name), name)
        assert.strictEqual((yield* request(source, { status: 101 })).status, 502)
        assert.strictEqual((yield* request(source, { status: 999 })).status, 400)
        yield* neighbour.undisturbed
      }))
  }
)
