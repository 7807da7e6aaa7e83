import * as Problem from "@headwater/api/Problem"
import type { HookFailed } from "@headwater/engine/program/ComponentRuns"
import type { Place } from "./ComponentSaving.ts"

/** A failure of a component's code that a client asked to be run, told where it was written. */
export const hookProblem = (place: Place, failure: HookFailed) =>
  new Problem.HookFailed({
    detail: `The ${failure.hook} hook failed: ${failure.message}`,
    error: `The ${failure.hook} hook failed: ${failure.message}`,
    details: {
      hook: failure.hook,
      message: failure.message,
      ...(failure.line === undefined || failure.column === undefined
        ? { file: place(1, 1).file }
        : place(failure.line, failure.column))
    }
  })
