import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import { Effect } from "effect"
import * as Fs from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { assertFail } from "./Attempts.ts"
import { canary, componentOf, HostileServer } from "./HostileServer.ts"

const refused =
  /Requires \w+ access|failed to open preopen|not available to components|egress guard refused|file: is not supported|Cannot find module|EACCES|ENOENT/

layer(HostileServer.layer, { excludeTestServices: true })("What hostile code reaches", (it) => {
  it.effect("no file: not the server's key, its database, its environment, nor its code", () =>
    Effect.gen(function*() {
      const { dataDirectory, server } = yield* HostileServer
      assert.includeMembers(yield* Effect.promise(() => Fs.readdir(dataDirectory)), ["secret-key", "postgres"])
      yield* assertFail(
        [
          `builtin("fs").readFileSync(event.body.directory + "/secret-key", "utf8")`,
          `builtin("fs").readdirSync(event.body.directory + "/postgres")`,
          `builtin("fs/promises").readFile("/proc/" + event.body.pid + "/environ")`,
          `builtin("fs").readlinkSync("/proc/self/cwd")`,
          `builtin("fs").writeFileSync("/left", "behind")`,
          `Deno.readTextFile("/proc/self/environ")`,
          `(await fetch("file://" + event.body.code)).text()`,
          `import("file://" + event.body.code)`,
          `builtin("module").createRequire("file:///")(event.body.code)`,
          `builtin("module")._load(event.body.code)`,
          `new (builtin("sqlite").DatabaseSync)(event.body.directory + "/new.db")`
        ],
        {
          directory: dataDirectory,
          pid: server.pid(),
          code: fileURLToPath(new URL("../../apps/server/src/Server.ts", import.meta.url))
        },
        refused
      )
    }))

  it.effect("no variable of the server's environment, wherever in its process it looks", () =>
    Effect.gen(function*() {
      const { run } = yield* HostileServer
      const { emitted } = yield* run(componentOf(`
        const seen = new Set()
        const texts = new Set()
        const walk = (value, depth) => {
          if (typeof value === "string") return void texts.add(value)
          if (Object(value) !== value || seen.has(value) || depth > 4) return
          seen.add(value)
          for (const key of Reflect.ownKeys(value)) {
            texts.add(String(key))
            try { walk(value[key], depth + 1) } catch {}
          }
        }
        for (const root of [globalThis, this, process, process.getBuiltinModule("node:os")]) walk(root, 0)
        this.$emit({ environment: Object.keys(process.env), count: texts.size, texts: [...texts].join(" ") })`))
      const { count, environment, texts } = emitted[0] as Record<string, Json.Json>
      assert.deepStrictEqual<unknown>(environment, ["PD_COMPONENT", "STASH_DIR"])
      assert.isAbove(Number(count), 1_000)
      assert.notMatch(Json.textOf(texts!), new RegExp(`${canary}|HEADWATER_|SERVERS_OWN`))
    }))

  it.effect("no process: it starts no program or thread, signals none, loads no library and shows no memory", () =>
    Effect.gen(function*() {
      const { server } = yield* HostileServer
      yield* assertFail(
        [
          `opened(builtin("child_process").spawn("/bin/true"))`,
          `new Deno.Command("/bin/sh").outputSync()`,
          `process.kill(event.body.pid, 9)`,
          `Deno.kill(event.body.pid, "SIGKILL")`,
          `Deno.dlopen("libc.so.6", {})`,
          `new (builtin("worker_threads").Worker)("for (;;);", { eval: true })`,
          `builtin("v8").getHeapSnapshot()`,
          `(await import("node:v8")).writeHeapSnapshot()`,
          `new (builtin("inspector").Session)().connect()`,
          `process.dlopen({ exports: {} }, "/lib/x.node")`,
          `new (builtin("wasi").WASI)({ version: "preview1", preopens: { "/": "/" } })`
        ],
        { pid: server.pid() },
        refused
      )
    }))

  it.effect("no socket of this machine's: not the database's, nor one that it would listen on", () =>
    Effect.gen(function*() {
      const { dataDirectory } = yield* HostileServer
      yield* assertFail(
        [
          `opened(builtin("net").connect(event.body.socket))`,
          `Deno.connect({ transport: "unix", path: event.body.socket })`,
          `Deno.connect({ hostname: "127.0.0.1", port: 5432 })`,
          `opened(builtin("net").connect(5432, "127.0.0.1"))`,
          `Deno.listen({ hostname: "127.0.0.1", port: 0 })`
        ],
        { socket: `${dataDirectory}/postgres/.s.PGSQL.5432` },
        refused
      )
    }))

  it.effect("no address that is not public, in any spelling and by any client: not the server's own API", () =>
    Effect.gen(function*() {
      const { server } = yield* HostileServer
      const { port } = new URL(server.url)
      const hosts = [
        "127.0.0.1",
        "localhost",
        "2130706433",
        "0x7f.1",
        "0177.0.0.1",
        "0.0.0.0",
        "[::1]",
        "[::ffff:7f00:1]",
        "[64:ff9b::7f00:1]",
        "[2002:7f00:1::]",
        "169.254.169.254",
        "[fd00:ec2::254]",
        "100.100.100.200",
        "10.0.0.1"
      ]
      yield* assertFail(
        [
          ...hosts.map((host) => `fetch("http://${host}:${port}/healthz")`),
          ...hosts.map((host) => `opened(builtin("net").connect(${port}, "${host.replace(/[[\]]/g, "")}"))`),
          ...hosts.map((host) =>
            `new Promise((resolve, reject) => {
              const socket = new WebSocket("ws://${host}:${port}/healthz")
              socket.onopen = resolve
              socket.onerror = ({ error }) => reject(error)
            })`
          ),
          `opened(builtin("http").get("http://127.0.0.1:${port}/healthz"))`,
          `opened(builtin("http2").connect("http://127.0.0.1:${port}"))`,
          `opened(builtin("tls").connect(${port}, "127.0.0.1"))`,
          `builtin("dns/promises").lookup("localhost")`
        ],
        {},
        /^EACCES: .*egress guard refused/
      )
    }))

  it.effect("no such address through the server either: by component_url, or by a prop that makes requests", () =>
    Effect.gen(function*() {
      const { hostile, neighbour, run, server } = yield* HostileServer
      for (const url of [`${server.url}/metrics`, "http://169.254.169.254/latest/meta-data/", "file:///etc/hostname"]) {
        const { status, text } = yield* hostile.send("POST", "/sources", { component_url: url })
        assert.strictEqual(status, 400, text)
        assert.match(text, /"component_url"/)
      }
      const { emitted, errors } = yield* run(
        `export default {
          props: { http: { type: "$.interface.http", customResponse: true }, ask: "http_request" },
          async run() { this.$emit({ got: (await this.ask.execute()).status }) }
        }`,
        { props: { ask: { method: "GET", url: `${server.url}/metrics` } } }
      )
      assert.deepStrictEqual(emitted, [])
      assert.match(errors[0]?.message ?? "", /egress guard refused/)
      yield* neighbour.undisturbed
    }))

  it.effect("no more where code runs before there is a source: at its top level, in its options and in its hooks", () =>
    Effect.gen(function*() {
      const { hostile, neighbour, refusal } = yield* HostileServer
      const read = `process.getBuiltinModule("node:fs").readFileSync("/etc/passwd", "utf8")`
      assert.match(
        yield* refusal(`const text = ${read}; export default { name: text, run() {} }`),
        /EACCES/
      )
      assert.match(
        yield* refusal(`export default { props: {}, hooks: { deploy() { throw new Error(${read}) } }, run() {} }`),
        /EACCES/
      )
      const saved = yield* hostile.send("POST", "/components", {
        component_code: `export default {
          key: "reading", props: { of: { type: "string", options() { return [${read}] } } }, run() {} }`
      })
      const id = Json.textOf(saved.json["data"]!["id"])
      const { status, text } = yield* hostile.send("POST", `/components/${id}/configure`, { prop_name: "of" })
      assert.strictEqual(status, 422)
      assert.match(text, /EACCES/)
      yield* neighbour.undisturbed
    }))

  it.effect("nothing of a neighbour's, nor does it leave anything for him to run into", () =>
    Effect.gen(function*() {
      const { neighbour, run } = yield* HostileServer
      const tamper = `
        globalThis.planted = "planted"
        Object.prototype.planted = "planted"
        Array.prototype.map = function() { return "planted" }
        JSON.stringify = () => '"planted"'
        process.getBuiltinModule("node:fs").planted = "planted"`
      const hostile = yield* run(componentOf(`
        ${tamper}
        const tried = []
        for (const leave of [
          () => localStorage.setItem("planted", "planted"), () => caches.open("planted"), () => Deno.openKv(),
          () => new BroadcastChannel("planted")
        ]) {
          try { await leave(); tried[tried.length] = "GOT" } catch (error) { tried[tried.length] = error.name }
        }
        throw new Error(tried.join())`))
      assert.strictEqual(hostile.errors[0]?.message, "ReferenceError,ReferenceError,TypeError,ReferenceError")
      yield* neighbour.undisturbed
      const { json, text } = yield* neighbour.account.send("POST", "/sources", {
        component_code: `export default {
          name: [typeof planted, {}.planted, [1].map(String), JSON.stringify(1), process.getBuiltinModule("node:fs").planted].join(" "),
          props: { http: "$.interface.http" }, run() {}
        }`
      })
      assert.strictEqual<unknown>(json["data"]?.["name"], "undefined-1-1", text)
    }))
})
