/**
 * Keeps component code from the descriptors 0 to 2, over which the process and its host speak: reading would take the
 * host's messages away. Text that code, such as a logger, writes to 1 and 2 becomes lines of its console.
 */
type Members = Record<string, unknown>
type Function_ = (...values: ReadonlyArray<unknown>) => unknown

// Captured, because what component code puts in its place would be handed the originals.
const { apply } = Reflect

/** As operations on files take it: what is beyond 32 bits wraps around. */
const isTaken = (descriptor: unknown): descriptor is number =>
  typeof descriptor === "number" && (descriptor | 0) >= 0 && (descriptor | 0) <= 2

const refusal = (name: string) =>
  Object.assign(new Error(`fs.${name} of the descriptors 0 to 2 is not available to components`), { code: "EACCES" })

const isNumber = (value: unknown): value is number => typeof value === "number"

/** The bytes to write: all of a view, unless a part is named. */
const bytesOf = (data: unknown, first?: unknown, second?: unknown): Buffer => {
  if (typeof data === "string") {
    return Buffer.from(data, typeof second === "string" && Buffer.isEncoding(second) ? second : "utf8")
  }
  if (Array.isArray(data)) return Buffer.concat(data.map((view) => bytesOf(view)))
  if (!ArrayBuffer.isView(data)) {
    throw Object.assign(new TypeError("What is written to a descriptor must be a string or bytes"), {
      code: "ERR_INVALID_ARG_TYPE"
    })
  }
  const whole = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
  const part = typeof first === "object" && first !== null ? first as Members : { offset: first, length: second }
  const offset = isNumber(part["offset"]) ? part["offset"] : 0
  return whole.subarray(offset, isNumber(part["length"]) ? offset + part["length"] : undefined)
}

type Write = (level: "info" | "error", bytes: Uint8Array) => void

/** The answer of a function for one of the descriptors. */
const answerOf = (name: string, [descriptor, data, first, second]: ReadonlyArray<unknown>, write: Write) => {
  const isWhole = /^(write|append)File/.test(name)
  if (descriptor === 0 || !(isWhole || /^writev?(Sync)?$/.test(name))) throw refusal(name)
  const bytes = isWhole ? bytesOf(data) : bytesOf(data, first, second)
  write(descriptor === 1 ? "info" : "error", bytes)
  return isWhole ? [] : [bytes.length, data]
}

/** No proxy: through the `prototype` of one the original is found. */
const guardedBy = (style: "sync" | "callback" | "promise", name: string, original: Function_, write: Write) => {
  const { guarded } = {
    guarded(this: unknown, ...values: ReadonlyArray<unknown>): unknown {
      if (!isTaken(values[0])) return apply(original, this, values)
      const callback = values.findLast((value) => typeof value === "function")
      if (style === "promise") return Promise.resolve().then(() => void answerOf(name, values, write))
      if (style === "sync" || callback === undefined) return answerOf(name, values, write)[0]
      try {
        return process.nextTick(callback as Function_, null, ...answerOf(name, values, write))
      } catch (error) {
        return process.nextTick(callback as Function_, error)
      }
    }
  }
  // Functions are promisified by what they have under symbols; what gives promises already has itself there.
  for (const symbol of Object.getOwnPropertySymbols(original)) {
    const own: unknown = Reflect.get(original, symbol)
    const isFunction = typeof own === "function"
    const value = !isFunction
      ? own
      : style === "promise"
      ? guarded
      : guardedBy("promise", name, own as Function_, write)
    Object.defineProperty(guarded, symbol, { value })
  }
  if ("native" in original) Object.defineProperty(guarded, "native", { value: guarded })
  return Object.defineProperty(guarded, "name", { value: name })
}

const guardFunctions = (members: object, isOfPromises: boolean, write: Write) => {
  for (const [name, { get, value }] of Object.entries(Object.getOwnPropertyDescriptors(members))) {
    if (get !== undefined || typeof value !== "function" || !/^[a-z]/.test(name)) continue
    const style = isOfPromises || name.endsWith("Promise") ? "promise" : name.endsWith("Sync") ? "sync" : "callback"
    Object.defineProperty(members, name, {
      value: guardedBy(style, name, value as Function_, write),
      writable: true,
      configurable: true,
      enumerable: true
    })
  }
}

/** `EBADF`, as handles say it. */
const badDescriptor = -9

/** Sockets are made with no descriptor that is open already: none of those is the component's. */
const guardHandles = () => {
  const binding = Reflect.get(process, "binding") as (name: string) => Record<string, new() => object>
  for (const [module, name] of [["pipe_wrap", "Pipe"], ["tcp_wrap", "TCP"], ["udp_wrap", "UDP"]] as const) {
    const { prototype } = binding(module)[name]!
    for (const method of ["open", "openFromRid"]) {
      Object.defineProperty(prototype, method, { value: () => badDescriptor, writable: true, configurable: true })
    }
  }
}

export const guardDescriptors = (write: Write): void => {
  const fs = process.getBuiltinModule("node:fs")
  guardFunctions(fs, false, write)
  guardFunctions(fs.promises, true, write)
  guardHandles()
}
