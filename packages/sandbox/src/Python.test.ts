import { assert, layer } from "@effect/vitest"
import type { DataStoreReads } from "@headwater/domain/DataStore"
import { inputOf, inspectPython, keys, moduleOf, runPython, slowly } from "@headwater/fixtures/PythonSteps"
import { hashOf, realSandbox } from "@headwater/fixtures/RealSandbox"
import { Effect } from "effect"
import * as Http from "node:http"
import type { AddressInfo } from "node:net"
import { gzipSync } from "node:zlib"
import type { LiveToken, RunResponse } from "./Run.ts"
import { Sandbox } from "./Sandbox.ts"
import { SandboxPool } from "./SandboxPool.ts"

const httpServer = Effect.acquireRelease(
  Effect.callback<Http.Server>((resume) => {
    const server = Http.createServer((request, response) => {
      const { headers, method, url = "" } = request
      const [path = ""] = url.split("?")
      const status = /^\/status\/(\d+)$/.exec(path)
      if (status !== null) return response.writeHead(Number(status[1]), { "x-is": "1" }).end("no")
      if (path === "/never") return undefined
      if (path === "/moved") {
        return response.writeHead(302, { location: "/hello", "set-cookie": "seen=1; Path=/" }).end()
      }
      if (path === "/around") return response.writeHead(302, { location: "/around" }).end()
      if (path === "/gzip") return response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("small"))
      if (path === "/latin") {
        return response.writeHead(200, { "content-type": "text/plain" }).end(Buffer.from("\u00fc", "latin1"))
      }
      const chunks: Array<Buffer> = []
      request.on("data", (chunk: Buffer) => chunks.push(chunk))
      return request.on("end", () => {
        const body = Buffer.concat(chunks).toString()
        response.writeHead(200, { "content-type": "application/json; charset=utf-8", "Link": `</x>; rel="next"` })
          .end(JSON.stringify({ method, url, headers, body }))
      })
    })
    server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
  }),
  (server) =>
    Effect.callback<void>((resume) => {
      server.closeAllConnections()
      server.close(() => resume(Effect.void))
    })
)

const originOf = (server: Http.Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

layer(realSandbox({ allow: "loopback", pool: { warmProcesses: 1 } }), {
  excludeTestServices: true,
  timeout: "120 seconds"
})("Steps in Python", (it) => {
  it.effect("no process for Python is started before a step in Python is to be run", () =>
    Effect.gen(function*() {
      const { processes } = yield* SandboxPool
      const before = yield* processes
      assert.deepStrictEqual(before.map(({ language }) => language), ["javascript"])
      assert.strictEqual((yield* runPython("def handler(pd): return 1")).value, 1)
      assert.isTrue((yield* processes).some(({ language }) => language === "python"))
    }), slowly)

  it.effect(
    "a handler has the steps before it and the context, and what it exports, returns and prints is kept",
    () =>
      Effect.gen(function*() {
        const result = yield* runPython(
          `
def handler(pd: "pipedream"):
    event = pd.steps["trigger"]["event"]
    print("hello", event["name"])
    print({"a": [None, True]}, end="!\\n")
    pd.export("big", event["id"])
    pd.export("none", None)
    pd.export("$summary", "greeted")
    pd.flow.exit("known")
    pd.emit({"n": 1}, {"summary": "s"})
    pd.send.emit("x", "small")
    pd.send.http(method="POST", url="https://example.com/", data={"ü": 1})
    return {"half": 1.5, "earlier": pd.steps["earlier"]["$return_value"], "step": pd.context["step"], "name": pd.context["workflow_name"]}
`,
          { eventJson: `{"name":"Ann","id":12345678901234567890}` }
        )
        assert.strictEqual(result.outcome, "success")
        assert.strictEqual(
          result.answerJson,
          `{"result":{"big":12345678901234567890,"none":null,"$summary":"greeted","$return_value":` +
            `{"half":1.5,"earlier":7,"step":"greet","name":"test"}},"flow":{"exit":"known"}}`
        )
        assert.deepStrictEqual(result.logs.map(({ level, message }) => [level, message]), [
          ["info", "hello Ann"],
          ["info", "{'a': [None, True]}!"]
        ])
        assert.deepStrictEqual(result.emits, [
          { payload: `{"n":1}`, summary: "s" },
          { payload: `"x"`, name: "small" },
          {
            payload: `{"method":"POST","url":"https://example.com/","headers":{},"body":"{\\"ü\\":1}"}`,
            name: "$sends"
          }
        ])
      }),
    slowly
  )

  it.effect("a handler may be async, and a step that returns nothing has no value", () =>
    Effect.gen(function*() {
      const { value } = yield* runPython(`
import asyncio
async def half(n):
    await asyncio.sleep(0.01)
    return n / 2
async def handler(pd):
    return sum(await asyncio.gather(half(1), half(2)))`)
      assert.strictEqual(value, 1.5)
      const { answerJson } = yield* runPython("async def handler(pd):\n    pd.flow.delay(1000)")
      assert.strictEqual(answerJson, `{"result":{},"flow":{"delay":1000}}`)
    }), slowly)

  it.effect(
    "an exception is told with the lines of the step, and what it printed before",
    () =>
      Effect.gen(function*() {
        for (const start of ["def", "async def"]) {
          const { error, logs, outcome } = yield* runPython(`
import sys
def check(order):
    raise ValueError(f"order {order} has no total")

${start} handler(pd):
    print("warned", file=sys.stderr)
    try:
        {}["x"]
    except KeyError as cause:
        check(17)`)
          assert.strictEqual(outcome, "error")
          assert.deepStrictEqual(logs.map(({ level, message }) => [level, message]), [["error", "warned"]])
          const { stack, ...rest } = error!
          assert.deepStrictEqual(rest, { name: "ValueError", message: "order 17 has no total", line: 4 })
          assert.strictEqual(
            stack,
            `Traceback (most recent call last):
  File "greet.py", line 9, in handler
    {}["x"]
    ~~^^^^^
KeyError: 'x'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "greet.py", line 11, in handler
    check(17)
    ~~~~~^^^^
  File "greet.py", line 4, in check
    raise ValueError(f"order {order} has no total")
ValueError: order 17 has no total`
          )
        }
      }),
    slowly
  )

  it.effect(
    "a value that is no JSON, and an argument that is refused, are errors of Python",
    () =>
      Effect.gen(function*() {
        const wrong = {
          "return {1, 2}": "TypeError: Object of type set is not JSON serializable",
          [`return float("nan")`]: "ValueError: Out of range float values are not JSON compliant: nan",
          "pd.flow.delay(-1)": "ValueError: a delay must be from 0 to 31622400000 milliseconds",
          [`pd.send.http(url="ftp://x")`]: "TypeError: ftp://x is not an http or https URL",
          "pd.flow.fly()": "AttributeError: pd.flow has no fly",
          "pd.fly()": "AttributeError: pd has no fly",
          "raise SystemExit(3)": "SystemExit: 3"
        }
        for (const [line, expected] of Object.entries(wrong)) {
          const { error } = yield* runPython(`def handler(pd):\n    ${line}`)
          assert.strictEqual(`${error?.name}: ${error?.message}`, expected)
        }
        assert.strictEqual((yield* runPython("import sys\ndef handler(pd): sys.exit()")).outcome, "success")
      }),
    slowly
  )

  it.effect("props, credentials and environment variables are the run's own", () =>
    Effect.gen(function*() {
      const code = `
import os
def handler(pd):
    return [pd.inputs["slack"]["$auth"]["token"], pd.inputs["count"] + 1, os.environ["KEY"], sorted(os.environ)]`
      const text = `export default { steps: { greet: { lang: "python", code: ${JSON.stringify(code)},
          props: { slack: { type: "app", app: "slack" }, count: "integer" } } } }`
      const { configuredPropsJson, value } = yield* runPython("", {
        module: { code: text, hash: hashOf(text) },
        props: { "greet.count": "{{ 2 + 2 }}" },
        credentials: { "greet.slack": { token: "xoxb" } },
        environment: { values: { KEY: "v" }, masked: [] }
      })
      assert.strictEqual(configuredPropsJson, `{"count":4}`)
      assert.deepStrictEqual(value, ["xoxb", 5, "v", ["KEY", "PD_COMPONENT", "STASH_DIR"]])
    }), slowly)

  it.effect(
    "the access token of an app is renewed under a step, and what the step put in its place stays",
    () =>
      Effect.gen(function*() {
        const server = yield* httpServer
        const code = `
import requests, time
def handler(pd):
    auth, own = pd.inputs["shop"]["$auth"], pd.inputs["other"]["$auth"]
    seen = [auth["oauth_access_token"], own["oauth_access_token"]]
    own["oauth_access_token"] = "own"
    refused = {"Authorization": f"Bearer {seen[0]}"}
    requests.get("${originOf(server)}/status/401", headers=refused)
    while auth["oauth_access_token"] == seen[0]:
        time.sleep(0.01)
    return [*seen, auth["oauth_access_token"], dict(auth), own["oauth_access_token"]]`
        const text = `export default {
        props: { shop: { type: "app", app: "shop" } },
        steps: { greet: { lang: "python", code: ${JSON.stringify(code)},
          props: { other: { type: "app", app: "shop" } } } }
      }`
        const first = { account: "apn_1", generation: 1, token: "first-token" }
        let renewed: (token: LiveToken) => void = () => {}
        const { value } = yield* runPython("", {
          module: { code: text, hash: hashOf(text) },
          credentials: { shop: { region: "eu" }, "greet.other": {} },
          tokens: {
            ofProps: { shop: first, "greet.other": first },
            watch: (onRenewed) => {
              renewed = onRenewed
              return () => {}
            },
            refused: () => renewed({ ...first, generation: 2, token: "second-token" })
          }
        })
        assert.deepStrictEqual(value, [
          "first-token",
          "first-token",
          "second-token",
          { region: "eu", oauth_access_token: "second-token" },
          "own"
        ])
      }),
    slowly
  )

  it.effect("a run finds nothing of the one before it, nor of the server", () =>
    Effect.gen(function*() {
      const code = `
import os, sys
counter = globals().get("counter", 0) + 1
def handler(pd):
    found = [counter, os.listdir("/tmp"), os.environ.get("LEFT"), "left" in globals(), os.getcwd()]
    os.environ["LEFT"] = "1"
    globals()["left"] = 1
    open("left.txt", "w").write("x")
    os.makedirs("/tmp/a/b")
    print("held", end="")
    return found`
      const first = yield* runPython(code)
      const second = yield* runPython(code)
      assert.deepStrictEqual(first.value, [1, [], null, false, "/tmp"])
      assert.deepStrictEqual(second.value, first.value)
      assert.deepStrictEqual([...first.logs, ...second.logs].map(({ message }) => message), ["held", "held"])
    }), slowly)

  it.effect(
    "a step keeps no file outside of /tmp, and leaves nothing there, whatever it does to it",
    () =>
      Effect.gen(function*() {
        const write = yield* runPython(`
import os
def attempt(path):
    try:
        with open(path, "w") as file: file.write("x")
    except PermissionError:
        return None
    return path
def handler(pd):
    library = [folder for folder in os.sys.path if os.path.isdir(folder)]
    files = [file for file in os.sys.path if os.path.isfile(file)]
    folders = ["/", "/home", "/home/web_user", "/lib", "/dev/shm", "/dev/shm/tmp", "/packages", "/proc", *library]
    return [len(files) > 0, [attempt(path) for path in [os.path.join(folder, "x") for folder in folders] + files]]`)
        const [hasFiles, written] = write.value as [boolean, ReadonlyArray<unknown>]
        assert.isTrue(hasFiles)
        assert.isAbove(written.length, 10)
        assert.deepStrictEqual([...new Set(written)], [null])
        const hide = `
import os
def handler(pd):
    found = os.listdir("/tmp") + [path for path in ("/dev/a", "/dev/b") if os.path.exists(path)]
    os.makedirs("/tmp/a/b")
    os.mkdir("/dev/a")
    for path in ("/tmp/a/b/c", "/dev/b"):
        open(path, "w").close()
    os.chmod("/tmp/a/b", 0o555)
    os.chmod("/tmp", 0o555)
    return found`
        for (let times = 0; times < 2; times++) assert.deepStrictEqual((yield* runPython(hide)).value, [])
        assert.strictEqual((yield* runPython(`def handler(pd): return open("x", "w").write("ab")`)).value, 2)
      }),
    slowly
  )

  it.effect(
    "a module that a step wrote is gone with the run, and so is where it looked for it",
    () =>
      Effect.gen(function*() {
        const code = (n: number) => `
import os, sys
def handler(pd):
    found = ["/tmp/own" in sys.path]
    os.mkdir("own")
    open("own/written.py", "w").write("n = ${n}")
    sys.path.insert(0, "/tmp/own")
    import written
    return [*found, written.n]`
        assert.deepStrictEqual((yield* runPython(code(1))).value, [false, 1])
        assert.deepStrictEqual((yield* runPython(code(2))).value, [false, 2])
        assert.include((yield* runPython("def handler(pd): import written")).error?.message, "written")
      }),
    slowly
  )

  it.effect("several runs of a step follow each other in one process", () =>
    Effect.gen(function*() {
      const sandbox = yield* Sandbox
      const { next } = yield* sandbox.runBatch({
        accountId: "u_test",
        programId: "p_test",
        module: moduleOf(`def handler(pd): return pd.steps["trigger"]["event"]`),
        call: { _tag: "Step", step: "greet", lang: "python", keys, runs: ["1", "2", "3"].map(inputOf) },
        props: {},
        interfaces: {},
        credentials: {},
        db: {}
      })
      const values: Array<unknown> = []
      for (let results = yield* next; results.length > 0; results = yield* next) {
        for (const { answerJson } of results) values.push(answerJson)
      }
      // As many as there is time for in one go.
      const expected = [1, 2, 3].map((n) => `{"result":{"$return_value":${n}},"flow":{}}`)
      assert.isAtLeast(values.length, 1)
      assert.deepStrictEqual(values, expected.slice(0, values.length))
    }), slowly)

  it.effect("random numbers differ between processes that begin with the same memory", () =>
    Effect.gen(function*() {
      const code = "import random, uuid\ndef handler(pd): return [random.random(), str(uuid.uuid4())]"
      const [one, other] = yield* Effect.forEach(
        ["u_1", "u_2"],
        (accountId) => Effect.map(runPython(code, { accountId }), ({ value }) => value as ReadonlyArray<unknown>)
      )
      assert.notStrictEqual(one![0], other![0])
      assert.notStrictEqual(one![1], other![1])
    }), slowly)

  it.effect(
    "an older script has the steps and the exports of a module, and needs no handler",
    () =>
      Effect.gen(function*() {
        const { answerJson } = yield* runPython(
          `from pipedream.script_helpers import (steps, export)
if __name__ == "__main__":
    export("name", steps["trigger"]["event"]["name"])`,
          { eventJson: `{"name":"Ann"}` }
        )
        assert.strictEqual(answerJson, `{"result":{"name":"Ann"},"flow":{}}`)
      }),
    slowly
  )

  it.effect(
    "a step answers the request of the run, with text, JSON or bytes",
    () =>
      Effect.gen(function*() {
        const answers: Array<RunResponse> = []
        const onRespond = (response: RunResponse) => Effect.sync(() => void answers.push(response))
        for (
          const call of [
            `pd.respond({"status": 202, "body": {"a": None}, "headers": {"x-a": "1"}})`,
            `pd.respond(status=200, body="text")`,
            `pd.respond({"body": bytes([0, 255]), "headers": {"content-type": "image/png"}})`
          ]
        ) {
          const { error, responded } = yield* runPython(`def handler(pd): ${call}`, { onRespond })
          assert.isTrue(responded, error?.message)
        }
        assert.deepStrictEqual(answers, [
          { status: 202, headers: { "x-a": "1", "content-type": "application/json" }, body: `{"a":null}` },
          { status: 200, headers: {}, body: "text" },
          { status: 200, headers: { "content-type": "image/png" }, body: new Uint8Array([0, 255]) }
        ])
      }),
    slowly
  )

  it.effect(
    "a data store is a dictionary, and what is done with it is the run's change",
    () =>
      Effect.gen(function*() {
        const kept = new Map([["a", "12345678901234567890"], ["b", `{"n":1}`]])
        const entryOf = (key: string) => ({ key, value: kept.get(key)!, expiresAt: null })
        const reads: DataStoreReads = {
          entry: (_, key) => Effect.succeed(kept.has(key) ? entryOf(key) : undefined),
          entries: (_, after) =>
            Effect.succeed({ entries: after === null ? [...kept.keys()].map(entryOf) : [], isLast: true }),
          size: () => Effect.succeed(kept.size)
        }
        const code = `
def handler(pd):
    store = pd.inputs["store"]
    found = [store["a"], store.get("b"), store.get("c"), store.get("c", 7), "a" in store, "c" in store, len(store), sorted(store)]
    try:
        store["c"]
    except KeyError as error:
        found.append(repr(error))
    store["c"] = {"ü": [None]}
    del store["a"]
    store.set("d", 1, ttl=60)
    store.set_ttl("b", 30)
    found.append(store.increment("n", by=2))
    found.append(store.compare_and_set("e", None, "new"))
    found.append(store.compare_and_set("e", None, "newer"))
    found.append(dict(store.items()))
    db = pd.inputs["db"]
    db.set("k", (db.get("k") or 0) + 1)
    found.append(db.get("none", "d"))
    return found`
        const text = `export default { props: { store: "data_store", db: "$.service.db" },
          steps: { greet: { lang: "python", code: ${JSON.stringify(code)} } } }`
        const { answerJson, db, error, stores } = yield* runPython("", {
          module: { code: text, hash: hashOf(text) },
          stores: { ids: { store: "ds_1" }, reads },
          interfaces: { db: { _tag: "Db" } },
          db: { k: "4" }
        })
        assert.isUndefined(error, error?.stack)
        assert.strictEqual(
          answerJson,
          `{"result":{"$return_value":[12345678901234567890,{"n":1},null,7,true,false,2,["a","b"],"KeyError('c')",` +
            `2,true,false,{"b":{"n":1},"c":{"ü":[null]},"d":1,"n":2,"e":"new"},"d"]},"flow":{}}`
        )
        assert.deepStrictEqual(db, { k: "5" })
        assert.deepStrictEqual(stores, [{
          storeId: "ds_1",
          cleared: false,
          changes: [
            { _tag: "Set", key: "c", value: `{"ü":[null]}`, ttl: null },
            { _tag: "Remove", key: "a" },
            { _tag: "Set", key: "d", value: "1", ttl: 60_000 },
            { _tag: "Expire", key: "b", ttl: 30_000 },
            { _tag: "Add", key: "n", by: 2 },
            { _tag: "Set", key: "e", value: `"new"`, ttl: null, expected: null }
          ]
        }])
      }),
    slowly
  )

  it.effect(
    "a run that takes too long, computes too long or takes too much memory is ended",
    () =>
      Effect.gen(function*() {
        const waits = yield* runPython("import time\ndef handler(pd): time.sleep(60)", {
          accountId: "u_w",
          limits: { wallMillis: 500 }
        })
        assert.deepStrictEqual([waits.outcome, waits.limit], ["limit", "wall"])
        const spins = yield* runPython("def handler(pd):\n    while True: pass", {
          accountId: "u_s",
          limits: { cpuMillis: 400 }
        })
        assert.deepStrictEqual([spins.outcome, spins.limit], ["limit", "cpu"])
        const grows = yield* runPython(
          `def handler(pd):
    import time
    held = []
    while True:
        held.append(bytearray(8_000_000))
        time.sleep(0.01)`,
          { accountId: "u_m" }
        )
        assert.deepStrictEqual([grows.outcome, grows.limit], ["limit", "memory"])
        assert.strictEqual((yield* runPython("def handler(pd): return 1", { accountId: "u_m" })).value, 1)
      }),
    slowly
  )

  it.effect("code that can't run is refused with its line when it is inspected", () =>
    Effect.gen(function*() {
      const { steps } = yield* inspectPython("def handler(pd): return 1")
      assert.deepStrictEqual(steps, [{ name: "greet", lang: "python", needs: { packages: [], imports: [] } }])
      const refused = {
        "def handler(pd):\n    return (1": ["SyntaxError: '(' was never closed", 2, 12],
        "def handler(pd):\nreturn 1": [
          "IndentationError: expected an indented block after function definition on line 1",
          2,
          1
        ],
        "def handle(pd): return 1": [
          `a step in Python has a function handler: write def handler(pd: "pipedream"):`,
          1,
          1
        ]
      }
      for (const [code, expected] of Object.entries(refused)) {
        const { column, file, line, message, reason } = yield* Effect.flip(
          Effect.catchTag(inspectPython(code), "SandboxUnavailable", Effect.die)
        )
        assert.deepStrictEqual([message, line, column, file, reason], [...expected, "greet.py", "syntax"])
      }
    }), slowly)

  it.effect("a step in another language is refused by name, with what to do", () =>
    Effect.gen(function*() {
      const sandbox = yield* Sandbox
      for (const lang of ["bash", "go"]) {
        const text = `export default { steps: { greet: { lang: "${lang}", code: "" } } }`
        const module = { code: text, hash: hashOf(text) }
        const fault = yield* Effect.flip(sandbox.inspect({ accountId: "u_test", kind: "workflow", module }))
        assert.strictEqual(
          fault.message,
          `the step "greet" has the lang "${lang}", which can't run here: write it in JavaScript, with a function run, ` +
            "or in Python"
        )
      }
    }), slowly)

  it.effect("requests makes requests over the guarded connections", () =>
    Effect.gen(function*() {
      const origin = originOf(yield* httpServer)
      const told = Effect.fnUntraced(function*(lines: string) {
        const code = `import requests, io\nO = ${JSON.stringify(origin)}\ndef handler(pd):\n` +
          lines.split("\n").map((line) => `    ${line}`).join("\n")
        const { error, value } = yield* runPython(code)
        return error === undefined ? value : `${error.name}: ${error.message}`
      })
      const say = (call: string) =>
        told(`got = ${call}.json()
return [got["method"], got["url"], got["body"], got["headers"].get("content-type"), got["headers"].get("authorization")]`)
      assert.deepStrictEqual(
        yield* say(`requests.get(O + "/a b?x=1", params={"q": ["1", "ü"], "none": None})`),
        ["GET", "/a%20b?x=1&q=1&q=%C3%BC", "", null, null]
      )
      assert.deepStrictEqual(
        yield* say(`requests.post(O, json={"a": [1, None]}, auth=("u", "p"))`),
        ["POST", "/", `{"a": [1, null]}`, "application/json", "Basic dTpw"]
      )
      assert.deepStrictEqual(
        yield* say(`requests.put(O, data={"a": 1, "b": "ü&"}, headers={"Authorization": "Bearer t"})`),
        ["PUT", "/", "a=1&b=%C3%BC%26", "application/x-www-form-urlencoded", "Bearer t"]
      )
      const [, , form, type] = (yield* say(
        `requests.post(O, files={"f": ("n.txt", io.BytesIO(b"\\x00file"), "text/plain")}, data={"k": "v"})`
      )) as ReadonlyArray<string>
      assert.match(type!, /^multipart\/form-data; boundary=\w+$/)
      assert.include(form, `name="k"\r\n\r\nv\r\n`)
      assert.include(form, `name="f"; filename="n.txt"\r\nContent-Type: text/plain\r\n\r\n\u0000file\r\n`)
      assert.deepStrictEqual(
        yield* told(`r = requests.get(O + "/status/404")
return [r.status_code, r.ok, r.reason, r.text, r.content.decode(), r.headers["X-IS"], bool(r), r.url]`),
        [404, false, "Not Found", "no", "no", "1", false, `${origin}/status/404`]
      )
      assert.strictEqual(
        yield* told(`requests.get(O + "/status/503").raise_for_status()`),
        `HTTPError: 503 Server Error: Service Unavailable for url: ${origin}/status/503`
      )
      assert.deepStrictEqual(
        yield* told(`with requests.Session() as s:
    s.headers["x-own"] = "1"
    r = s.get(O + "/moved")
    sent = r.json()["headers"]
    return [r.status_code, len(r.history), sent["cookie"], sent["x-own"], s.cookies.get_dict(), r.links["next"]["url"], sent["user-agent"]]`),
        [200, 1, "seen=1", "1", { seen: "1" }, "/x", "python-requests/2.32.0"]
      )
      assert.deepStrictEqual(
        yield* told(
          `return [requests.get(O + "/gzip").text, requests.get(O + "/latin").text, requests.get(O + "/moved", allow_redirects=False).status_code]`
        ),
        ["small", "ü", 302]
      )
      assert.match(String(yield* told(`requests.get(O + "/around")`)), /^TooManyRedirects: /)
      assert.match(String(yield* told(`requests.get(O + "/never", timeout=0.2)`)), /^ReadTimeout: /)
      assert.match(String(yield* told(`requests.get("http://127.0.0.1:1/")`)), /^ConnectionError: /)
      assert.match(String(yield* told(`requests.get("example.com")`)), /^MissingSchema: .*https:\/\/example\.com/)
      assert.match(String(yield* told(`requests.get(O + "/status/200").json()`)), /^JSONDecodeError: Expecting value/)
      assert.deepStrictEqual(
        yield* told(`import urllib.request, urllib.error
from requests.adapters import HTTPAdapter
from urllib3.util.retry import Retry
s = requests.Session()
s.mount("http://", HTTPAdapter(max_retries=Retry(total=2, status_forcelist=[503])))
try:
    s.get(O + "/status/503")
except requests.exceptions.RetryError as error:
    failed = str(error)
try:
    urllib.request.urlopen(O + "/status/404")
except urllib.error.HTTPError as error:
    code = error.code
return [urllib.request.urlopen(urllib.request.Request(O + "/gzip", headers={"a": "b"})).read().decode(), code, failed]`),
        ["small", 404, `too many 503 error responses for url: ${origin}/status/503`]
      )
    }), slowly)
})
