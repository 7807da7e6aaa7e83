import type { LoggedEvent } from "@headwater/domain/Event"
import { Sharers } from "@headwater/domain/Sharers"
import { SubscriptionFilter } from "@headwater/domain/SubscriptionFilter"
import { type AccountTurns, Turns } from "@headwater/domain/Turns"
import { Effect, type Schema } from "effect"
import { EngineLimits } from "../EngineLimits.ts"

/** A payload of more characters is not read at once, but when it is the account's turn. */
const largePayload = 16 * 1024

/** So many steps of a judgement are taken at once. */
const mostSteps = 4

interface Document {
  readonly payload: Schema.Json
  readonly characters: number
}

/** The JSON of events' payloads, read once for however many subscriptions of a node filter an event. */
export class EventDocuments {
  readonly turns: AccountTurns
  private readonly most: number
  /** By emitter and event, those used last at the end. The last one is kept in any case. */
  private readonly kept = new Map<string, Document>()
  private characters = 0

  /** @param most how many characters of payloads are kept */
  constructor(turns: AccountTurns, most: number) {
    this.turns = turns
    this.most = most
  }

  static readonly make: Effect.Effect<EventDocuments> = Effect.gen(function*() {
    return new EventDocuments(yield* Turns, (yield* EngineLimits).filterDocuments / (yield* Sharers))
  })

  /** The JSON of an event's payload. */
  of({ emitterId, id, payload }: Pick<LoggedEvent, "emitterId" | "id" | "payload">): Schema.Json {
    const key = `${emitterId} ${id}`
    const known = this.kept.get(key)
    if (known !== undefined) return known.payload
    const read: Document = { payload: JSON.parse(payload), characters: payload.length }
    this.kept.set(key, read)
    this.characters += read.characters
    for (const [other, { characters }] of this.kept) {
      if (this.characters <= this.most || other === key) break
      this.kept.delete(other)
      this.characters -= characters
    }
    return read.payload
  }
}

/** A subscription's filter at work. It is compiled when there is something to judge. */
export class EventFilter {
  private readonly text: string
  private readonly accountId: string
  private readonly documents: EventDocuments
  private compiled: SubscriptionFilter | undefined

  constructor(text: string, accountId: string, documents: EventDocuments) {
    this.text = text
    this.accountId = accountId
    this.documents = documents
  }

  /** Whether an event passes, where that takes no longer than may be taken at once. */
  passesAtOnce(event: LoggedEvent): boolean | undefined {
    if (event.payload.length > largePayload) return undefined
    const steps = this.judge(event)
    for (let step = 0; step < mostSteps; step++) {
      const { done, value } = steps.next()
      if (done === true) return value === undefined
    }
    return undefined
  }

  /** Whether an event passes, however large it is: in turns with other accounts. */
  passes(event: LoggedEvent): Effect.Effect<boolean> {
    return Effect.map(this.failingClause(event), (clause) => clause === undefined)
  }

  /** Which clause does not hold for an event, as `filter.data.amount.$gt`. */
  failingClause(event: LoggedEvent): Effect.Effect<string | undefined> {
    return Effect.suspend(() => this.documents.turns.work(this.accountId, this.judge(event)))
  }

  private *judge(event: LoggedEvent): Generator<void, string | undefined> {
    this.compiled ??= SubscriptionFilter.fromText(this.text)
    return yield* this.compiled.judge(event, this.documents.of(event))
  }
}

/** The filters of a listener's subscriptions, each compiled once however many emitters it is for. */
export class ListenerFilters {
  private readonly accountId: string
  private readonly documents: EventDocuments
  private readonly most: number
  private readonly kept = new Map<string, EventFilter>()

  /** @param most how many are compiled at once */
  constructor(accountId: string, documents: EventDocuments, most: number) {
    this.accountId = accountId
    this.documents = documents
    this.most = most
  }

  /** @param text JSON text of the filter; null for none */
  of(text: string | null): EventFilter | undefined {
    if (text === null) return undefined
    const known = this.kept.get(text)
    if (known !== undefined) return known
    if (this.kept.size >= this.most) this.kept.clear()
    const filter = new EventFilter(text, this.accountId, this.documents)
    this.kept.set(text, filter)
    return filter
  }
}
