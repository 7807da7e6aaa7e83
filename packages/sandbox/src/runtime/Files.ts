/**
 * The files of runs, behind `node:fs` and `node:fs/promises`: each call goes to the files of the run that the code belongs
 * to, which nobody else sees and which are gone with it. No call reaches the host's files. The descriptors 0 to 2 are left to
 * `Descriptors.ts`.
 */
import { entryBytes, lenderName, partsOf, type RunFile } from "@headwater/domain/RunFile"
import { AsyncLocalStorage } from "node:async_hooks"
import type { Entry, FileSystem } from "./FileSystem.ts"
import { fileSystemText } from "./FileSystemName.ts"
import { askIn } from "./Questions.ts"
import { current, type RunContext } from "./RunContext.ts"

type Members = Record<string, unknown>
type Function_ = (this: unknown, ...values: ReadonlyArray<unknown>) => unknown

const { apply, construct } = Reflect
const { defineProperty, getOwnPropertyDescriptors, getOwnPropertySymbols } = Object
const { getBuiltinModule } = process
const NativeFunction = Function
const snapshot = AsyncLocalStorage.snapshot.bind(AsyncLocalStorage)

/** The most bytes of the files of a run. */
let maxBytes = 0
let text = ""

/** The exports of the module. */
interface Loaded {
  readonly FileSystem: typeof FileSystem
}

let loaded: Loaded | undefined

/** Loads the module at once, where an `import` would have to be waited for. */
const load = (): Loaded => {
  if (loaded !== undefined) return loaded
  const module = { exports: {} }
  new NativeFunction("module", "require", text)(module, getBuiltinModule)
  return loaded = module.exports as Loaded
}

const make = (bytes: number): FileSystem => new (load().FileSystem)(bytes)

/** Of code that belongs to no run: what it writes has no place. */
let nowhere: FileSystem | undefined

const filesOf = (run: RunContext | undefined): FileSystem => {
  if (run === undefined || run.ended) return nowhere ??= make(0)
  return run.files ??= make(maxBytes)
}

const unavailable = (name: string) => () => {
  throw Object.assign(new Error(`fs.${name} is not available to components`), { code: "EACCES" })
}

/** The function of a name, on the files of the run that it is called in. */
const dispatched = (name: string, isOfPromises: boolean): Function_ => {
  const { [name]: dispatch } = {
    [name](...values: ReadonlyArray<unknown>): unknown {
      const { functions } = filesOf(current())
      const target = (isOfPromises ? functions.promises : functions) as unknown as Members
      const found = target[name]
      return typeof found === "function" ? apply(found as Function_, target, values) : unavailable(name)()
    }
  }
  return dispatch as Function_
}

/** Pure functions, which reach no file. */
const isPure = (name: string): boolean => /^(_|convert)/.test(name)

const set = (target: object, name: PropertyKey, value: unknown) =>
  defineProperty(target, name, { value, writable: true, configurable: true, enumerable: true })

/** Has functions be promisified as before: by the names of what they give, or by one of our own. */
const copySymbols = (from: Function_, to: Function_, name: string) => {
  for (const symbol of getOwnPropertySymbols(from)) {
    const value: unknown = Reflect.get(from, symbol)
    if (typeof value !== "function") defineProperty(to, symbol, { value })
    else if (name === "exists") {
      defineProperty(to, symbol, { value: (path: unknown) => new Promise((resolve) => to(path, resolve)) })
    }
  }
}

const replaceFunctions = (members: object, isOfPromises: boolean) => {
  for (const [name, { get, value }] of Object.entries(getOwnPropertyDescriptors(members))) {
    if (get !== undefined || typeof value !== "function" || !/^[a-z]/.test(name) || isPure(name)) continue
    const dispatch = dispatched(name, isOfPromises)
    copySymbols(value as Function_, dispatch, name)
    if ("native" in value) set(dispatch, "native", dispatch)
    set(members, name, dispatch)
  }
}

const ofStreams = ["open", "read", "close", "write", "writev", "fsync"] as const

/** The functions that a stream uses, whose run is the one in which it was made: others may read from it and write to it. */
const bound = (fs: Members): Members => {
  const inRun = snapshot()
  return Object.fromEntries(
    ofStreams.map((name) => [name, (...values: ReadonlyArray<unknown>) => inRun(fs[name] as Function_, ...values)])
  )
}

/** Streams are the system's own, with the functions of a run. */
const replaceStream = (fs: Members, name: "ReadStream" | "WriteStream") => {
  const Native = fs[name] as Function_ & { readonly prototype: object }
  const { [name]: Stream } = {
    [name]: function(this: unknown, path: unknown, options?: unknown): unknown {
      const given = typeof options === "string" ? { encoding: options } : { ...options as object }
      const withFiles = { fs: bound(fs), ...given }
      return new.target === undefined
        ? this instanceof (Stream as never)
          ? apply(Native, this, [path, withFiles])
          : construct(Native, [path, withFiles])
        : construct(Native, [path, withFiles], new.target)
    }
  } as Record<string, Function_>
  defineProperty(Stream, "prototype", { value: Native.prototype })
  defineProperty(Native.prototype, "constructor", { value: Stream, writable: true, configurable: true })
  set(fs, name, Stream)
  set(fs, `File${name}`, Stream)
  set(fs, `create${name}`, function(path: unknown, options?: unknown): unknown {
    const { fd } = (typeof options === "object" && options !== null ? options : {}) as Members
    // A handle of a file makes its own streams.
    const isOfHandle = typeof fd === "object" && fd !== null
    return isOfHandle ? dispatched(`create${name}`, false)(path, options) : construct(Stream as never, [path, options])
  })
}

export const installFiles = (): void => {
  text = Reflect.get(globalThis, fileSystemText) as string
  Reflect.deleteProperty(globalThis, fileSystemText)
  const fs = getBuiltinModule("node:fs") as unknown as Members
  replaceFunctions(fs, false)
  replaceFunctions(fs["promises"] as object, true)
  replaceStream(fs, "ReadStream")
  replaceStream(fs, "WriteStream")
}

/** @param bytes the most that the files of a run may take */
export const limitFiles = (bytes: number): void => {
  maxBytes = bytes
}

/** The most bytes that the files of a run may take. */
export const mostBytes = (): number => maxBytes

/** The place of a run's files, for one of the languages. */
export interface RunDirectory {
  /** Every entry below `/tmp`, each after the directory that it is in. */
  readonly entries: ReadonlyArray<Entry>
  /** Puts an entry in place. Its directory is there already, and its bytes come in parts. */
  readonly add: (file: RunFile, parts: ReadonlyArray<Uint8Array>) => void
}

/** Has a run find the files that are kept for it: in a directory, or where its JavaScript looks for them. */
export const restoreFiles = async (
  run: RunContext,
  kept: ReadonlyArray<RunFile>,
  directory?: RunDirectory
): Promise<void> => {
  if (kept.length === 0) return
  const bytes = kept.reduce((sum, { size }) => sum + entryBytes + size, entryBytes)
  if (bytes > maxBytes) {
    const message = `ENOSPC: the files of the run and those attached to its workflow take more than ${maxBytes} bytes`
    throw Object.assign(new Error(message), { code: "ENOSPC" })
  }
  const files = directory ?? filesOf(run)
  for (const file of kept) {
    const parts: Array<Uint8Array> = []
    if (file.content !== null) {
      for (let place = 0; place < partsOf(file.size); place++) {
        const part = await askIn(run, { _tag: "FileGet", content: file.content, place })
        const bytes = Buffer.from(String(part), "base64")
        if (bytes.length === 0) throw new Error(`/tmp/${file.path} was written anew while the step began`)
        parts.push(bytes)
      }
    }
    files.add(file, parts)
  }
}

const isSame = (one: RunFile, other: RunFile | undefined): boolean =>
  other !== undefined && one.mode === other.mode && one.modifiedAt === other.modifiedAt && one.size === other.size &&
  one.target === other.target &&
  (one.size === 0 || one.content !== null && one.content === other.content)

/** Has the host keep the files of a run for its next step, of which it has some already. */
export const keepFiles = async (
  run: RunContext,
  kept: ReadonlyArray<RunFile>,
  directory: RunDirectory | undefined = run.files
): Promise<void> => {
  if (directory === undefined) return
  const before = new Map(kept.map((file) => [file.path, file]))
  const put: Array<Omit<RunFile, "content"> & { readonly content: string | number | null }> = []
  const { entries } = directory
  let contents = 0
  for (const { part, ...found } of entries) {
    if (isSame(found, before.get(found.path))) continue
    // Lent bytes have no name in the run, which hands them over as its own.
    const entry = lenderName(found.content) === undefined ? found : { ...found, content: null }
    if (entry.size === 0 || entry.content !== null) {
      put.push(entry)
      continue
    }
    const content = contents++
    for (let place = 0; place < partsOf(entry.size); place++) {
      await askIn(run, { _tag: "FilePut", content, place, base64: part(place).toString("base64") })
    }
    put.push({ ...entry, content })
  }
  const there = new Set(entries.map(({ path }) => path))
  const removed = kept.map(({ path }) => path).filter((path) => !there.has(path))
  if (put.length > 0 || removed.length > 0) run.say({ _tag: "FilesKept", put, removed })
}
