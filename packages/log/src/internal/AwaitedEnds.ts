import { Deferred, Effect, Latch, Schedule, type Scope } from "effect"
import type { SqlError } from "effect/sql"
import { isTransient, retrySchedule } from "../TransientSqlError.ts"

/** How often those are looked at whose end somebody waits for. */
const lookEvery = "500 millis"

/**
 * Looks, while somebody waits for the end of keys or of sessions, which of them are still live.
 *
 * @param what names them in the log
 * @param stillLive which of these hashes are those of live ones
 */
export const make = (
  what: string,
  stillLive: (hashes: ReadonlyArray<string>) => Effect.Effect<ReadonlySet<string>, SqlError.SqlError>
): Effect.Effect<
  {
    /** Returns once the one with this hash has ended: within a second, on whichever node that came about. */
    readonly await: (hash: string) => Effect.Effect<void>
  },
  never,
  Scope.Scope
> =>
  Effect.gen(function*() {
    const waiting = new Map<string, Set<Deferred.Deferred<void>>>()
    /** Open while somebody waits. */
    const isAwaited = Latch.makeUnsafe()

    const look = Effect.gen(function*() {
      yield* isAwaited.await
      const asked = [...waiting.keys()]
      const live = yield* stillLive(asked)
      for (const hash of asked) {
        if (live.has(hash)) continue
        for (const ended of waiting.get(hash) ?? []) Deferred.doneUnsafe(ended, Effect.void)
      }
    })

    yield* look.pipe(
      Effect.retry({ schedule: retrySchedule, while: isTransient }),
      Effect.catchCause((cause) => Effect.logError(`Could not check which ${what} have ended`, cause)),
      Effect.repeat(Schedule.spaced(lookEvery)),
      Effect.forkScoped
    )

    return {
      await: Effect.fnUntraced(function*(hash) {
        const ended = yield* Deferred.make<void>()
        yield* Effect.acquireUseRelease(
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
