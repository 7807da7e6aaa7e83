import * as Recurring from "@headwater/domain/Recurring"
import { Deferred, Effect, Latch, type Scope } from "effect"
import type { SqlError } from "effect/sql"
import { isTransient, retrySchedule } from "../database/TransientSqlError.ts"

/** The interval of looks at those whose end somebody waits for. */
const lookEvery = "500 millis"

/** The reasons for which a key or a session speaks for its account no longer. */
export type AccessEnd = "ended" | "suspended"

/** A live key or session, and whether its account is suspended. */
export interface LiveAccess {
  readonly hash: string
  readonly is_suspended: boolean
}

/**
 * Looks, while somebody waits for the end of keys or of sessions, which of them still speak for their accounts.
 *
 * @param what names them in the log
 * @param live which of these hashes are those of live ones
 */
export const make = (
  what: string,
  live: (hashes: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<LiveAccess>, SqlError.SqlError>
): Effect.Effect<
  {
    /** Returns once the one with this hash has ended: within a second, on whichever node that came about. */
    readonly await: (hash: string) => Effect.Effect<AccessEnd>
  },
  never,
  Scope.Scope
> =>
  Effect.gen(function*() {
    const waiting = new Map<string, Set<Deferred.Deferred<AccessEnd>>>()
    /** Open while somebody waits. */
    const isAwaited = Latch.makeUnsafe()

    const look = Effect.gen(function*() {
      yield* isAwaited.await
      const asked = [...waiting.keys()]
      const found = new Map((yield* live(asked)).map((one) => [one.hash, one]))
      for (const hash of asked) {
        const one = found.get(hash)
        if (one?.is_suspended === false) continue
        const end = Effect.succeed<AccessEnd>(one === undefined ? "ended" : "suspended")
        for (const ended of waiting.get(hash) ?? []) Deferred.doneUnsafe(ended, end)
      }
    })

    yield* Recurring.every(
      `check which ${what} have ended`,
      lookEvery,
      Effect.retry(look, { schedule: retrySchedule, while: isTransient })
    )

    return {
      await: Effect.fnUntraced(function*(hash) {
        const ended = yield* Deferred.make<AccessEnd>()
        return yield* Effect.acquireUseRelease(
          Effect.sync(() => {
            waiting.set(hash, (waiting.get(hash) ?? new Set()).add(ended))
            isAwaited.openUnsafe()
          }),
          () => Deferred.await(ended),
          () =>
            Effect.sync(() => {
              const others = waiting.get(hash)
              others?.delete(ended)
              if (others?.size === 0) waiting.delete(hash)
              if (waiting.size === 0) isAwaited.closeUnsafe()
            })
        )
      })
    }
  })
