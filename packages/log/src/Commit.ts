import type { LoggedEvent } from "@headwater/domain/Event"
import type { Effect } from "effect"
import type { SqlError } from "effect/sql"
import type { CursorMove, CursorSettlement } from "./Cursors.ts"
import type { DedupeMark } from "./DedupeMarks.ts"
import type { Attempt, Delivery, DeliveryChange } from "./Deliveries.ts"
import type { DueItem } from "./DueWork.ts"
import type { Head } from "./Heads.ts"
import type { StateWrite } from "./SourceState.ts"
import type { UsageEntry } from "./Usage.ts"

/** What one actor wants written, all or none of it. */
export interface Commit {
  /** The emitter's head after this commit, under the epoch its owner holds. Without one nothing may be appended. */
  readonly head?: Head
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
  /** A rare change to a resource, run in the same transaction after everything else. */
  readonly also?: Effect.Effect<void, SqlError.SqlError>
}

/** Rows a commit writes, for bounding a batch. */
export const rowCount = (commit: Commit): number =>
  1 + (commit.events?.length ?? 0) + (commit.moves?.length ?? 0) + (commit.state?.length ?? 0) +
  (commit.marks?.length ?? 0) + (commit.duePut?.length ?? 0) + (commit.attempts?.length ?? 0)

/** Bytes a commit writes, roughly. */
export const byteCount = (commit: Commit): number => {
  let bytes = 200 * rowCount(commit)
  for (const event of commit.events ?? []) bytes += event.payload.length
  for (const write of commit.state ?? []) bytes += write.value?.length ?? 0
  return bytes
}
