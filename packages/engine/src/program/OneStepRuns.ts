import * as Storable from "@headwater/domain/Storable"
import * as CrashPoint from "@headwater/log/commit/CrashPoint"
import type { RunResult } from "@headwater/sandbox/Run"
import type { SandboxUnavailable } from "@headwater/sandbox/SandboxPool"
import { Clock, Effect, Exit } from "effect"
import type { CommitParts } from "../ground/EmitterLog.ts"
import { EngineLimits, type Limits } from "../ground/EngineLimits.ts"
import type { CodeRuns } from "./CodeRuns.ts"
import * as EndedStep from "./EndedStep.ts"
import type { ProgramInput } from "./ProgramInput.ts"
import { answersItself, executableOf, type ProgramMemory } from "./ProgramMemory.ts"
import type { ProgramOwner } from "./ProgramOwner.ts"
import { type InputOfRun, isOfRun, type RunStarts } from "./RunStarts.ts"
import { RunsTogether } from "./RunsTogether.ts"
import { callOf, type WorkflowProgress } from "./WorkflowProgress.ts"

/** A run that takes longer shows as under way before it ends, in milliseconds. */
const longMs = 1_000

/** The runs that are done in one message to the sandbox, and how far their commits are. */
class Batch {
  readonly inputs: ReadonlyArray<InputOfRun>
  readonly runs: ReadonlyArray<WorkflowProgress>
  /** The time at which the next run began, as far as it is known. */
  startedAt: number
  /** The number of runs that are handed over. */
  handedOver = 0
  isHandingOver = false
  /** The run that is handed over as begun before it has ended. */
  begun: number | undefined

  constructor(inputs: ReadonlyArray<InputOfRun>, runs: ReadonlyArray<WorkflowProgress>, startedAt: number) {
    this.inputs = inputs
    this.runs = runs
    this.startedAt = startedAt
  }

  /** The ended steps of runs, each of which began when the one before had ended. */
  stepsOf(results: ReadonlyArray<RunResult>, from: number, now: number): ReadonlyArray<EndedStep.EndedStep> {
    return results.map((result, index) => {
      const progress = this.runs[from + index]!
      const { startedAt } = this
      this.startedAt = Math.min(now, startedAt + Storable.toInteger(result.wallMs))
      progress.run = { ...progress.run, startedAt }
      return { n: 1, startedAt, result }
    })
  }
}

/**
 * The runs of a workflow that has one step and does one run at a time: they are done together, one after the other.
 *
 * - W1. Each begins and ends in one commit, but one that takes long: it is handed over as begun first, where that can be done at
 *   once, so that nothing comes in between.
 * - W2. A step whose commit failed is kept (`uncommitted`), and not run again.
 */
export class OneStepRuns {
  private readonly owner: ProgramOwner
  private readonly code: CodeRuns
  private readonly starts: RunStarts
  private readonly uncommitted: Map<string, EndedStep.EndedStep>
  private readonly together: RunsTogether
  private readonly limits: Limits

  private constructor(
    owner: ProgramOwner,
    code: CodeRuns,
    starts: RunStarts,
    uncommitted: Map<string, EndedStep.EndedStep>,
    together: RunsTogether,
    limits: Limits
  ) {
    this.owner = owner
    this.code = code
    this.starts = starts
    this.uncommitted = uncommitted
    this.together = together
    this.limits = limits
  }

  static readonly make = Effect.fnUntraced(function*(
    owner: ProgramOwner,
    code: CodeRuns,
    starts: RunStarts,
    uncommitted: Map<string, EndedStep.EndedStep>
  ) {
    return new OneStepRuns(owner, code, starts, uncommitted, yield* RunsTogether.make(code), yield* EngineLimits)
  })

  /** Notes the time that a run took which was by itself, in milliseconds. */
  noteAlone(wallMs: number): void {
    this.together.note(wallMs)
  }

  /** The number of inputs to run together: more while runs are short. */
  most(memory: ProgramMemory): number {
    const { concurrency, rateLimit } = EndedStep.settingsOf(memory)
    return memory.component.steps?.length === 1 && concurrency === 1 && rateLimit === null ? this.together.most : 1
  }

  /** Those of some inputs that are run together next, which may be none: then the first is to begin by itself. */
  choose(memory: ProgramMemory, inputs: ReadonlyArray<ProgramInput>): ReadonlyArray<ProgramInput> {
    if (this.most(memory) === 1) return []
    const end = inputs.findIndex((input) =>
      !isOfRun(input) || this.starts.isUnbegun(input) || input.kind === "HTTP" && answersItself(memory)
    )
    return end < 0 ? inputs : inputs.slice(0, end)
  }

  /**
   * Runs inputs from beginning to end. Answers how many were: the others are still to be run, and so are those that the sandbox
   * can't run.
   *
   * @param onBegun a run takes long, and is on its way into the log before it ends
   */
  run(
    memory: ProgramMemory,
    inputs: ReadonlyArray<ProgramInput>,
    onBegun: (run: WorkflowProgress) => void
  ): Effect.Effect<number, SandboxUnavailable> {
    return Effect.gen({ self: this }, function*() {
      const { program, program: { workflow } } = memory
      if (workflow === null) return 0
      const chosen = inputs.filter(isOfRun)
      CrashPoint.reached("step-chosen")
      const executable = executableOf(memory)
      const startedAt = yield* Clock.currentTimeMillis
      const runs = yield* this.starts.runsOver(program, workflow, chosen, startedAt)
      const batch = new Batch(chosen, runs, startedAt)
      yield* Effect.forkChild(Effect.repeat(this.showLong(memory, batch, onBegun), {
        until: () => batch.begun !== undefined
      }))
      const call = callOf(program, runs, memory.component.steps![0]!.name)
      return yield* this.together.run(
        memory,
        executable,
        call,
        (results, from) => this.handOver(memory, executable, batch, results, from),
        { besideOf: (run) => chosen[run]!.eventJson.length }
      )
    })
  }

  private handOver(
    memory: ProgramMemory,
    executable: ReturnType<typeof executableOf>,
    batch: Batch,
    results: ReadonlyArray<RunResult>,
    from: number
  ): Effect.Effect<void> {
    return Effect.gen({ self: this }, function*() {
      CrashPoint.reached("step-ended")
      batch.isHandingOver = true
      const now = yield* Clock.currentTimeMillis
      const steps = batch.stepsOf(results, from, now)
      const [first, ...more] = steps.map((step, index) => {
        const progress = batch.runs[from + index]!
        const begins = from + index !== batch.begun
        const taken = begins ? batch.inputs[from + index]!.take() : {}
        return EndedStep.make(memory, progress, executable, step, now, this.limits, (turn) =>
          begins
            ? {
              ...taken,
              runs: [{ ...progress.run, ...turn }],
              duePut: [...taken.duePut ?? [], ...EndedStep.dueOf(progress.run, turn)]
            }
            : EndedStep.partsOf(progress, turn)).ended
      })
      const submission = yield* this.code.handOver(memory, [first!, ...more])
      batch.handedOver = from + results.length
      batch.isHandingOver = false
      submission.onEnd((exit) => {
        if (Exit.isSuccess(exit)) return
        for (const [index, step] of steps.entries()) {
          const { id } = batch.runs[from + index]!.run
          this.uncommitted.set(id, step)
          if (from + index !== batch.begun) this.starts.noteUnbegun(batch.inputs[from + index]!, id)
        }
      })
    })
  }

  /** Has a run that takes long show as begun. */
  private showLong(memory: ProgramMemory, batch: Batch, onBegun: (run: WorkflowProgress) => void) {
    return Effect.gen({ self: this }, function*() {
      yield* Effect.sleep(longMs)
      if (this.owner.ready !== memory) return
      this.show(memory, batch, yield* this.code.use(memory, { invocations: 1, computeMs: 0 }), onBegun)
    })
  }

  private show(
    memory: ProgramMemory,
    batch: Batch,
    usage: CommitParts,
    onBegun: (run: WorkflowProgress) => void
  ): void {
    const progress = batch.runs[batch.handedOver]
    const input = batch.inputs[batch.handedOver]
    if (batch.isHandingOver || progress === undefined || input === undefined) return
    const parts = () => ({ ...input.take(), ...usage, runs: [progress.run] })
    const submission = this.owner.submit(memory, [], parts)
    if (submission === undefined) return
    batch.begun = batch.handedOver
    onBegun(progress)
    submission.onEnd((exit) => {
      if (Exit.isFailure(exit)) this.starts.noteUnbegun(input, progress.run.id)
    })
  }
}
