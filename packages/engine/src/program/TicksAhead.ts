import { Context, type Effect } from "effect"
import type { SqlError } from "effect/sql"

/**
 * Leave for a source to run ticks of one of its timers before they are due, while nothing else happens. The clock follows
 * when they are durable.
 */
export interface TicksGrant {
  readonly programId: string
  /** Those before this time, in Unix milliseconds. */
  readonly before: number
  /** So many at most, with the one that is due. */
  readonly most: number
  /** Counts those behind the first, in the commit of what they did; up to which time. One statement. */
  readonly count: (ticks: number, at: number) => Effect.Effect<unknown, SqlError.SqlError>
  /** They are durable. */
  readonly onDurable: (ticks: number, at: number) => void
}

/** The leave by which a clock that is being moved has the ticks of a source run together. */
export interface TicksAhead {
  grant: TicksGrant | undefined
}

/** None where the clock goes by itself. */
export const TicksAhead = Context.Reference<TicksAhead | undefined>("@headwater/engine/program/TicksAhead", {
  defaultValue: () => undefined
})
