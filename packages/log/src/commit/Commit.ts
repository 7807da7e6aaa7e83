import type { LoggedEvent } from "@headwater/domain/Event"
import type { Effect } from "effect"
import type { SqlError } from "effect/sql"
import type { DedupeMark } from "../logs/DedupeMarks.ts"
import type { Fence } from "../logs/Fences.ts"
import type { Head } from "../logs/Heads.ts"
import type { StateWrite } from "../logs/ProgramState.ts"
import type { Attempt } from "../work/Attempts.ts"
import type { BulkMark } from "../work/BulkActions.ts"
import type { CursorMove, CursorSettlement } from "../work/Cursors.ts"
import type { Delivery, DeliveryChange } from "../work/Deliveries.ts"
import type { DueItem } from "../work/DueWork.ts"
import { noRuns, type RunCounts } from "../work/RunBooks.ts"
import type { RunProgress, StepRecord, StepResumption, WorkflowRun } from "../work/WorkflowRuns.ts"
import type { Fenced } from "./CommitWriter.ts"
import type { UsageEntry } from "./Usage.ts"

/** The changes that one actor wants written, all or none of them. */
export interface Commit {
  /** The emitter's head after this commit, under the fence its owner holds. Without one nothing may be appended. */
  readonly head?: Head
  /** The fence that the owner holds, if it has no head. */
  readonly fence?: Fence
  /** The account whose commit it is, if it has neither. */
  readonly accountId?: string
  readonly events?: ReadonlyArray<LoggedEvent>
  readonly moves?: ReadonlyArray<CursorMove>
  readonly settlements?: ReadonlyArray<CursorSettlement>
  readonly state?: ReadonlyArray<StateWrite>
  readonly marks?: ReadonlyArray<DedupeMark>
  /** Work that is done as of the time it was due at. */
  readonly dueDone?: ReadonlyArray<DueItem>
  /** Written after `dueDone`. */
  readonly duePut?: ReadonlyArray<DueItem>
  readonly deliveries?: ReadonlyArray<Delivery>
  readonly deliveryChanges?: ReadonlyArray<DeliveryChange>
  readonly attempts?: ReadonlyArray<Attempt>
  readonly usage?: ReadonlyArray<UsageEntry>
  /** The runs of a source, which leave nothing but what they emitted. */
  readonly sourceRuns?: RunCounts
  /** Runs of a workflow that begin. */
  readonly runs?: ReadonlyArray<WorkflowRun>
  /** Written after `runs`. */
  readonly runChanges?: ReadonlyArray<RunProgress>
  readonly steps?: ReadonlyArray<StepRecord>
  /** Requests by which runs go on, written after `steps`. */
  readonly resumptions?: ReadonlyArray<StepResumption>
  /** The outcomes of the items that bulk actions are at. */
  readonly bulkMarks?: ReadonlyArray<BulkMark>
  /** Changes to a resource, of one statement each that is good whatever it finds, written after everything above. */
  readonly updates?: ReadonlyArray<Effect.Effect<unknown, SqlError.SqlError>>
  /** Bytes that the updates write, roughly. */
  readonly updatedBytes?: number
  /**
   * A rare change that takes more than that, run in the same transaction after everything else. If it is fenced, nothing of
   * the commit is written.
   */
  readonly also?: Effect.Effect<void, SqlError.SqlError | Fenced>
}

/** The runs of the program that began and ended by a commit of its owner. */
export const runsIn = ({ runChanges = [], runs = [], sourceRuns }: Commit): RunCounts => {
  if (runs.length === 0 && runChanges.length === 0) return sourceRuns ?? noRuns
  let [done, failed, cancelled] = [0, 0, 0]
  for (const list of [runs, runChanges]) {
    for (const { endedAt, status } of list) {
      if (endedAt === null) continue
      if (status === "success") done += 1
      else if (status === "error") failed += 1
      else cancelled += 1
    }
  }
  return { received: runs.length, done, failed, cancelled }
}

const lists = [
  "events",
  "moves",
  "settlements",
  "state",
  "marks",
  "dueDone",
  "duePut",
  "deliveries",
  "deliveryChanges",
  "attempts",
  "usage",
  "runs",
  "runChanges",
  "steps",
  "resumptions",
  "bulkMarks",
  "updates"
] as const

/** The fence that a commit is written under; none for one that may always be written. */
export const fenceOf = ({ fence, head }: Commit): Fence | undefined => head?.fence ?? fence

/** The owner of a commit: those of one owner are written in their order. */
export const ownerOf = (commit: Commit): string => fenceOf(commit)?.ownerId ?? ""

/** The account whose turn a commit takes. */
export const accountOf = (commit: Commit): string => fenceOf(commit)?.accountId ?? commit.accountId ?? ""

/** Rows a commit writes, for bounding a batch. */
export const rowCount = (commit: Commit): number => {
  let rows = 1
  for (const list of lists) rows += commit[list]?.length ?? 0
  return rows
}

/** The bytes of a row beside its payload, roughly. */
const rowBytes = 200

const lengthOf = (value: string | number | undefined): number => typeof value === "string" ? value.length : 0

/** Bytes a commit writes, roughly, for bounding a batch. */
export const byteCount = (commit: Commit): number => {
  let bytes = rowBytes * (rowCount(commit) + Object.keys(commit.head?.streams ?? {}).length) +
    (commit.updatedBytes ?? 0)
  for (const { meta, payload } of commit.events ?? []) {
    bytes += payload.length + lengthOf(meta.id) + lengthOf(meta.summary) + lengthOf(meta.ts)
  }
  for (const { value } of commit.marks ?? []) bytes += value.length
  for (const { payload } of commit.duePut ?? []) bytes += payload.length
  for (const { value } of commit.state ?? []) bytes += value?.length ?? 0
  for (const { responseBody, responseHeaders } of commit.attempts ?? []) {
    bytes += (responseBody?.length ?? 0) + (responseHeaders?.length ?? 0)
  }
  for (const { event } of commit.runs ?? []) bytes += event.length
  for (const { configuredProps, result } of commit.steps ?? []) {
    bytes += (configuredProps?.length ?? 0) + (result?.length ?? 0)
  }
  for (const { resumeData } of commit.resumptions ?? []) bytes += resumeData.length
  return bytes
}
