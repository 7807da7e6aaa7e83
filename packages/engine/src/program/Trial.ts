import type { EventMeta } from "@headwater/domain/Event"
import type { RunConnection, RunError, RunHttpRequest, RunLog, RunResponse, RunResult } from "@headwater/sandbox/Run"
import type * as OutgoingRequest from "../webhook/OutgoingRequest.ts"
import type * as RunEvents from "./RunEvents.ts"
import type * as TrialInput from "./TrialInput.ts"

/** An event that the code would have put into the log. */
export interface TrialEmit {
  readonly step: string | null
  readonly stream: string
  /** JSON text. */
  readonly payload: string
  readonly meta: EventMeta
  /** The time at which it would have been appended, in Unix milliseconds; null for at once. */
  readonly dueAt: number | null
}

/** A change that would have been made to `$.service.db`, as JSON texts; null where there is nothing. */
export interface TrialChange {
  readonly key: string
  readonly before: string | null
  readonly after: string | null
}

/** One step of a workflow that was tried. */
export interface TrialStep {
  readonly name: string
  readonly outcome: RunResult["outcome"]
  readonly wallMs: number
  readonly cpuMs: number
  /** JSON text of the values that its own props had, by name; null if it had none. */
  readonly configuredPropsJson: string | null
  /** JSON text of what the steps after it see; null where it failed or is to be run again. */
  readonly exportsJson: string | null
  /** The time that the run would have waited after it, in milliseconds. */
  readonly waitMs: number | null
  /** True if it asked to be run again. */
  readonly isRerun: boolean
}

/** The outcome of a trial. Nothing of it was kept. */
export interface Trial {
  readonly outcome: RunResult["outcome"]
  /** The failure that ended it early, with its place in the code. */
  readonly error: (RunError & { readonly step: string | null }) | null
  readonly trigger: TrialInput.TrialTrigger
  /** The input as the code was given it, JSON text; null if it is large. */
  readonly inputJson: string | null
  readonly emits: ReadonlyArray<TrialEmit>
  /** Emits that the component's dedupe strategy would have left out. */
  readonly duplicates: number
  /** Requests by `$.send.http`, which the server would have sent afterwards. */
  readonly sends: ReadonlyArray<OutgoingRequest.OutgoingRequest>
  readonly changes: ReadonlyArray<TrialChange>
  readonly logs: ReadonlyArray<RunLog & { readonly step: string | null }>
  /** The error that would have gone to `$errors`. */
  readonly errors: ReadonlyArray<RunEvents.RunFailure>
  readonly response: RunResponse | null
  readonly requests: ReadonlyArray<RunHttpRequest>
  readonly connections: ReadonlyArray<RunConnection>
  readonly steps: ReadonlyArray<TrialStep>
  /** The reason for which a step ended the run, in its own words. */
  readonly exitReason: string | null
  /** The next due times of its timers, in Unix milliseconds. */
  readonly timers: ReadonlyArray<{ readonly prop: string; readonly dueAt: ReadonlyArray<number> }>
  readonly wallMs: number
  readonly cpuMs: number
  /** The number of all these that were left out, since they are large or many. */
  readonly omitted: number
}

/** Characters that are kept of what a trial did: more than anybody reads. */
const mostShown = 1024 * 1024

/** The size that each thing counts for beside its texts. */
const each = 64

/** The effects of a trial so far. */
export class TrialRecord {
  readonly emits: Array<TrialEmit> = []
  readonly sends: Array<OutgoingRequest.OutgoingRequest> = []
  readonly logs: Array<RunLog & { readonly step: string | null }> = []
  readonly errors: Array<RunEvents.RunFailure> = []
  readonly requests: Array<RunHttpRequest> = []
  readonly connections: Array<RunConnection> = []
  readonly steps: Array<TrialStep> = []
  readonly known = new Map<string, string>()
  duplicates = 0
  omitted = 0
  wallMs = 0
  cpuMs = 0
  #shown = 0
  outcome: RunResult["outcome"] = "success"
  error: Trial["error"] = null
  exitReason: string | null = null
  response: RunResponse | null = null

  /** True if there is room to show something of so many characters, which is taken; a thing without room is counted. */
  hasRoom(characters: number): boolean {
    const fits = this.#shown + each + characters <= mostShown
    if (fits) this.#shown += each + characters
    else this.omitted++
    return fits
  }

  show<A>(list: Array<A>, item: A, ...texts: ReadonlyArray<string | null | undefined>): void {
    if (this.hasRoom(texts.reduce((sum, text) => sum + (text?.length ?? 0), 0))) list.push(item)
  }
}
