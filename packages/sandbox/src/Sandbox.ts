import * as RealTime from "@headwater/domain/RealTime"
import type { EgressBroker } from "@headwater/egress/EgressBroker"
import type { EgressGuard } from "@headwater/egress/EgressGuard"
import { Clock, Context, Effect, Exit, type Fiber, FiberSet, Layer } from "effect"
import type { Assignment, Try } from "./Assignment.ts"
import type { ComponentDescription, ComponentInvalid } from "./ComponentDescription.ts"
import { Inspection, type InspectRequest } from "./Inspection.ts"
import { KnownPlaces } from "./KnownPlaces.ts"
import type { Language } from "./Language.ts"
import type { RunBatch, RunRequest, RunResult } from "./Run.ts"
import { RequestedRuns, RunAssignment, type RunListener, type RunParts } from "./RunAssignment.ts"
import { SandboxConfig } from "./SandboxConfig.ts"
import type { SandboxFilesUnusable } from "./SandboxFiles.ts"
import { SandboxPool, SandboxUnavailable, type Work } from "./SandboxPool.ts"
import { ProcessLoss } from "./SandboxProcess.ts"
import * as SourcePlaces from "./SourcePlaces.ts"

/** Runs component code in Deno processes that reach nothing (`components.md`). */
export class Sandbox extends Context.Service<Sandbox, {
  /**
   * Loads the module and says what it is, in a process that nothing ran in before and nothing runs in after, unless it
   * is the server's own.
   */
  inspect(request: InspectRequest): Effect.Effect<ComponentDescription, ComponentInvalid | SandboxUnavailable>
  /** Runs a hook or an input to its end. The result has everything that component code does, however bad. */
  run(request: RunRequest): Effect.Effect<RunResult, SandboxUnavailable>
  /** Begins runs over inputs, one after the other, as many of them as take no longer than a moment. */
  runBatch(request: RunRequest): Effect.Effect<RunBatch>
  /** Ends what is under way, and takes nothing more. */
  readonly stop: Effect.Effect<void>
}>()("@headwater/sandbox/Sandbox") {
  static readonly layerNoPool: Layer.Layer<Sandbox, never, SandboxPool | SandboxConfig> = Layer.effect(
    Sandbox,
    Effect.suspend(() => make())
  )

  static readonly layer: Layer.Layer<
    Sandbox,
    SandboxFilesUnusable,
    SandboxConfig | EgressBroker | EgressGuard
  > = Sandbox.layerNoPool.pipe(Layer.provide(SandboxPool.layer))
}

interface Asked extends Pick<Work, "accountId" | "isolation" | "kind"> {
  /** Nothing is to run in the process after it. */
  readonly isLast: boolean
}

/** The most tries of work whose process ends. */
const mostTries = 3

const make = Effect.fnUntraced(function*() {
  const config = yield* SandboxConfig
  const pool = yield* SandboxPool
  const clock = yield* Clock.Clock
  const real = RealTime.of(clock)
  const fork = yield* FiberSet.makeRuntime()
  const known = new KnownPlaces()
  const timeTold = () => config.componentTime === undefined ? {} : { time: config.componentTime() }
  const parts: RunParts = {
    clock,
    componentNow: () => {
      const state = config.componentTime?.()
      if (state === undefined) return clock.currentTimeMillisUnsafe()
      return state.mode === "standing" ? state.at : real.currentTimeMillisUnsafe() + state.aheadMs
    },
    fork,
    real,
    timeTold
  }

  /**
   * Has one process do one piece of work. An interrupted one leaves its process, which then takes no more work and is
   * ended with the last of the others.
   */
  const once = <A, E>(
    { accountId, isLast, isolation, kind }: Asked,
    tried: Pick<Try<A, E>, "displaced" | "isRepeated">,
    make: (tried: Try<A, E>) => Assignment<A, E>
  ) =>
    Effect.callback<A | ProcessLoss, E | SandboxUnavailable>((resume) => {
      let assignment: Assignment<A, E> | undefined
      const cancel = pool.submit({
        accountId,
        displaced: tried.displaced,
        isolation,
        kind,
        unavailable: (error) => resume(Effect.fail(error)),
        start: (process) => {
          const onEnd = (ending: Exit.Exit<A | ProcessLoss, E>) => {
            resume(ending)
            pool.settled(process)
          }
          assignment = make({ ...tried, isLast, onEnd, process, startedAt: real.currentTimeMillisUnsafe() })
          process.assign(assignment)
        }
      })
      return Effect.sync(() => {
        cancel()
        if (assignment === undefined) return
        assignment.process.cutOff(assignment)
        pool.settled(assignment.process)
      })
    })

  /**
   * Does work, and again if its process was lost: in one of its own where another's work in it may have been the reason,
   * and as before where it was taken away for another account.
   */
  const perform = <A, E>(
    asked: Asked,
    make: (tried: Try<A, E>) => Assignment<A, E>,
    displaced = false,
    tries = 1
  ): Effect.Effect<A, E | SandboxUnavailable> =>
    Effect.flatMap(
      once(asked, { displaced, isRepeated: tries > 1 }, make),
      (result): Effect.Effect<A, E | SandboxUnavailable> => {
        if (!(result instanceof ProcessLoss)) return Effect.succeed(result)
        const { message, reason } = result
        if (reason === "shutdown") return Effect.fail(new SandboxUnavailable({ reason: "stopping", message }))
        if (reason === "displaced") return perform(asked, make, true, tries)
        return tries < mostTries
          ? perform({ ...asked, isolation: "fresh" }, make, displaced, tries + 1)
          : Effect.fail(
            new SandboxUnavailable({ reason: "start_failed", message: "Its process ended unexpectedly three times" })
          )
      }
    )

  /** Runs what is asked, and has each result heard as soon as its run has ended. Returns when no more are to come. */
  const performRuns = (request: RunRequest, listener: RunListener): Effect.Effect<void, SandboxUnavailable> => {
    const { accountId, call, trial } = request
    const runs = new RequestedRuns(request, config.limits, listener, parts)
    const isLast = trial !== undefined
    const language = call._tag === "Step" ? call.lang ?? "javascript" : "javascript"
    const kind = config.kinds.of(language, request.limits?.heapMebibytes)
    return Effect.andThen(
      perform(
        { accountId, isLast, isolation: isLast ? "fresh" : "shared", kind },
        (tried) => new RunAssignment(tried, runs)
      ),
      runs.responseHandled
    )
  }

  /** A result whose error is told in the lines that somebody wrote, at the first of them that is the component's own. */
  const inSource = ({ module: { hash, map } }: RunRequest) => (result: RunResult): Effect.Effect<RunResult> => {
    const { error } = result
    if (error === undefined || map === undefined) return Effect.succeed(result)
    return Effect.map(known.of(hash, map), (places) => {
      if (places === undefined || SourcePlaces.firstIn(error.stack) === undefined) return result
      const { column: _column, line: _line, ...rest } = error
      const stack = SourcePlaces.ofStack(places, error.stack)
      return { ...result, error: { ...rest, stack, ...SourcePlaces.firstIn(stack) } }
    })
  }

  const inspectWith = (language: Language, request: InspectRequest) => {
    const { accountId, isOwn = false } = request
    return perform<ComponentDescription, ComponentInvalid>(
      { accountId, isLast: !isOwn, isolation: isOwn ? "shared" : "fresh", kind: config.kinds.of(language) },
      (tried) => new Inspection(tried, request, config.limits, timeTold())
    )
  }

  return Sandbox.of({
    inspect: (request) =>
      inspectWith("javascript", request).pipe(
        // Only a process that has Python can tell whether code in it can run.
        Effect.filterOrElse(
          ({ steps = [] }) => steps.every(({ lang }) => lang === undefined),
          () => inspectWith("python", request)
        )
      ),
    run: (request) =>
      Effect.suspend(() => {
        let result: RunResult | undefined
        const ended = (ended: RunResult) => {
          result ??= ended
        }
        return Effect.flatMap(
          performRuns(request, { ended, look: () => {} }),
          () => inSource(request)(result!)
        )
      }),
    runBatch: (request) =>
      Effect.sync(() => new PerformedBatch((listener) => fork(performRuns(request, listener)), inSource(request))),
    stop: pool.stop
  })
})

/** Collects results until they are asked for. */
class PerformedBatch implements RunBatch {
  #ended: Array<RunResult> = []
  #over: Exit.Exit<void, SandboxUnavailable> | undefined
  #notify: (() => void) | undefined
  readonly #performing: Fiber.Fiber<void, SandboxUnavailable>
  readonly #read: (result: RunResult) => Effect.Effect<RunResult>

  constructor(
    perform: (listener: RunListener) => Fiber.Fiber<void, SandboxUnavailable>,
    read: (result: RunResult) => Effect.Effect<RunResult>
  ) {
    this.#read = read
    this.#performing = perform({
      ended: (result) => void this.#ended.push(result),
      look: () => {
        if (this.#ended.length > 0) this.#notify?.()
      }
    })
    this.#performing.addObserver((exit) => {
      this.#over = exit
      this.#notify?.()
    })
  }

  readonly giveUp: Effect.Effect<void> = Effect.sync(() => this.#performing.interruptUnsafe())

  readonly next: Effect.Effect<ReadonlyArray<RunResult>, SandboxUnavailable> = Effect.callback((resume) => {
    const answer = () => {
      this.#notify = undefined
      const over = this.#over
      const ended = this.#ended
      this.#ended = []
      resume(
        ended.length > 0 || over === undefined || Exit.isSuccess(over)
          ? Effect.forEach(ended, this.#read)
          : Effect.as(over, [])
      )
    }
    if (this.#over !== undefined) answer()
    else this.#notify = answer
  })
}
