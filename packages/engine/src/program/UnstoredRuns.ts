import * as EventId from "@headwater/domain/EventId"
import type { AccountId } from "@headwater/domain/Id"
import { EventLog } from "@headwater/log/logs/EventLog"
import { StoredFiles } from "@headwater/log/resources/StoredFiles"
import { type WorkflowRun, WorkflowRuns } from "@headwater/log/work/WorkflowRuns"
import type { RunResult } from "@headwater/sandbox/Run"
import { Effect, Option } from "effect"
import type { CommitParts } from "../ground/EmitterLog.ts"

/**
 * Runs over requests that are not to be stored, by `x-pd-nostore` (`docs/workflows.md`, "Requests that leave nothing").
 *
 * - N1. Until such a run ends, all is kept that it needs to go on through a crash: its event, and what its steps gave.
 * - N2. The commit that ends it erases these, the request in the log and the files that came with that.
 * - N3. Logs, props and the words of errors, which a run does not need, are not kept at all.
 */
export const isUnstored = ({ trigger }: Pick<WorkflowRun, "trigger">): boolean => trigger.unstored !== undefined

const notKept = "the error's own words are not kept: the request asked for that with x-pd-nostore"

/** A result without what a run does not need. */
export const bare = ({ configuredPropsJson: _props, error, unreadable, ...result }: RunResult): RunResult => ({
  ...result,
  logs: [],
  ...(unreadable === undefined ? {} : { unreadable: { ...unreadable, first: "not kept" } }),
  ...(error === undefined ? {} : { error: { name: error.name, message: notKept, stack: "" } })
})

/** The updates of the commit that ends a run. */
export type ErasureOf = (accountId: AccountId, run: WorkflowRun) => NonNullable<CommitParts["updates"]>

export const makeErasureOf: Effect.Effect<ErasureOf, never, EventLog | StoredFiles | WorkflowRuns> = Effect.gen(
  function*() {
    const events = yield* EventLog
    const files = yield* StoredFiles
    const runs = yield* WorkflowRuns

    return (accountId, run) => {
      const { trigger, workflowId } = run
      return trigger.unstored === undefined ? [] : [
        runs.erase(run.id),
        ...Option.match(EventId.parse(trigger.eventId ?? ""), {
          onNone: () => [],
          onSome: (id) => [events.eraseRequest(workflowId, id)]
        }),
        ...trigger.unstored.map((path) => files.remove(accountId, path))
      ]
    }
  }
)
