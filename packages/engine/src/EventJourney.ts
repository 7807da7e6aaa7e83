import * as EventId from "@headwater/domain/EventId"
import * as Id from "@headwater/domain/Id"
import * as Stream from "@headwater/domain/Stream"
import { type CausedEvent, EventLog, type EventPlace } from "@headwater/log/logs/EventLog"
import { Programs } from "@headwater/log/resources/Programs"
import { Subscriptions } from "@headwater/log/resources/Subscriptions"
import { Webhooks } from "@headwater/log/resources/Webhooks"
import { type RunOutline, WorkflowRuns } from "@headwater/log/work/WorkflowRuns"
import { Context, Effect, Layer, Option } from "effect"
import { EventTrace, type TracedSubscription } from "./EventTrace.ts"
import { toUnavailable, type Unavailable } from "./ground/Unavailable.ts"
import { mismatchOf } from "./routing/Mismatch.ts"

/** An event on the way: of one that was deleted meanwhile only its place is known. */
export interface EventNode {
  readonly _tag: "Event"
  readonly id: string
  readonly emitterId: string
  readonly eventId: EventId.EventId
  readonly event: EventPlace | undefined
}

/** A request to a program: its endpoint was called, or it was invoked through the API. Undefined once it is deleted. */
export interface RequestNode {
  readonly _tag: "Request"
  readonly id: string
  readonly emitterId: string
  readonly eventId: EventId.EventId
  readonly event: CausedEvent | undefined
}

/** A program's run over an event or a request. */
export interface RunNode {
  readonly _tag: "Run"
  readonly id: string
  readonly listenerId: string
  readonly state: "waiting" | "ended" | "dropped"
  /** True if it left an error. */
  readonly isFailed: boolean
  /** Of a workflow, where it is known. */
  readonly run: RunOutline | undefined
  /** Console lines that it left. */
  readonly logs: number
}

/** An event on its way to a webhook. */
export interface DeliveryNode {
  readonly _tag: "Delivery"
  readonly id: string
  readonly webhookId: string
  readonly traced: TracedSubscription
}

/** A client's place in the log. */
export interface ConsumerNode {
  readonly _tag: "Consumer"
  readonly id: string
  readonly consumerId: string
  readonly state: TracedSubscription["progress"]
}

/** A listener that would hear an event if its subscription let it through. */
export interface ListenerNode {
  readonly _tag: "Listener"
  readonly id: string
  readonly listenerId: string
}

export type JourneyNode = EventNode | RequestNode | RunNode | DeliveryNode | ConsumerNode | ListenerNode

export interface JourneyEdge {
  readonly from: string
  readonly to: string
  /** The subscription's trace of the event; none from a request to its run, and from a run to the events it emitted. */
  readonly traced: TracedSubscription | undefined
}

/** The name and state of a source, workflow or webhook. */
export interface Named {
  readonly name: string | null
  readonly active: boolean
  /** The workflow, if this sends a workflow's own requests. */
  readonly workflowId?: string | null
}

export interface Journey {
  readonly nodes: ReadonlyArray<JourneyNode>
  readonly edges: ReadonlyArray<JourneyEdge>
  /** By the ids of sources, workflows and webhooks. */
  readonly names: ReadonlyMap<string, Named>
  /** True if there is more than this tells. */
  readonly truncated: boolean
}

/** The most emitters that a journey is followed over from its event, each way, and the most that it tells. */
const mostHops = 8
const mostNodes = 200
const mostSubscriptions = 1_000
const mostEmittedOver = 300

/** The most by which a run can seem to begin before its event came, by the clocks of two nodes. */
const mostSkewMs = 60_000

const eventKey = (emitterId: string, id: EventId.EventId) => `${emitterId}/${EventId.format(id)}`
const eventNodeId = (emitterId: string, id: EventId.EventId) => `event:${eventKey(emitterId, id)}`
const requestNodeId = (emitterId: string, id: EventId.EventId) => `request:${eventKey(emitterId, id)}`
const runNodeId = (listenerId: string, over: Pick<EventPlace, "emitterId" | "id">) =>
  `run:${listenerId}:${eventKey(over.emitterId, over.id)}`

/** The outcome of a run, by the events that it left. */
const outcomeOf = (left: ReadonlyArray<EventPlace>) => ({
  isFailed: left.some(({ stream }) => stream === Stream.errors),
  logs: left.filter(({ stream }) => stream === Stream.logs).length
})

/** A journey that is being told. */
class Telling {
  readonly nodes = new Map<string, JourneyNode>()
  readonly edges: Array<JourneyEdge> = []
  truncated = false

  /** Adds a node. Answers true if it is there, and was not before. */
  add(node: JourneyNode): boolean {
    if (this.nodes.has(node.id)) return false
    if (this.nodes.size >= mostNodes) {
      this.truncated = true
      return false
    }
    this.nodes.set(node.id, node)
    return true
  }

  connect(from: string, to: string, traced?: TracedSubscription): void {
    if (this.nodes.has(from) && this.nodes.has(to)) this.edges.push({ from, to, traced })
  }
}

const isProgram = (id: string): boolean => Id.kindOf(id) === "source" || Id.kindOf(id) === "workflow"

/** Finds the workflow's run over an event; a source's runs leave nothing but events. */
const makeRunOver = Effect.map(
  WorkflowRuns,
  (runs) => (listenerId: string, over: EventPlace | undefined) =>
    over === undefined || Id.kindOf(listenerId) !== "workflow"
      ? Effect.undefined
      : Effect.map(
        runs.begunBy(Id.WorkflowId.make(listenerId), over, EventId.milliseconds(over.id) - mostSkewMs),
        (found) => found.at(-1)
      )
)

/** Goes back from an event to the event or request that its run was over, and on from there. */
const makeTellBefore = Effect.gen(function*() {
  const log = yield* EventLog
  const runOver = yield* makeRunOver
  const subscriptions = yield* Subscriptions
  const trace = yield* EventTrace

  return Effect.fnUntraced(function*(telling: Telling, accountId: Id.AccountId, start: EventPlace) {
    let at: EventPlace = start
    for (let hop = 0; hop < mostHops; hop++) {
      const { cause } = Option.getOrUndefined(yield* log.withCause(at.emitterId, at.id)) ?? {}
      if (cause === undefined) return
      const over = { emitterId: cause.emitterId ?? at.emitterId, id: cause.id }
      const before = Option.getOrUndefined(yield* log.withCause(over.emitterId, over.id))
      const isRequest = cause.emitterId === null
      const from = isRequest ? requestNodeId(over.emitterId, over.id) : eventNodeId(over.emitterId, over.id)
      const place = { id: from, emitterId: over.emitterId, eventId: over.id, event: before }
      telling.add(isRequest ? { _tag: "Request", ...place } : { _tag: "Event", ...place })
      const run = runNodeId(at.emitterId, over)
      const { emitterId } = at
      const left = isRequest
        ? yield* log.besideOverRequest(at, over.id, mostEmittedOver)
        : (yield* log.causedBy([over], mostEmittedOver)).filter((event) => event.emitterId === emitterId)
      telling.add({
        _tag: "Run",
        id: run,
        listenerId: at.emitterId,
        state: "ended",
        ...outcomeOf(left),
        run: yield* runOver(at.emitterId, before)
      })
      telling.connect(run, eventNodeId(at.emitterId, at.id))
      if (isRequest || before === undefined) return telling.connect(from, run)
      const hearing = (yield* subscriptions.hearing(accountId, [over.emitterId], mostSubscriptions))
        .filter((one) => one.listenerId === at.emitterId && mismatchOf(one, before) === undefined)
      const [traced] = yield* trace.ofAll(accountId, hearing, [before])
      const heard = (traced?.subscriptions ?? []).filter(({ mismatch }) => mismatch === undefined)
      if (heard.length === 0) telling.connect(from, run)
      for (const one of heard) telling.connect(from, run, one)
      at = before
    }
    telling.truncated = true
  })
})

/** Adds the node at which an event arrives by a subscription, and answers its id. */
const makeToListener = Effect.map(makeRunOver, (runOver) =>
  Effect.fnUntraced(function*(
    telling: Telling,
    event: EventPlace,
    traced: TracedSubscription,
    byCause: ReadonlyMap<string, ReadonlyArray<CausedEvent>>
  ) {
    const { mismatch, progress, subscription: { id: subscriptionId, listenerId } } = traced
    const at = eventKey(event.emitterId, event.id)
    if (mismatch !== undefined) return ""
    if (isProgram(listenerId)) {
      const id = runNodeId(listenerId, event)
      if (telling.nodes.has(id)) return id
      const left = byCause.get(id) ?? []
      const run = progress === "waiting" ? undefined : yield* runOver(listenerId, event)
      telling.add({
        _tag: "Run",
        id,
        listenerId,
        state: progress === "waiting" ? "waiting" : progress === "dropped" ? "dropped" : "ended",
        ...outcomeOf(left),
        run
      })
      return id
    }
    const isWebhook = Id.kindOf(listenerId) === "webhook"
    const id = `${isWebhook ? "delivery" : "consumer"}:${subscriptionId}:${at}`
    telling.add(
      isWebhook
        ? { _tag: "Delivery", id, webhookId: listenerId, traced }
        : { _tag: "Consumer", id, consumerId: listenerId, state: progress }
    )
    return id
  }))

/** Tells what comes of events. Answers the events that were emitted over them. */
const makeTellAfter = Effect.gen(function*() {
  const log = yield* EventLog
  const subscriptions = yield* Subscriptions
  const toListener = yield* makeToListener
  const trace = yield* EventTrace

  return Effect.fnUntraced(function*(
    telling: Telling,
    accountId: Id.AccountId,
    start: EventPlace,
    events: ReadonlyArray<EventPlace>
  ) {
    const emitters = [...new Set(events.map(({ emitterId }) => emitterId))]
    const hearing = yield* subscriptions.hearing(accountId, emitters, mostSubscriptions)
    if (hearing.length === mostSubscriptions) telling.truncated = true
    const emitted = yield* log.causedBy(events, mostEmittedOver)
    const byCause = Map.groupBy(
      emitted,
      ({ cause, emitterId }) => runNodeId(emitterId, { emitterId: cause?.emitterId ?? emitterId, id: cause?.id ?? 0n })
    )
    const next: Array<EventPlace> = []
    for (const { event, subscriptions: all } of yield* trace.ofAll(accountId, hearing, events)) {
      const from = eventNodeId(event.emitterId, event.id)
      for (const one of all) {
        const { mismatch, subscription: { id, listenerId } } = one
        const to = yield* toListener(telling, event, one, byCause)
        if (mismatch === "other_emitter" || (mismatch === "other_stream" && event !== start)) continue
        if (mismatch !== undefined) {
          const listener = `listener:${id}:${eventKey(event.emitterId, event.id)}`
          telling.add({ _tag: "Listener", id: listener, listenerId })
          telling.connect(from, listener, one)
        } else telling.connect(from, to, one)
      }
    }
    for (const [run, left] of byCause) {
      if (left.length >= mostEmittedOver) telling.truncated = true
      for (const event of left) {
        if (event.stream === Stream.logs) continue
        const { emitterId, id } = event
        const to = eventNodeId(emitterId, id)
        if (telling.add({ _tag: "Event", id: to, emitterId, eventId: id, event })) next.push(event)
        telling.connect(run, to)
      }
    }
    return next
  })
})

/** Tells the way of an event over all emitters: its causes, and its effects. */
export class EventJourney extends Context.Service<EventJourney, {
  readonly of: (accountId: Id.AccountId, event: EventPlace) => Effect.Effect<Journey, Unavailable>
}>()("@headwater/engine/EventJourney") {
  static readonly layer = Layer.effect(
    EventJourney,
    Effect.gen(function*() {
      const programs = yield* Programs
      const tellAfter = yield* makeTellAfter
      const tellBefore = yield* makeTellBefore
      const webhooks = yield* Webhooks

      const namesOf = Effect.fnUntraced(function*(nodes: Iterable<JourneyNode>) {
        const ids = new Set<string>()
        for (const node of nodes) {
          if (node._tag === "Event" || node._tag === "Request") ids.add(node.emitterId)
          if (node._tag === "Run" || node._tag === "Listener") ids.add(node.listenerId)
          if (node._tag === "Delivery") ids.add(node.webhookId)
        }
        return new Map<string, Named>([
          ...yield* programs.names([...ids]),
          ...yield* webhooks.names([...ids])
        ])
      })

      return EventJourney.of({
        of: Effect.fnUntraced(function*(accountId, start) {
          const telling = new Telling()
          telling.add({
            _tag: "Event",
            id: eventNodeId(start.emitterId, start.id),
            emitterId: start.emitterId,
            eventId: start.id,
            event: start
          })
          yield* tellBefore(telling, accountId, start)
          let events: ReadonlyArray<EventPlace> = [start]
          for (let hop = 0; hop < mostHops && events.length > 0; hop++) {
            events = yield* tellAfter(telling, accountId, start, events)
          }
          if (events.length > 0) telling.truncated = true
          return {
            nodes: [...telling.nodes.values()],
            edges: telling.edges,
            names: yield* namesOf(telling.nodes.values()),
            truncated: telling.truncated
          }
        }, Effect.catchTag("SqlError", toUnavailable))
      })
    })
  )
}
