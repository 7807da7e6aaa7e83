/** Makes the process look to component code like Node with nothing around it, and gives each run its own console. */
import nodeModule from "node:module"
import { Readable } from "node:stream"
import { format, inspect } from "node:util"
import { guardDescriptors } from "./Descriptors.ts"
import { installFiles } from "./Files.ts"
import { current, ownerOf } from "./RunContext.ts"
import type { RunContext } from "./RunContext.ts"
import { componentName, withoutAdvice } from "./ThrownValue.ts"

type Level = "debug" | "info" | "warn" | "error"

const log = (level: Level, ...values: ReadonlyArray<unknown>): void => {
  current()?.say({ _tag: "Logged", level, message: format(...values) })
}

const makeConsole = () => {
  const counts = new Map<string, number>()
  const timers = new Map<string, number>()
  const elapsed = (label: string) =>
    `${label}: ${(performance.now() - (timers.get(label) ?? performance.now())).toFixed(3)}ms`
  return {
    debug: (...values: Array<unknown>) => log("debug", ...values),
    trace: (...values: Array<unknown>) => log("debug", ...values),
    log: (...values: Array<unknown>) => log("info", ...values),
    info: (...values: Array<unknown>) => log("info", ...values),
    warn: (...values: Array<unknown>) => log("warn", ...values),
    error: (...values: Array<unknown>) => log("error", ...values),
    dir: (value: unknown, options?: object) => log("info", inspect(value, options)),
    dirxml: (...values: Array<unknown>) => log("info", ...values),
    table: (value: unknown) => log("info", inspect(value)),
    group: (...values: Array<unknown>) => log("info", ...values),
    groupCollapsed: (...values: Array<unknown>) => log("info", ...values),
    groupEnd: () => {},
    clear: () => {},
    assert: (condition: unknown, ...values: Array<unknown>) => {
      if (!condition) log("error", "Assertion failed", ...values)
    },
    count: (label = "default") => {
      counts.set(label, (counts.get(label) ?? 0) + 1)
      log("info", `${label}: ${counts.get(label)}`)
    },
    countReset: (label = "default") => void counts.delete(label),
    time: (label = "default") => void timers.set(label, performance.now()),
    timeLog: (label = "default", ...values: Array<unknown>) => log("info", elapsed(label), ...values),
    timeEnd: (label = "default") => {
      log("info", elapsed(label))
      timers.delete(label)
    }
  }
}

const define = (target: object, name: string, value: unknown) =>
  Object.defineProperty(target, name, { value, writable: true, configurable: true, enumerable: false })

/** Globals that reach other places than the broker's port, another thread, or storage that outlives the process. */
const removed = [
  "Worker",
  "BroadcastChannel",
  "caches",
  "localStorage",
  "sessionStorage",
  "WebSocket",
  "WebSocketStream",
  "WebTransport",
  "EventSource",
  "alert",
  "confirm",
  "prompt",
  "close"
]

/** Of Deno's own namespace; the rest is what its Node modules are made with, and is refused by permission. */
const removedFromDeno = [
  "internal",
  "stdin",
  "stdout",
  "stderr",
  "exit",
  "args",
  "mainModule",
  "openKv",
  "cron",
  "serve",
  "createHttpClient",
  "upgradeWebSocket",
  "jupyter",
  "lint",
  "test",
  "bench"
]

/** Functions that work on any resource of the process, such as that of standard input, by its number. */
const refusedOfDeno = [
  "FsFile",
  "HttpClient",
  "Process",
  "connect",
  "connectTls",
  "listen",
  "listenTls",
  "run",
  "serveHttp",
  "startTls"
]

/**
 * Of Node's modules: what shows the memory of the process or changes the engine or what imports lead to, what reads
 * descriptors by itself, and threads, which would have all of the above.
 */
const removedFromModules: Readonly<Record<string, ReadonlyArray<string>>> = {
  v8: [
    "GCProfiler",
    "getHeapSnapshot",
    "promiseHooks",
    "queryObjects",
    "setFlagsFromString",
    "setHeapSnapshotNearHeapLimit",
    "startupSnapshot",
    "stopCoverage",
    "takeCoverage",
    "writeHeapSnapshot"
  ],
  module: ["register", "registerHooks"],
  tty: ["ReadStream", "WriteStream"],
  wasi: ["WASI"],
  worker_threads: ["BroadcastChannel", "Worker"],
  process: ["binding", "dlopen"]
}

const unavailable = (name: string) =>
  function() {
    throw Object.assign(new Error(`${name} is not available to components`), { code: "EACCES" })
  }

/** Imported by name, members would be those that the module has of itself, whatever its default export has. */
const asModule = (name: string): string => {
  const names = Object.getOwnPropertyNames(process.getBuiltinModule(name) ?? {}).filter((key) =>
    /^[a-z_$][\w$]*$/i.test(key)
  )
  const code = `const members = process.getBuiltinModule("${name}")
export const { ${names.filter((key) => key !== "default").join()} } = members
export default members`
  return URL.createObjectURL(new Blob([code], { type: "text/javascript" }))
}

const removeFromModules = () => {
  const places = { __proto__: null } as unknown as Record<string, string>
  const replaced = ["fs", "fs/promises"]
  const { registerHooks } = nodeModule
  for (const [module, names] of Object.entries(removedFromModules)) {
    const members = process.getBuiltinModule(`node:${module}`) ?? {}
    for (const name of names) define(members, name, unavailable(`${module}.${name}`))
    if (members !== process) replaced.push(module)
  }
  for (const module of replaced) places[module] = places[`node:${module}`] = asModule(`node:${module}`)
  registerHooks({
    resolve: (specifier, context, next) => {
      const url = places[specifier]
      return url === undefined ? next(specifier, context) : { url, shortCircuit: true }
    }
  })
}

/** The error of something that Deno's permissions refuse. */
class NotAllowed extends Error {
  constructor(message: unknown, options?: ErrorOptions) {
    super(withoutAdvice(String(message)), options)
  }
}

/** By these packages take what they run in for a browser, or for a worker of one. */
const removedOfBrowsers = ["self", "Window", "location", "Location"]

export const installGlobals = (): void => {
  for (const name of [...removed, ...removedOfBrowsers]) Reflect.deleteProperty(globalThis, name)
  const deno: unknown = Reflect.get(globalThis, "Deno")
  if (typeof deno === "object" && deno !== null) {
    define(globalThis, "Deno", deno)
    // The message is set by the constructor above the class's own.
    Object.setPrototypeOf(Reflect.get(Reflect.get(deno, "errors"), "NotCapable"), NotAllowed)
    // Under the symbol in `internal` is all that Deno's own modules are made with.
    for (const name of [...removedFromDeno, ...Object.getOwnPropertySymbols(deno)]) Reflect.deleteProperty(deno, name)
    for (const name of refusedOfDeno) define(deno, name, unavailable(`Deno.${name}`))
  }
  Reflect.deleteProperty(Reflect.getPrototypeOf(navigator) ?? {}, "gpu")
  define(globalThis, "console", makeConsole())
  define(globalThis, "defineComponent", (definition: unknown) => definition)
  const none = {}
  Object.defineProperty(process, "env", { get: () => current()?.env ?? none, configurable: true })
  for (const name of ["exit", "reallyExit", "abort"]) define(process, name, leave(name))
  define(process, "argv", ["deno", componentName])
  // Reading the real one would take the host's messages away.
  define(process, "stdin", Readable.from([]))
  for (const [level, stream] of [["info", process.stdout], ["error", process.stderr]] as const) {
    const take = (chunk: unknown, ...rest: ReadonlyArray<unknown>): boolean => {
      write(level, chunk)
      const done = rest.findLast((value) => typeof value === "function")
      if (done !== undefined) process.nextTick(done as () => void)
      return true
    }
    define(stream, "write", take)
    define(stream, "_write", take)
  }
  installFiles()
  guardDescriptors(write)
  removeFromModules()
  keepOwnersOfCallbacks()
  reportUncaught()
}

const leave = (name: string) => (code?: unknown): never => {
  const error = new Error(`process.${name}(${code === undefined ? "" : String(code)}) was called`)
  current()?.fail(error)
  throw error
}

const write = (level: Level, chunk: unknown): void =>
  log(level, (typeof chunk === "string" ? chunk : Buffer.from(chunk as Uint8Array).toString()).replace(/\n$/, ""))

const guarded = (owner: RunContext | undefined, callback: unknown): unknown => {
  if (typeof callback !== "function" || owner === undefined) return callback
  return function(this: unknown, ...values: Array<unknown>) {
    try {
      return Reflect.apply(callback, this, values)
    } catch (thrown) {
      owner.fail(thrown)
    }
  }
}

/** An error thrown from a timer no longer knows its run, so the callback remembers it. */
const keepOwnersOfCallbacks = () => {
  for (
    const [target, name] of [
      [globalThis, "setTimeout"],
      [globalThis, "setInterval"],
      [globalThis, "setImmediate"],
      [globalThis, "queueMicrotask"],
      [process, "nextTick"]
    ] as const
  ) {
    const original: unknown = Reflect.get(target, name)
    if (typeof original !== "function") continue
    const replaced = (callback: unknown, ...values: Array<unknown>): unknown =>
      Reflect.apply(original, target, [guarded(current(), callback), ...values])
    // Promisified timers are found on the original under a symbol.
    for (const symbol of Object.getOwnPropertySymbols(original)) {
      Object.defineProperty(replaced, symbol, Object.getOwnPropertyDescriptor(original, symbol) ?? {})
    }
    define(target, name, replaced)
  }
}

interface ErrorTarget {
  addEventListener(type: string, listener: (event: Event) => void): void
}

const reportUncaught = () => {
  const report = (property: string) => (event: Event) => {
    event.preventDefault()
    const thrown: unknown = Reflect.get(event, property)
    ownerOf(thrown)?.fail(thrown)
  }
  const target = globalThis as unknown as ErrorTarget
  target.addEventListener("unhandledrejection", report("reason"))
  target.addEventListener("error", report("error"))
}
