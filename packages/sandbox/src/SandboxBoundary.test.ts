import { assert, layer } from "@effect/vitest"
import { componentOf, realSandbox, runCode } from "@headwater/fixtures/RealSandbox"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { SandboxPool, type SandboxProcessSummary } from "./SandboxPool.ts"

const attempt = (body: string) => `
  try { ${body} }
  catch (error) { this.$emit(String(error?.code ?? error?.name) + " " + String(error?.message)) }`

const refusal = /Requires \w+ access|--no-remote|--no-npm|not available to components|denied/

layer(realSandbox({ pool: { warmProcesses: 1 } }), { excludeTestServices: true, timeout: "60 seconds" })(
  "The boundary of the sandbox",
  (it) => {
    for (
      const [what, body] of [
        ["reads a file", `this.$emit("GOT " + (await import("node:fs")).readFileSync("/etc/hostname", "utf8"))`],
        ["reads /proc", `this.$emit("GOT " + (await import("node:fs")).readFileSync("/proc/self/environ", "utf8"))`],
        ["writes a file", `(await import("node:fs")).writeFileSync("x", "y"); this.$emit("GOT")`],
        ["lists a directory", `this.$emit("GOT " + (await import("node:fs")).readdirSync("."))`],
        [
          "reads standard input",
          `const read = (await import("node:fs")).readFileSync("/dev/stdin"); this.$emit("GOT" + read)`
        ],
        [
          "imports a file",
          `this.$emit("GOT " + (await import("file:///etc/hostname", { with: { type: "text" } })).default)`
        ],
        ["imports from the network", `this.$emit("GOT " + await import("https://example.com/x.js"))`],
        ["imports from npm", `this.$emit("GOT " + await import("npm:is-number"))`],
        [
          "starts a program",
          `await new Promise((resolve, reject) => import("node:child_process").then((children) =>
          children.spawn("/bin/true").on("error", reject).on("exit", resolve))); this.$emit("GOT")`
        ],
        ["starts a Deno command", `this.$emit("GOT " + new Deno.Command("/bin/true").outputSync())`],
        [
          "signals its parent",
          `(await import("node:process")).kill((await import("node:process")).ppid, 0); this.$emit("GOT")`
        ],
        ["signals its parent by Deno", `Deno.kill(Deno.ppid, "SIGTERM"); this.$emit("GOT")`],
        ["loads a library", `Deno.dlopen("libc.so.6", {}); this.$emit("GOT")`],
        ["loads an addon", `process.dlopen({ exports: {} }, "/lib/x.node"); this.$emit("GOT")`],
        ["asks for the host's name", `this.$emit("GOT " + (await import("node:os")).hostname())`],
        ["opens a database file", `new (await import("node:sqlite")).DatabaseSync("/tmp/x.db"); this.$emit("GOT")`],
        [
          "listens",
          `await new Promise((resolve, reject) => import("node:net").then((net) =>
          net.createServer().on("error", reject).listen(0, "127.0.0.1", resolve))); this.$emit("GOT")`
        ],
        ["takes a heap snapshot", `this.$emit("GOT " + (await import("node:v8")).getHeapSnapshot().read())`],
        ["takes one by another way", `this.$emit("GOT " + process.getBuiltinModule("v8").getHeapSnapshot().read())`],
        ["has a snapshot written", `this.$emit("GOT " + (await import("node:v8")).default.writeHeapSnapshot())`],
        ["looks for objects on the heap", `this.$emit("GOT " + (await import("node:v8")).queryObjects(Array))`],
        [
          "changes how the engine works",
          `this.$emit("GOT " + (await import("node:v8")).setFlagsFromString("--expose-gc"))`
        ],
        [
          "starts a thread",
          `const { Worker } = await import("node:worker_threads")
          const worker = new Worker("require('node:worker_threads').parentPort.postMessage(typeof caches)", { eval: true })
          this.$emit("GOT " + await new Promise((resolve, reject) => worker.on("message", resolve).on("error", reject)))`
        ],
        [
          "starts a thread by another way",
          `const { Worker } = process.getBuiltinModule("worker_threads")
          new (class extends Worker {})("", { eval: true }); this.$emit("GOT")`
        ],
        [
          "looks into itself as a debugger does",
          `new (await import("node:inspector")).Session().connect(); this.$emit("GOT")`
        ],
        ["asks for a report on the process", `this.$emit("GOT " + JSON.stringify(process.report.getReport()))`],
        ["opens the inspector", `(await import("node:inspector")).open(9999); this.$emit("GOT")`],
        ["connects past the broker", `await Deno.connect({ hostname: "127.0.0.1", port: 22 }); this.$emit("GOT")`],
        [
          "connects to a unix socket",
          `await new Promise((resolve, reject) => import("node:net").then((net) =>
          net.connect("/var/run/docker.sock").on("error", reject).on("connect", resolve))); this.$emit("GOT")`
        ],
        [
          "asks a permission",
          `if ((await Deno.permissions.request({ name: "read" })).state === "granted") this.$emit("GOT")
          else throw new Error("denied")`
        ]
      ] as const
    ) {
      it.effect(`a component that ${what} is refused`, () =>
        Effect.gen(function*() {
          const result = yield* runCode(componentOf(attempt(body)))
          const said = [...result.emits.map((_) => _.payload), JSON.stringify(result.error)].join()
          assert.notMatch(said, /GOT/)
          assert.match(said, refusal)
        }))
    }

    it.effect("the environment of the server is not in the process", () =>
      Effect.gen(function*() {
        const result = yield* runCode(componentOf(`
          const { env } = await import("node:process")
          this.$emit([Object.keys(process.env), env.PATH ?? null, env.HOME ?? null, env.DENO_DIR ?? null])`))
        assert.deepStrictEqual(result.emits, [{ payload: `[["PD_COMPONENT"],null,null,null]` }])
      }))

    it.effect("what Deno's own modules are made with is out of reach, and so are the machine's graphics", () =>
      Effect.gen(function*() {
        const result = yield* runCode(componentOf(`
          this.$emit([typeof Deno.internal, Object.getOwnPropertySymbols(Deno).length, "gpu" in navigator])`))
        assert.deepStrictEqual(result.emits, [{ payload: `["undefined",0,false]` }])
      }))

    it.effect("what a component is told of its process says nothing of the host", () =>
      Effect.gen(function*() {
        const processes = yield* (yield* SandboxPool).processes
        const result = yield* runCode(
          componentOf(`
          const named = await import("node:process")
          const { Module, createRequire } = process.getBuiltinModule("node:module")
          const stacks = []
          const took = (error) => stacks.push(error.stack, error.message)
          took(new Error("own"))
          this.$emit({ toJSON() { took(new Error("called by the runtime")) } })
          await fetch("http://127.0.0.1:1").catch(took)
          await new Promise((resolve) => process.getBuiltinModule("node:net").connect(1, "127.0.0.1").on("error", (error) => resolve(took(error))))
          try { new WebSocket("ws://127.0.0.1:1").onerror = ({ error }) => took(error) } catch (error) { took(error) }
          for (const attempt of [
            () => this.db.set("k", "x".repeat(2e6)), () => Deno.readTextFileSync("x"), () => import("file:///x"), () => import("./x.js")
          ]) { try { await attempt() } catch (error) { took(error) } }
          Error.prepareStackTrace = (error, sites) => sites.map((site) => [site.getFileName(), site.getScriptNameOrSourceURL?.(), site.getEvalOrigin(), typeof site.getThis(), typeof site.getFunction(), String(site)].join()).join()
          this.$emit({ toJSON() { took(new Error("called by the runtime")) } })
          this.$emit({
            pids: [process.pid, process.ppid, named.pid, named.ppid, Deno.pid, Deno.ppid],
            paths: [process.execPath, named.execPath, Deno.execPath(), process.argv0, named.argv0, process.argv, process.execArgv,
              process.title, process.cwd(), Deno.cwd(), process.getBuiltinModule("node:path").resolve("x"),
              process.getBuiltinModule("node:url").pathToFileURL("x").href, process.mainModule ?? null, Module.globalPaths,
              Object.keys(Module._cache), createRequire("file:///").resolve.paths("x"), process.getBuiltinModule("node:os").homedir(),
              import.meta.dirname ?? null, import.meta.filename ?? null, new URL(import.meta.url).protocol],
            stacks
          })`),
          { accountId: "u_told" }
        )
        assert.strictEqual(result.outcome, "success", JSON.stringify(result.error))
        const told = JSON.parse(result.emits.at(-1)!.payload)
        assert.deepStrictEqual<unknown>(told.pids, [2, 1, 2, 1, 2, 1])
        assert.deepStrictEqual<unknown>(told.paths, [
          "/deno",
          "/deno",
          "/deno",
          "deno",
          "deno",
          ["deno", "component.mjs"],
          [],
          "deno",
          "/",
          "/",
          "/x",
          "file:///x",
          null,
          [],
          [],
          ["/node_modules"],
          "/",
          null,
          null,
          "blob:"
        ])
        assert.isAtLeast(told.stacks.length, 16)
        const text = told.stacks.join("\n")
        assert.notMatch(text, /headwater-sandbox|Boot\.js|\/tmp|\/home|\/root|sandbox\/|,object,function/)
        for (const { pid } of processes) assert.notInclude(text, String(pid))
      }))

    it.effect("a component that breaks what the channel is made with keeps no run of its account from being heard", () =>
      Effect.gen(function*() {
        const accountId = "u_broken"
        const isIts = (_: SandboxProcessSummary) => _.accountId === accountId
        yield* runCode(
          componentOf(`
          const broken = () => { throw new Error("broken") }
          for (const key of ["indexOf", "slice"]) String.prototype[key] = () => -1
          for (const key of ["subarray", "slice", "set"]) Object.getPrototypeOf(Uint8Array.prototype)[key] = broken
          TextDecoder.prototype.decode = JSON.parse = globalThis.String = globalThis.TextDecoder = broken`),
          { accountId }
        )
        const before = (yield* (yield* SandboxPool).processes).find(isIts)
        const next = yield* runCode(componentOf(`this.$emit(1)`), { accountId })
        assert.deepStrictEqual(next.emits, [{ payload: "1" }])
        assert.strictEqual((yield* (yield* SandboxPool).processes).find(isIts)?.id, before?.id)
      }))

    it.effect("what a component writes to standard output is not taken for a message", () =>
      Effect.gen(function*() {
        const result = yield* runCode(componentOf(`
          const { writeSync } = await import("node:fs")
          const forged = JSON.stringify({ _tag: "Emitted", run: "x", payload: "1" })
          for (const text of [forged + "\\n", "\\n" + forged + "\\n", "half a line", "\\0\\xff\\n\\n\\n"]) writeSync(1, text)
          this.$emit("real")
          writeSync(1, "and at the end")`))
        assert.strictEqual(result.outcome, "success")
        assert.deepStrictEqual(result.emits, [{ payload: `"real"` }])
      }))

    it.effect("a component that takes the host's messages away disturbs no run after it", () =>
      Effect.gen(function*() {
        const thief = yield* Effect.forkChild(runCode(
          componentOf(`for (;;) (await import("node:fs")).readSync(0, new Uint8Array(7))`),
          { accountId: "u_thief", limits: { wallMillis: 3_000 } }
        ))
        yield* Effect.sleep("1500 millis")
        const runs = yield* Effect.forEach(
          [1, 2, 3],
          (n) => runCode(componentOf(`this.$emit(event)`), { accountId: "u_thief", event: n }),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(runs.map((_) => _.emits), [1, 2, 3].map((n) => [{ payload: String(n) }]))
        assert.strictEqual((yield* Fiber.join(thief)).limit, "wall")
      }))

    it.effect("the secret of the channel does not pass through what a component can replace", () =>
      Effect.gen(function*() {
        const result = yield* runCode(
          componentOf(`
          const seen = []
          const { apply, getPrototypeOf, ownKeys, defineProperty, getOwnPropertyDescriptor } = Reflect
          const { fromCharCode } = String
          const Bytes = Uint8Array
          const lengthOf = getOwnPropertyDescriptor(getPrototypeOf(Bytes.prototype), "length").get
          const note = (value) => {
            if (typeof value === "string") seen[seen.length] = value
            if (!(value instanceof Bytes)) return
            let text = ""
            for (let i = 0; i < 80 && i < apply(lengthOf, value, []); i++) text += fromCharCode(value[i])
            seen[seen.length] = text
          }
          const spied = (original) => function(...values) {
            note(this)
            for (let i = 0; i < values.length; i++) note(values[i])
            return new.target === undefined ? apply(original, this, values) : Reflect.construct(original, values, new.target)
          }
          const spyOn = (target) => {
            for (const key of ownKeys(target)) {
              const { configurable, value, get, ...rest } = getOwnPropertyDescriptor(target, key)
              if (!configurable || key === "constructor") continue
              if (typeof value === "function") defineProperty(target, key, { ...rest, configurable, value: spied(value) })
              if (get !== undefined) defineProperty(target, key, { ...rest, configurable, get: spied(get) })
            }
          }
          const typed = getPrototypeOf(Bytes.prototype)
          defineProperty(typed, "constructor", { get() { note(this); return getPrototypeOf(Bytes) } })
          defineProperty(Bytes.prototype, "constructor", { get() { note(this); return Bytes } })
          for (const target of [typed, getPrototypeOf(Bytes), ArrayBuffer.prototype, TextEncoder.prototype]) spyOn(target)
          for (const target of [String.prototype, Array.prototype, Function.prototype, Map.prototype, Promise.prototype]) {
            spyOn(target)
          }
          spyOn(JSON)
          Object.prototype.toJSON = function() { seen[seen.length] = Object.keys(this).join(); return this }
          this.$emit({ marker: 1 }); console.log("x")
          delete Object.prototype.toJSON
          this.$emit(seen.filter((text) => /Emitted|Logged|_tag/.test(text)))`),
          { accountId: "u_spy" }
        )
        assert.deepStrictEqual(result.emits.map((_) => _.payload), [`{"marker":1}`, "[]"])
      }))

    it.effect("a run can say nothing in the name of another, nor after its end", () =>
      Effect.gen(function*() {
        const first = yield* runCode(
          componentOf(`setTimeout(() => { this.$emit("late"); this.db.set("late", 1); console.log("late") }, 30)`),
          { accountId: "u_late" }
        )
        const second = yield* runCode(componentOf(`await new Promise((resolve) => setTimeout(resolve, 100))`), {
          accountId: "u_late"
        })
        for (const result of [first, second]) {
          assert.deepStrictEqual([result.outcome, result.emits, result.logs, result.db], ["success", [], [], {}])
        }
      }))
  }
)
