import { Option, Schema } from "effect"

/**
 * The place of an event in its emitter's log, `<milliseconds>-<sequence>` outside and one packed integer
 * (`ms * 2^20 + seq`) inside, so that byte order, number order and log order are the same.
 */
export type EventId = bigint

const sequenceBits = 20n
const maxSequence = (1n << sequenceBits) - 1n

export const make = (ms: number, seq: number): EventId => (BigInt(ms) << sequenceBits) | BigInt(seq)

export const milliseconds = (id: EventId): number => Number(id >> sequenceBits)

export const sequence = (id: EventId): number => Number(id & maxSequence)

/** The first id after `last` at the time `now`: strictly larger, also when the clock stands still or steps back. */
export const next = (last: EventId, now: number): EventId => {
  const fresh = make(now, 0)
  return fresh > last ? fresh : last + 1n
}

export const format = (id: EventId): string => `${milliseconds(id)}-${sequence(id)}`

const pattern = /^(\d{1,13})-(\d{1,7})$/

export const parse = (text: string): Option.Option<EventId> => {
  const match = pattern.exec(text)
  if (match === null || BigInt(match[2]!) > maxSequence) return Option.none()
  return Option.some(make(Number(match[1]), Number(match[2])))
}

/** An event id as clients write it. */
export const EventIdText = Schema.String.pipe(
  Schema.check(
    Schema.makeFilter((text) => Option.isSome(parse(text)), {
      expected: "an event id of the form <milliseconds>-<sequence>"
    })
  )
)
