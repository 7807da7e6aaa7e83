import type { RunResponse } from "@headwater/sandbox/Run"
import type { SandboxUnavailable } from "@headwater/sandbox/SandboxPool"
import { Effect, FiberSet, Option, type Scope } from "effect"
import type { ProgramInput } from "./ProgramInput.ts"
import type { ProgramMemory } from "./ProgramMemory.ts"
import type { ProgramRequests } from "./ProgramRequests.ts"
import type { StepRuns } from "./StepRuns.ts"
import { isOfEndpoint, type WorkflowProgress } from "./WorkflowProgress.ts"

/** A workflow's runs that are at a step, each in a fiber of its own, beside everything else of the workflow. */
export interface Stepping {
  /** These, by id, and what they hold. Runs that are done together are one, which holds nothing. */
  readonly busy: ReadonlyMap<string, Pick<WorkflowProgress, "held">>
  /** Has a run go from step to step as far as it may. */
  readonly start: (memory: ProgramMemory, run: WorkflowProgress) => Effect.Effect<void>
  /** Has runs over inputs done from beginning to end, and calls back with how many were. */
  readonly startTogether: (
    memory: ProgramMemory,
    inputs: ReadonlyArray<ProgramInput>,
    onTaken: (count: number) => Effect.Effect<void>
  ) => Effect.Effect<void>
  /** Returns when no run is at a step. */
  readonly ended: Effect.Effect<void>
}

/** The name of what is done together. */
const together = "together"

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
  const busy = new Map<string, Pick<WorkflowProgress, "held">>()
  const fibers = yield* FiberSet.make<void>()

  const respondTo = ({ run }: WorkflowProgress) =>
    isOfEndpoint(run) && requests.isAwaited(run.trigger.id)
      ? (response: RunResponse) => requests.respond(run.trigger.id, response)
      : undefined

  const proceed = Effect.fnUntraced(function*(memory: ProgramMemory, progress: WorkflowProgress) {
    const { trigger } = progress.run
    const goOn = Effect.suspend(() =>
      mayGoOn(memory)
        ? Effect.asSome(steps.next(memory, progress, respondTo(progress)))
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

  /** Has steps go on in a fiber of their own, as the one or more of `ids`. */
  const run = (ids: Iterable<string>, work: Effect.Effect<void, SandboxUnavailable>) =>
    work.pipe(
      Effect.catchTag("SandboxUnavailable", options.onUnavailable),
      Effect.catchDefect(options.onDefect),
      Effect.ensuring(Effect.sync(() => {
        for (const id of ids) busy.delete(id)
        options.onEnd()
      })),
      FiberSet.run(fibers),
      Effect.asVoid
    )

  return {
    busy,
    start: (memory, progress) =>
      Effect.suspend(() => {
        const { id } = progress.run
        busy.set(id, progress)
        return run([id], proceed(memory, progress))
      }),
    startTogether: (memory, inputs, onTaken) =>
      Effect.suspend(() => {
        const ids = new Set<string>()
        const add = (id: string, held: Pick<WorkflowProgress, "held">) => {
          ids.add(id)
          busy.set(id, held)
        }
        add(together, { held: 0 })
        const work = Effect.suspend(() =>
          mayGoOn(memory)
            ? steps.oneStep.run(memory, inputs, (progress) => add(progress.run.id, progress))
            : Effect.succeed(0)
        )
        return run(ids, Effect.flatMap(oneOfMany(work), onTaken))
      }),
    ended: FiberSet.awaitEmpty(fibers)
  }
})
