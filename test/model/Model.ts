import * as EventId from "@headwater/domain/EventId"
import type { ProgramId } from "@headwater/domain/Id"
import type { Ordering } from "@headwater/domain/WebhookSettings"
import type { Kind } from "./Command.ts"
import * as ModelBatch from "./ModelBatch.ts"
import type { ModelConsumer } from "./ModelConsumer.ts"
import { passes } from "./ModelFate.ts"
import type { FilterName } from "./ModelFilter.ts"
import type { Manner } from "./ModelSink.ts"
import { keepIn, type Stored } from "./ModelStore.ts"
import type { ModelTokens } from "./ModelTokens.ts"
import type { WorkflowRun } from "./ModelWorkflow.ts"
import type { EventRow, Observation } from "./Observation.ts"

export interface ModelEvent extends EventRow {
  deleted: boolean
}

export interface ModelSource {
  readonly id: ProgramId
  readonly kind: Kind
  readonly endpointKey: string | null
  active: boolean
  /** Every event there ever was, the nth of a stream at n − 1. */
  readonly streams: Map<string, Array<ModelEvent>>
  /** Payloads that are to be emitted, in order. */
  readonly next: Array<string>
  /** Payloads that are to be emitted at a time. */
  readonly later: Array<{ readonly at: number; readonly payload: string }>
  errors: number
  runs: number
  /** What a `unique` source has let through. */
  readonly ids: Set<number>
  /** When the timer is due; undefined until that was seen. */
  dueAt: number | undefined
  /** One of the times at which it was due. */
  phase: number | undefined
  /** Payloads it heard and has to tell of, by the subscription and emitter they came from, or that it was asked for. */
  readonly heard: Map<string, Array<string>>
  /** Payloads it told of. */
  readonly told: Array<string>
  /** The last token that a run of it had, counted from 0. */
  token: number
  /** What it has in the data store, by key. */
  readonly stored: Map<string, Stored>
  /** Of a workflow, by id. */
  readonly workflowRuns: Map<string, WorkflowRun>
}

export interface ModelWebhook {
  readonly id: string
  /** Of the workflow whose own requests it sends, which no client sees. */
  readonly workflowId: string | null
  readonly manner: Manner
  active: boolean
  ordering: Ordering
  /** Its endpoint has said so to a replay, which no cursor accounts for. */
  heardGone?: boolean
  /** Of its replays that have not ended, until when the events are that each means: to the millisecond, as ids tell. */
  replaysUntil?: Array<number>
}

/** How often an event may come again by replays, and has to. */
export interface ModelReplay {
  allowed: number
  must: number
  got: number
  /** While what was on its way could be sent again. */
  gotCutOff: number
}

/** What waits for a retry. */
export interface ModelPending {
  attempts: number
  dueAt: number | undefined
  isAsked?: boolean
  /** All that it was sent with at first, of a list; none of an event that goes alone. */
  readonly list?: ReadonlyArray<ModelEvent> | undefined
}

/** How many events wait with it. */
export const countOf = ({ list }: ModelPending): bigint => BigInt(list?.length ?? 1)

/** A list that was sent since all was last quiet, and what there was before. */
export interface SentList {
  readonly emitId: string
  readonly first: ModelEvent
  readonly before: Pick<ModelCursor, "delivered" | "dropped" | "exhausted" | "filtered" | "n" | "pending">
}

export interface ModelCursor {
  readonly start: bigint
  /** Up to here first attempts were made, or passed over. */
  n: bigint
  delivered: bigint
  pending: bigint
  exhausted: bigint
  dropped: bigint
  filtered: bigint
  /** By event, of a list the first one. */
  readonly pendings: Map<bigint, ModelPending>
  /** In log order. */
  readonly lists: Array<SentList>
  /** By event. */
  readonly replays: Map<bigint, ModelReplay>
  /** Requests of a workflow's own that were sent, which wait for no others. */
  readonly sent: Set<bigint>
}

/** The stream of a workflow's own requests. */
export const sends = "$sends"

export interface ModelSubscription {
  readonly id: string
  /** None for all sources. */
  readonly emitterId: string | null
  readonly listenerId: string
  readonly stream: string
  filter: FilterName | null
  batch: ModelBatch.BatchName | null
  /** By emitter; none for one that nothing was read of. */
  readonly cursors: Map<string, ModelCursor>
}

export const newCursor = (start: bigint): ModelCursor => ({
  start,
  n: start,
  delivered: 0n,
  pending: 0n,
  exhausted: 0n,
  dropped: 0n,
  filtered: 0n,
  pendings: new Map(),
  lists: [],
  replays: new Map(),
  sent: new Set()
})

/** What sources, webhooks and subscriptions there are, and what has to be seen of them. */
export class Model {
  readonly sources = new Map<string, ModelSource>()
  readonly webhooks = new Map<string, ModelWebhook>()
  readonly subscriptions = new Map<string, ModelSubscription>()
  readonly consumers = new Map<string, ModelConsumer>()
  /** The engine was cut off since all was last quiet: what was on its way may be sent again. */
  cutOff = false
  /**
   * Sources that were removed, and payloads of theirs that waited for others to go with: these may have been heard, or went
   * with them, as what their hooks said last.
   */
  readonly parting = new Map<string, Set<string>>()
  /** What hands out the tokens of the account over OAuth. */
  tokens: ModelTokens | undefined
  /** A token that was kept, or an earlier one: no run has one of before that any more. */
  keptToken = 0
  /** How often what the provider answered may have been lost. */
  cutOffs = 0
  /** Between which times the clock stood since all was last quiet, in milliseconds. */
  earliest = Infinity
  latest = 0
  /** The latest time that the clock has ever stood at, in milliseconds. */
  furthest = 0

  noteTime(now: number): void {
    this.furthest = Math.max(this.furthest, now)
    this.earliest = Math.min(this.earliest, now)
    this.latest = Math.max(this.latest, now)
  }

  /** All is as it has to be. */
  rest(now: number): void {
    this.cutOff = false
    this.earliest = now
    this.latest = now
  }

  events(source: ModelSource, stream: string): Array<ModelEvent> {
    const known = source.streams.get(stream)
    if (known !== undefined) return known
    const fresh: Array<ModelEvent> = []
    source.streams.set(stream, fresh)
    return fresh
  }

  matches({ emitterId, listenerId }: Omit<ModelSubscription, "cursors">, id: string): boolean {
    return emitterId === null ? id !== listenerId && id.startsWith("dc_") : id === emitterId
  }

  createSource(source: Pick<ModelSource, "endpointKey" | "id" | "kind">): void {
    const hasHooks = source.kind === "counter" || source.kind === "unique"
    this.sources.set(source.id, {
      ...source,
      active: true,
      streams: new Map(),
      next: hasHooks ? [hookEvent("deploy"), hookEvent("activate")] : [],
      later: [],
      errors: 0,
      runs: 0,
      ids: new Set(),
      dueAt: undefined,
      phase: undefined,
      heard: new Map(),
      told: [],
      token: 0,
      stored: new Map(),
      workflowRuns: new Map()
    })
  }

  updateSource(source: ModelSource, active: boolean): void {
    if (source.kind === "counter" || source.kind === "unique") {
      if (source.active) source.next.push(hookEvent("deactivate"))
      if (active) source.next.push(hookEvent("activate"))
    }
    source.active = active
    source.dueAt = undefined
    source.phase = undefined
  }

  removeSource(id: string): void {
    const waiting = new Set<string>()
    for (const { cursors, stream } of this.subscriptions.values()) {
      const n = cursors.get(id)?.n ?? 0n
      const events = this.sources.get(id)?.streams.get(stream) ?? []
      for (const event of events) if (event.n > n) waiting.add(event.payload)
    }
    this.sources.delete(id)
    this.parting.set(id, waiting)
    for (const { id: webhookId, workflowId } of this.webhooks.values()) {
      if (workflowId === id) this.webhooks.delete(webhookId)
    }
    for (const subscription of this.subscriptions.values()) {
      subscription.cursors.delete(id)
      if (subscription.emitterId !== id && subscription.listenerId !== id) continue
      this.subscriptions.delete(subscription.id)
      // A consumer of one emitter goes with it.
      this.consumers.delete(subscription.listenerId)
    }
    for (const { page } of this.consumers.values()) page.delete(id)
  }

  removeWebhook(id: string): void {
    this.webhooks.delete(id)
    for (const { id: subscription, listenerId } of this.subscriptions.values()) {
      if (listenerId === id) this.subscriptions.delete(subscription)
    }
  }

  /** A webhook is in service again: what waited for a retry is due at once. */
  activateWebhook(webhook: ModelWebhook): void {
    for (const { cursors, listenerId } of this.subscriptions.values()) {
      if (listenerId !== webhook.id || webhook.active) continue
      for (const { pendings } of cursors.values()) for (const pending of pendings.values()) pending.dueAt = undefined
    }
    webhook.active = true
  }

  /** The cursors of a webhook, with what they are on. */
  *cursorsOf(webhook: ModelWebhook) {
    for (const subscription of this.subscriptions.values()) {
      if (subscription.listenerId !== webhook.id) continue
      for (const source of this.sources.values()) {
        if (!this.matches(subscription, source.id)) continue
        const cursor = subscription.cursors.get(source.id) ?? newCursor(0n)
        subscription.cursors.set(source.id, cursor)
        yield { cursor, subscription, events: this.events(source, subscription.stream) }
      }
    }
  }

  /** What is pending at a webhook comes to an end without an attempt. */
  endPending(webhook: ModelWebhook, as: "dropped" | "exhausted"): void {
    for (const { cursor } of this.cursorsOf(webhook)) {
      for (const pending of cursor.pendings.values()) {
        cursor[as] += countOf(pending)
        cursor.pending -= countOf(pending)
      }
      cursor.pendings.clear()
    }
  }

  /** A webhook passes all that waits. */
  passAll(webhook: ModelWebhook): void {
    this.endPending(webhook, "dropped")
    for (const { cursor, events } of this.cursorsOf(webhook)) {
      cursor.dropped += BigInt(events.length) - cursor.n
      cursor.n = BigInt(events.length)
    }
    webhook.active = true
  }

  /** What is pending at a webhook may be attempted before it is due. */
  retryPending(webhook: ModelWebhook): void {
    for (const { cursor } of this.cursorsOf(webhook)) {
      for (const pending of cursor.pendings.values()) pending.isAsked = true
    }
  }

  /** What a webhook has passed comes again, if its filter lets it. */
  replay(
    webhook: ModelWebhook,
    until: number,
    passes: (subscription: ModelSubscription, event: ModelEvent) => boolean
  ): void {
    for (const { cursor, events, subscription } of this.cursorsOf(webhook)) {
      for (const event of events) {
        const replay = this.replayOf(webhook, cursor, event.id)
        replay.allowed += 1
        if (event.n <= cursor.n && passes(subscription, event)) replay.must += 1
      }
    }
    webhook.replaysUntil = [...webhook.replaysUntil ?? [], until]
  }

  /** What replays have to do with an event, also with one that came in the millisecond in which they began. */
  replayOf({ replaysUntil = [] }: ModelWebhook, { replays }: ModelCursor, eventId: bigint): ModelReplay {
    const known = replays.get(eventId)
    if (known !== undefined) return known
    const allowed = replaysUntil.filter((until) => EventId.milliseconds(eventId) <= until).length
    const fresh = { allowed, must: 0, got: 0, gotCutOff: 0 }
    replays.set(eventId, fresh)
    return fresh
  }

  /** How a subscription's events go together; nothing where each goes alone. */
  batchOf({ batch, listenerId }: Pick<ModelSubscription, "batch" | "listenerId">): ModelBatch.BatchName | null {
    const listener = this.sources.get(listenerId)
    if (listener === undefined) return batch
    return listener.kind === "lister" ? batch ?? ModelBatch.ofLister : null
  }

  /** When lists of a source's events that wait for others go at the latest, in Unix milliseconds. */
  listsDue(source: ModelSource): ReadonlyArray<number> {
    return [...this.subscriptions.values()].flatMap((subscription) => {
      const batch = this.batchOf(subscription)
      if (batch === null || !this.matches(subscription, source.id)) return []
      const n = subscription.cursors.get(source.id)?.n ?? 0n
      const first = this.events(source, subscription.stream).find((event) => event.n > n && passes(subscription, event))
      return first === undefined ? [] : [ModelBatch.dueAt(batch, first)]
    })
  }

  /** It begins at the end of the log of each emitter there is. */
  subscribe(subscription: Omit<ModelSubscription, "cursors">): void {
    const cursors = new Map<string, ModelCursor>()
    for (const source of this.sources.values()) {
      if (!this.matches(subscription, source.id)) continue
      cursors.set(source.id, newCursor(BigInt(this.events(source, subscription.stream).length)))
    }
    this.subscriptions.set(subscription.id, { ...subscription, cursors })
  }

  /** What a workflow is asked to do, by the API or at its endpoint. */
  invoke({ heard }: ModelSource, payload: string): void {
    heard.set("requests", [...heard.get("requests") ?? [], payload])
  }

  /** What a request makes a source do. */
  post(source: ModelSource, request: { key: string; id: number; fail: boolean; laterAt: number | undefined }): void {
    const { id: by, ids, later, next } = source
    const { fail, id, key, laterAt } = request
    source.runs += 1
    const count = source.runs
    if (source.kind === "unique") {
      if (!ids.has(id)) next.push(JSON.stringify({ by, count, id }))
      ids.add(id)
      return
    }
    const kept = source.kind === "storing"
      // A source keeps also what it wrote before it threw.
      ? { kept: keepIn(source.stored, by, count, key), added: "all" }
      : {}
    next.push(JSON.stringify({ by, count, key, ...kept }))
    if (laterAt !== undefined) later.push({ at: laterAt, payload: JSON.stringify({ by, later: key }) })
    if (fail) source.errors += 1
    else next.push(JSON.stringify({ by, count, key, whole: true }))
  }

  /** What the engine still has to do before it can be checked; undefined when all is quiet. */
  owing(
    { bulkParts, cursors, deliveries, due, events, heads, sources, webhooks, workflowRuns }: Observation,
    now: number
  ): string | undefined {
    const able = new Set([
      ...sources.filter(({ active }) => active).map(({ id }) => id),
      ...webhooks.filter(({ active, throttled_until }) => active && Number(throttled_until ?? 0n) <= now)
        .map(({ id }) => id)
    ])
    /** Emitters and webhooks by whose strict order events are held. */
    const held = new Set<string>()
    for (const { attempts, emitter_id, state, subscription_id } of deliveries) {
      const subscription = this.subscriptions.get(subscription_id)
      if (state !== "pending" || subscription === undefined) continue
      const ordering = this.webhooks.get(subscription.listenerId)?.ordering
      if (ordering === "strict") held.add(`${subscription.listenerId} ${emitter_id}`)
      // It stepped aside while its attempt was under way: what came of that is to be seen.
      if (attempts === 0 && subscription.stream !== sends) return `a first attempt of ${subscription_id}`
    }
    const logs = Map.groupBy(events, ({ emitter_id, stream }) => `${emitter_id} ${stream}`)
    const at = new Map(cursors.map((row) => [`${row.subscription_id} ${row.emitter_id}`, row.n]))
    for (const [emitterId, streams] of heads) {
      const passed = at.get(`$requests ${emitterId}`) ?? 0n
      if (able.has(emitterId) && passed < BigInt(streams["$requests"] ?? 0)) return `requests of ${emitterId}`
      for (const subscription of this.subscriptions.values()) {
        if (!this.matches(subscription, emitterId) || !able.has(subscription.listenerId)) continue
        if (held.has(`${subscription.listenerId} ${emitterId}`)) continue
        const n = at.get(`${subscription.id} ${emitterId}`) ?? 0n
        if (n >= BigInt(streams[subscription.stream] ?? 0)) continue
        const batch = this.batchOf(subscription)
        const log = logs.get(`${emitterId} ${subscription.stream}`) ?? []
        const ahead = log.filter((row) => row.n > n)
        if (batch !== null && ModelBatch.waits(batch, subscription.filter, ahead, now)) continue
        // Where all that waited for others was deleted meanwhile, it is passed when the wait is over.
        const source = this.sources.get(emitterId as ProgramId)
        if (batch !== null && source !== undefined && ahead.length === 0) {
          const gone = this.events(source, subscription.stream).filter((event) => event.n > n)
          if (gone.some((event) => ModelBatch.waits(batch, null, [event], now))) continue
        }
        return `${subscription.id} on ${emitterId}`
      }
    }
    const part = bulkParts.find(({ action, ended_at, webhook_id }) =>
      ended_at === null && (action === "skip" || action === "cancel" || able.has(webhook_id))
    )
    if (part !== undefined) return `a bulk ${part.action} at ${part.webhook_id}`
    const run = workflowRuns.find(({ status }) => status === "running")
    if (run !== undefined) return `${run.id} of ${run.workflow_id}`
    const work = due.find(({ due_at }) => Number(due_at) <= now)
    return work === undefined ? undefined : `${work.kind} of ${work.owner_id}`
  }
}

export const hookEvent = (hook: string): string => JSON.stringify({ hook })
