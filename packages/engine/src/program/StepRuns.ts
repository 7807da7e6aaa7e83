import { BulkRerun } from "@headwater/domain/BulkAction"
import * as Id from "@headwater/domain/Id"
import { declaredProps } from "@headwater/domain/Program"
import { changed } from "@headwater/domain/RunFile"
import { RunSecrets } from "@headwater/log/access/RunSecrets"
import * as CrashPoint from "@headwater/log/commit/CrashPoint"
import { untilAnswered } from "@headwater/log/database/TransientSqlError"
import { Components } from "@headwater/log/resources/Components"
import { Deployments } from "@headwater/log/resources/Deployments"
import { WorkflowFiles } from "@headwater/log/work/WorkflowFiles"
import { type RunFault, type StepRecord, type WorkflowRun, WorkflowRuns } from "@headwater/log/work/WorkflowRuns"
import type { RunResponse, StepKeys } from "@headwater/sandbox/Run"
import type { SandboxUnavailable } from "@headwater/sandbox/SandboxPool"
import { Clock, Effect, Exit, Fiber, Option, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { endpointUrl, EngineConfig } from "../ground/EngineConfig.ts"
import { EngineLimits } from "../ground/EngineLimits.ts"
import * as AttachedFiles from "./AttachedFiles.ts"
import { type CodeRuns, originOf, unstorable } from "./CodeRuns.ts"
import type { Executable } from "./ComponentRuns.ts"
import type { ForkedRun } from "./ForkedRun.ts"
import type { ProgramInput } from "./ProgramInput.ts"
import { answersItself, executableOf, type ProgramMemory, valuesOf } from "./ProgramMemory.ts"
import type { ProgramOwner } from "./ProgramOwner.ts"
import * as RunStanding from "./RunStanding.ts"
import { RunsTogether } from "./RunsTogether.ts"
import * as StepEnd from "./StepEnd.ts"
import * as StepFiles from "./StepFiles.ts"
import { type Parts as StepsTogetherParts, StepsTogether } from "./StepsTogether.ts"
import * as TriggeredWorkflows from "./TriggeredWorkflows.ts"
import { UncommittedRuns } from "./UncommittedRuns.ts"
import * as UnstoredRuns from "./UnstoredRuns.ts"
import {
  beginning,
  callOf,
  isOfRun,
  type OnPath,
  runOver,
  type StepsOfRuns,
  WorkflowProgress
} from "./WorkflowProgress.ts"

/** Its progress runs its next step now, or is still: the run has ended, or waits. Or others of its paths go on, and it is still. */
type Onward = "next" | "still" | "elsewhere"

/** Told what the code responds to the request over which a run began. */
type OnRespond = (response: RunResponse) => Effect.Effect<void>

const isRunId = Schema.is(Id.RunId)

const workflowIdOf = ({ program }: ProgramMemory) => Id.WorkflowId.make(program.id)

/** Has a run on several paths go on after one of them has taken a turn, which is durable. */
const goOn = (
  memory: ProgramMemory,
  forked: ForkedRun,
  path: string | undefined,
  before: RunStanding.RunStanding,
  after: RunStanding.RunStanding
): Onward => {
  if (forked.isOver) return "still"
  if (after.paths.get(path ?? "")?.status === "running") return "next"
  memory.underWay.push(...RunStanding.begun(before, after).map((path) => forked.progressOf(path)))
  return after.paths.size === 0 || RunStanding.isRunning(forked.standing) ? "elsewhere" : "still"
}

/** A step of a run; undefined if that is cancelled meanwhile: its process is given up, and nothing of the step is kept. */
const abortable = <A, E>(progress: WorkflowProgress, step: Effect.Effect<A, E>): Effect.Effect<A | undefined, E> =>
  Effect.gen(function*() {
    if (progress.isAborted) return undefined
    const fiber = yield* Effect.forkChild(step)
    progress.onAbort = () => fiber.interruptUnsafe()
    const exit = yield* Fiber.await(fiber)
    progress.onAbort = undefined
    return progress.isAborted && Exit.hasInterrupts(exit) ? undefined : yield* exit
  })

/** The request of a rerun, in its event. */
export const Rerun = Schema.Struct({
  run: Id.RunId,
  /** The first step to run; null for the first of all, or the one that failed. */
  step: Schema.NullOr(Schema.String),
  from: Schema.optionalKey(BulkRerun.fields.from),
  code: Schema.optionalKey(BulkRerun.fields.code)
})
export type Rerun = typeof Rerun.Type

const decodeRerun = Schema.decodeUnknownEffect(Schema.fromJsonString(Rerun))

const services = Effect.all({
  attachedFiles: AttachedFiles.make,
  components: Components,
  config: EngineConfig,
  deployments: Deployments,
  erasureOf: UnstoredRuns.makeErasureOf,
  files: WorkflowFiles,
  filesOf: StepFiles.make,
  findWorkflows: TriggeredWorkflows.makeFind,
  limits: EngineLimits,
  random: SecureRandom.SecureRandom,
  runs: WorkflowRuns,
  secrets: RunSecrets
})

interface Parts extends Effect.Success<typeof services> {
  readonly code: CodeRuns
  readonly owner: ProgramOwner
  readonly together: RunsTogether
}

/**
 * A workflow's runs, from step to step, each of which commits by itself:
 *
 *     input ─▶ begin ─▶ under way ─▶ next: step ─▶ commit ─▶ next ─▶ … ─▶ ended
 *                           ▲                         │
 *                           └──────── waiting ◀───────┘
 *
 * - R1. Once its input is taken, a run goes on until it ends, whatever happens: the state after the last step that was
 *   committed is in the database.
 * - R2. The effects of a step are durable before the next step begins.
 * - R3. A step that failed leaves nothing but what it logged, and is run again after its delay, or ends the run.
 * - R4. A run goes on with the code that it began with.
 */
export class StepRuns {
  /** The executable of runs that began before the last deployment, and that deployment's id. */
  private former: { readonly id: string; readonly executable: Executable } | undefined
  /** The same for each of the workflow's steps, once one of them is run. */
  private keys: StepKeys | undefined
  private readonly newRunId: Effect.Effect<Id.RunId>
  private readonly parts: Parts
  private readonly uncommitted = new UncommittedRuns()

  private constructor(parts: Parts) {
    this.parts = parts
    this.newRunId = Effect.map(
      Effect.provideService(Id.make("run"), SecureRandom.SecureRandom, parts.random),
      (id) => Id.RunId.make(id)
    )
  }

  static readonly make = Effect.fnUntraced(function*(owner: ProgramOwner, code: CodeRuns) {
    return new StepRuns({ ...yield* services, code, owner, together: yield* RunsTogether.make(code) })
  })

  /** Takes an input: from here on it is a run. */
  begin(memory: ProgramMemory, input: ProgramInput): Effect.Effect<void> {
    return Effect.gen({ self: this }, function*() {
      const { program: { id, shadow, workflow } } = memory
      if (workflow === null) return
      if (input.kind === "RERUN") return yield* this.beginAgain(memory, input, workflow.deploymentId)
      if (!isOfRun(input)) return
      const startedAt = yield* Clock.currentTimeMillis
      const isShadow = shadow || input.isShadow === true
      const run = runOver(id, workflow.deploymentId, input, yield* this.runIdOf(input), startedAt, isShadow)
      const { rerunOf } = input
      yield* this.enter(memory, input, rerunOf === undefined ? run : yield* this.insteadOf(run, Id.RunId.make(rerunOf)))
    })
  }

  /**
   * The number of inputs to run together: more while runs are short, if each is one step and follows on the one before.
   */
  mostTogether(memory: ProgramMemory): number {
    const { attachments, concurrency, rateLimit } = StepEnd.settingsOf(memory)
    const isSimple = memory.component.steps?.length === 1 && concurrency === 1 && rateLimit === null &&
      Object.keys(attachments).length === 0
    return isSimple && !memory.hasDataStores
      ? this.parts.together.most
      : 1
  }

  /** Those of some inputs that are run together next, which may be none: then the first is to begin by itself. */
  chooseTogether(memory: ProgramMemory, inputs: ReadonlyArray<ProgramInput>): ReadonlyArray<ProgramInput> {
    if (this.mostTogether(memory) === 1) return []
    const end = inputs.findIndex((input) =>
      !isOfRun(input) || input.rerunOf !== undefined || this.uncommitted.hasRun(input.id) ||
      input.kind === "HTTP" && answersItself(memory)
    )
    return end < 0 ? inputs : inputs.slice(0, end)
  }

  /**
   * Runs inputs from beginning to end, one after the other, each of which begins and ends in one commit. Answers how many
   * were: the others are still to be run, and so are those that the sandbox can't run.
   *
   * @param long.mayBegin asked of a run that takes long
   * @param long.onBegun that run is on its way into the log before it ends
   */
  runTogether(
    memory: ProgramMemory,
    inputs: ReadonlyArray<ProgramInput>,
    long: Pick<StepsTogetherParts, "mayBegin" | "onBegun">
  ): Effect.Effect<number, SandboxUnavailable> {
    return Effect.gen({ self: this }, function*() {
      const { program: { id: programId, shadow, workflow } } = memory
      if (workflow === null) return 0
      CrashPoint.reached("step-chosen")
      const chosen = inputs.filter(isOfRun)
      const startedAt = yield* Clock.currentTimeMillis
      // Lists have runs by their ids.
      const ids = (yield* Effect.replicateEffect(this.newRunId, chosen.length)).toSorted()
      const runs = chosen.map((input, index) => {
        const id = isRunId(input.id) ? input.id : ids[index]!
        const isShadow = shadow || input.isShadow === true
        const run = runOver(programId, workflow.deploymentId, input, id, startedAt, isShadow)
        return { input, progress: new WorkflowProgress(run) }
      })
      const { parts, uncommitted } = this
      return yield* new StepsTogether(
        { ...parts, ...long, given: this.givenTo(memory, memory.component.steps ?? []), memory, uncommitted },
        runs,
        startedAt
      ).toTheirEnd
    })
  }

  /**
   * Runs the next step to its commit. If the sandbox can't run it, nothing of the step is kept, and it is still to be run.
   *
   * @param onRespond given where somebody waits for what the run responds, and is told when it has ended without that
   */
  next(
    memory: ProgramMemory,
    progress: WorkflowProgress,
    onRespond: OnRespond | undefined
  ): Effect.Effect<Onward, SandboxUnavailable> {
    return Effect.gen({ self: this }, function*() {
      const { path, run } = progress
      if (path?.forked.isOver === true || progress.isAborted) return "still"
      const executable = yield* this.executableOf(memory, progress.run)
      const until = path?.forked.standing.paths.get(path.name)?.until
      if (executable !== undefined && path !== undefined && until !== undefined && run.step >= until) {
        return yield* this.join(memory, path, executable)
      }
      const next = executable?.component.steps?.[run.step]
      if (executable === undefined || next === undefined) {
        const message = "the code that the run began with no longer exists"
        return yield* this.fail(memory, progress, { name: "DeploymentGone", message })
      }
      const refusal = this.parts.code.refusalOf(progress.key)
      if (refusal !== undefined) {
        return yield* this.fail(memory, progress, unstorable("the results of a step", refusal))
      }
      CrashPoint.reached("step-chosen")
      const step = this.uncommitted.takeStep(progress) ??
        (yield* abortable(progress, this.execute(memory, progress, executable, onRespond)))
      if (step === undefined) return "still"
      CrashPoint.reached("step-ended")
      return yield* this.commit(memory, progress, executable, step, onRespond !== undefined)
    })
  }

  private execute(
    memory: ProgramMemory,
    progress: WorkflowProgress,
    executable: Executable,
    onRespond: OnRespond | undefined
  ): Effect.Effect<StepEnd.EndedStep, SandboxUnavailable> {
    return Effect.gen({ self: this }, function*() {
      const { code, together } = this.parts
      const { component: { steps = [] } } = executable
      const startedAt = yield* Clock.currentTimeMillis
      const { attachments } = StepEnd.settingsOf(memory)
      const attached = yield* this.parts.attachedFiles(memory.program.accountId, attachments)
      const given = this.givenTo(memory, steps ?? [])
      const filesOf = (progress: WorkflowProgress) => AttachedFiles.lendTo(given.filesOf(progress), attached)
      const call = callOf(memory.program, [progress], { ...given, filesOf })
      const result = yield* code.execute(memory, executable, call, onRespond)
      together.note(result.ownMs)
      return { n: progress.n, startedAt, result }
    })
  }

  /** Commits a step. */
  private commit(
    memory: ProgramMemory,
    progress: WorkflowProgress,
    executable: Executable,
    step: StepEnd.EndedStep,
    isAwaited: boolean
  ): Effect.Effect<Onward> {
    return Effect.gen({ self: this }, function*() {
      const { path, run: { id }, steps } = progress
      const { files } = this.parts
      const handOver = this.handOver(memory, progress, executable, step)
      const { after, before, fileChanges, forked, submission } = yield* (path?.forked.deciding(handOver) ?? handOver)
      // On memory that has failed the commit fails too: what the step did is to be kept before the run is taken up again.
      const hasFiles = steps.files.length > 0
      const isStill = after.run.status !== "running"
      if (isStill && forked === undefined && !isAwaited && !hasFiles && !memory.failed && !memory.hasDataStores) {
        return "still"
      }
      // A step's effect is there for good before the next one begins. If it is not, the step is still to be run.
      if (Exit.isFailure(yield* Effect.exit(submission.durable))) return "next"
      CrashPoint.reached("step-done")
      if (after.run.endedAt !== null) {
        if (hasFiles) yield* untilAnswered(files.removeOf(id))
      } else if (fileChanges !== undefined && fileChanges.dropped.length > 0 && forked === undefined) {
        // Another path may be reading them.
        yield* untilAnswered(files.drop(id, fileChanges.dropped))
      }
      if (forked === undefined) return isStill ? "still" : "next"
      return goOn(memory, forked, path?.name, before, after)
    })
  }

  /** Ends a path that has waited behind its last step. */
  private join(memory: ProgramMemory, { forked, name }: OnPath, { component }: Executable): Effect.Effect<Onward> {
    return Effect.gen({ self: this }, function*() {
      const { owner, runs } = this.parts
      const end = Effect.gen(function*() {
        const before = forked.standing
        if (before.run.endedAt !== null) return undefined
        const turn = StepEnd.lastTurn({ step: 0, tries: 0, failures: 0 }, {}, yield* Clock.currentTimeMillis)
        const after = RunStanding.afterTurn(before, name, turn, component.steps?.length ?? 0)
        const submission = yield* owner.commit(memory, [], StepEnd.partsOf(runs, before, after))
        forked.note(after, submission)
        return { before, after, submission }
      })
      const joined = yield* forked.deciding(end)
      if (joined === undefined) return "still"
      if (Exit.isFailure(yield* Effect.exit(joined.submission.durable))) return "next"
      return goOn(memory, forked, name, joined.before, joined.after)
    })
  }

  /** Decides how a run stands after a step, and hands that over. */
  private handOver(memory: ProgramMemory, progress: WorkflowProgress, executable: Executable, step: StepEnd.EndedStep) {
    return Effect.gen({ self: this }, function*() {
      const { code, erasureOf, files, findWorkflows, limits, runs } = this.parts
      const { path, steps } = progress
      const known = yield* findWorkflows(memory.program.accountId, [step.result])
      const now = yield* Clock.currentTimeMillis
      const made = StepEnd.make({
        memory,
        executable,
        progress,
        step,
        erasureOf,
        files,
        runs,
        limits,
        now,
        known
      })
      const { after, before, ended, fileChanges, name, resultJson, turn } = made
      const submission = yield* code.handOver(memory, [ended])
      code.noteRefusal(submission, [progress.key])
      submission.onEnd((exit) => {
        const error = Exit.findErrorOption(exit)
        const isKept = Option.isSome(error) && error.value._tag === "Fenced" && !StepEnd.hasExpectations(step)
        if (isKept) this.uncommitted.keepStep(progress, step)
      })
      progress.noteStep(name, turn, resultJson)
      if (fileChanges !== undefined) steps.files = changed(steps.files, fileChanges)
      path?.forked.note(after, submission)
      const forked = path?.forked ??
        (after.paths.size === 0 ? undefined : memory.forks.begin(progress, after, submission))
      return { after, before, fileChanges, forked, submission }
    })
  }

  /** Ends a run that can't go on; there is no other step of it. */
  private fail(memory: ProgramMemory, progress: WorkflowProgress, fault: RunFault): Effect.Effect<"still"> {
    const { path, run } = progress
    const end = Effect.gen({ self: this }, function*() {
      const { code, erasureOf, runs } = this.parts
      const before = path?.forked.standing ?? RunStanding.ofRun(run)
      if (before.run.endedAt !== null) return
      const turn = StepEnd.lastTurn(run, { error: fault }, yield* Clock.currentTimeMillis)
      const after = RunStanding.ended(before, turn)
      const origin = StepEnd.originOf(memory, progress, run.workflowId)
      const parts = StepEnd.partsOf(runs, before, after)
      const updates = [...parts.updates, ...erasureOf(memory.program.accountId, run)]
      const submission = yield* code.fail(memory, origin, fault, { ...parts, updates })
      path?.forked.note(after, submission)
    })
    return Effect.as(path?.forked.deciding(end) ?? end, "still")
  }

  /** All that steps are given beside what the steps before them gave. */
  private givenTo(memory: ProgramMemory, steps: StepsOfRuns["steps"]): StepsOfRuns {
    const { config, filesOf, secrets } = this.parts
    this.keys ??= { url: endpointUrl(config.publicUrl, ""), secret: secrets.of(workflowIdOf(memory)) }
    return {
      steps,
      keys: this.keys,
      filesOf: (progress) => filesOf(memory.program.accountId, progress)
    }
  }

  private executableOf(
    memory: ProgramMemory,
    { deploymentId, workflowId }: Pick<WorkflowRun, "deploymentId" | "workflowId">
  ): Effect.Effect<Executable | undefined> {
    return Effect.gen({ self: this }, function*() {
      if (deploymentId === memory.program.workflow?.deploymentId) return executableOf(memory)
      if (this.former?.id === deploymentId) return this.former.executable
      const { components, deployments } = this.parts
      const deployment = Option.getOrUndefined(yield* untilAnswered(deployments.get(workflowId, deploymentId)))
      if (deployment === undefined) return undefined
      const component = Option.getOrUndefined(yield* untilAnswered(components.runnable(deployment.componentId)))
      if (component === undefined) return undefined
      const { additionalProps = [] } = deployment
      const declared = declaredProps(component, { additionalProps })
      const executable = { component, declared, values: valuesOf(deployment), additionalProps }
      this.former = { id: deploymentId, executable }
      return executable
    })
  }

  /** An invocation through the API knows its run beforehand. */
  private runIdOf({ id }: ProgramInput): Effect.Effect<Id.RunId> {
    const begun = this.uncommitted.takeRun(id)
    const known = isRunId(id) ? id : begun
    return known === undefined ? this.newRunId : Effect.succeed(known)
  }

  private enter(
    memory: ProgramMemory,
    input: ProgramInput,
    run: WorkflowRun,
    steps: ReadonlyArray<StepRecord> = []
  ): Effect.Effect<void> {
    return Effect.gen({ self: this }, function*() {
      const { code, owner } = this.parts
      if (StepEnd.settingsOf(memory).rateLimit !== null) memory.begun.push(run.startedAt)
      memory.underWay.push(WorkflowProgress.after(run, steps))
      const usage = yield* code.use(memory, { invocations: 1, computeMs: 0 })
      const submission = yield* owner.commit(memory, [], { ...input.take(), ...usage, runs: [run], steps })
      submission.onEnd((exit) => {
        // Its step may be done by now, and is not to be run again.
        if (Exit.isFailure(exit)) this.uncommitted.keepRun(input.id, run.id)
      })
      CrashPoint.reached("run-begun")
    })
  }

  /** A run over an event that takes the place of another's, and came about as that did. */
  private insteadOf(run: WorkflowRun, rerunOf: Id.RunId): Effect.Effect<WorkflowRun> {
    return Effect.map(untilAnswered(this.parts.runs.outline(run.workflowId, rerunOf)), (former) => {
      if (Option.isNone(former)) return { ...run, trigger: { ...run.trigger, rerunOf } }
      const { emitterId, eventId, hops, id, kind } = former.value.trigger
      const insteadOf = { id, emitterId, ...(eventId === undefined ? {} : { eventId }) }
      return { ...run, trigger: { ...run.trigger, kind, hops, rerunOf, insteadOf } }
    })
  }

  /** Begins a run over the event of another, with what the steps before the one asked for gave then. */
  private beginAgain(memory: ProgramMemory, input: ProgramInput, deploymentId: Id.DeploymentId): Effect.Effect<void> {
    return Effect.gen({ self: this }, function*() {
      const { code, runs } = this.parts
      const asked = yield* Effect.orDie(decodeRerun(input.eventJson))
      const workflowId = workflowIdOf(memory)
      const refuse = (message: string) =>
        code.fail(memory, originOf(memory, input), { name: "NotRepeatable", message }, input.take())
      const former = Option.getOrUndefined(yield* untilAnswered(runs.get(workflowId, asked.run)))
      if (former === undefined) return void (yield* refuse(`the run ${asked.run} no longer exists`))
      if (former.endedAt !== null && UnstoredRuns.isUnstored(former)) {
        return void (yield* refuse(`nothing of the run ${asked.run} is kept, as its request asked for`))
      }
      const isOwn = asked.code === "own"
      const executable = isOwn ? yield* this.executableOf(memory, former) : executableOf(memory)
      const recorded = yield* untilAnswered(runs.stepsOf(asked.run))
      const failed = asked.from === "failed_step"
        ? recorded.findLast(({ status }) => status === "error")?.name
        : undefined
      const name = asked.step ?? failed
      const all = executable?.component.steps ?? []
      const step = name === undefined ? 0 : all.findIndex((step) => step.name === name)
      if (executable === undefined) return void (yield* refuse(`the code of the run ${asked.run} no longer exists`))
      if (step < 0) return void (yield* refuse(`the workflow no longer has the step ${JSON.stringify(name)}`))
      const id = yield* this.runIdOf(input)
      const { event, trigger: { shadow: _, ...trigger } } = former
      const before = new Set(all.slice(0, step).map(({ name }) => name))
      const done = recorded
        .filter(({ name, result }) => result !== null && before.has(name))
        .map((record, index) => ({
          ...record,
          runId: id,
          n: index + 1,
          path: null,
          configuredProps: null,
          resumeData: null
        }))
      const run: WorkflowRun = {
        id,
        workflowId,
        deploymentId: isOwn ? former.deploymentId : deploymentId,
        // Of a run in shadow too: it is asked for, and sends if its workflow does.
        trigger: { ...trigger, rerunOf: asked.run, ...(memory.program.shadow ? { shadow: true } : {}) },
        event,
        startedAt: yield* Clock.currentTimeMillis,
        ...beginning,
        step
      }
      yield* this.enter(memory, input, run, done)
    })
  }
}
