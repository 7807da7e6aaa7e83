/** The data stores of a run (`workflows.md`, "Data stores"): it sees its own changes, over what others have committed. */
import type { DataStoreEntry, DataStorePage, EntryChange } from "@headwater/domain/DataStore"
import * as Storable from "@headwater/domain/Storable"
import { mostTtl } from "@headwater/domain/TimeToLive"
import { isDeepStrictEqual } from "node:util"
import { askIn } from "./Questions.ts"
import type { RunContext } from "./RunContext.ts"

const { parse, stringify } = JSON
const { isFinite } = Number
const { ceil, min } = Math
const now = Date.now
const encoder = new TextEncoder()
const encode = encoder.encode.bind(encoder)

/** A value of the run's own, as JSON text. */
interface Kept {
  readonly value: string
  /** Milliseconds from its commit; null if it stays. */
  readonly ttl: number | null
  /** The time from which the run itself no longer sees it, in Unix milliseconds. */
  readonly until: number
}

/** The run's own change of a key: a value, or none; a sum with what is committed; or another expiry. */
type Own =
  | { readonly _tag: "Value"; readonly kept: Kept | undefined }
  | { readonly _tag: "Sum"; readonly committed: string | undefined; readonly by: number; readonly until: number }
  | { readonly _tag: "Expiry"; readonly until: number }

const keyOf = (key: unknown): string => {
  const name = String(key)
  if (!Storable.isKey(name)) throw new TypeError(`a data store: ${Storable.keyExpected}`)
  return name
}

/** @param ttl seconds; answers milliseconds, or null if there is none */
const ttlOf = (ttl: unknown): number | null => {
  if (ttl === undefined || ttl === null) return null
  const seconds = Number(ttl)
  if (!isFinite(seconds)) throw new TypeError("a ttl must be a number of seconds, or null")
  return min(ceil(seconds * 1_000), mostTtl)
}

const keep = (value: string, ttl: number | null): Kept => ({ value, ttl, until: untilOf(ttl) })

const untilOf = (ttl: number | null): number => ttl === null ? Infinity : now() + ttl

const numberIn = (key: string, text: string | undefined): number => {
  const value: unknown = text === undefined ? 0 : parse(text)
  if (typeof value === "number") return value
  throw new TypeError(`the value of ${stringify(key)} is not a number, so that nothing can be added to it`)
}

const amountOf = (by: unknown): number => {
  if (typeof by === "number" && isFinite(by)) return by
  throw new TypeError("a number can be added to a value, and nothing else")
}

const sumOf = (key: string, one: number, other: number): number => {
  const sum = one + other
  if (isFinite(sum)) return sum
  throw new RangeError(`the sum for ${stringify(key)} is beyond the range of numbers`)
}

const known = new WeakMap<RunContext, Map<string, DataStore>>()

/** The data store with an id: in one run always the same, whichever prop it is. */
export const storeOf = (run: RunContext, id: string, maxValueBytes: number): DataStore => {
  const stores = known.get(run) ?? new Map<string, DataStore>()
  known.set(run, stores)
  const store = stores.get(id) ?? new DataStore(run, id, maxValueBytes)
  stores.set(id, store)
  return store
}

type Fulfilled<A> = (entries: ReadonlyArray<readonly [string, unknown]>) => A | PromiseLike<A>

export class DataStore {
  readonly #run: RunContext
  readonly #id: string
  readonly #maxValueBytes: number
  readonly #own = new Map<string, Own>()
  #cleared = false

  constructor(run: RunContext, id: string, maxValueBytes: number) {
    this.#run = run
    this.#id = id
    this.#maxValueBytes = maxValueBytes
  }

  async get(key: unknown): Promise<unknown> {
    const text = await this.textOf(key)
    return text === undefined ? undefined : parse(text)
  }

  async has(key: unknown): Promise<boolean> {
    return (await this.#read(keyOf(key))) !== undefined
  }

  /** @param options.ttl seconds after which the key is gone; it stays unless one is given */
  async set(key: unknown, value: unknown, options?: { readonly ttl?: number | null }): Promise<void> {
    this.#set(keyOf(key), this.#textOf(value), ttlOf(options?.ttl))
  }

  /** @param ttl seconds from now; null if it is to stay */
  async setTtl(key: unknown, ttl: number | null): Promise<void> {
    const name = keyOf(key)
    const ms = ttlOf(ttl)
    if (ms !== null && ms <= 0) return this.#remove(name)
    const own = this.#ownOf(name)
    if (own?._tag === "Value") {
      const value = this.#over(name, undefined)
      return value === undefined ? undefined : this.#set(name, value, ms)
    }
    this.#own.set(name, { _tag: "Expiry", ...own, until: untilOf(ms) })
    this.#say({ _tag: "Expire", key: name, ttl: ms })
  }

  async delete(key: unknown): Promise<void> {
    this.#remove(keyOf(key))
  }

  /** Adds to a number, which is 0 if there is none, and answers the sum that this run sees. No addition is lost. */
  async increment(key: unknown, by: number = 1): Promise<number> {
    const name = keyOf(key)
    const amount = amountOf(by)
    const before = await this.#read(name)
    const sum = sumOf(name, numberIn(name, before), amount)
    const own = this.#ownOf(name)
    if (own?._tag === "Value") this.#set(name, stringify(sum), own.kept?.ttl ?? null)
    else {
      const [committed, added] = own?._tag === "Sum" ? [own.committed, own.by] : [before, 0]
      this.#own.set(name, { _tag: "Sum", committed, by: sumOf(name, added, amount), until: own?.until ?? Infinity })
      this.#say({ _tag: "Add", key: name, by: amount })
    }
    return sum
  }

  /**
   * Sets a value if the key has the expected one (`undefined` for none), and answers whether it did. If somebody else has
   * changed the value by the time that this run is committed, nothing of the run is kept, and it runs again.
   */
  async compareAndSet(
    key: unknown,
    expected: unknown,
    value: unknown,
    options?: { readonly ttl?: number | null }
  ): Promise<boolean> {
    const name = keyOf(key)
    const text = this.#textOf(value)
    const ttl = ttlOf(options?.ttl)
    const before = await this.#read(name)
    const wanted = expected === undefined ? undefined : parse(stringify(expected) ?? "null")
    if (!isDeepStrictEqual(before === undefined ? undefined : parse(before), wanted)) return false
    const own = this.#ownOf(name)
    if (own?._tag === "Value") this.#set(name, text, ttl)
    else this.#set(name, text, ttl, (own?._tag === "Sum" ? own.committed : before) ?? null)
    return true
  }

  async clear(): Promise<void> {
    this.#run.say({ _tag: "StoreChanged", store: this.#store })
    this.#own.clear()
    this.#cleared = true
  }

  async keys(): Promise<ReadonlyArray<string>> {
    const keys: Array<string> = []
    for await (const [key] of this.#walk(false)) keys.push(key)
    return keys
  }

  async size(): Promise<number> {
    if (this.#own.size > 0 || this.#cleared) return (await this.keys()).length
    return await askIn(this.#run, this.#question("StoreSize")) as number
  }

  /** For `for await`; awaited, it is a list. */
  entries(): AsyncGenerator<readonly [string, unknown]> & PromiseLike<ReadonlyArray<readonly [string, unknown]>> {
    const entries = this[Symbol.asyncIterator]()
    const all = async () => {
      const found: Array<readonly [string, unknown]> = []
      for await (const entry of entries) found.push(entry)
      return found
    }
    return Object.assign(entries, {
      then: <A, B>(fulfilled?: Fulfilled<A> | null, rejected?: ((error: unknown) => B | PromiseLike<B>) | null) =>
        all().then(fulfilled, rejected)
    } as PromiseLike<ReadonlyArray<readonly [string, unknown]>>)
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<readonly [string, unknown]> {
    for await (const [key, text] of this.texts()) yield [key, parse(text)]
  }

  /** The values as the JSON texts that they are. */
  texts(): AsyncGenerator<readonly [string, string]> {
    return this.#walk(true)
  }

  /** The value of a key as the JSON text that it is. */
  textOf(key: unknown): Promise<string | undefined> {
    return this.#read(keyOf(key))
  }

  /** The keys in no certain order, each once, with their values as JSON texts if they are asked for. */
  async *#walk(hasValues: boolean): AsyncGenerator<readonly [string, string]> {
    const seen = new Set<string>()
    let after: string | null = null
    while (!this.#cleared) {
      const page = await askIn(this.#run, { ...this.#question("StorePage"), after, hasValues }) as DataStorePage
      for (const { key, value } of page.entries) {
        seen.add(key)
        const text = this.#over(key, value)
        if (text !== undefined) yield [key, text]
      }
      after = page.entries.at(-1)?.key ?? null
      if (page.isLast || after === null) break
    }
    const own = [...this.#own.keys()]
    for (const key of own) {
      const text = seen.has(key) ? undefined : this.#over(key, undefined)
      if (text !== undefined) yield [key, text]
    }
  }

  async #read(key: string): Promise<string | undefined> {
    const own = this.#ownOf(key)
    if (own?._tag === "Value" || own?._tag === "Sum") return this.#over(key, undefined)
    const entry = await askIn(this.#run, { ...this.#question("StoreGet"), key }) as DataStoreEntry | null
    return this.#over(key, entry?.value)
  }

  /** A key's value as the run sees it, over what is committed. */
  #over(key: string, committed: string | undefined): string | undefined {
    const own = this.#ownOf(key)
    switch (own?._tag) {
      case "Value":
        return own.kept !== undefined && own.kept.until > now() ? own.kept.value : undefined
      case "Sum":
        return own.until > now() ? stringify(numberIn(key, own.committed) + own.by) : undefined
      case "Expiry":
        return own.until > now() ? committed : undefined
      default:
        return committed
    }
  }

  #ownOf(key: string): Own | undefined {
    return this.#own.get(key) ?? (this.#cleared ? { _tag: "Value", kept: undefined } : undefined)
  }

  #set(key: string, value: string, ttl: number | null, expected?: string | null): void {
    const told = expected === undefined ? {} : { expected }
    if (ttl !== null && ttl <= 0) return this.#remove(key, told)
    this.#own.set(key, { _tag: "Value", kept: keep(value, ttl) })
    this.#say({ _tag: "Set", key, value, ttl, ...told })
  }

  #remove(key: string, told: { readonly expected?: string | null } = {}): void {
    this.#own.set(key, { _tag: "Value", kept: undefined })
    this.#say({ _tag: "Remove", key, ...told })
  }

  #textOf(value: unknown): string {
    const text = stringify(value) ?? "null"
    const bytes = encode(text).length
    if (bytes > this.#maxValueBytes) {
      throw new RangeError(`a value of a data store takes at most ${this.#maxValueBytes} bytes; this one has ${bytes}`)
    }
    return text
  }

  #question(tag: string) {
    return { _tag: tag, store: this.#store }
  }

  #say(change: EntryChange): void {
    this.#run.say({ _tag: "StoreChanged", store: this.#store, change })
  }

  get #store(): string {
    if (this.#id === "") throw new Error("the data store of this prop was removed")
    return this.#id
  }
}
