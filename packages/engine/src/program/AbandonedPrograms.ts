import type { Program } from "@headwater/domain/Program"
import * as Recurring from "@headwater/domain/Recurring"
import { Clock, Effect, Layer } from "effect"
import { Singleton } from "effect/cluster"
import { ProgramLifecycle } from "./ProgramLifecycle.ts"

/** Longer than any creation takes, in seconds: one that is still not done was left by a node that is gone. */
const longestCreation = 12 * 60

const find = Effect.fnUntraced(function*(ageSeconds: number) {
  const lifecycle = yield* ProgramLifecycle
  const now = yield* Clock.currentTimeMillis
  return yield* lifecycle.abandoned(Math.floor(now / 1_000) - ageSeconds)
})

const takeDown = Effect.fnUntraced(function*(abandoned: ReadonlyArray<Program>) {
  const lifecycle = yield* ProgramLifecycle
  for (const program of abandoned) {
    yield* lifecycle.remove(program).pipe(
      Effect.catchCause((cause) =>
        Effect.logWarning(`Could not remove ${program.id}, which is ${program.state}`, cause)
      )
    )
  }
})

/**
 * Takes down what the crash of a server by itself left half-way, as if it had never been. It is found before anything is
 * served, so that nothing new is among it, and taken down while others are.
 */
export const layerAtStart = Layer.effectDiscard(
  find(-1).pipe(Effect.flatMap((abandoned) => Effect.forkScoped(takeDown(abandoned))))
)

/** The same, of those that are named: what a supervisor found before any of its workers served. */
export const layerNamed = (ids: ReadonlyArray<string>) =>
  Layer.effectDiscard(
    find(-1).pipe(
      Effect.map((found) => found.filter(({ id }) => ids.includes(id))),
      Effect.flatMap(takeDown),
      Effect.catchCause((cause) => Effect.logWarning("Could not remove unfinished sources and workflows", cause)),
      Effect.forkScoped
    )
  )

/** The same while other nodes go on, by one of them. */
export const layerWhileRunning = Singleton.make(
  "AbandonedPrograms",
  Recurring.repeat(
    "look for unfinished sources and workflows",
    "1 minute",
    Effect.flatMap(find(longestCreation), takeDown)
  )
)
