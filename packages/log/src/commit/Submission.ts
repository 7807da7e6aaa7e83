import { Effect, Exit, Schema } from "effect"
import { byteCount, type Commit, rowCount } from "./Commit.ts"
import type { Fenced } from "./CommitWriter.ts"

/** The database refused this commit, and would again. Nothing of it was written. */
export class CommitRejected extends Schema.TaggedError<CommitRejected>()("CommitRejected", {
  cause: Schema.Defect()
}) {}

export type CommitError = Fenced | CommitRejected

type Ended = Exit.Exit<void, CommitError>

/**
 * A commit in line: *waiting* until the writer says that it is *durable*, or that it has *failed*, which it says once. It has
 * no fiber of its own, since there are some for each event, and most of those who hand one over do not wait for it.
 */
export class Submission {
  readonly commit: Commit
  readonly rows: number
  /** Roughly what the commit takes in memory. */
  readonly bytes: number
  private ended: Ended | undefined
  private readonly observers: Array<(exit: Ended) => void> = []

  constructor(commit: Commit) {
    this.commit = commit
    this.rows = rowCount(commit)
    this.bytes = byteCount(commit)
  }

  get state(): "waiting" | "durable" | "failed" {
    if (this.ended === undefined) return "waiting"
    return Exit.isSuccess(this.ended) ? "durable" : "failed"
  }

  /** Calls back once, when the commit is durable or has failed: in the order in which commits end and observers were added. */
  onEnd(observer: (exit: Ended) => void): void {
    if (this.ended === undefined) this.observers.push(observer)
    else observer(this.ended)
  }

  /** Returns when the commit is durable. To stop waiting does not take it back. */
  get durable(): Effect.Effect<void, CommitError> {
    return Effect.suspend(() => this.ended ?? Effect.callback<void, CommitError>((resume) => this.onEnd(resume)))
  }

  /** The writer alone calls this. */
  end(exit: Ended): void {
    if (this.ended !== undefined) return
    this.ended = exit
    for (const observer of this.observers) observer(exit)
  }
}
