import * as EventId from "@headwater/domain/EventId"
import * as Id from "@headwater/domain/Id"
import type { Program } from "@headwater/domain/Program"
import * as Stream from "@headwater/domain/Stream"
import type { Workflow } from "@headwater/domain/Workflow"
import * as CrashPoint from "@headwater/log/commit/CrashPoint"
import { untilAnswered } from "@headwater/log/database/TransientSqlError"
import { type RunTrigger, type StepRecord, type WorkflowRun, WorkflowRuns } from "@headwater/log/work/WorkflowRuns"
import { Clock, Effect, Exit, Option, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { type CodeRuns, originOf } from "./CodeRuns.ts"
import { settingsOf } from "./EndedStep.ts"
import type { ProgramInput } from "./ProgramInput.ts"
import type { ProgramMemory } from "./ProgramMemory.ts"
import type { ProgramOwner } from "./ProgramOwner.ts"
import { beginning } from "./RunTurn.ts"
import * as WorkflowProgress from "./WorkflowProgress.ts"

const isRunId = Schema.is(Id.RunId)

/** The request of a rerun, in its event. */
export const Rerun = Schema.Struct({ run: Id.RunId, step: Schema.NullOr(Schema.String) })

const decodeRerun = Schema.decodeUnknownEffect(Schema.fromJsonString(Rerun))

/** An input over which a run of its own begins. */
export type InputOfRun = ProgramInput & { readonly kind: RunTrigger["kind"] }

export const isOfRun = (input: ProgramInput): input is InputOfRun => input.kind !== "HOOK" && input.kind !== "RERUN"

/** A run that begins now. */
const runOver = (
  { id: workflowId }: Program,
  { deploymentId }: Workflow,
  input: InputOfRun,
  id: Id.RunId,
  startedAt: number
): WorkflowRun => ({
  id,
  workflowId: Id.WorkflowId.make(workflowId),
  deploymentId,
  trigger: {
    kind: input.kind,
    id: input.id,
    at: input.at,
    hops: input.hops,
    emitterId: input.from?.emitterId ?? workflowId,
    stream: input.from?.stream ?? Stream.requests,
    ...(input.cause === undefined ? {} : { eventId: EventId.format(input.cause.id) })
  },
  event: input.eventJson,
  startedAt,
  ...beginning,
  step: 0
})

/**
 * Begins a workflow's runs.
 *
 * - T1. Of an input whose run was not committed begins a run of the same id: its step may be done by now, and is not to be run
 *   again.
 * - T2. An invocation through the API knows the id of its run beforehand.
 */
export class RunStarts {
  /** Runs whose beginning was not committed, by their input. */
  private readonly unbegun = new Map<string, Id.RunId>()
  private readonly owner: ProgramOwner
  private readonly code: CodeRuns
  private readonly runs: WorkflowRuns["Service"]
  private readonly newId: Effect.Effect<Id.RunId>

  private constructor(
    owner: ProgramOwner,
    code: CodeRuns,
    runs: WorkflowRuns["Service"],
    random: SecureRandom.SecureRandom["Service"]
  ) {
    this.owner = owner
    this.code = code
    this.runs = runs
    this.newId = Effect.map(
      Effect.provideService(Id.make("run"), SecureRandom.SecureRandom, random),
      (id) => Id.RunId.make(id)
    )
  }

  static readonly make = Effect.fnUntraced(function*(owner: ProgramOwner, code: CodeRuns) {
    return new RunStarts(owner, code, yield* WorkflowRuns, yield* SecureRandom.SecureRandom)
  })

  /** Takes an input: from here on it is a run, which goes on until it ends, whatever happens. */
  begin(memory: ProgramMemory, input: ProgramInput): Effect.Effect<void> {
    return Effect.gen({ self: this }, function*() {
      if (memory.program.workflow === null) return
      if (input.kind === "RERUN") return yield* this.beginAgain(memory, input)
      if (!isOfRun(input)) return
      const startedAt = yield* Clock.currentTimeMillis
      const run = runOver(memory.program, memory.program.workflow, input, yield* this.idOf(input), startedAt)
      yield* this.enter(memory, input, WorkflowProgress.make(run, []), [])
    })
  }

  /** True if the run of an input began before, and was not committed. */
  isUnbegun(input: ProgramInput): boolean {
    return this.unbegun.has(input.id)
  }

  /** New runs over inputs, in their order. Lists have runs by their ids. */
  runsOver(
    program: Program,
    workflow: Workflow,
    inputs: ReadonlyArray<InputOfRun>,
    startedAt: number
  ): Effect.Effect<ReadonlyArray<WorkflowProgress.WorkflowProgress>> {
    return Effect.map(Effect.replicateEffect(this.newId, inputs.length), (unordered) => {
      const ids = unordered.toSorted()
      return inputs.map((input, index) => {
        const id = isRunId(input.id) ? input.id : ids[index]!
        return WorkflowProgress.make(runOver(program, workflow, input, id, startedAt), [])
      })
    })
  }

  /** The commit by which the run of an input begins has failed. */
  noteUnbegun(input: ProgramInput, id: Id.RunId): void {
    this.unbegun.set(input.id, id)
  }

  private idOf({ id }: ProgramInput): Effect.Effect<Id.RunId> {
    const known = isRunId(id) ? id : this.unbegun.get(id)
    this.unbegun.delete(id)
    return known === undefined ? this.newId : Effect.succeed(known)
  }

  private enter(
    memory: ProgramMemory,
    input: ProgramInput,
    progress: WorkflowProgress.WorkflowProgress,
    steps: ReadonlyArray<StepRecord>
  ): Effect.Effect<void> {
    return Effect.gen({ self: this }, function*() {
      const { run } = progress
      if (settingsOf(memory).rateLimit !== null) memory.begun.push(run.startedAt)
      memory.underWay.push(progress)
      const usage = yield* this.code.use(memory, { invocations: 1, computeMs: 0 })
      const submission = yield* this.owner.commit(memory, [], { ...input.take(), ...usage, runs: [run], steps })
      submission.onEnd((exit) => {
        if (Exit.isFailure(exit)) this.noteUnbegun(input, run.id)
      })
      CrashPoint.reached("run-begun")
    })
  }

  /** Begins a run over the event of another, on the code of today, with what the steps before the one asked for gave then. */
  private beginAgain(memory: ProgramMemory, input: ProgramInput): Effect.Effect<void> {
    return Effect.gen({ self: this }, function*() {
      const { workflow } = memory.program
      const asked = yield* Effect.orDie(decodeRerun(input.eventJson))
      const workflowId = Id.WorkflowId.make(memory.program.id)
      const former = yield* untilAnswered(this.runs.get(workflowId, asked.run))
      const all = memory.component.steps ?? []
      const step = asked.step === null ? 0 : all.findIndex(({ name }) => name === asked.step)
      if (Option.isNone(former) || step < 0 || workflow === null) {
        const message = step < 0
          ? `the workflow no longer has the step ${JSON.stringify(asked.step)}`
          : `the run ${asked.run} no longer exists`
        yield* this.code.fail(memory, originOf(memory, input), { name: "NotRepeatable", message }, input.take())
        return
      }
      const id = yield* this.idOf(input)
      const { event, trigger } = former.value
      const before = new Set(all.slice(0, step).map(({ name }) => name))
      const done = (yield* untilAnswered(this.runs.stepsOf(asked.run)))
        .filter(({ name, result }) => result !== null && before.has(name))
        .map((record, index) => ({ ...record, runId: id, n: index + 1 }))
      const run = {
        id,
        workflowId,
        deploymentId: workflow.deploymentId,
        trigger: { ...trigger, rerunOf: asked.run },
        event,
        startedAt: yield* Clock.currentTimeMillis,
        ...beginning,
        step
      }
      yield* this.enter(memory, input, WorkflowProgress.make(run, done), done)
    })
  }
}
