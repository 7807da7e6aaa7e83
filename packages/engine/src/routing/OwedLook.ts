import { untilAnswered } from "@headwater/log/database/TransientSqlError"
import { beforeAll, type CursorKey, Cursors, type OwedCursor } from "@headwater/log/work/Cursors"
import { Effect } from "effect"

/** A listener's look through the cursors of all its subscriptions for what it is owed, a page at a time. */
export interface OwedLook {
  /** Begins anew. */
  readonly begin: () => void
  readonly isUnderWay: () => boolean
  /** The next cursors that stand behind their emitters' heads. */
  readonly page: Effect.Effect<ReadonlyArray<OwedCursor>>
}

export const make = (listenerId: string): Effect.Effect<OwedLook, never, Cursors> =>
  Effect.map(Cursors, (cursors) => {
    let after: CursorKey | undefined
    let begun = 0
    return {
      begin: () => {
        begun += 1
        after = beforeAll
      },
      isUnderWay: () => after !== undefined,
      page: Effect.suspend(() => {
        if (after === undefined) return Effect.succeed([])
        const before = begun
        return Effect.map(untilAnswered(cursors.owedTo(listenerId, after)), ({ next, owed }) => {
          // If it was begun anew while the database answered, the cursors that it has passed are looked at once more.
          if (begun === before) after = next
          return owed
        })
      })
    }
  })
