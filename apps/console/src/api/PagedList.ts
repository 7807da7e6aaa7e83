import { type ReadonlySignal, signal } from "@preact/signals"
import { nextOf, type Page } from "./Api.ts"
import { type Failure, failureOf } from "./Failure.ts"

export const pageSize = 100

/** The most pages without a match that are read before the reader must ask for more. */
const maxEmptyPages = 20

/** The progress of reading the list. `readOn` goes on from `failed` and `open`. */
export type Reach =
  | { readonly state: "reading" }
  | { readonly state: "open" }
  | { readonly state: "ended" }
  | { readonly state: "failed"; readonly failure: Failure }

/** The list is shown as it was at this time, since it could not be read again. */
export interface Outdated {
  readonly atMs: number
  readonly failure: Failure
}

/** A list of the API. It reads further pages on demand, and can read the first page again. */
export class PagedList<Item extends { readonly id: string }> {
  readonly #list: (after: string | undefined, signal: AbortSignal) => Promise<Page<Item>>
  readonly #rows = signal<ReadonlyArray<Item>>([])
  readonly #reach = signal<Reach>({ state: "reading" })
  readonly #outdated = signal<Outdated | undefined>(undefined)
  readonly #abort = new AbortController()
  /** True if new items come at the end. */
  readonly #isOldestFirst: boolean
  #next: string | undefined
  #end: string | undefined
  #readAtMs = 0
  #isReading = false

  constructor(list: (after: string | undefined, signal: AbortSignal) => Promise<Page<Item>>, isOldestFirst = false) {
    this.#list = list
    this.#isOldestFirst = isOldestFirst
  }

  get rows(): ReadonlySignal<ReadonlyArray<Item>> {
    return this.#rows
  }

  get reach(): ReadonlySignal<Reach> {
    return this.#reach
  }

  get outdated(): ReadonlySignal<Outdated | undefined> {
    return this.#outdated
  }

  readOn = async (): Promise<void> => {
    if (this.#isReading) return
    this.#isReading = true
    this.#reach.value = { state: "reading" }
    try {
      for (let pages = 0; pages < maxEmptyPages; pages++) {
        const page = await this.#list(this.#next, this.#abort.signal)
        this.#append(page)
        this.#readAtMs = Date.now()
        if (page.data.length > 0 || this.#next === undefined) break
      }
      this.#reach.value = { state: this.#next === undefined ? "ended" : "open" }
    } catch (error) {
      if (!this.#abort.signal.aborted) this.#reach.value = { state: "failed", failure: failureOf(error) }
    } finally {
      this.#isReading = false
    }
  }

  #append(page: Page<Item>): void {
    const known = new Set(this.#rows.peek().map(({ id }) => id))
    this.#rows.value = [...this.#rows.peek(), ...page.data.filter(({ id }) => !known.has(id))]
    this.#next = nextOf(page, pageSize)
    this.#end = page.page_info.end_cursor || this.#end
  }

  /** Reads the first page again, and what has come behind the last. The other rows stay as they are. */
  refresh = async (): Promise<void> => {
    if (this.#isReading || this.#reach.peek().state === "failed") return
    this.#isReading = true
    try {
      const page = await this.#list(undefined, this.#abort.signal)
      const last = page.data.at(-1)
      const rows = this.#rows.peek()
      // A page of a list that is searched can be empty, though there is more behind it.
      const end = last === undefined ? -1 : rows.findIndex(({ id }) => id === last.id)
      const reachesEnd = nextOf(page, pageSize) === undefined
      if ((last !== undefined && end === -1) || reachesEnd) {
        this.#rows.value = []
        this.#append(page)
        this.#reach.value = { state: reachesEnd ? "ended" : "open" }
      } else {
        this.#rows.value = [...page.data, ...rows.slice(end + 1)]
        if (this.#isOldestFirst && this.#reach.peek().state === "ended") {
          this.#append(await this.#list(this.#end, this.#abort.signal))
          if (this.#next !== undefined) this.#reach.value = { state: "open" }
        }
      }
      this.#readAtMs = Date.now()
      this.#outdated.value = undefined
    } catch (error) {
      if (!this.#abort.signal.aborted) this.#outdated.value = { atMs: this.#readAtMs, failure: failureOf(error) }
    } finally {
      this.#isReading = false
    }
  }

  stop(): void {
    this.#abort.abort()
  }
}
