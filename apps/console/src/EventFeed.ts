import { type ReadonlySignal, signal } from "@preact/signals"
import { nextOf, respond } from "./Api.ts"
import { emitterPath, kindOf } from "./Directory.ts"
import { compare, type EventFilter, type EventSummary, keyOf, list, pageSize, timeOf } from "./Events.ts"
import { type Failure, failureOf } from "./Failure.ts"
import { isPresent, untilUnseen, whenSeen } from "./Presence.ts"
import * as ServerSentEvents from "./ServerSentEvents.ts"

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

const pollMs = 2_000

/** A page that nobody has seen for so many milliseconds gives up its connection: a browser has few to each server. */
const unseenMs = 20_000

/**
 * An event may become visible so many milliseconds after one of another emitter with a later id: a poll goes back so far.
 * While much comes in, it goes back less.
 */
const settleMs = 10_000
const busySettleMs = 2_000

/** A poll that reads more pages than this is one of an account where much comes in. */
const calmPages = 2

/** A poll reads no more pages than this. If there is more, the list begins anew with what it has read. */
const maxPollPages = 10

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
 * A list of events that grows at both ends: older ones when they are asked for, new ones while it is live.
 *
 * The tail of one stream of one emitter is the server's own, by server-sent events. Over several emitters the newest pages
 * are read again every two seconds, back to what had settled before.
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
  #isBusy = false
  readonly #begun = Promise.withResolvers<void>()
  /** The id of the last event that came through the tail: where it goes on. */
  #last: string | undefined

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
        await (this.#hasTail ? this.#stream(abort, isUp) : this.#poll(abort, isUp))
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

  /** Whether the server has a tail of just these events. */
  get #hasTail(): boolean {
    const { emitter, from, stream, text } = this.filter
    const kind = kindOf(emitter)
    return (kind === "source" || kind === "workflow") && stream !== "" && text === "" && from === undefined
  }

  async #stream(abort: AbortSignal, isUp: () => void): Promise<void> {
    const { emitter, stream } = this.filter
    await whenSeen(abort)
    if (abort.aborted) return
    const signal = untilUnseen(unseenMs, abort)
    this.#last ??= this.#rows.peek()[0]?.id ?? "0-0"
    const response = await respond("GET", [...emitterPath(emitter), "sse"], {
      query: { event_name: stream },
      headers: { "last-event-id": this.#last },
      signal
    })
    isUp()
    for await (const { data, id } of ServerSentEvents.read(response.body!)) {
      if (signal.aborted) return
      this.#incoming.push(cut(JSON.parse(data) as EventSummary))
      this.#last = id
      this.#flush ??= setTimeout(() => this.#take(), flushMs)
    }
  }

  async #poll(abort: AbortSignal, isUp: () => void): Promise<void> {
    while (!abort.aborted) {
      if (isPresent()) {
        await this.#catchUp(abort)
        isUp()
      }
      await pause(pollMs, abort)
    }
  }

  /** Reads all that has come since the last time. */
  async #catchUp(abort: AbortSignal): Promise<void> {
    const newest = this.#rows.peek()[0]
    const settledMs = this.#isBusy ? busySettleMs : settleMs
    const settled = newest === undefined ? undefined : Math.max(this.filter.from ?? 0, timeOf(newest.id) - settledMs)
    const filter = settled === undefined ? this.filter : { ...this.filter, from: settled }
    const found: Array<EventSummary> = []
    let after: string | undefined
    let pages = 0
    while (pages < maxPollPages) {
      const page = await list(filter, after, abort)
      pages += 1
      found.push(...page.data)
      after = nextOf(page, pageSize)
      // Of an empty list the first page is all that can be new.
      if (after === undefined || settled === undefined) break
    }
    if (abort.aborted) return
    // Between these and the ones that were there, some would be missing.
    if (after !== undefined && settled !== undefined) this.#restart(after)
    this.#isBusy = pages > calmPages
    this.#incoming.push(...found)
    this.#take()
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

  /** Forgets all rows. What comes now begins the list, and what is behind it can be read as before. */
  #restart(after: string): void {
    this.#reading?.abort()
    this.#reading = undefined
    this.#known.clear()
    this.#rows.value = []
    this.#next = after
    this.#older.value = { state: "open" }
  }
}
