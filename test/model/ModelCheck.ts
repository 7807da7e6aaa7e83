import { maxHops } from "@headwater/domain/Event"
import { defaults } from "@headwater/domain/WebhookSettings"
import {
  countOf,
  hookEvent,
  type Model,
  type ModelCursor,
  type ModelEvent,
  type ModelPending,
  type ModelSource,
  type ModelSubscription,
  type ModelWebhook,
  newCursor,
  sends
} from "./Model.ts"
import * as ModelBatch from "./ModelBatch.ts"
import { broken, same } from "./ModelBroken.ts"
import { tickSeconds } from "./ModelComponents.ts"
import { isDropped, isFiltered, passes } from "./ModelFate.ts"
import { kept } from "./ModelKeeper.ts"
import { answerTo, type Received } from "./ModelSink.ts"
import { checkStored } from "./ModelStore.ts"
import { begun, checkWorkflowRuns, wentOn } from "./ModelWorkflow.ts"
import type { EventRow, Observation } from "./Observation.ts"

/** How often a failed attempt's retry is early or late, at most. */
const jitter = 0.2

const tickMs = tickSeconds * 1_000

/** What a source that is removed may say last. */
const lastWords = hookEvent("deactivate")

const checkResources = (model: Model, { sources, subscriptions, webhooks }: Observation): void => {
  same(
    "the sources are not those that there should be",
    sources.map((row) => `${row.id} ${row.state} ${row.active}`).toSorted(),
    [...model.sources.values()].map(({ active, id }) => `${id} ready ${active}`).toSorted()
  )
  same(
    "the subscriptions are not those that there should be",
    subscriptions.map(({ id }) => id).toSorted(),
    [...model.subscriptions.keys()].toSorted()
  )
  same(
    "the webhooks are not those that there should be",
    webhooks.map(({ id }) => id).toSorted(),
    [...model.webhooks.keys()].toSorted()
  )
}

const tick = (model: Model, source: ModelSource, timestamp: number): void => {
  const { dueAt, phase } = source
  const at = dueAt ?? (phase === undefined ? NaN : phase + 1_000 * (timestamp - Math.floor(phase / 1_000)))
  const isOfPhase = Math.floor(at / 1_000) === timestamp && (at - (phase ?? at)) % tickMs === 0
  if (!isOfPhase || at > model.latest) {
    broken("a tick that was not due", { dueAt, phase, timestamp, latest: model.latest })
  }
  source.phase = at
  source.dueAt = undefined
}

const emitted = (model: Model, source: ModelSource, { payload }: EventRow): void => {
  if (payload === source.next[0]) {
    source.next.shift()
    return
  }
  const said = JSON.parse(payload)
  const isOfRun = said.timestamp !== undefined || said.heard !== undefined || said.given !== undefined ||
    said.list !== undefined || said.step !== undefined
  // Steps that run at the same time count nothing: what one of them sets, the other may not have seen.
  if (isOfRun && (said.step === undefined || said.count !== undefined)) {
    source.runs += 1
    same("a run counted from a store that is not that of the last one", said.count, source.runs)
  }
  if (said.timestamp !== undefined) return tick(model, source, said.timestamp)
  if (said.step !== undefined) {
    if (said.step === "first") source.told.push(JSON.stringify(said.event))
    return kept(model, source, said)
  }
  if (said.heard !== undefined) {
    const heard = JSON.stringify(said.heard)
    const { by, timestamp } = said.heard
    // What a timer source emits has that too, and says who emitted it.
    if (timestamp !== undefined && by === undefined) tick(model, source, timestamp)
    else source.told.push(heard)
    if (source.kind === "workflow") begun(source, said.run, heard, said.count)
    return
  }
  if (said.given !== undefined) return wentOn(model, source, said)
  if (said.list !== undefined) {
    for (const event of said.list) source.told.push(JSON.stringify(event))
    return
  }
  const [soonest] = source.later.toSorted((a, b) => a.at - b.at)
  if (soonest?.payload !== payload || soonest.at > model.latest) {
    return broken("an event that nothing was to emit now", { payload, next: source.next[0], soonest })
  }
  source.later.splice(source.later.indexOf(soonest), 1)
}

/** That all is there that was and was not deleted, and that what is new follows on and was to come. */
const checkLog = (model: Model, source: ModelSource, seen: Observation, now: number): void => {
  const rows = Map.groupBy(seen.events.filter((row) => row.emitter_id === source.id), (row) => row.stream)
  for (const stream of rows.keys()) model.events(source, stream)
  for (const [stream, known] of source.streams) {
    const there = rows.get(stream) ?? []
    const before = BigInt(known.length)
    same(
      "what is in a log is not what was there and was not deleted",
      there.filter(({ n }) => n <= before).map(({ n, payload }) => [n, payload]),
      known.filter(({ deleted }) => !deleted).map(({ n, payload }) => [n, payload]),
      { source: source.id, stream }
    )
    for (const row of there.filter(({ n }) => n > before)) {
      same("an event is missing before this one", row.n, BigInt(known.length) + 1n, { row })
      known.push({ ...row, deleted: false })
      if (stream === "") emitted(model, source, row)
    }
  }
  same("events are missing that runs were to emit", source.next, [], { source: source.id })
  same("delayed events are missing", source.later.filter(({ at }) => at <= now), [], { source: source.id })
}

/** @param list what it was sent with at first, of a list */
const answered = (
  { manner }: ModelWebhook,
  cursor: ModelCursor,
  { attempt, emitId, eventId, list: sent }: Received,
  list: ReadonlyArray<ModelEvent> | undefined
): void => {
  const all = BigInt(list?.length ?? 1)
  const came = BigInt(sent?.count ?? 1)
  if (attempt > 1) cursor.pending -= all
  cursor.pendings.delete(eventId)
  switch (answerTo(manner, emitId, attempt)) {
    case "delivered":
      cursor.delivered += came
      cursor.dropped += all - came
      break
    case "gone":
      cursor.exhausted += all
      break
    default:
      cursor.pending += all
      cursor.pendings.set(eventId, { attempts: attempt, dueAt: undefined, list })
  }
}

/** What is still there of what waits for a retry. */
const leftOf = (
  { list }: ModelPending,
  eventId: bigint,
  events: ReadonlyArray<ModelEvent>
): ReadonlyArray<ModelEvent> => (list ?? events.filter(({ id }) => id === eventId)).filter(({ deleted }) => !deleted)

/** That by its strict order a webhook has nothing that waits for a retry before a first attempt. */
const checkHeld = (model: Model, webhook: ModelWebhook, source: ModelSource, reception: Received): void => {
  if (webhook.ordering !== "strict") return
  for (const { cursors, listenerId, stream } of model.subscriptions.values()) {
    if (listenerId !== webhook.id) continue
    for (const [eventId, pending] of cursors.get(source.id)?.pendings ?? []) {
      const left = leftOf(pending, eventId, model.events(source, stream))
      if (left.length > 0) broken("a first attempt behind an event that holds it", { reception, pending, left })
    }
  }
}

/**
 * What endpoints saw, in the order in which it was begun. Requests of a webhook without order are under way together, and
 * come in any order: all first attempts begin in that of the log.
 */
const inOrder = (model: Model, received: ReadonlyArray<Received>): ReadonlyArray<Received> => {
  const hasNoOrder = ({ attempt, subscriptionId }: Received) =>
    attempt === 1 &&
    model.webhooks.get(model.subscriptions.get(subscriptionId)?.listenerId ?? "")?.ordering === "none"
  const firsts = received.filter(hasNoOrder)
  return [
    ...firsts.toSorted((one, other) => Number(one.eventId - other.eventId)),
    ...received.filter((one) => !hasNoOrder(one))
  ]
}

/** An attempt that an endpoint saw has to be the first one of the next event, or a retry that was due. */
const receive = (model: Model, reception: Received): void => {
  const { attempt, body, emitId, emitterId, eventId, subscriptionId } = reception
  if (model.parting.has(emitterId) && (body === lastWords || reception.list !== undefined)) return
  const subscription = model.subscriptions.get(subscriptionId)
  const webhook = subscription === undefined ? undefined : model.webhooks.get(subscription.listenerId)
  const source = model.sources.get(emitterId)
  if (subscription === undefined || webhook === undefined || source === undefined) {
    return broken("a delivery for what is gone", { reception })
  }
  const events = model.events(source, subscription.stream)
  const event = events.find(({ id }) => id === eventId)
  const isOwn = subscription.stream === sends
  if (event === undefined) return broken("what was delivered is not in the log", { reception })
  const cursor = subscription.cursors.get(emitterId) ?? newCursor(0n)
  subscription.cursors.set(emitterId, cursor)
  const pending = cursor.pendings.get(eventId)
  const { list: listed } = reception
  const list = listed === undefined
    ? undefined
    : pending !== undefined && attempt > 1
    ? leftOf(pending, eventId, events)
    : events.filter((one) => one.id >= eventId && one.id <= listed.lastEventId && passes(subscription, one))
  const payload = list !== undefined
    ? ModelBatch.listOf(list.map(({ payload }) => payload))
    : isOwn
    ? JSON.parse(event.payload).body
    : event.payload
  const isListed = list !== undefined
    ? list.length === listed?.count
    : event.emit_id === emitId && !event.deleted
  const isAttempted = isOwn ? cursor.sent.has(eventId) : event.n <= cursor.n
  if (payload !== body || !isListed) {
    // What was sent again was sent under another filter before.
    if (isAttempted && model.cutOff && attempt > 1) return
    return broken("what was delivered is not in the log", { reception, event, list })
  }
  const replay = attempt === 1 && isAttempted && (listed?.count ?? 1) === 1
    ? model.replayOf(webhook, cursor, eventId)
    : undefined
  if (replay !== undefined && replay.allowed > 0 && (model.cutOff || replay.got < replay.allowed)) {
    if (model.cutOff) replay.gotCutOff += 1
    else replay.got += 1
    if (answerTo(webhook.manner, emitId, attempt) === "gone") webhook.heardGone = true
    return
  }
  const isDividedAnew = attempt === 1 && model.cutOff && list !== undefined && goBack(cursor, event, emitId)
  if (!isDividedAnew && isAttempted && (pending === undefined || attempt <= pending.attempts)) {
    return model.cutOff ? undefined : broken("a delivery came again and nothing had happened", { reception, pending })
  }
  if (attempt === 1 && isOwn) {
    if (isDropped(event)) return broken("what has no hops left was sent", { reception })
    cursor.sent.add(eventId)
  } else if (attempt === 1) {
    const sent = list ?? [event]
    const last = sent.at(-1) ?? event
    const others = events.filter((one) => one.n > cursor.n && one.n < last.n && !sent.includes(one))
    if (event.n <= cursor.n || !passes(subscription, event) || others.some((one) => passes(subscription, one))) {
      return broken("a first attempt is not that of the next event", { reception, event, cursor: cursor.n, others })
    }
    const batch = model.batchOf(subscription)
    if ((batch === null) !== (list === undefined)) {
      return broken("a list, or none, where it should not be", { reception })
    }
    const next = events.find(({ deleted, n }) => n > last.n && !deleted)
    const isFollowed = next?.n === last.n + 1n
    if (batch !== null && !ModelBatch.mayGo(batch, sent, next, model.latest) && (next === undefined || isFollowed)) {
      return broken("a list went that others were to go with", { reception, batch, next, latest: model.latest })
    }
    checkHeld(model, webhook, source, reception)
    if (list !== undefined) {
      const { delivered, dropped, exhausted, filtered, n, pending } = cursor
      cursor.lists.push({ emitId, first: event, before: { delivered, dropped, exhausted, filtered, n, pending } })
    }
    cursor.dropped += BigInt(others.filter(isDropped).length)
    cursor.filtered += BigInt(others.filter((one) => isFiltered(subscription, one)).length)
    cursor.n = last.n
  } else if (pending?.attempts !== attempt - 1) {
    return broken("a retry of what does not wait for it", { reception, pending })
  }
  const before = attempt === 1 ? undefined : pending
  if (before?.isAsked !== true && (before?.dueAt ?? 0) > model.latest) {
    return broken("a retry before it was due", { reception, pending })
  }
  answered(webhook, cursor, reception, attempt === 1 ? list : pending?.list)
}

/**
 * Lists of which nobody wrote down what came of them are divided anew, by what has come meanwhile. Answers whether the
 * cursor has gone back to where such a one begins; false where it is the same as before.
 */
const goBack = (cursor: ModelCursor, event: ModelEvent, emitId: string): boolean => {
  const at = cursor.lists.findIndex(({ first }) => first.id === event.id)
  const list = cursor.lists[at]
  if (list === undefined || list.emitId === emitId) return false
  Object.assign(cursor, list.before)
  for (const { first } of cursor.lists.splice(at)) cursor.pendings.delete(first.id)
  return true
}

/** What a cursor passed beyond what endpoints saw: for a source everything, for a webhook only what is dropped or filtered. */
const pass = (
  model: Model,
  subscription: ModelSubscription,
  source: ModelSource,
  cursor: ModelCursor,
  to: bigint
): void => {
  const listener = model.sources.get(subscription.listenerId)
  const key = `${subscription.id} ${source.id}`
  for (const event of model.events(source, subscription.stream)) {
    if (event.n <= cursor.n || event.n > to) continue
    cursor.n = event.n
    if (isDropped(event)) {
      cursor.dropped += 1n
    } else if (isFiltered(subscription, event)) {
      cursor.filtered += 1n
    } else {
      if (listener === undefined) return broken("a cursor passed an event that was not sent", { key, event })
      if (!listener.active) return broken("what is out of service heard an event", { key, event })
      cursor.delivered += 1n
      listener.heard.set(key, [...listener.heard.get(key) ?? [], event.payload])
    }
  }
}

/** What a workflow's own requests passed: each that was sent, and those that are dropped. */
const passSent = (model: Model, source: ModelSource, cursor: ModelCursor): void => {
  cursor.dropped = BigInt(model.events(source, sends).filter(isDropped).length)
  cursor.n = cursor.dropped + BigInt(cursor.sent.size)
}

/** That what failed waits for its retry, for as long as it should, or was dropped with its event. */
const checkPending = (
  model: Model,
  webhook: ModelWebhook,
  subscription: ModelSubscription,
  source: ModelSource,
  cursor: ModelCursor,
  seen: Observation
): void => {
  for (const [eventId, pending] of cursor.pendings) {
    const row = seen.deliveries.find((one) =>
      one.subscription_id === subscription.id && one.emitter_id === source.id && one.event_id === eventId && !one.apart
    )
    if (row?.state !== "pending") {
      const left = leftOf(pending, eventId, model.events(source, subscription.stream))
      if (left.length > 0 || (pending.dueAt ?? 0) > model.latest) {
        broken("a delivery does not wait for its retry any more", { eventId, pending, row })
      }
      cursor.pendings.delete(eventId)
      cursor.pending -= countOf(pending)
      cursor.dropped += countOf(pending)
      continue
    }
    const due = seen.due.find(({ key, kind }) => kind === "retry" && key === row.id)
    if (row.attempts !== pending.attempts || due === undefined) {
      return broken("a delivery waits for another retry than it should", { row, pending, due })
    }
    const dueAt = Number(due.due_at)
    const delay = defaults.retrySchedule[pending.attempts - 1]!
    const isScheduled = pending.dueAt === undefined && webhook.manner === "flaky" && webhook.active
    const earliest = Math.floor(model.earliest + delay * (1 - jitter))
    const latest = Math.ceil(model.latest + delay * (1 + jitter))
    if (isScheduled && (dueAt < earliest || dueAt > latest)) {
      broken("a retry is not due when it should be", { dueAt, earliest, latest, pending })
    }
    pending.dueAt = dueAt
  }
}

const checkCursors = (model: Model, subscription: ModelSubscription, seen: Observation): void => {
  const webhook = model.webhooks.get(subscription.listenerId)
  for (const source of model.sources.values()) {
    const row = seen.cursors.find((one) => one.subscription_id === subscription.id && one.emitter_id === source.id)
    if (!model.matches(subscription, source.id)) {
      same("a cursor on an emitter that does not match", row, undefined)
      continue
    }
    const cursor = subscription.cursors.get(source.id) ?? newCursor(0n)
    subscription.cursors.set(source.id, cursor)
    if (subscription.stream === sends) passSent(model, source, cursor)
    else pass(model, subscription, source, cursor, row?.n ?? 0n)
    if (webhook !== undefined) checkPending(model, webhook, subscription, source, cursor, seen)
    const { delivered, dropped, exhausted, filtered, n, pending, start } = cursor
    const where = { subscription: subscription.id, emitter: source.id }
    same(
      "a cursor (start, n, delivered, pending, exhausted, dropped, filtered) does not stand where it should",
      row === undefined
        ? [0n, 0n, 0n, 0n, 0n, 0n, 0n]
        : [row.start_n, row.n, row.delivered, row.pending, row.exhausted, row.dropped, row.filtered],
      [start, n, delivered, pending, exhausted, dropped, filtered],
      where
    )
    cursor.lists.length = 0
  }
}

/** A webhook goes out of service by itself when its endpoint says that it is gone, and only then. */
const checkWebhook = (model: Model, webhook: ModelWebhook, seen: Observation): void => {
  const row = seen.webhooks.find(({ id }) => id === webhook.id)
  if (row?.active === webhook.active) return
  const heardGone = webhook.heardGone === true ||
    [...model.subscriptions.values()].some(({ cursors, listenerId }) =>
      listenerId === webhook.id && [...cursors.values()].some(({ exhausted }) => exhausted > 0n)
    )
  if (row?.active === true || !heardGone) {
    broken("a webhook is in service, or out of it, and should not be", { webhook })
  }
  webhook.active = false
}

/** That a replay which has ended has sent what it was to. */
const checkReplays = (model: Model, { bulkParts }: Observation): void => {
  const replaying = new Set(
    bulkParts.filter(({ action, ended_at }) => action === "replay" && ended_at === null).map((part) => part.webhook_id)
  )
  for (const webhook of model.webhooks.values()) {
    if (replaying.has(webhook.id)) continue
    for (const { cursor, events, subscription } of model.cursorsOf(webhook)) {
      for (const [eventId, replay] of cursor.replays) {
        const event = events.find(({ id }) => id === eventId)
        if (event !== undefined && passes(subscription, event) && replay.got + replay.gotCutOff < replay.must) {
          broken("an event was not replayed", { replay, event, subscription: subscription.id })
        }
      }
      cursor.replays.clear()
    }
    webhook.replaysUntil = []
  }
}

/** Whether a source that is removed may have been heard to say this. */
const isPartOf = ({ parting }: Model, told: string): boolean =>
  parting.size > 0 && (told === lastWords || [...parting.values()].some((waiting) => waiting.has(told)))

/** A listener told of each event as often as it had subscriptions to it, in the order of each log. */
const checkHeard = (model: Model, source: ModelSource): void => {
  const lists = [...source.heard.values()]
  // What several lists go on with may be of any of them: how far each is told of shows by what follows.
  let places: ReadonlyArray<ReadonlyArray<number>> = [lists.map(() => 0)]
  const left = () => lists.map((list, index) => list.slice(places[0]![index]))
  for (const told of source.told) {
    const next = new Map<string, ReadonlyArray<number>>()
    for (const place of places) {
      for (const [index, list] of lists.entries()) {
        if (list[place[index]!] !== told) continue
        const after = place.with(index, place[index]! + 1)
        next.set(after.join(), after)
      }
    }
    if (next.size === 0 && isPartOf(model, told)) continue
    if (next.size === 0) return broken("a listener told of what it had not heard, or not yet", { told, left: left() })
    places = [...next.values()]
  }
  same("a listener did not tell of what it had heard", left().flat(), [], { source: source.id })
  source.heard.clear()
  source.told.length = 0
}

const checkTimer = (model: Model, source: ModelSource, seen: Observation): void => {
  const ticks = seen.due.filter(({ kind, owner_id }) => owner_id === source.id && kind === "timer")
  same("there is not one tick to come, or one of an inactive timer", ticks.length, source.active ? 1 : 0, { ticks })
  const [row] = ticks
  if (row === undefined) return
  const dueAt = Number(row.due_at)
  const isExpected = source.dueAt !== undefined
    ? dueAt === source.dueAt
    : source.phase !== undefined
    ? dueAt > source.phase && (dueAt - source.phase) % tickMs === 0 && dueAt <= model.latest + tickMs
    : dueAt >= model.earliest + tickMs && dueAt <= model.latest + tickMs
  if (!isExpected) broken("a timer is not due when it should be", { source, dueAt, earliest: model.earliest })
  source.dueAt = dueAt
}

/** That what changes with runs alone has changed as often as there were runs. */
const checkRuns = (model: Model, source: ModelSource, seen: Observation): void => {
  const { id, kind, later, runs } = source
  const where = { source: id }
  same("the store does not say what the log says", seen.counts.get(id) ?? 0, runs, where)
  const looped = model.events(source, "").filter(({ hops }) => hops >= maxHops).length
  same(
    "the errors are not as many as there should be",
    model.events(source, "$errors").length,
    source.errors + looped,
    where
  )
  const emits = seen.due.filter((row) => row.owner_id === id && row.kind === "emit").map(({ due_at }) => Number(due_at))
  same(
    "the delayed events are not those that there should be",
    emits.toSorted((a, b) => a - b),
    later.map(({ at }) => at).toSorted((a, b) => a - b),
    where
  )
  if (kind === "timer" || kind === "workflow") checkTimer(model, source, seen)
}

/** Takes in what is seen once all is quiet, and breaks where that is not what has to be. */
export const check = (model: Model, seen: Observation, received: ReadonlyArray<Received>, now: number): void => {
  model.noteTime(now)
  checkResources(model, seen)
  for (const source of model.sources.values()) checkLog(model, source, seen, now)
  for (const reception of inOrder(model, received)) receive(model, reception)
  for (const webhook of model.webhooks.values()) checkWebhook(model, webhook, seen)
  for (const subscription of model.subscriptions.values()) checkCursors(model, subscription, seen)
  checkReplays(model, seen)
  checkWorkflowRuns(model, seen)
  for (const source of model.sources.values()) {
    checkHeard(model, source)
    checkRuns(model, source, seen)
    checkStored(source, seen.entries)
  }
  model.rest(now)
}
