import { LoggedEvent } from "@headwater/domain/Event"
import { Schema } from "effect"

/**
 * Events of one emitter's stream that a subscription of the woken listener matches. Without events: something is owed there
 * that is not handed over.
 */
export const FedEvents = Schema.Struct({
  subscriptionId: Schema.String,
  emitterId: Schema.String,
  stream: Schema.String,
  events: Schema.Array(LoggedEvent)
})
export type FedEvents = typeof FedEvents.Type

/**
 * A hint that an actor has something to do. It may come twice, late or not at all: what is owed is in the database, and
 * `look` asks the actor to find it there.
 */
export const Wake = Schema.Struct({
  /** Work of the actor's own may be due. */
  due: Schema.Boolean,
  /** Everything owed is to be looked for, not just what is named here. */
  look: Schema.Boolean,
  fed: Schema.Array(FedEvents)
})
export type Wake = typeof Wake.Type

export const nothing: Wake = { due: false, look: false, fed: [] }
export const forDueWork: Wake = { due: true, look: false, fed: [] }
export const forEverything: Wake = { due: true, look: true, fed: [] }
export const forEvents = (fed: ReadonlyArray<FedEvents>): Wake => ({ due: false, look: false, fed })

/** That something is owed at each of these addresses. */
export const forOwed = (addresses: ReadonlyArray<Omit<FedEvents, "events">>): Wake =>
  forEvents(
    addresses.map(({ emitterId, stream, subscriptionId }) => ({ subscriptionId, emitterId, stream, events: [] }))
  )

/** True if a hint is at anything in particular, and not just at being there. */
export const asksFor = ({ due, fed, look }: Wake): boolean => due || look || fed.length > 0

/** More hints at events, or bytes of them, than this are not kept: the actor looks for everything instead. */
const maxEvents = 1_000
const maxBytes = 8 * 1024 * 1024

const isTooMuch = (fed: ReadonlyArray<FedEvents>): boolean => {
  let events = 0
  let bytes = 0
  for (const hint of fed) {
    events += Math.max(1, hint.events.length)
    for (const { payload } of hint.events) bytes += payload.length
  }
  return events > maxEvents || bytes > maxBytes
}

/** A hint on top of another that was not followed yet. */
export const merge = (before: Wake | undefined, wake: Wake): Wake => {
  if (before === undefined) return wake
  const fed = [...before.fed, ...wake.fed]
  const tooMuch = isTooMuch(fed)
  return {
    due: before.due || wake.due,
    look: before.look || wake.look || tooMuch,
    fed: tooMuch ? [] : fed
  }
}
