import type { RunId } from "@headwater/domain/Id"
import * as Storable from "@headwater/domain/Storable"
import * as CrashPoint from "@headwater/log/commit/CrashPoint"
import type { WorkflowFiles } from "@headwater/log/work/WorkflowFiles"
import type { WorkflowRun, WorkflowRuns } from "@headwater/log/work/WorkflowRuns"
import type { RunResult } from "@headwater/sandbox/Run"
import type { SandboxUnavailable } from "@headwater/sandbox/SandboxPool"
import { Clock, Effect, Exit, Latch } from "effect"
import type { CommitParts } from "../ground/EmitterLog.ts"
import type { Limits } from "../ground/EngineLimits.ts"
import type { CodeRuns } from "./CodeRuns.ts"
import type { Executable } from "./ComponentRuns.ts"
import { executableOf, type ProgramMemory } from "./ProgramMemory.ts"
import type { ProgramOwner } from "./ProgramOwner.ts"
import { resumption } from "./RunStanding.ts"
import type { RunsTogether } from "./RunsTogether.ts"
import * as StepEnd from "./StepEnd.ts"
import type * as TriggeredWorkflows from "./TriggeredWorkflows.ts"
import type { UncommittedRuns } from "./UncommittedRuns.ts"
import type * as UnstoredRuns from "./UnstoredRuns.ts"
import { callOf, type InputOfRun, type StepsOfRuns, type WorkflowProgress } from "./WorkflowProgress.ts"

/** A run that takes longer shows as under way before it ends, in milliseconds. */
const longMs = 1_000

/** A run, and the input that it begins over. */
export interface BeginningRun {
  readonly input: InputOfRun
  readonly progress: WorkflowProgress
}

export interface Parts {
  readonly code: CodeRuns
  readonly erasureOf: UnstoredRuns.ErasureOf
  readonly files: WorkflowFiles["Service"]
  readonly findWorkflows: Effect.Success<typeof TriggeredWorkflows.makeFind>
  readonly given: StepsOfRuns
  readonly limits: Limits
  readonly memory: ProgramMemory
  /** False of a run that is being cancelled: it is not begun before it ends. */
  readonly mayBegin: (id: RunId) => boolean
  /** Called with a run that is on its way into the log before it ends. */
  readonly onBegun: (run: WorkflowProgress) => void
  readonly owner: ProgramOwner
  readonly runs: WorkflowRuns["Service"]
  readonly together: RunsTogether
  readonly uncommitted: UncommittedRuns
}

/**
 * Runs of a workflow of one step, from beginning to end, one after the other:
 *
 *     run ─▶ ended ─────────────────▶ one commit takes the input, begins the run, records the step and ends the run
 *     run for a second ─▶ begun ─▶ ended ─▶ its second commit records the step and ends the run
 *
 * - G1. Only the first run that is not handed over may be begun before it ends, and never while results are being handed over.
 * - G2. A run that was begun is not begun again: its input is taken once.
 * - G3. The outcome of a run whose commit fails is kept, and so is the run's id, if its beginning was not committed either.
 */
export class StepsTogether {
  /** The number of runs whose end is handed over. */
  private handedOver = 0
  private isHandingOver = false
  /** The run that was begun before it ended. */
  private begun: BeginningRun | undefined
  /** Open once that one is being cancelled: it is given up, and those behind it are still to be run. */
  private readonly givenUp = Latch.makeUnsafe(false)
  /** The start of the run after those that are handed over. */
  private startedAt: number
  private readonly executable: Executable
  private readonly runs: ReadonlyArray<BeginningRun>
  private readonly parts: Parts

  /** @param startedAt the start of the first, in Unix milliseconds */
  constructor(parts: Parts, runs: ReadonlyArray<BeginningRun>, startedAt: number) {
    this.parts = parts
    this.executable = executableOf(parts.memory)
    this.runs = runs
    this.startedAt = startedAt
  }

  /** Answers how many were run: the others are still to be run, and so are those that the sandbox can't run. */
  readonly toTheirEnd: Effect.Effect<number, SandboxUnavailable> = Effect.suspend(() => {
    const { given, memory, together } = this.parts
    const [first, ...more] = this.runs.map(({ progress }) => progress)
    const call = callOf(memory.program, [first!, ...more], given)
    return Effect.andThen(
      Effect.forkChild(Effect.repeat(this.showLong, { until: () => this.begun !== undefined })),
      together.run({
        memory,
        executable: this.executable,
        call,
        handOver: (results, first) => this.handOver(results, this.runs.slice(first, first + results.length)),
        besideOf: (run) => this.runs[run]!.input.eventJson.length,
        givenUp: this.givenUp.await
      })
    ).pipe(
      Effect.map((count) => this.begun?.progress.isAborted === true ? Math.max(count, this.handedOver + 1) : count)
    )
  })

  private handOver(results: ReadonlyArray<RunResult>, runs: ReadonlyArray<BeginningRun>): Effect.Effect<void> {
    return Effect.gen({ self: this }, function*() {
      CrashPoint.reached("step-ended")
      const { begun, parts: { code, findWorkflows, memory, uncommitted } } = this
      this.isHandingOver = true
      const known = yield* findWorkflows(memory.program.accountId, results)
      const now = yield* Clock.currentTimeMillis
      const steps = results.map((result, index) => this.timed(runs[index]!, result, now))
      const [first, ...more] = runs.map((run, index) => this.endOf(run, steps[index]!, now, known))
      const submission = yield* code.handOver(memory, [first!, ...more])
      this.handedOver += results.length
      this.isHandingOver = false
      submission.onEnd((exit) => {
        if (Exit.isSuccess(exit)) return
        for (const [index, run] of runs.entries()) {
          uncommitted.keepStep(run.progress, steps[index]!)
          if (run !== begun) uncommitted.keepRun(run.input.id, run.progress.run.id)
        }
      })
    })
  }

  /** The step of a run, which began as the one before it ended. */
  private timed({ progress }: BeginningRun, result: RunResult, now: number): StepEnd.EndedStep {
    const { startedAt } = this
    this.startedAt = Math.min(now, startedAt + Storable.toInteger(result.wallMs))
    progress.run = { ...progress.run, startedAt }
    return { n: 1, startedAt, result }
  }

  private endOf(
    run: BeginningRun,
    step: StepEnd.EndedStep,
    now: number,
    known: TriggeredWorkflows.KnownWorkflows
  ) {
    const { executable, parts: { erasureOf, files, limits, memory, runs } } = this
    const { input, progress } = run
    const taken = run === this.begun ? undefined : input.take()
    const written = (run: WorkflowRun): CommitParts => {
      const duePut = run.dueAt === null ? [] : [resumption(run.workflowId, run.id, run.dueAt)]
      return taken === undefined
        ? { runChanges: [run], duePut }
        : { ...taken, runs: [run], duePut: [...taken.duePut ?? [], ...duePut] }
    }
    const services = { erasureOf, files, limits, memory, runs }
    return StepEnd.make({ ...services, executable, progress, step, now, known, written }).ended
  }

  private readonly showLong = Effect.gen({ self: this }, function*() {
    const { code, memory, owner } = this.parts
    yield* Effect.sleep(longMs)
    if (owner.ready === memory) this.show(yield* code.use(memory, { invocations: 1, computeMs: 0 }))
  })

  /** Hands over that a run has begun, where that can be done at once, so that nothing comes in between. */
  private show(usage: CommitParts): void {
    const { mayBegin, memory, onBegun, owner, uncommitted } = this.parts
    const run = this.runs[this.handedOver]
    if (this.isHandingOver || run === undefined || !mayBegin(run.progress.run.id)) return
    const { input, progress } = run
    const submission = owner.submit(memory, [], () => ({ ...input.take(), ...usage, runs: [progress.run] }))
    if (submission === undefined) return
    this.begun = run
    progress.onAbort = () => this.givenUp.openUnsafe()
    onBegun(progress)
    submission.onEnd((exit) => {
      if (Exit.isFailure(exit)) uncommitted.keepRun(input.id, progress.run.id)
    })
  }
}
