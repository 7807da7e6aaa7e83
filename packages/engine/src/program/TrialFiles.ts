import type { RunFiles } from "@headwater/sandbox/Run"
import { Effect } from "effect"
import type { WorkflowProgress } from "./WorkflowProgress.ts"

/** The bytes of the files that the steps of a trial leave to each other, in memory. */
export class TrialFiles {
  private readonly parts = new Map<string, Uint8Array>()
  private readonly maxBytes: number
  private bytes = 0

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes
  }

  readonly of = ({ steps: { files } }: WorkflowProgress): RunFiles => ({
    entries: files,
    read: (content, place) => Effect.succeed(this.parts.get(`${content}/${place}`) ?? new Uint8Array()),
    write: (content, place, bytes) =>
      Effect.sync(() => {
        this.bytes += bytes.length
        if (this.bytes > this.maxBytes) return false
        this.parts.set(`${content}/${place}`, bytes)
        return true
      })
  })
}
