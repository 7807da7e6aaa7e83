import * as Id from "@headwater/domain/Id"
import { eventFolderOf } from "@headwater/domain/StoredFile"
import * as CrashPoint from "@headwater/log/commit/CrashPoint"
import { DedupeMarks } from "@headwater/log/logs/DedupeMarks"
import { EventLog } from "@headwater/log/logs/EventLog"
import { Heads } from "@headwater/log/logs/Heads"
import { ProgramState } from "@headwater/log/logs/ProgramState"
import { Consumers } from "@headwater/log/resources/Consumers"
import { Deployments } from "@headwater/log/resources/Deployments"
import { EnvironmentVariables } from "@headwater/log/resources/EnvironmentVariables"
import { Programs } from "@headwater/log/resources/Programs"
import { StoredFiles } from "@headwater/log/resources/StoredFiles"
import { Subscriptions } from "@headwater/log/resources/Subscriptions"
import { BulkActions } from "@headwater/log/work/BulkActions"
import { Cursors } from "@headwater/log/work/Cursors"
import { DueWork } from "@headwater/log/work/DueWork"
import { WorkflowRuns } from "@headwater/log/work/WorkflowRuns"
import { Clock, Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"

const isWorkflowId = Schema.is(Id.WorkflowId)

/**
 * Removes everything a program leaves behind. Rows that others lock too go first and quickly, and the owner's epoch goes with
 * the head; then the log goes, in bites. The program's own row is last, so that a removal that is cut off can be resumed.
 */
export const make = Effect.gen(function*() {
  const bulkActions = yield* BulkActions
  const consumers = yield* Consumers
  const cursors = yield* Cursors
  const deployments = yield* Deployments
  const dueWork = yield* DueWork
  const environment = yield* EnvironmentVariables
  const events = yield* EventLog
  const files = yield* StoredFiles
  const heads = yield* Heads
  const marks = yield* DedupeMarks
  const programs = yield* Programs
  const runs = yield* WorkflowRuns
  const sql = yield* SqlClient.SqlClient
  const state = yield* ProgramState
  const subscriptions = yield* Subscriptions

  return Effect.fnUntraced(function*(
    { accountId, id }: { readonly accountId: Id.AccountId; readonly id: Id.ProgramId },
    /** Nobody listens to it any more, and it to nobody. */
    onDetached: Effect.Effect<void>
  ) {
    // Before the head: a consumer's owner, whose fence goes too, may be about to make a cursor on this log.
    yield* consumers.removeOfEmitter(accountId, id)
    yield* sql.withTransaction(Effect.gen(function*() {
      yield* heads.remove(id)
      yield* subscriptions.removeParty(accountId, id)
      yield* cursors.removeOfEmitter(id)
    }))
    CrashPoint.reached("remove-detached")
    yield* onDetached
    yield* dueWork.removeAll(id)
    yield* bulkActions.endOfOwner(id, yield* Clock.currentTimeMillis)
    yield* state.removeAll(id)
    yield* marks.removeAll(id)
    yield* environment.removeAll(id)
    yield* events.removeAll(id)
    yield* files.removeBelow(accountId, eventFolderOf(id))
    if (isWorkflowId(id)) {
      yield* runs.removeAll(id)
      yield* deployments.removeAll(id)
    }
    CrashPoint.reached("remove-emptied")
    yield* programs.delete(id)
  })
})
