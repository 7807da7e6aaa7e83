import type { AccountId } from "@headwater/domain/Id"
import { untilAnswered } from "@headwater/log/database/TransientSqlError"
import { WorkflowFiles } from "@headwater/log/work/WorkflowFiles"
import type { RunFiles } from "@headwater/sandbox/Run"
import { Effect } from "effect"
import { EngineLimits } from "../ground/EngineLimits.ts"
import * as FileRoom from "./FileRoom.ts"
import type { WorkflowProgress } from "./WorkflowProgress.ts"

/**
 * The files that a step of a run finds, and the place for those that it leaves. Their bytes are in the database before the step
 * ends; it is its commit that makes them files of the run.
 */
export const make = Effect.gen(function*() {
  const files = yield* WorkflowFiles
  const { filesOfRuns } = yield* EngineLimits

  return (accountId: AccountId, { run: { id: runId }, steps: { files: entries } }: WorkflowProgress): RunFiles => {
    const takeRoom = FileRoom.make(filesOfRuns.account, files.bytesOf(accountId))
    return {
      entries,
      read: (content, place) =>
        Effect.map(untilAnswered(files.part(runId, content, place)), (bytes) => bytes ?? new Uint8Array()),
      write: Effect.fnUntraced(function*(content, place, bytes) {
        if (!(yield* takeRoom(place, bytes.length))) return false
        yield* untilAnswered(files.putPart({ runId, accountId, content, place, bytes }))
        return true
      })
    }
  }
})
