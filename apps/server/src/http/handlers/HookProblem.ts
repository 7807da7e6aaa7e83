import * as Problem from "@headwater/api/Problem"
import { type HookFailed } from "@headwater/engine/ActorCalls"
import * as CauseLines from "@headwater/sandbox/runtime/CauseLines"
import type { Place } from "../../CodeFault.ts"

/** A failure of a component's code that a client asked to be run, told where it was written. */
export const hookProblem = (place: Place, failure: HookFailed) => {
  const message = [failure.message, ...CauseLines.within(failure.stack ?? "")].join("\n")
  return new Problem.HookFailed({
    detail: `The ${failure.hook} hook failed: ${message}`,
    error: `The ${failure.hook} hook failed: ${message}`,
    details: {
      hook: failure.hook,
      message,
      ...(failure.line === undefined || failure.column === undefined
        ? { file: place(1, 1).file }
        : place(failure.line, failure.column))
    }
  })
}
