import { type BookRow, type CursorRow, type EventRow, positionKey, type Positions, type Snapshot } from "./Snapshot.ts"

/** What holds of a server at every moment, whatever it is asked for and however it ends (`docs/durability.md`). */
export const invariants = {
  lost: "what was acknowledged is there, is run, and is delivered",
  reordered: "per emitter one order: readers see a prefix, runs and first attempts follow it",
  torn: "what one run did (emits, stores, dedupe, usage, cursor) is there whole and once, or not at all",
  unjustified: "an event is sent again only where a fault came between, and with the same webhook-id and body",
  unbalanced:
    "each cursor's counts come to how far it has moved, the books about runs come out, and nothing is left of what was deleted",
  unavailable: "the server answers, or says 503, and comes back by itself"
} as const

export type Invariant = keyof typeof invariants

export type Note = (invariant: Invariant, what: string, details?: Readonly<Record<string, unknown>>) => void

interface Place {
  readonly n: bigint
  readonly id: bigint
}

const start: Place = { n: 0n, id: 0n }

/** Names a cursor. */
export const nameOf = (cursor: CursorRow): string => `${cursor.subscription_id} on ${cursor.emitter_id}`

/**
 * Notes what the database alone shows to be wrong, from one snapshot to the next. The crash harness and the model both
 * hold the server to it, and add what they know of the requests that they made.
 */
export class Invariants {
  readonly #note: Note
  readonly #mayHaveGaps: (emitterId: string) => boolean
  readonly #places = new Map<string, Place>()
  /** How often runs have added to keys of data stores, as their events say. */
  readonly #added = new Map<string, number>()

  /** @param mayHaveGaps whether events of this emitter are deleted on purpose */
  constructor(note: Note, mayHaveGaps: (emitterId: string) => boolean) {
    this.#note = note
    this.#mayHaveGaps = mayHaveGaps
  }

  /** The last event taken in of each stream: the next snapshot begins there. */
  positions(): Positions {
    return new Map([...this.#places].map(([key, { id }]) => [key, id]))
  }

  /** Takes in one moment. What is committed then has to be consistent, whatever the server is doing. */
  take(snapshot: Snapshot): void {
    for (const event of snapshot.events) this.#follow(event)
    this.#compareHeads(snapshot)
    this.#compareStores(snapshot)
    for (const cursor of snapshot.cursors) this.#balance(cursor)
    for (const book of snapshot.books) this.#balanceRuns(book)
    for (const { id, what } of snapshot.unpaired) this.#note("unbalanced", what, { id })
  }

  /** Takes in a moment at which all is quiet: nothing is half-way in or out, and no row is there whose owner is gone. */
  takeQuiet({ orphans, programs }: Snapshot): void {
    for (const { id, what } of orphans) this.#note("unbalanced", `${what} are left of what was deleted`, { id })
    for (const { id, state } of programs) {
      if (state !== "ready") this.#note("unbalanced", `a program is still ${state}`, { id })
    }
  }

  #follow({ emitter_id, id, n, payload, stream }: EventRow): void {
    if (payload.includes(`"added":`)) this.#count(JSON.parse(payload).added)
    const key = positionKey(emitter_id, stream)
    const before = this.#places.get(key) ?? start
    this.#places.set(key, { n, id })
    const expected = before.n + 1n
    const follows = this.#mayHaveGaps(emitter_id) ? n >= expected : n === expected
    if (!follows || id <= before.id) {
      this.#note("reordered", "an event does not follow on what was read before it", {
        emitter: emitter_id,
        stream,
        before,
        event: { n, id }
      })
    }
  }

  #count(key: unknown): void {
    if (typeof key === "string") this.#added.set(key, (this.#added.get(key) ?? 0) + 1)
  }

  /** Each that was added to is in a data store as often as events say, once for each run and step. */
  #compareStores({ entries }: Snapshot): void {
    for (const [key, added] of this.#added) {
      const value = entries.get(key)
      if (value !== added) this.#note("torn", "a data store and the log do not say the same", { key, value, added })
    }
  }

  #compareHeads({ heads }: Snapshot): void {
    for (const [emitterId, head] of heads) {
      for (const [stream, n] of Object.entries(head.streams)) {
        const place = this.#places.get(positionKey(emitterId, stream)) ?? start
        const agrees = this.#mayHaveGaps(emitterId) ? BigInt(n) >= place.n : BigInt(n) === place.n
        if (!agrees || head.last_id < place.id) {
          this.#note("torn", "a head and its log do not say the same", {
            emitter: emitterId,
            stream,
            head: { n, id: head.last_id },
            log: place
          })
        }
      }
    }
    for (const key of this.#places.keys()) {
      if (!heads.has(key.slice(0, key.indexOf(" ")))) this.#places.delete(key)
    }
  }

  #balanceRuns(book: BookRow): void {
    const { at_work, cancelled, done, failed, program_id: id, received, waiting } = book
    if (received === done + failed + cancelled + waiting + at_work) return
    const what = "the runs received are not done + failed + cancelled + waiting + at work"
    this.#note("unbalanced", what, { id, ...book })
  }

  #balance(cursor: CursorRow): void {
    const complain = (saying: string) => this.#note("unbalanced", `${nameOf(cursor)}: ${saying}`, { cursor })
    const { ahead, delivered, dropped, emitter_id, exhausted, filtered, head_n, n, pending, pending_rows, start_n } =
      cursor
    const mayHaveGaps = this.#mayHaveGaps(emitter_id)
    if (n - start_n !== delivered + pending + exhausted + dropped + filtered) {
      complain("cursor − start is not delivered + pending + exhausted + dropped + filtered")
    }
    if (n > head_n) complain("the cursor is ahead of the head")
    const waiting = head_n - n
    if (mayHaveGaps ? ahead > waiting : ahead !== waiting) complain("head − cursor is not what waits in the log")
    if (pending !== pending_rows) complain("pending is not the number of events whose deliveries wait for a retry")
    if (!mayHaveGaps && dropped !== 0n) complain("events were dropped that nobody deleted")
  }
}
