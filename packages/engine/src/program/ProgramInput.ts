import type { EventCause } from "@headwater/domain/Event"
import type { EventId } from "@headwater/domain/EventId"
import type { CommitParts } from "../ground/EmitterLog.ts"

/** The kind of input that started a run. */
export type InputKind = "HTTP" | "EMAIL" | "TIMER" | "EVENT" | "INVOCATION" | "RERUN" | "HOOK"

/** The taking of a tick whose run shares a commit with others of its timer. */
export interface TickTaking {
  /** True if the clock has come to it. */
  readonly isDue: boolean
  /** The parts to write so that it and those before it are taken, `ahead` of which the clock has not come to. */
  readonly take: (ahead: number) => CommitParts
  readonly onDurable: (ahead: number) => void
}

/** One input of a run. It is taken when the run's commit is, and runs again if that never comes. */
export interface ProgramInput {
  readonly kind: InputKind
  /** JSON text of the event handed to `run`. */
  readonly eventJson: string
  /** True for a request of which the event is only a part, by the settings of its HTTP interface. */
  readonly isShaped?: boolean
  /** Set for a request of which nothing is to be kept once its run has ended: the paths of the files that came with it. */
  readonly unstored?: ReadonlyArray<string>
  /** The run whose event this one takes the place of, or the error about the run of a source that it repeats. */
  readonly rerunOf?: string
  /** The id by which the input is known: the emit id of an event, the request's, or the tick's own. */
  readonly id: string
  /** The time at which it came about, in Unix milliseconds. */
  readonly at: number
  /** The number of emitters that it has passed through. */
  readonly hops: number
  /** The log that an event came from. */
  readonly from?: { readonly emitterId: string; readonly stream: string }
  /** The event or request that it is, of a batch the first; none for a tick or a hook. */
  readonly cause?: EventCause | undefined
  /** True if it is of shadow, and so is all that comes of it. */
  readonly isShadow?: boolean
  /** Set for a request: its place in the program's own log, and its size. */
  readonly request?: { readonly id: EventId; readonly bytes: number }
  /** Set for a tick that is run together with those of its timer that come after it. */
  readonly ticks?: TickTaking
  /** The parts to write so that the input is taken. Called once, when the run has ended. */
  readonly take: () => CommitParts
}
