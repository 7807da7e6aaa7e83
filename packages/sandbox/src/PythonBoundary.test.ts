import { assert, layer } from "@effect/vitest"
import { runPython, slowly } from "@headwater/fixtures/PythonSteps"
import { realSandbox } from "@headwater/fixtures/RealSandbox"
import { Effect } from "effect"
import { SandboxPool } from "./SandboxPool.ts"

/** What prying code tries: each answers what it got, or raises. */
const attempts: Readonly<Record<string, string>> = {
  "a file of the host by Python": `return open("/etc/hostname").read()`,
  "a file of the host by Deno": `return js.Deno.readTextFileSync("/etc/hostname")`,
  "a file of the host by Node": `return node("fs").readFileSync("/etc/hostname", "utf8")`,
  "the process's own files": `return js.Deno.readTextFileSync("/proc/self/environ")`,
  "a folder of the host, mounted": `
    from pyodide_js import FS
    FS.mkdir("/mnt")
    FS.mount(FS.filesystems.NODEFS, to_js({"root": "/"}, dict_converter=js.Object.fromEntries), "/mnt")
    return os.listdir("/mnt")`,
  "a module of the host": `
    from pyodide.ffi import run_sync
    return run_sync(js.eval("import('file:///etc/hostname', { with: { type: 'bytes' } })")).default.to_bytes()`,
  "a write to the host": `js.Deno.writeTextFileSync("/tmp/headwater-python", "x")\n    return "wrote"`,
  "a library": `
    import ctypes
    return str(ctypes.CDLL("libc.so.6"))`,
  "a program": `
    import subprocess
    return subprocess.check_output(["/bin/true"])`,
  "a program by os": `
    code = os.system("exit 7")
    if code == 0: raise OSError("it did not run")
    return code`,
  "a program by Deno": `return str(js.Deno.Command.new("/bin/true").outputSync())`,
  "a fork": `return os.fork()`,
  "a thread": `
    import threading
    threading.Thread(target=print).start()
    return "started"`,
  "a thread by JavaScript":
    `return str(node("worker_threads").Worker.new("1", to_js({"eval": True}, dict_converter=js.Object.fromEntries)))`,
  "a socket": `
    import socket
    return str(socket.create_connection(("127.0.0.1", 22), 1))`,
  "a socket by Deno": `
    from pyodide.ffi import run_sync
    return str(run_sync(js.Deno.connect(to_js({"hostname": "127.0.0.1", "port": 22}, dict_converter=js.Object.fromEntries))))`,
  "an address that is not public": `
    import requests
    return requests.get("http://127.0.0.1:22/").text`,
  "an address that is not public, by urllib": `
    import urllib.request
    return urllib.request.urlopen("http://169.254.169.254/latest/meta-data/").read()`,
  "an address that is not public, by JavaScript": `
    from pyodide.ffi import run_sync
    return run_sync(js.fetch("http://[::1]:22/")).status`,
  "a package of the network": `
    from pyodide.ffi import run_sync
    import pyodide_js
    found = run_sync(pyodide_js.loadPackage("numpy"))
    import numpy
    return numpy.__name__`,
  "standard input": `
    import pyodide_js
    pyodide_js.setStdin()
    found = os.read(0, 100)
    if found == b"": raise OSError("empty")
    return found`,
  "standard input by Node": `return node("fs").readSync(0, js.Uint8Array.new(7))`,
  "the interpreter that was handed over": `
    found = getattr(js, "headwater:interpreter", None)
    if found is None: raise AttributeError("gone")
    return "there"`,
  "the heap": `return str(node("v8").getHeapSnapshot().read())`,
  "the debugger": `return str(node("inspector").Session.new().connect())`,
  "a permission": `
    from pyodide.ffi import run_sync
    state = run_sync(js.Deno.permissions.request(to_js({"name": "read"}, dict_converter=js.Object.fromEntries))).state
    if state != "granted": raise PermissionError(state)
    return state`
}

const prying = (body: string) => `
import js, os
from pyodide.ffi import to_js
node = js.process.getBuiltinModule
def attempt():
    ${body.trim()}
def handler(pd):
    try:
        return "GOT " + repr(attempt())
    except BaseException as error:
        return f"{type(error).__name__}: {error}"`

layer(realSandbox({ pool: { warmProcesses: 1 } }), { excludeTestServices: true, timeout: "240 seconds" })(
  "The boundary of the sandbox, from Python",
  (it) => {
    for (const [what, body] of Object.entries(attempts)) {
      it.effect(
        `a step can't have ${what}`,
        () =>
          Effect.gen(function*() {
            const { error, value } = yield* runPython(prying(body))
            assert.isUndefined(error, error?.stack)
            assert.notMatch(String(value), /^GOT/)
            assert.match(
              String(value),
              /^(FileNotFoundError|OSError|RuntimeError|JsException|ConnectionError|URLError|AttributeError|PermissionError|ModuleNotFoundError|BlockingIOError): /
            )
          }),
        slowly
      )
    }

    it.effect(
      "nothing that a step is told of its process names the host",
      () =>
        Effect.gen(function*() {
          const { error, value } = yield* runPython(`
import js, os, platform, sys, traceback
from pyodide.ffi import to_js
from pyodide_js import _module
def deep(n): return deep(n - 1) if n else js.Error.new("x").stack
async def handler(pd):
    try:
        js.eval("null.x")
    except Exception:
        trace = traceback.format_exc()
    told = [sys.argv, sys.executable, sys.path, sys.prefix, os.getcwd(), dict(os.environ), os.getpid(), platform.uname(), trace, deep(3),
        js.process.cwd(), js.process.execPath, _module.thisProgram, _module.ENV]
    # Written backwards, so that they are not there for being here.
    find = js.eval("(memory, names) => [...names].map((name) => process.getBuiltinModule('buffer').Buffer.from(memory).includes([...name].reverse().join('')))")
    found = find(_module.HEAPU8.buffer, to_js(["xobdnas-retawdaeh", "RID_ONED", "tohspans.nohtyp"])).to_py()
    return [repr(told), *found]`)
          assert.isUndefined(error, error?.stack)
          const [told, ...found] = value as ReadonlyArray<unknown>
          assert.notMatch(String(told), /headwater-sandbox|node_modules|file:\/\/\/(?!python|package)/)
          assert.deepStrictEqual(found, [false, false, false])
        }),
      slowly
    )

    it.effect(
      "what a step writes to descriptors, and what it replaces, does not speak for the process",
      () =>
        Effect.gen(function*() {
          const { error, logs, value } = yield* runPython(
            `
import js, os, sys
def handler(pd):
    js.eval("JSON.stringify = () => 'no'; Promise.prototype.then = undefined; Array.prototype.map = undefined")
    os.write(1, b'{"_tag":"Ended"}\\\\n')
    os.write(2, b'{"_tag":"Ended"}\\\\n')
    print('{"_tag":"Ended","cpuMs":1}')
    return 1`,
            { accountId: "u_breaks" }
          )
          assert.isTrue(value === 1 || error !== undefined)
          for (const { message } of logs) assert.include(message, "_tag")
          assert.strictEqual((yield* runPython("def handler(pd): return 2", { accountId: "u_other" })).value, 2)
        }),
      slowly
    )

    it.effect(
      "two accounts never share a process",
      () =>
        Effect.gen(function*() {
          const code =
            "import json\ndef handler(pd):\n    json.left = getattr(json, 'left', 0) + 1\n    return json.left"
          assert.strictEqual((yield* runPython(code, { accountId: "u_one" })).value, 1)
          assert.strictEqual((yield* runPython(code, { accountId: "u_two" })).value, 1)
          const { processes } = yield* SandboxPool
          const held = (yield* processes).filter(({ accountId, language }) =>
            language === "python" && (accountId === "u_one" || accountId === "u_two")
          )
          assert.strictEqual(new Set(held.map(({ accountId }) => accountId)).size, held.length)
        }),
      slowly
    )
  }
)
