import type { Findings } from "./Findings.ts"
import { type EventRow, positionKey, type Positions, type Snapshot } from "./Snapshot.ts"

interface Place {
  n: bigint
  id: bigint
}

/** Holds what is read of the logs to being, at each moment, the beginning of what is read later. */
export interface LogCheck {
  readonly positions: () => Positions
  readonly take: (snapshot: Snapshot) => void
}

/** @param mayHaveGaps whether events of this emitter are deleted on purpose */
export const make = (findings: Findings, options: {
  readonly mayHaveGaps: (emitterId: string) => boolean
}): LogCheck => {
  const places = new Map<string, Place>()

  const follow = (event: EventRow) => {
    const key = positionKey(event.emitter_id, event.stream)
    const place = places.get(key) ?? { n: 0n, id: 0n }
    places.set(key, { n: event.n, id: event.id })
    const expected = place.n + 1n
    const follows = options.mayHaveGaps(event.emitter_id) ? event.n >= expected : event.n === expected
    if (!follows || event.id <= place.id) {
      findings.note("reordered", "an event does not follow on what was read before it", {
        emitter: event.emitter_id,
        stream: event.stream,
        before: place,
        event: { n: event.n, id: event.id }
      })
    }
  }

  return {
    positions: () => new Map([...places].map(([key, { id }]) => [key, id])),
    take: ({ events, heads }) => {
      for (const event of events) follow(event)
      for (const [emitterId, head] of heads) {
        for (const [stream, n] of Object.entries(head.streams)) {
          const place = places.get(positionKey(emitterId, stream)) ?? { n: 0n, id: 0n }
          const agrees = options.mayHaveGaps(emitterId) ? BigInt(n) >= place.n : BigInt(n) === place.n
          if (!agrees || head.last_id < place.id) {
            findings.note("torn", "a head and its log do not say the same", {
              emitter: emitterId,
              stream,
              head: { n, id: head.last_id },
              log: place
            })
          }
        }
      }
      for (const key of places.keys()) {
        if (!heads.has(key.slice(0, key.indexOf(" ")))) places.delete(key)
      }
    }
  }
}
