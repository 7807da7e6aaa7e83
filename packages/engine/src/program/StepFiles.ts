import type { AccountId } from "@headwater/domain/Id"
import { untilAnswered } from "@headwater/log/database/TransientSqlError"
import { WorkflowFiles } from "@headwater/log/work/WorkflowFiles"
import type { RunFiles } from "@headwater/sandbox/Run"
import { Effect } from "effect"
import { EngineLimits } from "../ground/EngineLimits.ts"
import type { WorkflowProgress } from "./WorkflowProgress.ts"

/**
 * The files that a step of a run finds, and the place for those that it leaves. Their bytes are in the database before the step
 * ends; it is its commit that makes them files of the run.
 */
export const make = Effect.gen(function*() {
  const files = yield* WorkflowFiles
  const { filesOfRuns } = yield* EngineLimits

  return (accountId: AccountId, { files: entries, run: { id: runId } }: WorkflowProgress): RunFiles => {
    /** The bytes that the account's runs have, and with them what this one has added. */
    let bytesOfAccount: number | undefined
    return {
      entries,
      read: (content, place) =>
        Effect.map(untilAnswered(files.part(runId, content, place)), (bytes) => bytes ?? new Uint8Array()),
      write: Effect.fnUntraced(function*(content, place, bytes) {
        bytesOfAccount ??= yield* untilAnswered(files.bytesOf(accountId))
        bytesOfAccount += bytes.length
        if (bytesOfAccount > filesOfRuns.account) return false
        yield* untilAnswered(files.putPart({ runId, accountId, content, place, bytes }))
        return true
      })
    }
  }
})
