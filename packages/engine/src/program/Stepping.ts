import type { SandboxUnavailable } from "@headwater/sandbox/SandboxPool"
import { Effect, FiberSet, Option, type Scope } from "effect"
import type { ProgramMemory } from "./ProgramMemory.ts"
import type { ProgramRequests } from "./ProgramRequests.ts"
import type { StepRuns } from "./StepRuns.ts"
import { isOfEndpoint, type WorkflowProgress } from "./WorkflowProgress.ts"

/** A workflow's runs that are at a step, each in a fiber of its own, beside everything else of the workflow. */
export interface Stepping {
  /** These, by id. */
  readonly busy: ReadonlyMap<string, WorkflowProgress>
  /** Has a run go from step to step as far as it may. */
  readonly start: (memory: ProgramMemory, run: WorkflowProgress) => Effect.Effect<void>
  /** Returns when no run is at a step. */
  readonly ended: Effect.Effect<void>
}

export const make = Effect.fnUntraced(function*(options: {
  readonly steps: StepRuns
  readonly requests: ProgramRequests
  /** Asked before each step. */
  readonly mayGoOn: (memory: ProgramMemory) => boolean
  /** Keeps a step from running beside what has to be alone. */
  readonly oneOfMany: <A, E>(step: Effect.Effect<A, E>) => Effect.Effect<A, E>
  /** The sandbox could not run a step, which is still to be run. */
  readonly onUnavailable: (error: SandboxUnavailable) => Effect.Effect<void>
  /** A step, which is still to be run, came upon a fault of ours. */
  readonly onDefect: (defect: unknown) => Effect.Effect<void>
  /** Called when a run leaves. */
  readonly onEnd: () => void
}): Effect.fn.Return<Stepping, never, Scope.Scope> {
  const { mayGoOn, oneOfMany, requests, steps } = options
  const busy = new Map<string, WorkflowProgress>()
  const fibers = yield* FiberSet.make<void>()

  const proceed = Effect.fnUntraced(function*(memory: ProgramMemory, progress: WorkflowProgress) {
    const { trigger } = progress.run
    const goOn = Effect.suspend(() =>
      mayGoOn(memory)
        ? Effect.asSome(steps.next(memory, progress, (response) => requests.respond(trigger.id, response)))
        : Effect.succeedNone
    )
    while (true) {
      const isMore = yield* oneOfMany(goOn)
      if (Option.isNone(isMore)) {
        memory.underWay.unshift(progress)
        return
      }
      if (isMore.value) continue
      if (isOfEndpoint(progress.run)) yield* requests.noResponse(trigger.id)
      return
    }
  })

  return {
    busy,
    start: (memory, progress) =>
      Effect.suspend(() => {
        const { id } = progress.run
        busy.set(id, progress)
        return proceed(memory, progress).pipe(
          Effect.catchTag("SandboxUnavailable", options.onUnavailable),
          Effect.catchDefect(options.onDefect),
          Effect.ensuring(Effect.sync(() => {
            busy.delete(id)
            options.onEnd()
          })),
          FiberSet.run(fibers),
          Effect.asVoid
        )
      }),
    ended: FiberSet.awaitEmpty(fibers)
  }
})
