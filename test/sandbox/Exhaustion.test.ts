import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Schedule } from "effect"
import { gzipSync } from "node:zlib"
import { componentOf, HostileServer, outside } from "./HostileServer.ts"
import * as OutsideServer from "./OutsideServer.ts"

layer(HostileServer.layer, { excludeTestServices: true })("What hostile code uses up", (it) => {
  for (
    const [what, limit, body] of [
      ["spins", "cpu", `for (;;);`],
      ["has a regular expression look for ever", "cpu", `/^(a+)+$/.test("a".repeat(48) + "b")`],
      ["lets no other task come to its turn", "cpu", `for (;;) await null`],
      ["fills its heap", "memory", `const kept = []; for (;;) kept.push(new Array(500_000).fill(0.5))`],
      [
        "grows WebAssembly's memory",
        "memory",
        // It touches each page once: to fill them could use up the processor time first.
        `const memory = new WebAssembly.Memory({ initial: 1, maximum: 65536 })
         for (;;) {
           const before = memory.grow(256) * 65536
           const grown = new Uint8Array(memory.buffer, before)
           for (let at = 0; at < grown.length; at += 4096) grown[at] = 1
         }`
      ],
      ["emits without end", "output", `for (;;) this.$emit("x".repeat(1_000))`],
      ["logs without end", "output", `for (;;) console.log("x".repeat(1_000))`],
      ["fills its db with keys", "output", `for (let n = 0;; n++) this.db.set("k" + n, n)`],
      [
        "writes to standard error without end",
        "output",
        `for (;;) process.getBuiltinModule("node:fs").writeSync(2, "x".repeat(60_000))`
      ]
    ] as const
  ) {
    it.effect(`a run that ${what} ends by its ${limit} limit, which its $errors tells`, () =>
      Effect.gen(function*() {
        const { neighbour, run } = yield* HostileServer
        const { errors } = yield* run(componentOf(body))
        assert.deepStrictEqual(errors.map(({ code }) => code), ["LimitExceeded"])
        assert.include(errors[0]?.message, `(limit: ${limit})`)
        yield* neighbour.undisturbed
      }))
  }

  for (
    const [what, body, code] of [
      ["leaves by process.exit", `process.exit(0)`, /process\.exit/],
      [
        "leaves a rejection unhandled",
        `Promise.reject(new Error("unhandled")); await new Promise(() => {})`,
        /unhandled/
      ],
      ["blocks its thread", `Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)`, /did not answer/],
      ["throws what throws when it is read", `throw new Proxy({}, { get() { throw new Error("trap") } })`, /./]
    ] as const
  ) {
    it.effect(`a run that ${what} is an error of its own`, () =>
      Effect.gen(function*() {
        const { neighbour, run } = yield* HostileServer
        const { errors } = yield* run(componentOf(body))
        assert.lengthOf(errors, 1)
        assert.match(errors[0]!.message, code)
        yield* neighbour.undisturbed
      }))
  }

  it.effect("connections are 64 at once, and gone when their process is", () =>
    Effect.gen(function*() {
      const { neighbour, run } = yield* HostileServer
      let most = 0
      const { connections, port } = yield* OutsideServer.make(() => {})
      const watching = yield* Effect.sync(() => {
        most = Math.max(most, connections())
      }).pipe(Effect.repeat(Schedule.spaced("5 millis")), Effect.forkChild)
      const { emitted } = yield* run(
        componentOf(`
          const codes = {}
          await Promise.all(Array.from({ length: 200 }, () => new Promise((resolve) =>
            process.getBuiltinModule("node:net").connect(event.body.port, event.body.host)
              .on("connect", resolve)
              .on("error", ({ code }) => resolve(codes[code] = (codes[code] ?? 0) + 1)))))
          this.$emit(codes)
          for (;;);`),
        { body: { host: outside, port } }
      )
      assert.deepStrictEqual<unknown>(emitted, [{ EMFILE: 136 }])
      assert.isAtMost(most, 64)
      yield* Effect.sleep("20 millis").pipe(
        Effect.repeat({ until: () => connections() === 0 }),
        Effect.timeout("60 seconds")
      )
      assert.isAtLeast(most, 1)
      yield* Fiber.interrupt(watching)
      yield* neighbour.undisturbed
    }))

  it.effect("what decompresses to more than there is room for fills the run that asks for it, and no server", () =>
    Effect.gen(function*() {
      const { hostile, neighbour, run, server } = yield* HostileServer
      const bomb = gzipSync(Buffer.alloc(200 * 1024 * 1024), { level: 1 })
      const { port } = yield* OutsideServer.make((_, response) =>
        response.writeHead(200, { "content-encoding": "gzip", "content-type": "text/javascript" }).end(bomb)
      )
      const url = `http://${outside}:${port}/bomb.js`
      const { errors } = yield* run(
        componentOf(`const kept = []; for (;;) kept.push(await (await fetch(event.body.url)).arrayBuffer())`),
        { body: { url } }
      )
      // To decompress takes processor time as well: whichever is used up first.
      assert.match(errors[0]?.message ?? "", /\(limit: (memory|cpu)\)/)
      const { status, text } = yield* hostile.send("POST", "/sources", { component_url: url })
      assert.include([413, 422], status, text)
      assert.isDefined(server.pid())
      yield* neighbour.undisturbed
    }))

  it.effect("a hook is held to the limits of a run, and refuses its source", () =>
    Effect.gen(function*() {
      const { neighbour, refusal } = yield* HostileServer
      const code = `export default { props: {}, hooks: { deploy() { for (;;); } }, run() {} }`
      assert.include(yield* refusal(code), "(limit: cpu)")
      yield* neighbour.undisturbed
    }))

  it.effect("an account that spins in all the processes it may have leaves others their share", () =>
    Effect.gen(function*() {
      const { neighbour, run } = yield* HostileServer
      const spinning = (n: number) => componentOf(`/* ${n} */ for (;;);`)
      yield* neighbour.undisturbed
      const ended = yield* Effect.forEach([1, 2, 3, 4], (n) => run(spinning(n)), { concurrency: "unbounded" })
      assert.deepStrictEqual(ended.map(({ errors }) => errors.length), [1, 1, 1, 1])
      yield* neighbour.undisturbed
    }))

  it.effect("modules that the parser breaks on hold up their own account: another's has its turn among them", () =>
    Effect.gen(function*() {
      const { neighbour, refusal } = yield* HostileServer
      let refused = 0
      const hostile = yield* Effect.forEach(
        [1, 2, 3, 4],
        (n) => Effect.tap(refusal(`x = ${"(".repeat(250_000)}// ${n}`), () => Effect.sync(() => refused++)),
        {
          concurrency: "unbounded"
        }
      ).pipe(Effect.forkChild)
      yield* Effect.sleep("200 millis")
      const { status, text } = yield* neighbour.account.send("POST", "/sources", {
        component_code:
          `import assert from "assert"; export default { props: { http: "$.interface.http" }, run() { assert(true) } }`
      })
      const before = refused
      assert.strictEqual(status, 200, text)
      yield* Fiber.join(hostile)
      assert.isBelow(before, 4)
      yield* neighbour.undisturbed
    }))

  it.effect("a flood of the smallest rows is cut short, so that no commit waits for long behind it", () =>
    Effect.gen(function*() {
      const { deploy, hostile, neighbour, request, traces } = yield* HostileServer
      const calm = yield* neighbour.undisturbed
      const flood = yield* deploy(componentOf(`for (;;) this.$emit(0)`))
      yield* request(flood)
      yield* traces(flood)
      const slowest = yield* neighbour.undisturbed
      const { json } = yield* hostile.send("GET", `/sources/${flood.id}/events?limit=1`)
      assert.isBelow(Number(json["page_info"]!["total_count"]), 10_000)
      assert.isBelow(slowest, 2_000 + 5 * calm)
    }))
})
