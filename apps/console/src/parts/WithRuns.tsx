import { useSignal } from "@preact/signals"
import { useLoading } from "../api/Loading.ts"
import { may } from "../api/Session.ts"
import { type Action, ofRuns } from "../resources/BulkActions.ts"
import * as RunBooks from "../resources/RunBooks.ts"
import { BulkDialog } from "./BulkDialog.tsx"

/** Asks what is to be done with all runs of a source or workflow that are in a state, or with what failed of it. */
export const WithRuns = ({ id, status = "error" }: { readonly id: string; readonly status?: string }) => {
  const isAsked = useSignal(false)
  const books = useLoading(id, (signal) => RunBooks.read(id, signal), { everyMs: RunBooks.pollMs }).loaded.value
  const isNone = (books.state === "shown" || books.state === "stale") && RunBooks.countOf(books.value, status) === 0
  if (!may("run")) return null
  const isOpen = status === "running" || status === "waiting"
  const choices: ReadonlyArray<Action> = ofRuns.filter((action) => (action === "cancel_runs") === isOpen)
  const close = () => {
    isAsked.value = false
  }
  return (
    <>
      <button
        type="button"
        disabled={isNone}
        title={!isNone ? undefined : status === "error" ? "No run has failed." : `No run has the state ${status}.`}
        onClick={() => {
          isAsked.value = true
        }}
      >
        {isOpen ? "Cancel all …" : status === "error" ? "Run again all that failed …" : "Run all again …"}
      </button>
      {isAsked.value
        ? (
          <BulkDialog
            of="runs"
            choices={choices}
            filter={{ program_id: id, run_status: status }}
            meant={isOpen ? `All runs that are ${status}.` : `All runs that ended with ${status}, the oldest first.`}
            onClose={close}
          />
        )
        : null}
    </>
  )
}
