import type { DueItem } from "@headwater/log/work/DueWork"
import type { EventRange } from "../ground/ActorCalls.ts"
import type { Feed, PassedItem } from "../routing/Feed.ts"
import type { ProgramInput } from "./ProgramInput.ts"
import type { QuotaExceeded } from "./Quotas.ts"
import type { WorkflowProgress } from "./WorkflowProgress.ts"

/** The next work of a program. */
export type NextWork =
  /** Inputs of the same kind, of one stream, in its order. */
  | { readonly _tag: "Run"; readonly inputs: readonly [ProgramInput, ...ReadonlyArray<ProgramInput>] }
  /** A workflow's run goes on. */
  | { readonly _tag: "Proceed"; readonly run: WorkflowProgress }
  /** A workflow's run has waited for its time. */
  | { readonly _tag: "Resume"; readonly item: DueItem }
  /** Events that are passed without a run. */
  | { readonly _tag: "Skip"; readonly feed: Feed; readonly item: PassedItem }
  /** A delayed emit whose time has come. */
  | { readonly _tag: "Append"; readonly item: DueItem }
  /** Events that a client wants gone. */
  | { readonly _tag: "Delete"; readonly deletion: Deletion }
  /** An input that is taken without a run, since the account may not run any more. */
  | { readonly _tag: "Refuse"; readonly input: ProgramInput; readonly reason: QuotaExceeded }
  /** Events are there that may not be run yet: the program looks again when this is due. */
  | { readonly _tag: "Wait"; readonly item: DueItem }
  /** Due work that asks for nothing more, as of a timer that no longer is. */
  | { readonly _tag: "Forget"; readonly item: DueItem }

/** A deletion under way, a bite at a time, so that it holds up nothing else of the program. */
export interface Deletion {
  readonly item: DueItem
  /** The rest of it. */
  range: EventRange
}
