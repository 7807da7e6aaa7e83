import { assert, layer } from "@effect/vitest"
import { componentOf, realSandbox, runCode } from "@headwater/fixtures/RealSandbox"
import { Effect, Fiber } from "effect"
import { SandboxPool, type SandboxProcessSummary } from "./SandboxPool.ts"

const attempt = (body: string) => `
  try { ${body} }
  catch (error) { this.$emit(String(error?.code ?? error?.name) + " " + String(error?.message)) }`

const refusal = /Requires \w+ access|--no-remote|--no-npm|not available to components|denied/

/** What prying code is written with: `attempts` emits whether it was refused, or what came of it. */
const descriptorTools = `
  const fs = await import("node:fs")
  const { default: byDefault } = fs
  const { promises } = fs
  const util = await import("node:util")
  const net = await import("node:net")
  const bytes = () => new Uint8Array(7)
  const called = (begin) => new Promise((resolve, reject) => begin((error, ...values) => error ? reject(error) : resolve(values)))
  const streamed = (stream) => new Promise((resolve, reject) =>
    stream.on("data", resolve).on("error", reject).on("close", () => reject(Object.assign(new Error("closed"), { code: "CLOSED" }))))
  const attempts = (...all) => Promise.all(all.map(async (attempt) => {
    try { this.$emit("GOT " + await attempt() + " by " + attempt) }
    catch (error) {
      const { code, message } = error
      const isRefused = /^(EACCES|EBADF|EINVAL|ERR_|CLOSED)/.test(code) || /not available|Requires|is not a|cannot be|Illegal|undefined/.test(message)
      this.$emit((isRefused ? "refused " : "FAILED ") + code + " " + message + " by " + attempt)
    }
  }))`

const waysToDescriptors: Readonly<Record<string, string>> = {
  "synchronous functions": `await attempts(...[0, -0, 1, 2, 4294967296, 4294967297].flatMap((fd) => [
    () => fs.readSync(fd, bytes()), () => byDefault.readSync(fd, bytes(), 0, 7, null), () => fs.readvSync(fd, [bytes()]),
    () => fs.readFileSync(fd), () => fs.fstatSync(fd), () => fs.closeSync(fd), () => fs.ftruncateSync(fd), () => fs.fsyncSync(fd),
    () => fs.fdatasyncSync(fd), () => fs.futimesSync(fd, 1, 1), () => fs.fchmodSync(fd, 0o777), () => fs.fchownSync(fd, 1, 1),
    () => process.getBuiltinModule("fs").readSync(fd, bytes())
  ]), () => fs.writeSync(0, "x"), () => fs.readSync("0", bytes()), () => fs.readSync(0n, bytes()),
    () => fs.readSync(new Number(0), bytes()), () => fs.readSync({ valueOf: () => 0 }, bytes()))`,
  "functions that call back": `await attempts(...[0, 1, 2].flatMap((fd) => [
    () => called((done) => fs.read(fd, bytes(), 0, 7, null, done)), () => called((done) => fs.read(fd, done)),
    () => called((done) => fs.readv(fd, [bytes()], done)), () => called((done) => fs.readFile(fd, done)),
    () => called((done) => fs.fstat(fd, done)), () => called((done) => fs.close(fd, done)), () => fs.close(fd),
    () => called((done) => fs.ftruncate(fd, 0, done)), () => called((done) => fs.fsync(fd, done)),
    () => called((done) => fs.futimes(fd, 1, 1, done)), () => called((done) => fs.fchmod(fd, 0, done))
  ]))`,
  "promises": `await attempts(...[0, 1, 2].flatMap((fd) => [
    () => promises.readFile(fd), async () => (await import("node:fs/promises")).readFile(fd),
    () => util.promisify(fs.read)(fd, bytes(), 0, 7, null), () => util.promisify(fs.readFile)(fd),
    () => fs.readFilePromise(fd), () => fs.readvPromise(fd, [bytes()]), () => promises.readFile({ fd }),
    () => fs.read[util.promisify.custom]?.(fd, bytes()) ?? Promise.reject(Object.assign(new Error(), { code: "ERR_NONE" }))
  ]))`,
  "originals of what is replaced":
    `await attempts(...["readSync", "read", "readFileSync", "closeSync"].flatMap((name) => [
    () => fs[name].prototype.constructor(0, bytes()), () => new fs[name](0, bytes()), () => fs[name].call(null, 0, bytes()),
    () => {
      const { apply } = Reflect
      let original = () => Promise.reject(new Error("not available"))
      Reflect.apply = (given, self, values) => { original = given; return apply(given, self, values) }
      try { fs[name](77, bytes(), () => {}) } catch {}
      Reflect.apply = apply
      return original(0, bytes(), () => {})
    }
  ]))`,
  "streams of files": `await attempts(...[0, 1, 2].flatMap((fd) => [
    () => streamed(fs.createReadStream("", { fd })), () => streamed(new fs.ReadStream("", { fd })),
    () => streamed(new fs.ReadStream.prototype.constructor("", { fd, autoClose: false })),
    () => { const stream = fs.createReadStream("/none"); stream.fd = fd; return streamed(stream) },
    () => new Promise((resolve, reject) => {
      const stream = new fs.WriteStream("/none").on("error", () => {})
      stream.fd = fd
      stream._destroy(null, (error) => error || fd === 0 ? reject(error ?? new Error("not available")) : resolve("closed it"))
    })
  ]))`,
  "sockets and handles": `
    const listening = (server, options) => new Promise((resolve, reject) =>
      server.on("error", reject).listen(options, () => resolve("listens")))
    await attempts(...Array.from({ length: 24 }, (_, fd) => fd).flatMap((fd) => [
      () => streamed(new net.Socket({ fd, readable: true })), () => streamed(net.Socket({ fd })),
      () => listening(net.createServer(), { fd }),
      async () => listening((await import("node:http")).createServer(), { fd })
    ]))`,
  "terminals": `await attempts(...[0, 1, 2].flatMap((fd) => [
    async () => streamed(new (await import("node:tty")).ReadStream(fd)),
    async () => streamed(new (await import("node:tty")).default.ReadStream(fd)),
    () => streamed(process.getBuiltinModule("tty").ReadStream(fd)),
    async () => new (await import("node:tty")).WriteStream(fd).getWindowSize(),
    async () => (await import("node:module")).registerHooks({}),
  ]))`,
  "standard input": `
    const { stdin } = await import("node:process")
    const { default: named } = await import("node:process")
    await attempts(...[stdin, named.stdin, process.stdin, process.openStdin?.() ?? process.stdin].map((stream) => () => streamed(stream)),
      async () => new Promise((resolve, reject) => import("node:repl").then(({ start }) => start({ prompt: "" }).on("line", resolve)
        .on("exit", () => reject(Object.assign(new Error(), { code: "CLOSED" }))), reject)),
      () => Deno.stdin.readSync(bytes()), () => Deno.stdout.close(), () => process.binding("fs").read(0, bytes()))`,
  "paths":
    `await attempts(...["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0", "/proc/thread-self/fd/0", "/dev/stdout", "/proc/1/fd/0"].flatMap((path) => [
    () => fs.readFileSync(path), () => fs.openSync(path), () => promises.open(path), () => streamed(fs.createReadStream(path)),
    () => Deno.readFile(path), () => Deno.openSync(path), () => Deno.readTextFileSync(path), () => import("file://" + path),
    () => import("file://" + path, { with: { type: "text" } }), () => fs.openAsBlob(path).then((blob) => blob.text())
  ]))`,
  "what Deno makes of numbers of resources": `await attempts(
    () => new Deno.FsFile(0, Symbol.for("Deno.internal.FsFile")).readSync(bytes()),
    async () => { const socket = await Deno.connect({ hostname: "127.0.0.1", port: event.port ?? 1 }); return new socket.constructor(0).read(bytes()) },
    () => new Deno.HttpClient(0).close(), () => new Deno.Process({ rid: 0, stdinRid: 1, stdoutRid: 0 }).close(),
    () => Deno.serveHttp({}), () => Deno.startTls({}), () => Deno.listen({ port: 0 }), () => Deno.close(0), () => Deno.read(0, bytes()),
    () => new Deno.ChildProcess(Symbol(), {}))`,
  "WASI": `await attempts(...[0, 1, 2, 9].map((stdin) => async () => {
    const { WASI } = await import("node:wasi")
    const memory = new WebAssembly.Memory({ initial: 1 })
    const system = new WASI({ version: "preview1", stdin })
    system.initialize({ exports: { memory } })
    new DataView(memory.buffer).setUint32(4, 8, true)
    return system.wasiImport.fd_read(0, 0, 1, 64)
  }), () => new (process.getBuiltinModule("wasi").WASI)({ version: "preview1" }).wasiImport.fd_read(0, 0, 1, 64))`
}

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
        assert.deepStrictEqual(result.emits, [{ payload: `[["PD_COMPONENT","STASH_DIR"],null,null,null]` }])
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

    for (const [way, body] of Object.entries(waysToDescriptors)) {
      it.effect(`no descriptor of the channel can be reached by ${way}`, () =>
        Effect.gen(function*() {
          const accountId = `u_fd_${way}`
          const isIts = (_: SandboxProcessSummary) => _.accountId === accountId
          yield* runCode(componentOf(`this.$emit(1)`), { accountId })
          const before = (yield* (yield* SandboxPool).processes).find(isIts)
          const prying = yield* Effect.forkChild(runCode(componentOf(`${descriptorTools}\n${body}`), { accountId }))
          // The host speaks to the process all the time, so there is something to read.
          const beside = yield* Effect.forEach(
            Array.from({ length: 20 }, (_, index) => index),
            (event) =>
              Effect.andThen(Effect.sleep("20 millis"), runCode(componentOf(`this.$emit(event)`), { accountId, event }))
          )
          const result = yield* Fiber.join(prying)
          assert.strictEqual(result.outcome, "success", JSON.stringify(result.error))
          assert.isNotEmpty(result.emits)
          for (const { payload } of result.emits) assert.match(payload, /^"refused/)
          assert.deepStrictEqual(beside.map((_) => _.emits), beside.map((_, index) => [{ payload: String(index) }]))
          assert.strictEqual((yield* (yield* SandboxPool).processes).find(isIts)?.id, before?.id)
        }))
    }

    it.effect("what a component writes to the descriptors 1 and 2 is lines of its console, by whatever way", () =>
      Effect.gen(function*() {
        const result = yield* runCode(componentOf(`
          const fs = await import("node:fs")
          const { promisify } = await import("node:util")
          const done = (begin) => new Promise((resolve, reject) => begin((error, ...values) => error ? reject(error) : resolve(values)))
          const written = [
            fs.writeSync(1, "a string\\n"),
            fs.writeSync(2, Buffer.from("-- bytes --"), 3, 5),
            fs.writevSync(1, [Buffer.from("some "), Buffer.from("buffers")]),
            (await done((callback) => fs.write(1, "called back", callback)))[0],
            (await promisify(fs.write)(2, Buffer.from("promised"))).bytesWritten
          ]
          fs.writeFileSync(1, "a file")
          await fs.promises.appendFile(1, "appended")
          await done((callback) => process.stdout.write("standard output", callback))
          await done((callback) => fs.createWriteStream("", { fd: 1, autoClose: false }).end("streamed", callback))
          this.$emit(written)`))
        assert.strictEqual(result.outcome, "success", JSON.stringify(result.error))
        assert.deepStrictEqual(result.emits, [{ payload: "[9,5,12,11,8]" }])
        assert.deepStrictEqual(result.logs.map(({ level, message }) => `${level}: ${message}`), [
          "info: a string",
          "error: bytes",
          "info: some buffers",
          "info: called back",
          "error: promised",
          "info: a file",
          "info: appended",
          "info: standard output",
          "info: streamed"
        ])
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
