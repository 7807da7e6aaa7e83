import { failureOf } from "../api/Failure.ts"
import { tell } from "../parts/Notices.tsx"
import * as Workflows from "./Workflows.ts"

const pollMs = 250
const maxPolls = 40

/** Waits until a requested run has begun; tells the reader if that takes longer. */
export const begun = async (workflow: string, run: string): Promise<boolean> => {
  for (let polls = 0; polls < maxPolls; polls++) {
    try {
      await Workflows.run(workflow, run, new AbortController().signal)
      return true
    } catch (error) {
      if (failureOf(error).status !== 404) throw error
    }
    await new Promise((resolve) => setTimeout(resolve, pollMs))
  }
  tell("done", `The run ${run} is waiting for its turn. It appears in the list once it has started.`)
  return false
}
