import * as Id from "@headwater/domain/Id"
import * as CrashPoint from "@headwater/log/commit/CrashPoint"
import { untilAnswered } from "@headwater/log/database/TransientSqlError"
import { Components } from "@headwater/log/resources/Components"
import { Deployments } from "@headwater/log/resources/Deployments"
import type { DueItem } from "@headwater/log/work/DueWork"
import { type RunFault, type WorkflowRun, WorkflowRuns } from "@headwater/log/work/WorkflowRuns"
import type { RunResponse } from "@headwater/sandbox/Run"
import type { SandboxUnavailable } from "@headwater/sandbox/SandboxPool"
import { Clock, Effect, Exit, Option, Schema, Semaphore } from "effect"
import { Cancellation, type ProgramNotFound } from "../ground/ActorCalls.ts"
import { EngineLimits } from "../ground/EngineLimits.ts"
import type { Unavailable } from "../ground/Unavailable.ts"
import { type CodeRuns, unstorable } from "./CodeRuns.ts"
import type { Executable } from "./ComponentRuns.ts"
import * as EndedStep from "./EndedStep.ts"
import { OneStepRuns } from "./OneStepRuns.ts"
import { executableOf, type ProgramMemory, valuesOf } from "./ProgramMemory.ts"
import type { ProgramOwner } from "./ProgramOwner.ts"
import { changingOwners } from "./ProgramRequests.ts"
import { RunStarts } from "./RunStarts.ts"
import { ended } from "./RunTurn.ts"
import { callOf, noteResult, of as progressOf, type WorkflowProgress } from "./WorkflowProgress.ts"

class NotWaiting extends Schema.TaggedError<NotWaiting>()("NotWaiting", { cancellation: Cancellation }) {}

const services = Effect.all({
  components: Components,
  deployments: Deployments,
  limits: EngineLimits,
  runs: WorkflowRuns
})

/**
 * Takes a workflow's runs from step to step:
 *
 *     input ─▶ begun ─▶ running ─step─▶ running | waiting | success | error
 *                          ▲                        │ due, or cancelled
 *                          └────────────────────────┘
 *
 * - R1. Each step is one commit: its effects, its result, and the turn that its run takes. It is there for good before the next
 *   step begins.
 * - R2. A step that has ended and whose commit failed through no fault of its own is kept (`uncommitted`) and committed when the
 *   run goes on. It is not run again: what it did outside can't be undone.
 * - R3. A run goes on with the code and props that it began with.
 * - R4. One at a time decides on a run that waits: none is taken up and cancelled at once.
 */
export class StepRuns {
  readonly starts: RunStarts
  readonly oneStep: OneStepRuns
  /** By run. */
  private readonly uncommitted: Map<string, EndedStep.EndedStep>
  /** The executables of runs that began before the last deployment. */
  private readonly former = new Map<string, Executable>()
  private readonly deciding = Semaphore.makeUnsafe(1)
  private readonly owner: ProgramOwner
  private readonly code: CodeRuns
  private readonly services: Effect.Success<typeof services>

  private constructor(
    owner: ProgramOwner,
    code: CodeRuns,
    starts: RunStarts,
    oneStep: OneStepRuns,
    uncommitted: Map<string, EndedStep.EndedStep>,
    given: Effect.Success<typeof services>
  ) {
    this.owner = owner
    this.code = code
    this.starts = starts
    this.oneStep = oneStep
    this.uncommitted = uncommitted
    this.services = given
  }

  static readonly make = Effect.fnUntraced(function*(owner: ProgramOwner, code: CodeRuns) {
    const uncommitted = new Map<string, EndedStep.EndedStep>()
    const starts = yield* RunStarts.make(owner, code)
    const oneStep = yield* OneStepRuns.make(owner, code, starts, uncommitted)
    return new StepRuns(owner, code, starts, oneStep, uncommitted, yield* services)
  })

  /** Takes a run that waited for its time. */
  resume(memory: ProgramMemory, item: DueItem): Effect.Effect<void> {
    const { runs } = this.services
    return this.deciding.withPermits(1)(Effect.gen({ self: this }, function*() {
      const workflowId = Id.WorkflowId.make(memory.program.id)
      const found = yield* untilAnswered(runs.get(workflowId, Id.RunId.make(item.key)))
      const isDue = Option.isSome(found) && found.value.status === "waiting"
      if (isDue) {
        const run = { ...found.value, status: "running" as const, dueAt: null }
        memory.underWay.push(yield* untilAnswered(Effect.provideService(progressOf(run), WorkflowRuns, runs)))
        yield* this.owner.commit(memory, [], { dueDone: [item], runChanges: [run] })
      } else {
        yield* this.owner.commit(memory, [], { dueDone: [item] })
      }
    }))
  }

  /**
   * Ends a run that waits, for good. Returns once that is durable.
   *
   * @param onCancelled tells who waits for its response
   */
  cancel(
    memory: ProgramMemory,
    id: Id.RunId,
    onCancelled: (run: WorkflowRun) => Effect.Effect<void>
  ): Effect.Effect<Cancellation, ProgramNotFound | Unavailable> {
    const workflowId = Id.WorkflowId.make(memory.program.id)
    return this.deciding.withPermits(1)(
      // The commit that took the run up, or to where it waits, may be on its way to the database.
      this.owner.settled.pipe(
        // Decided anew each time it is handed over: who owned the workflow in between may have taken the run up.
        Effect.andThen(this.owner.durably((memory) => this.endWaiting(memory, workflowId, id, onCancelled))),
        Effect.as<Cancellation>("cancelled"),
        Effect.catchTags({
          NotWaiting: ({ cancellation }) => Effect.succeed(cancellation),
          Fenced: () => changingOwners,
          CommitRejected: () => changingOwners
        })
      )
    )
  }

  private endWaiting(
    memory: ProgramMemory,
    workflowId: Id.WorkflowId,
    id: Id.RunId,
    onCancelled: (run: WorkflowRun) => Effect.Effect<void>
  ) {
    return Effect.gen({ self: this }, function*() {
      const run = Option.getOrUndefined(yield* untilAnswered(this.services.runs.get(workflowId, id)))
      if (run === undefined) return yield* new NotWaiting({ cancellation: "unknown" })
      const { dueAt, status } = run
      if (status === "cancelled") yield* onCancelled(run)
      if (status !== "waiting" || dueAt === null) {
        return yield* new NotWaiting({ cancellation: status === "cancelled" ? status : "not_waiting" })
      }
      const cancelled: WorkflowRun = {
        ...run,
        status: "cancelled",
        dueAt: null,
        rerunContext: null,
        error: null,
        endedAt: yield* Clock.currentTimeMillis
      }
      const parts = { runChanges: [cancelled], dueDone: [EndedStep.resumption(workflowId, id, dueAt)] }
      const { durable } = yield* this.owner.commit(memory, [], parts)
      return { durable: Effect.andThen(durable, onCancelled(run)) }
    })
  }

  /**
   * Runs the next step to its commit, and answers whether there is another one to run now, on memory that holds. If the
   * sandbox can't run it, nothing of the step is kept, and it is still to be run.
   *
   * @param onRespond given where somebody waits for what the run responds, and is told when it has ended without that
   */
  next(
    memory: ProgramMemory,
    progress: WorkflowProgress,
    onRespond: ((response: RunResponse) => Effect.Effect<void>) | undefined
  ): Effect.Effect<boolean, SandboxUnavailable> {
    return Effect.gen({ self: this }, function*() {
      const { code } = this
      const { run } = progress
      const executable = Option.getOrUndefined(yield* this.executableFor(memory, progress))
      const step = executable?.component.steps?.[run.step]
      if (executable === undefined || step === undefined) {
        return yield* this.fail(memory, progress, {
          name: "DeploymentGone",
          message: "the code that the run began with no longer exists"
        })
      }
      const refusal = code.refusalOf(run.id)
      if (refusal !== undefined) {
        return yield* this.fail(memory, progress, unstorable("the results of a step", refusal))
      }
      CrashPoint.reached("step-chosen")
      const done = this.takeUncommitted(progress) ??
        (yield* this.execute(memory, progress, executable, step.name, onRespond))
      CrashPoint.reached("step-ended")
      const now = yield* Clock.currentTimeMillis
      const { ended, resultJson, turn } = EndedStep.make(
        memory,
        progress,
        executable,
        done,
        now,
        this.services.limits,
        (turn) => EndedStep.partsOf(progress, turn)
      )
      const submission = yield* code.handOver(memory, [ended])
      code.noteRefusal(submission, [run.id])
      submission.onEnd((exit) => {
        const error = Exit.findErrorOption(exit)
        if (Option.isSome(error) && error.value._tag === "Fenced") this.uncommitted.set(run.id, done)
      })
      const isOver = turn.status !== "running"
      // On memory that has failed the commit fails too: what the step did is to be kept before the run is taken up again.
      if (isOver && onRespond === undefined && !memory.failed) return false
      const exit = yield* Effect.exit(submission.durable)
      if (Exit.isFailure(exit)) return true
      CrashPoint.reached("step-done")
      progress.run = { ...run, ...turn }
      progress.recorded += 1
      if (resultJson !== null) noteResult(progress, step.name, resultJson)
      return !isOver
    })
  }

  private execute(
    memory: ProgramMemory,
    progress: WorkflowProgress,
    executable: Executable,
    step: string,
    onRespond: ((response: RunResponse) => Effect.Effect<void>) | undefined
  ): Effect.Effect<EndedStep.EndedStep, SandboxUnavailable> {
    return Effect.gen({ self: this }, function*() {
      const startedAt = yield* Clock.currentTimeMillis
      const call = callOf(memory.program, [progress], step)
      const result = yield* this.code.execute(memory, executable, call, onRespond)
      this.oneStep.noteAlone(result.wallMs)
      return { n: progress.recorded + 1, startedAt, result }
    })
  }

  private takeUncommitted({ recorded, run }: WorkflowProgress): EndedStep.EndedStep | undefined {
    const step = this.uncommitted.get(run.id)
    this.uncommitted.delete(run.id)
    return step?.n === recorded + 1 ? step : undefined
  }

  private fail(memory: ProgramMemory, progress: WorkflowProgress, fault: RunFault): Effect.Effect<boolean> {
    return Effect.gen({ self: this }, function*() {
      const now = yield* Clock.currentTimeMillis
      const turn = ended(progress.run, { error: fault }, now)
      const origin = EndedStep.originOf(memory, progress, progress.run.workflowId)
      yield* this.code.fail(memory, origin, fault, EndedStep.partsOf(progress, turn))
      return false
    })
  }

  /** The code and props that a run began with. */
  private executableFor(
    memory: ProgramMemory,
    { run }: WorkflowProgress
  ): Effect.Effect<Option.Option<Executable>> {
    return Effect.gen({ self: this }, function*() {
      const { components, deployments } = this.services
      if (run.deploymentId === memory.program.workflow?.deploymentId) return Option.some(executableOf(memory))
      const known = this.former.get(run.deploymentId)
      if (known !== undefined) return Option.some(known)
      const deployment = yield* untilAnswered(deployments.get(run.workflowId, run.deploymentId))
      if (Option.isNone(deployment)) return Option.none<Executable>()
      const component = yield* untilAnswered(components.runnable(deployment.value.componentId))
      return Option.map(component, (component) => {
        const executable: Executable = {
          component,
          declared: component.configurableProps,
          values: valuesOf(deployment.value),
          additionalProps: []
        }
        this.former.clear()
        this.former.set(run.deploymentId, executable)
        return executable
      })
    })
  }
}
