import type { RunId } from "@headwater/domain/Id"
import type { RunResponse } from "@headwater/sandbox/Run"
import type { SandboxUnavailable } from "@headwater/sandbox/SandboxPool"
import { Effect, FiberSet, Option } from "effect"
import type { Cancellation } from "../ground/ActorCalls.ts"
import type { ProgramInput } from "./ProgramInput.ts"
import type { ProgramMemory } from "./ProgramMemory.ts"
import type { ProgramRequests } from "./ProgramRequests.ts"
import type { StepRuns } from "./StepRuns.ts"
import { isOfEndpoint, keyOf, type WorkflowProgress } from "./WorkflowProgress.ts"

interface Options {
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
}

/** The held part of a run, or of a path of it, that is at a step. */
type Held = Pick<WorkflowProgress, "abort" | "held">

/** True if a key, which may also be the name of what is done together, is a run's or of a path of it. */
const isOf = (key: string, run: RunId): boolean => key === run || key.startsWith(keyOf(run, ""))

/** The name of what is done together. */
const together = "together"

/**
 * A workflow's runs that are at a step, each, and each path of one, in a fiber of its own, beside everything else of the workflow.
 *
 * - G1. A run is in `busy` from before its fiber starts until that ends, however it ends; `onEnd` is called after that.
 * - G2. A run that may not go on is put back to those under way, the first of them.
 * - G3. Of a run that is being cancelled no step begins, and those under way commit nothing but what they have handed over. One
 *   that turns out not to have begun by then goes on.
 */
export class Stepping {
  private readonly atStep = new Map<string, Held>()
  /** The runs that are being cancelled, each with what has them go on after all. */
  private readonly aborting = new Map<RunId, Array<() => void>>()
  /** Called when a run, or a path of it, leaves. */
  private readonly onLeave = new Set<() => void>()
  private readonly fibers: FiberSet.FiberSet<void>
  private readonly options: Options

  private constructor(options: Options, fibers: FiberSet.FiberSet<void>) {
    this.options = options
    this.fibers = fibers
  }

  static readonly make = (options: Options) =>
    Effect.map(FiberSet.make<void>(), (fibers) => new Stepping(options, fibers))

  /** Those at a step, by their keys, and what they hold. Runs that are done together are one, which holds nothing. */
  get busy(): ReadonlyMap<string, Pick<WorkflowProgress, "held">> {
    return this.atStep
  }

  /** Returns when no run is at a step. */
  get ended(): Effect.Effect<void> {
    return FiberSet.awaitEmpty(this.fibers)
  }

  /** Cancels a run while no step of it is under way: those that are, are given up. */
  without<E>(id: RunId, cancelling: Effect.Effect<Cancellation, E>): Effect.Effect<Cancellation, E> {
    return Effect.suspend(() => {
      const heldBack: Array<() => void> = []
      this.aborting.set(id, heldBack)
      for (const [key, held] of this.atStep) if (isOf(key, id)) held.abort()
      return Effect.tap(Effect.andThen(this.leftBy(id), cancelling), (outcome) =>
        Effect.sync(() => {
          // It began while it was looked for.
          if (outcome === "unknown") { for (const putBack of heldBack) putBack() }
        }))
    }).pipe(Effect.ensuring(Effect.sync(() => this.aborting.delete(id))))
  }

  /** Returns when nothing of a run is at a step. */
  private leftBy(id: RunId): Effect.Effect<void> {
    return Effect.callback((resume) => {
      const look = () => {
        for (const key of this.atStep.keys()) if (isOf(key, id)) return
        this.onLeave.delete(look)
        resume(Effect.void)
      }
      this.onLeave.add(look)
      look()
      return Effect.sync(() => this.onLeave.delete(look))
    })
  }

  /** Has a run go from step to step as far as it may. */
  start(memory: ProgramMemory, progress: WorkflowProgress): Effect.Effect<void> {
    return Effect.suspend(() => {
      const { key } = progress
      const heldBack = this.aborting.get(progress.run.id)
      if (heldBack !== undefined) {
        heldBack.push(() => void memory.underWay.unshift(progress))
        return Effect.void
      }
      this.atStep.set(key, progress)
      return this.run([key], this.proceed(memory, progress))
    })
  }

  /** Has runs over inputs done from beginning to end, and calls back with how many were. */
  startTogether(
    memory: ProgramMemory,
    inputs: ReadonlyArray<ProgramInput>,
    onTaken: (count: number) => Effect.Effect<void>
  ): Effect.Effect<void> {
    return Effect.suspend(() => {
      const { mayGoOn, oneOfMany, steps } = this.options
      const ids = new Set<string>()
      const add = (id: string, held: Held) => {
        ids.add(id)
        this.atStep.set(id, held)
      }
      add(together, { abort: () => {}, held: 0 })
      const work = Effect.suspend(() =>
        mayGoOn(memory)
          ? steps.runTogether(memory, inputs, {
            mayBegin: (id) => !this.aborting.has(id),
            onBegun: (progress) => add(progress.run.id, progress)
          })
          : Effect.succeed(0)
      )
      return this.run(ids, Effect.flatMap(oneOfMany(work), onTaken))
    })
  }

  private proceed(memory: ProgramMemory, progress: WorkflowProgress): Effect.Effect<void, SandboxUnavailable> {
    return Effect.gen({ self: this }, function*() {
      const { mayGoOn, oneOfMany, requests, steps } = this.options
      const { run, run: { trigger } } = progress
      const isAwaited = () => isOfEndpoint(run) && requests.isAwaited(trigger.id)
      const respond = (response: RunResponse) => requests.respond(trigger.id, response)
      const goOn = Effect.suspend(() =>
        mayGoOn(memory)
          ? Effect.asSome(steps.next(memory, progress, isAwaited() ? respond : undefined))
          : Effect.succeedNone
      )
      while (true) {
        if (progress.isAborted) return
        const onward = yield* oneOfMany(goOn)
        if (Option.isNone(onward)) {
          memory.underWay.unshift(progress)
          return
        }
        if (onward.value === "next") continue
        if (onward.value === "still" && isOfEndpoint(run)) yield* requests.noResponse(trigger.id)
        return
      }
    })
  }

  /** Has steps go on in a fiber of their own, as the one or more of `ids`. */
  private run(ids: Iterable<string>, work: Effect.Effect<void, SandboxUnavailable>): Effect.Effect<void> {
    const { onDefect, onEnd, onUnavailable } = this.options
    return work.pipe(
      Effect.catchTag("SandboxUnavailable", onUnavailable),
      Effect.catchDefect(onDefect),
      Effect.ensuring(Effect.sync(() => {
        for (const id of ids) this.atStep.delete(id)
        for (const look of this.onLeave) look()
        onEnd()
      })),
      FiberSet.run(this.fibers),
      Effect.asVoid
    )
  }
}
