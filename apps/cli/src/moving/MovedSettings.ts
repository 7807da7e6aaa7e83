import type * as WorkflowFile from "./WorkflowFile.ts"
import type { WorkflowFindings } from "./WorkflowFindings.ts"

export interface MovedSettings {
  readonly timeoutSeconds: number | undefined
}

/** Longest that a workflow's setting takes (`timeout_seconds`). */
const longestTimeout = 300

/** The memory of a sandbox, in MB, unless the operator says otherwise. */
const usualMemory = 256

/** Least and most that a workflow's setting takes (`memory_mb`). */
const [leastMemory, mostMemory] = [128, 16_384]

export const of = (
  { settings }: Pick<WorkflowFile.WorkflowFile, "settings">,
  findings: WorkflowFindings
): MovedSettings => {
  const { error_notification: notifies, lambda_memory: memory, lambda_timeout: timeout, network } = settings ?? {}
  const tell = (name: string, message: string) => findings.tell("different", ["settings", name], message)
  if (notifies === false) {
    tell(
      "error_notification",
      "the owner gets an e-mail about errors, if the operator has set an SMTP server; it can't be switched off for one workflow"
    )
  }
  if (typeof memory === "number" && memory > usualMemory) {
    tell(
      "lambda_memory",
      `${memory} MB: a step has ${usualMemory} MB here, unless the operator says otherwise. Give the workflow's file ` +
        `\`memory_mb\`, ${leastMemory} to ${mostMemory}, of which the operator allows some (HEADWATER_RUN_HEAP_MAX)`
    )
  }
  if (network !== undefined && network !== null) {
    tell("network", "addresses for requests that leave are a matter of the server's own network")
  }
  if (typeof timeout !== "number" || timeout <= 0) return { timeoutSeconds: undefined }
  if (timeout > longestTimeout) {
    tell(
      "lambda_timeout",
      `${timeout} s: a step takes ${longestTimeout} s at most, and the server's limit (HEADWATER_RUN_SECONDS)`
    )
  }
  return { timeoutSeconds: Math.min(Math.ceil(timeout), longestTimeout) }
}
