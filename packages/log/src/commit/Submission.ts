import { Effect, type Exit, Schema } from "effect"
import { byteCount, type Commit, rowCount } from "./Commit.ts"
import type { Fenced } from "./CommitWriter.ts"

/** The database refused this commit, and would again. Nothing of it was written. */
export class CommitRejected extends Schema.TaggedError<CommitRejected>()("CommitRejected", {
  cause: Schema.Defect()
}) {}

export type CommitError = Fenced | CommitRejected

type Ended = Exit.Exit<void, CommitError>

/**
 * A commit in line: *waiting* until the writer ends it, once, as durable or as failed. It has no fiber of its own, since there
 * are some for each event, and most of those who put one in line do not wait for it.
 */
export class Submission {
  readonly commit: Commit
  readonly rows: number
  /** Roughly what the commit takes in memory. */
  readonly bytes: number
  private state: "waiting" | Ended = "waiting"
  private readonly observers: Array<(exit: Ended) => void> = []

  constructor(commit: Commit) {
    this.commit = commit
    this.rows = rowCount(commit)
    this.bytes = byteCount(commit)
  }

  /** Calls back once, when the commit is durable or has failed: in the order in which commits end and observers were added. */
  onEnd(observer: (exit: Ended) => void): void {
    if (this.state === "waiting") this.observers.push(observer)
    else observer(this.state)
  }

  /** Returns when the commit is durable. To stop waiting does not take it back. */
  get durable(): Effect.Effect<void, CommitError> {
    return Effect.suspend(() =>
      this.state === "waiting" ? Effect.callback<void, CommitError>((resume) => this.onEnd(resume)) : this.state
    )
  }

  /** The writer alone calls this. */
  end(exit: Ended): void {
    if (this.state !== "waiting") return
    this.state = exit
    for (const observer of this.observers) observer(exit)
  }
}
