import type { OnAnswered } from "../ground/ActorCalls.ts"
import * as Wake from "../ground/Wake.ts"
import type { SentRequest, SentWake } from "./Frames.ts"

/** A request on its way to another node. */
export interface Asked extends SentRequest {
  /** Takes the outcome of the request; undefined if it is not known to have been taken. */
  readonly onEnd: (exit: Parameters<OnAnswered>[0] | undefined) => void
}

/** Sends frames. `requests` calls `onEnd` of each request once, `wakes` when the hints have arrived or failed to. */
export interface Sending {
  readonly requests: (batch: ReadonlyArray<Asked>) => void
  readonly wakes: (batch: ReadonlyArray<SentWake>, onEnd: () => void) => void
}

/** The most characters of one request and of one hint, and of all that are gathered or under way over one link. */
const mostOfRequest = 64 * 1024
const mostOfWake = 512 * 1024
const mostTogether = 4 * 1024 * 1024

const charactersOf = ({ fed }: Wake.Wake): number => {
  let characters = 0
  for (const { events } of fed) {
    for (const { payload } of events) characters += payload.length
  }
  return characters
}

/**
 * The way to one other node. Requests and hints of one turn of the event loop go in one frame each, and hints while the
 * frame before is under way are merged. A link refuses large requests and hints, and any that come while it is opening
 * or closed, or while much is under way: these go the way of everything else.
 *
 * States: `opening` → `open` → `closed`.
 */
export class Link {
  private state: "opening" | "open" | "closed" = "opening"
  private sending: Sending | undefined
  private requests: Array<Asked> = []
  private wakes = new Map<string, Wake.Wake>()
  private requestCharacters = 0
  private wakeCharacters = 0
  private areWakesUnderWay = false
  private isFlushDue = false
  private isUsed = true

  open(sending: Sending): void {
    this.sending = sending
    this.state = "open"
  }

  close(): void {
    this.state = "closed"
    const { requests } = this
    this.requests = []
    for (const { onEnd } of requests) onEnd(undefined)
    this.wakes.clear()
  }

  /** Answers whether the link was used since it was asked last, or is in use. */
  takeUse(): boolean {
    const isUsed = this.isUsed || this.requestCharacters > 0
    this.isUsed = false
    return isUsed
  }

  /** Answers whether the request will be sent, in which case `onEnd` is called once. */
  ask({ actorId, onEnd, request }: Asked): boolean {
    const characters = request.payload.length
    this.isUsed = true
    if (this.state !== "open" || characters > mostOfRequest) return false
    if (this.requestCharacters + characters > mostTogether) return false
    this.requestCharacters += characters
    this.requests.push({
      actorId,
      request,
      onEnd: (exit) => {
        this.requestCharacters -= characters
        onEnd(exit)
      }
    })
    this.flushSoon()
    return true
  }

  /** Answers whether the hint will be sent. */
  wake(actorId: string, wake: Wake.Wake): boolean {
    const characters = charactersOf(wake)
    this.isUsed = true
    if (this.state !== "open" || characters > mostOfWake) return false
    if (this.wakeCharacters + characters > mostTogether) return false
    this.wakeCharacters += characters
    this.wakes.set(actorId, Wake.merge(this.wakes.get(actorId), wake))
    this.flushSoon()
    return true
  }

  private flushSoon(): void {
    if (this.isFlushDue) return
    this.isFlushDue = true
    setImmediate(() => {
      this.isFlushDue = false
      this.flush()
    })
  }

  private flush(): void {
    const { requests } = this
    if (requests.length > 0) {
      this.requests = []
      this.sending!.requests(requests)
    }
    if (this.wakes.size > 0 && !this.areWakesUnderWay) this.flushWakes()
  }

  private flushWakes(): void {
    const batch = Array.from(this.wakes, ([actorId, wake]) => ({ actorId, wake }))
    this.wakes = new Map()
    this.wakeCharacters = 0
    this.areWakesUnderWay = true
    this.sending!.wakes(batch, () => {
      this.areWakesUnderWay = false
      if (this.wakes.size > 0) this.flushSoon()
    })
  }
}
