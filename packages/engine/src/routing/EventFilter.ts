import { BoundedMap } from "@headwater/domain/BoundedMap"
import type { LoggedEvent } from "@headwater/domain/Event"
import { JsonDocument } from "@headwater/domain/JsonDocument"
import { Sharers } from "@headwater/domain/Sharers"
import { type Judged, SubscriptionFilter } from "@headwater/domain/SubscriptionFilter"
import { type AccountTurns, Turns } from "@headwater/domain/Turns"
import { Work } from "@headwater/domain/Work"
import { Effect, Metric } from "effect"
import { EngineLimits } from "../ground/EngineLimits.ts"

const tooCostlyTotal = Metric.counter("headwater_filter_too_costly_total", {
  description: "Events that were dropped because it took too much work to judge them by the filter of a subscription.",
  incremental: true
})

/** A payload of more characters is not read at once, but when it is the account's turn. */
const largePayload = 16 * 1024

/** So many steps of a judgement are taken at once. */
const mostSteps = 4

/** Units of work that one look at the next events does at once: less than a millisecond's worth. */
const mostOfLook = 16_000

/** The JSON of events' payloads, read once for however many subscriptions of a node filter an event. */
export class EventDocuments {
  readonly turns: AccountTurns
  /** Units of work that a judgement may take. */
  readonly mostWork: number
  /** By emitter and event, those used last at the end. The last one is kept in any case. */
  private readonly kept = new Map<string, JsonDocument>()
  private characters = 0
  private readonly most: number

  constructor(turns: AccountTurns, limits: {
    /** Units of work that a judgement may take. */
    readonly work: number
    /** The most characters of documents that are kept. */
    readonly documents: number
  }) {
    this.turns = turns
    this.mostWork = limits.work
    this.most = limits.documents
  }

  static readonly make: Effect.Effect<EventDocuments> = Effect.gen(function*() {
    const { filterDocuments, filterWork } = yield* EngineLimits
    return new EventDocuments(yield* Turns, { work: filterWork, documents: filterDocuments / (yield* Sharers) })
  })

  /** The JSON of a small payload, at once. */
  readAtOnce(event: Pick<LoggedEvent, "emitterId" | "id" | "payload">): JsonDocument {
    return this.known(event) ?? this.keep(event, JsonDocument.readAtOnce(event.payload))
  }

  /** The JSON of an event's payload, in small steps. */
  *read(event: Pick<LoggedEvent, "emitterId" | "id" | "payload">, work: Work): Generator<void, JsonDocument> {
    return this.known(event) ?? this.keep(event, yield* JsonDocument.read(event.payload, work))
  }

  private known({ emitterId, id }: Pick<LoggedEvent, "emitterId" | "id">): JsonDocument | undefined {
    return this.kept.get(`${emitterId} ${id}`)
  }

  private keep({ emitterId, id }: Pick<LoggedEvent, "emitterId" | "id">, document: JsonDocument): JsonDocument {
    const key = `${emitterId} ${id}`
    this.characters -= this.kept.get(key)?.characters ?? 0
    this.kept.set(key, document)
    this.characters += document.characters
    for (const [other, { characters }] of this.kept) {
      if (this.characters <= this.most || other === key) break
      this.kept.delete(other)
      this.characters -= characters
    }
    return document
  }
}

/** The work of judging events in one look at the next ones: as much as may be done at once. */
export class Look {
  private readonly work = new Work()

  get isOver(): boolean {
    return this.work.used >= mostOfLook
  }

  spend(units: number): void {
    this.work.spend(units)
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

  /** Judges an event, if that takes no longer than may be taken at once; undefined otherwise. */
  judgeAtOnce(event: LoggedEvent, look: Look): Judged["outcome"] | undefined {
    if (event.payload.length > largePayload || look.isOver) return undefined
    const work = new Work()
    work.spendOn(event.payload.length)
    const steps = this.filter.judge(event, this.documents.readAtOnce(event), work, this.documents.mostWork)
    let outcome: Judged["outcome"] | undefined
    for (let step = 0; step < mostSteps && outcome === undefined; step++) {
      const { done, value } = steps.next()
      if (done === true) outcome = value.outcome
    }
    look.spend(Math.min(work.used, mostOfLook))
    // `decide` is to tell of that.
    return outcome === "filter_too_costly" ? undefined : outcome
  }

  /** Judges an event, however large it is: in turns with other accounts. */
  judge(event: LoggedEvent): Effect.Effect<Judged> {
    return Effect.suspend(() => this.documents.turns.work(this.accountId, this.steps(event)))
  }

  /** Judges an event that is passed by the outcome: if it took too much work, the log and the metrics say so. */
  decide(event: LoggedEvent, subscriptionId: string): Effect.Effect<Judged["outcome"]> {
    return Effect.flatMap(this.judge(event), ({ outcome }) => {
      if (outcome !== "filter_too_costly") return Effect.succeed(outcome)
      return Effect.logWarning("An event is dropped: it takes too much work to judge it by the filter").pipe(
        Effect.annotateLogs({
          account_id: this.accountId,
          subscription_id: subscriptionId,
          emitter_id: event.emitterId,
          emit_id: event.emitId,
          reason: outcome
        }),
        Effect.andThen(Metric.update(tooCostlyTotal, 1)),
        Effect.as(outcome)
      )
    })
  }

  private get filter(): SubscriptionFilter {
    this.compiled ??= SubscriptionFilter.fromText(this.text)
    return this.compiled
  }

  private *steps(event: LoggedEvent): Generator<void, Judged> {
    // The time to read it grows with its size, which is not the filter's fault.
    const document = yield* this.documents.read(event, new Work())
    return yield* this.filter.judge(event, document, new Work(), this.documents.mostWork)
  }
}

/** The filters of a listener's subscriptions, each compiled once however many emitters it is for. */
export class ListenerFilters {
  private readonly accountId: string
  private readonly documents: EventDocuments
  private readonly kept: Map<string, EventFilter>

  /** @param most the most filters that are kept compiled */
  constructor(accountId: string, documents: EventDocuments, most: number) {
    this.accountId = accountId
    this.documents = documents
    this.kept = new BoundedMap(most)
  }

  /** @param text JSON text of the filter; null for none */
  of(text: string | null): EventFilter | undefined {
    if (text === null) return undefined
    const known = this.kept.get(text)
    if (known !== undefined) return known
    const filter = new EventFilter(text, this.accountId, this.documents)
    this.kept.set(text, filter)
    return filter
  }
}
