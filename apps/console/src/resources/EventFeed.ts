import { follow, type OpenTail } from "@headwater/client/TailReader"
import { type ReadonlySignal, signal } from "@preact/signals"
import { nextOf, respond, type TimeOrder } from "../api/Api.ts"
import { type Failure, failureOf } from "../api/Failure.ts"
import { untilUnseen, whenSeen } from "../api/Presence.ts"
import { compare, type EventFilter, type EventSummary, keyOf, list, pageSize, timeOf } from "./Events.ts"

/**
 * The progress of reading the list. It begins `reading`; `readOn` goes on from `failed` and `open`. `full`: the list has
 * as many events as the page keeps, and the last have made room.
 */
export type Reach =
  | { readonly state: "reading" }
  | { readonly state: "open" }
  | { readonly state: "ended" }
  | { readonly state: "full" }
  | { readonly state: "failed"; readonly failure: Failure }

/** The state of the tail. `paused`: new events stay on the server, and all of them come once the tail goes on. */
export type Live =
  | { readonly state: "paused" }
  | { readonly state: "connecting" }
  | { readonly state: "live" }
  | { readonly state: "lost"; readonly failure: Failure | undefined }
  | { readonly state: "refused"; readonly failure: Failure }

/** The most events that are kept. Beyond that the last make room. */
export const maxRows = 10_000

/** The most characters of an event that a line needs. The whole event is read when it is opened. */
const maxLineText = 2_000

/** Events that arrive within this time come into the list together, in milliseconds. */
const flushMs = 100

/** A page unseen for this time, in milliseconds, gives up its connection: a browser has few to each server. */
const unseenMs = 20_000

/** The most pages without a match before the reader is asked whether to go on. Each page covers a part of the log. */
const maxEmptyPages = 20

const pauseAfter = (error: unknown): number | undefined => {
  const { passes, retryAfterSeconds = 0 } = failureOf(error)
  return passes ? retryAfterSeconds * 1_000 : undefined
}

/** Cuts a large payload, since a row's line shows only its beginning. */
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
 * A list of events that grows by further pages on demand, and, while it is live, by new events. Those are server-sent, and
 * committed after the first page was read. One that is oldest first takes them in once it was read to its end, from the
 * page before its last on: events that were committed late can belong before others.
 */
export class EventFeed {
  readonly filter: EventFilter
  readonly order: TimeOrder
  readonly #rows = signal<ReadonlyArray<EventSummary>>([])
  readonly #reach = signal<Reach>({ state: "reading" })
  readonly #live = signal<Live>({ state: "paused" })
  readonly #known = new Set<string>()
  #next: string | undefined
  #incoming: Array<EventSummary> = []
  #flush: ReturnType<typeof setTimeout> | undefined
  #reading: AbortController | undefined
  #tail: AbortController | undefined
  /** Done once the tail can begin. */
  readonly #begun = Promise.withResolvers<void>()
  /** The position at which the tail goes on. Events that were committed before it are in the list. */
  #position: string | undefined

  constructor(filter: EventFilter, order: TimeOrder) {
    this.filter = filter
    this.order = order
  }

  get rows(): ReadonlySignal<ReadonlyArray<EventSummary>> {
    return this.#rows
  }

  get reach(): ReadonlySignal<Reach> {
    return this.#reach
  }

  get live(): ReadonlySignal<Live> {
    return this.#live
  }

  /** True if new events can belong to the list. */
  get canBeLive(): boolean {
    return this.filter.to === undefined
  }

  /** Reads the first page, and then the ones behind it. */
  readOn = async (): Promise<void> => {
    if (this.#reading !== undefined || this.#reach.peek().state === "full") return
    const reading = new AbortController()
    this.#reading = reading
    this.#reach.value = { state: "reading" }
    try {
      for (let pages = 0; pages < maxEmptyPages; pages++) {
        const page = await list(this.filter, this.order, this.#next, reading.signal)
        if (reading.signal.aborted) return
        this.#add(page.data)
        this.#next = nextOf(page, pageSize)
        if (this.#position === undefined || (this.order === "oldest" && this.#next !== undefined)) {
          this.#position = page.page_info.position
        }
        if (page.data.length > 0 || this.#next === undefined) break
      }
      if (this.#reach.peek().state === "reading") {
        this.#reach.value = { state: this.#next === undefined ? "ended" : "open" }
      }
      if (this.order === "newest" || this.#next === undefined) this.#begun.resolve()
    } catch (error) {
      if (!reading.signal.aborted) this.#reach.value = { state: "failed", failure: failureOf(error) }
    } finally {
      if (this.#reading === reading) this.#reading = undefined
    }
  }

  /** Lets new events in, from the position at which the tail stopped. */
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
    await this.#begun.promise
    while (true) {
      await whenSeen(abort)
      if (abort.aborted) return
      const signal = untilUnseen(unseenMs, abort)
      try {
        await this.#readTail(signal)
        await this.#restart()
      } catch (error) {
        if (abort.aborted) return
        if (!signal.aborted) {
          this.#live.value = { state: "refused", failure: failureOf(error) }
          this.#tail = undefined
          return
        }
        this.#live.value = { state: "connecting" }
      }
    }
  }

  /** Takes in what the tail brings, until so many events were missed that little of the list would stay. */
  async #readTail(signal: AbortSignal): Promise<void> {
    const { emitter, from, stream, text } = this.filter
    const open: OpenTail = async (lastEventId, signal) => {
      const query = { emitter, stream, text, after: lastEventId }
      return (await respond("GET", ["events", "sse"], { query, signal })).body!
    }
    let missed = 0
    for await (const item of follow<EventSummary>(open, { after: this.#position, pauseAfter, signal })) {
      signal.throwIfAborted()
      switch (item.type) {
        case "connected":
          this.#live.value = { state: "live" }
          break
        case "lost":
          this.#live.value = { state: "lost", failure: item.error === undefined ? undefined : failureOf(item.error) }
          break
        case "position":
          this.#position = item.position
          missed = 0
          break
        case "event":
          missed += 1
          if (missed > maxRows && this.order === "newest") return
          if (from !== undefined && timeOf(item.event.id) < from) break
          this.#incoming.push(cut(item.event))
          this.#flush ??= setTimeout(() => this.#take(), flushMs)
      }
    }
  }

  /** Puts the incoming events into the list. */
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
    if (this.order === "oldest") rows.reverse()
    const dropped = rows.splice(maxRows)
    for (const event of dropped) this.#known.delete(keyOf(event))
    this.#rows.value = rows
    if (dropped.length === 0) return
    this.#reach.value = { state: "full" }
    if (this.order === "oldest") this.pause()
  }

  /** Begins anew with the newest page. */
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
    this.#reach.value = { state: "reading" }
    await this.readOn()
  }
}
