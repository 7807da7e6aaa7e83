import type { Findings } from "./Findings.ts"
import type { CursorRow, Snapshot } from "./Snapshot.ts"

const what = (cursor: CursorRow): string => `${cursor.subscription_id} on ${cursor.emitter_id}`

/** That the accounting adds up at one moment, whatever the server was doing. Answers whether it did. */
export const balances = (findings: Findings, { cursors, unpaired }: Snapshot, options: {
  readonly mayHaveGaps: (emitterId: string) => boolean
}): boolean => {
  const before = findings.count("unbalanced")
  const complain = (cursor: CursorRow, saying: string) =>
    findings.note("unbalanced", `${what(cursor)}: ${saying}`, { cursor })

  for (const cursor of cursors) {
    const { ahead, delivered, dropped, emitter_id, exhausted, filtered, head_n, n, pending, pending_rows, start_n } =
      cursor
    if (n - start_n !== delivered + pending + exhausted + dropped + filtered) {
      complain(cursor, "cursor − start is not delivered + pending + exhausted + dropped + filtered")
    }
    if (n > head_n) complain(cursor, "the cursor is ahead of the head")
    const waiting = head_n - n
    if (options.mayHaveGaps(emitter_id) ? ahead > waiting : ahead !== waiting) {
      complain(cursor, "head − cursor is not what waits in the log")
    }
    if (pending !== pending_rows) {
      complain(cursor, "pending is not the number of events whose deliveries wait for a retry")
    }
    if (!options.mayHaveGaps(emitter_id) && dropped !== 0n) complain(cursor, "events were dropped that nobody deleted")
  }
  for (const { id, what } of unpaired) findings.note("unbalanced", what, { id })
  return findings.count("unbalanced") === before
}

/** That nothing is left half-way once all is quiet: programs on their way in or out, and rows whose owner is gone. */
export const isTidy = (findings: Findings, { orphans, programs }: Snapshot): void => {
  for (const { id, what } of orphans) findings.note("unbalanced", `${what} are left of what was deleted`, { id })
  for (const { id, state } of programs) {
    if (state !== "ready") findings.note("unbalanced", `a program is still ${state}`, { id })
  }
}

/** What is still to be done, in words; undefined when all is done. */
export const owing = ({ cursors, due, programs, unended }: Snapshot): string | undefined => {
  const inactive = new Set(programs.filter(({ active }) => !active).map(({ id }) => id))
  const behind = cursors.find((cursor) => cursor.n < cursor.head_n && !inactive.has(cursor.listener_id))
  if (behind !== undefined) return `${what(behind)} stands at ${behind.n} of ${behind.head_n}`
  const pending = cursors.find((cursor) => cursor.pending > 0n)
  if (pending !== undefined) return `${what(pending)} has ${pending.pending} deliveries waiting for a retry`
  const work = due.find(({ kind }) => kind === "emit" || kind === "delete" || kind === "bulk")
  if (work !== undefined) return `${work.owner_id} owes ${work.items} of kind ${work.kind}`
  const [run] = unended
  if (run !== undefined) return `${run.workflow_id} has ${run.runs} runs that have not ended`
  const moving = programs.find(({ state }) => state !== "ready")
  return moving === undefined ? undefined : `${moving.id} is ${moving.state}`
}
