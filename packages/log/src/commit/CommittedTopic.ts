import type { LoggedEvent } from "@headwater/domain/Event"
import { Effect, PubSub } from "effect"

/** The events that one commit appended. */
export interface CommittedEvents {
  readonly accountId: string
  readonly events: ReadonlyArray<LoggedEvent>
}

/** The most that a reader may be behind by, in batches and in bytes of them. */
const maxUnread = 256
const maxUnreadBytes = 32 * 1024 * 1024

/** Tells of events as they are committed. A hint: a reader that is too far behind is not told of everything. */
export interface CommittedTopic {
  readonly batches: PubSub.PubSub<ReadonlyArray<CommittedEvents>>
  /** @param bytes what the batch takes in memory, roughly */
  readonly publishUnsafe: (batch: ReadonlyArray<CommittedEvents>, bytes: number) => void
}

export const make: Effect.Effect<CommittedTopic> = Effect.map(
  PubSub.sliding<ReadonlyArray<CommittedEvents>>(maxUnread),
  (batches) => {
    /** The sizes of the batches that somebody has yet to read, the oldest first. */
    const unread: Array<number> = []
    let unreadBytes = 0
    return {
      batches,
      publishUnsafe: (batch, bytes) => {
        const held = PubSub.sizeUnsafe(batches)
        while (unread.length > held) unreadBytes -= unread.shift()!
        if (held > 0 && unreadBytes + bytes > maxUnreadBytes) return
        PubSub.publishUnsafe(batches, batch)
        unread.push(bytes)
        unreadBytes += bytes
      }
    }
  }
)
