/** Steps of runs in shadow whose requests are held. */
import type { RunFault, RunTrigger } from "@headwater/log/work/WorkflowRuns"
import { heldName } from "@headwater/sandbox/HeldRequest"
import type { RunResult } from "@headwater/sandbox/Run"

/** The reason for which a step ended its run, if that is a request that is held. */
export const heldBy = ({ message, name }: RunFault, { shadow }: RunTrigger): string | undefined =>
  shadow === true && name === heldName ? message : undefined

/** A step that came to a request that is held has not failed. */
export const heldResult = ({ error: _error, ...result }: RunResult): RunResult => ({ ...result, outcome: "success" })
