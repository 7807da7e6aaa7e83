import { Option, Schema } from "effect"

/**
 * The place of an event in its emitter's log, `<milliseconds>-<sequence>` outside and one packed integer
 * (`ms * 2^20 + seq`) inside, so that byte order, number order and log order are the same.
 */
export type EventId = bigint

/** From one id to another, both included, whether or not they are ids of events. */
export interface EventRange {
  readonly from: EventId
  readonly to: EventId
}

/** The number of low bits that hold the sequence. */
export const sequenceBits = 20

const shift = BigInt(sequenceBits)
const maxSequence = (1n << shift) - 1n

/** The largest that the database's eight signed bytes hold. */
export const last: EventId = (1n << 63n) - 1n

export const make = (ms: number, seq: number): EventId => (BigInt(ms) << shift) | BigInt(seq)

/** The first id that there can be at a time, or the largest for a time beyond all ids. */
export const firstAt = (ms: number): EventId => {
  const id = make(ms, 0)
  return id > last ? last : id
}

export const milliseconds = (id: EventId): number => Number(id >> shift)

export const sequence = (id: EventId): number => Number(id & maxSequence)

/** The first id after another at the time `now`: strictly larger, also when the clock stands still or steps back. */
export const next = (before: EventId, now: number): EventId => {
  const fresh = make(now, 0)
  return fresh > before ? fresh : before + 1n
}

export const format = (id: EventId): string => `${milliseconds(id)}-${sequence(id)}`

const pattern = /^(\d{1,13})-(\d{1,7})$/

/** Text of the form that is beyond every id reads as the largest, which is beyond every event just as well. */
export const parse = (text: string): Option.Option<EventId> => {
  const match = pattern.exec(text)
  if (match === null || BigInt(match[2]!) > maxSequence) return Option.none()
  const id = make(Number(match[1]), Number(match[2]))
  return Option.some(id > last ? last : id)
}

/** An event id as clients write it. */
export const EventIdText = Schema.String.pipe(
  Schema.check(
    Schema.makeFilter((text) => Option.isSome(parse(text)), {
      expected: "an event id of the form <milliseconds>-<sequence>",
      toJsonSchema: () => ({ pattern: pattern.source })
    })
  )
)
