import { type ReadonlySignal, signal } from "@preact/signals"
import { nextOf, respond } from "../api/Api.ts"
import { type Failure, failureOf } from "../api/Failure.ts"
import { untilUnseen, whenSeen } from "../api/Presence.ts"
import * as ServerSentEvents from "../api/ServerSentEvents.ts"
import { compare, type EventFilter, type EventSummary, keyOf, list, pageSize, timeOf } from "./Events.ts"

/**
 * How far the older events are read. It begins `reading`; `failed` and `open` go on with `readOlder`. `full`: there are as
 * many as the page keeps, and the oldest have made room.
 */
export type Older =
  | { readonly state: "reading" }
  | { readonly state: "open" }
  | { readonly state: "ended" }
  | { readonly state: "full" }
  | { readonly state: "failed"; readonly failure: Failure }

/** What becomes of new events. `paused`: they stay on the server until the tail goes on, and are all there then. */
export type Live =
  | { readonly state: "paused" }
  | { readonly state: "connecting" }
  | { readonly state: "live" }
  | { readonly state: "lost"; readonly failure: Failure | undefined }
  | { readonly state: "refused"; readonly failure: Failure }

/** So many events are kept. Beyond that the oldest make room. */
export const maxRows = 10_000

/** Text of so many characters is enough for a line; the whole of an event is read when it is opened. */
const maxLineText = 2_000

/** Events come into the list together that arrive within so many milliseconds. */
const flushMs = 100

/** A page that nobody has seen for so many milliseconds gives up its connection: a browser has few to each server. */
const unseenMs = 20_000

/** The server looks at a part of the log for each page: after so many without a match the reader is asked whether to go on. */
const maxEmptyPages = 20

const firstPauseMs = 500
const lastPauseMs = 8_000

const pause = (ms: number, abort: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    abort.addEventListener("abort", () => {
      clearTimeout(timer)
      resolve()
    })
  })

/** A large payload is not kept for each row: its line shows only how it begins. */
const cut = (event: EventSummary): EventSummary => {
  const text = JSON.stringify(event.event)
  if (text.length <= maxLineText) return event
  const { metadata } = event
  return {
    ...event,
    event: { raw_event: `${text.slice(0, maxLineText)}…` },
    metadata: { ...metadata, truncated: true }
  }
}

/**
 * A list of events that grows at both ends: older ones when they are asked for, and what is committed after the first page
 * was read while it is live, by server-sent events.
 */
export class EventFeed {
  readonly filter: EventFilter
  readonly #rows = signal<ReadonlyArray<EventSummary>>([])
  readonly #older = signal<Older>({ state: "reading" })
  readonly #live = signal<Live>({ state: "paused" })
  readonly #known = new Set<string>()
  #next: string | undefined
  #incoming: Array<EventSummary> = []
  #flush: ReturnType<typeof setTimeout> | undefined
  #reading: AbortController | undefined
  #tail: AbortController | undefined
  readonly #begun = Promise.withResolvers<void>()
  /** Where the tail goes on: what was committed before that is in the list. */
  #position: string | undefined

  constructor(filter: EventFilter) {
    this.filter = filter
  }

  get rows(): ReadonlySignal<ReadonlyArray<EventSummary>> {
    return this.#rows
  }

  get older(): ReadonlySignal<Older> {
    return this.#older
  }

  get live(): ReadonlySignal<Live> {
    return this.#live
  }

  /** Whether new events can belong to it. */
  get canBeLive(): boolean {
    return this.filter.to === undefined
  }

  /** Reads the first page, and then the ones behind it. */
  readOlder = async (): Promise<void> => {
    if (this.#reading !== undefined || this.#older.peek().state === "full") return
    const reading = new AbortController()
    this.#reading = reading
    this.#older.value = { state: "reading" }
    try {
      for (let pages = 0; pages < maxEmptyPages; pages++) {
        const page = await list(this.filter, this.#next, reading.signal)
        if (reading.signal.aborted) return
        this.#position ??= page.page_info.position
        this.#add(page.data)
        this.#next = nextOf(page, pageSize)
        if (page.data.length > 0 || this.#next === undefined) break
      }
      if (this.#older.peek().state === "reading") {
        this.#older.value = { state: this.#next === undefined ? "ended" : "open" }
      }
      this.#begun.resolve()
    } catch (error) {
      if (!reading.signal.aborted) this.#older.value = { state: "failed", failure: failureOf(error) }
    } finally {
      if (this.#reading === reading) this.#reading = undefined
    }
  }

  /** Lets new events in from where it stood. */
  resume(): void {
    if (this.#tail !== undefined || !this.canBeLive) return
    const tail = new AbortController()
    this.#tail = tail
    this.#live.value = { state: "connecting" }
    void this.#follow(tail.signal)
  }

  pause(): void {
    this.#tail?.abort()
    this.#tail = undefined
    this.#take()
    this.#live.value = { state: "paused" }
  }

  stop(): void {
    this.pause()
    this.#reading?.abort()
    this.#reading = undefined
  }

  async #follow(abort: AbortSignal): Promise<void> {
    // What is new is what comes behind the first page.
    await this.#begun.promise
    let pauseMs = firstPauseMs
    const isUp = () => {
      pauseMs = firstPauseMs
      if (!abort.aborted && this.#live.peek().state !== "live") this.#live.value = { state: "live" }
    }
    while (!abort.aborted) {
      let failure: Failure | undefined
      try {
        await this.#stream(abort, isUp)
      } catch (error) {
        failure = failureOf(error)
      }
      if (abort.aborted) return
      if (failure !== undefined && !failure.passes) {
        this.#live.value = { state: "refused", failure }
        this.#tail = undefined
        return
      }
      this.#live.value = { state: "lost", failure }
      await pause(pauseMs, abort)
      pauseMs = Math.min(lastPauseMs, pauseMs * 2)
    }
  }

  async #stream(abort: AbortSignal, isUp: () => void): Promise<void> {
    const { emitter, from, stream, text } = this.filter
    await whenSeen(abort)
    if (abort.aborted) return
    const signal = untilUnseen(unseenMs, abort)
    const response = await respond("GET", ["events", "sse"], {
      query: { emitter, stream, text, after: this.#position },
      signal
    })
    isUp()
    let missed = 0
    for await (const { data, id } of ServerSentEvents.read(response.body!)) {
      if (signal.aborted) return
      if (data === undefined) {
        this.#position = id
        missed = 0
        continue
      }
      missed += 1
      if (missed > maxRows) return this.#restart()
      const event = JSON.parse(data) as EventSummary
      if (from !== undefined && timeOf(event.id) < from) continue
      this.#incoming.push(cut(event))
      this.#flush ??= setTimeout(() => this.#take(), flushMs)
    }
  }

  /** Puts what has come in into the list. */
  #take(): void {
    clearTimeout(this.#flush)
    this.#flush = undefined
    const incoming = this.#incoming
    this.#incoming = []
    this.#add(incoming)
  }

  #add(events: ReadonlyArray<EventSummary>): void {
    const fresh = events.filter((event) => !this.#known.has(keyOf(event)))
    if (fresh.length === 0) return
    for (const event of fresh) this.#known.add(keyOf(event))
    const rows = [...this.#rows.peek(), ...fresh].sort(compare)
    const dropped = rows.splice(maxRows)
    for (const event of dropped) this.#known.delete(keyOf(event))
    this.#rows.value = rows
    if (dropped.length > 0) this.#older.value = { state: "full" }
  }

  /** Begins anew with what is newest: so much has come while it was not live that little of the list would stay. */
  async #restart(): Promise<void> {
    this.#reading?.abort()
    this.#reading = undefined
    clearTimeout(this.#flush)
    this.#flush = undefined
    this.#incoming = []
    this.#known.clear()
    this.#rows.value = []
    this.#next = undefined
    this.#position = undefined
    this.#older.value = { state: "reading" }
    await this.readOlder()
  }
}
