import type { EventMeta, LoggedEvent } from "@headwater/domain/Event"
import { type IngestRequest } from "../ground/ActorCalls.ts"
import type { FedEvents, Wake } from "../ground/Wake.ts"

/** A request to a source that lives on another node. */
export interface SentRequest {
  readonly actorId: string
  readonly request: IngestRequest
}

/** A hint at an actor that lives on another node. */
export interface SentWake {
  readonly actorId: string
  readonly wake: Wake
}

type RequestRow = readonly [actorId: string, key: string | null, emitId: string, hops: number, payload: string]
type EventRow = readonly [n: number, id: string, emitId: string, hops: number, meta: EventMeta, payload: string]
type FedRow = readonly [
  subscriptionId: string,
  emitterId: string,
  stream: string,
  events: ReadonlyArray<EventRow>
]
type WakeRow = readonly [actorId: string, due: boolean, look: boolean, fed: ReadonlyArray<FedRow>]

const eventRow = ({ emitId, hops, id, meta, n, payload }: LoggedEvent): EventRow => [
  n,
  String(id),
  emitId,
  hops,
  meta,
  payload
]

const fedRow = ({ emitterId, events, stream, subscriptionId }: FedEvents): FedRow => [
  subscriptionId,
  emitterId,
  stream,
  events.map(eventRow)
]

const fedOf = ([subscriptionId, emitterId, stream, events]: FedRow): FedEvents => ({
  subscriptionId,
  emitterId,
  stream,
  events: events.map(([n, id, emitId, hops, meta, payload]) => ({
    emitterId,
    stream,
    n,
    id: BigInt(id),
    emitId,
    hops,
    meta,
    payload
  }))
})

/** One frame of requests, as JSON text. */
export const ofRequests = (requests: ReadonlyArray<SentRequest>): string =>
  JSON.stringify(requests.map(({ actorId, request: { emitId, endpointKey, hops, payload } }): RequestRow => [
    actorId,
    endpointKey,
    emitId,
    hops,
    payload
  ]))

export const requestsIn = (frame: string): ReadonlyArray<SentRequest> =>
  (JSON.parse(frame) as ReadonlyArray<RequestRow>).map(([actorId, endpointKey, emitId, hops, payload]) => ({
    actorId,
    request: { endpointKey, emitId, hops, payload }
  }))

/** One frame of hints, as JSON text. */
export const ofWakes = (wakes: ReadonlyArray<SentWake>): string =>
  JSON.stringify(wakes.map(({ actorId, wake: { due, fed, look } }): WakeRow => [actorId, due, look, fed.map(fedRow)]))

export const wakesIn = (frame: string): ReadonlyArray<SentWake> =>
  (JSON.parse(frame) as ReadonlyArray<WakeRow>).map(([actorId, due, look, fed]) => ({
    actorId,
    wake: { due, look, fed: fed.map(fedOf) }
  }))
