import { type Component, interfaceTypes } from "@headwater/domain/Component"
import * as EmitId from "@headwater/domain/EmitId"
import * as Id from "@headwater/domain/Id"
import * as OwnMember from "@headwater/domain/OwnMember"
import { declaredProps, type Program } from "@headwater/domain/Program"
import * as Stream from "@headwater/domain/Stream"
import { Turns } from "@headwater/domain/Turns"
import { DedupeMarks } from "@headwater/log/logs/DedupeMarks"
import { ProgramState } from "@headwater/log/logs/ProgramState"
import type { RunTrigger } from "@headwater/log/work/WorkflowRuns"
import type { RunCall, RunRequest, RunResult } from "@headwater/sandbox/Run"
import { Sandbox } from "@headwater/sandbox/Sandbox"
import type { SandboxUnavailable } from "@headwater/sandbox/SandboxPool"
import { Clock, Effect, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import type { SqlError } from "effect/sql"
import * as DueItems from "../ground/DueItems.ts"
import { EngineConfig } from "../ground/EngineConfig.ts"
import { EngineLimits } from "../ground/EngineLimits.ts"
import * as OutgoingRequest from "../webhook/OutgoingRequest.ts"
import { makeSecretsOf, moduleOf } from "./ComponentRuns.ts"
import * as Dedupe from "./Dedupe.ts"
import type { ProgramInput } from "./ProgramInput.ts"
import { interfacesOf, valuesOf } from "./ProgramMemory.ts"
import * as RunEvents from "./RunEvents.ts"
import { beginning, outcomeOf, undone } from "./RunTurn.ts"
import { type TrialChange, TrialRecord } from "./Trial.ts"
import * as TrialInput from "./TrialInput.ts"
import * as WorkflowProgress from "./WorkflowProgress.ts"

/** After so many milliseconds no further step is begun: somebody waits. */
const longest = 300_000

/** The most times that a step is run again in a trial that asks for it. */
const mostReruns = 10

/** The code to try, and the program as which it is tried. */
export interface Tried {
  readonly component: Component
  readonly program: Program
  /** True if the program is there: its store and the marks of what it emitted count. */
  readonly exists: boolean
  /** True if the code's requests are made. */
  readonly mayConnect: boolean
  readonly input: ProgramInput
  readonly trigger: TrialInput.TrialTrigger
  /** Unix milliseconds. */
  readonly startedAt: number
}

const services = Effect.all({
  config: EngineConfig,
  limits: EngineLimits,
  marks: DedupeMarks,
  random: SecureRandom.SecureRandom,
  sandbox: Sandbox,
  secretsOf: makeSecretsOf,
  state: ProgramState,
  turns: Turns
})

const triggerOf = ({ id }: Program, input: ProgramInput): RunTrigger => ({
  kind: input.kind === "HOOK" || input.kind === "RERUN" ? "EVENT" : input.kind,
  id: input.id,
  at: input.at,
  hops: input.hops,
  emitterId: input.from?.emitterId ?? id,
  stream: input.from?.stream ?? Stream.requests
})

/** One run of code that keeps nothing: what it did is in its record alone. */
export class TrialRun {
  readonly record = new TrialRecord()
  private readonly tried: Tried
  private readonly services: Effect.Success<typeof services>
  /** The store as it was, and as the runs so far have changed it. */
  private readonly before: Readonly<Record<string, string>>
  private readonly db: Record<string, string>
  private readonly request: Omit<RunRequest, "call">

  private constructor(
    tried: Tried,
    given: Effect.Success<typeof services>,
    before: Readonly<Record<string, string>>,
    request: Omit<RunRequest, "call" | "db">
  ) {
    this.tried = tried
    this.services = given
    this.before = before
    this.db = { ...before }
    this.request = { ...request, db: this.db }
  }

  static readonly services = services

  static readonly make = Effect.fnUntraced(function*(tried: Tried, given: Effect.Success<typeof services>) {
    const { component, exists, mayConnect, program } = tried
    const declared = declaredProps(component, program)
    const hasStore = exists && declared.some(({ type }) => type === interfaceTypes.db)
    const props = valuesOf(program)
    return new TrialRun(tried, given, hasStore ? yield* given.state.load(program.id) : {}, {
      accountId: program.accountId,
      programId: program.id,
      module: moduleOf(component),
      additionalProps: Object.fromEntries(program.additionalProps.map((prop) => [prop.name, prop])),
      props,
      interfaces: interfacesOf(program, declared, given.config.publicUrl),
      ...yield* given.secretsOf(program, declared, props),
      trial: { mayConnect }
    })
  })

  /** Runs all of it: a source over its input, a workflow from step to step. */
  get run(): Effect.Effect<void, SandboxUnavailable | SqlError.SqlError> {
    const { steps } = this.tried.component
    return steps === null ? this.runSource : this.runWorkflow(steps)
  }

  /** The changes to the store that were to be made. */
  get changes(): ReadonlyArray<TrialChange> {
    const keys = [...new Set([...Object.keys(this.before), ...Object.keys(this.db)])].toSorted()
    const valueIn = (store: Readonly<Record<string, string>>, key: string) => OwnMember.get(store, key) ?? null
    return keys
      .map((key) => ({ key, before: valueIn(this.before, key), after: valueIn(this.db, key) }))
      .filter((change) => change.before !== change.after)
      .filter(({ after, before }) => this.record.hasRoom((before?.length ?? 0) + (after?.length ?? 0)))
  }

  private readonly runSource = Effect.gen({ self: this }, function*() {
    const { input, trigger } = this.tried
    const call: RunCall = TrialInput.isHook(trigger)
      ? { _tag: "Hook", hook: trigger }
      : { _tag: "Run", eventsJson: [input.eventJson], isRequest: trigger === "http" }
    const result = yield* this.execute(null, call)
    // A hook that fails leaves nothing.
    const isUndone = TrialInput.isHook(trigger) && result.outcome !== "success"
    yield* this.take(null, isUndone ? { ...result, emits: [], db: {} } : result)
  })

  private runWorkflow(steps: NonNullable<Component["steps"]>) {
    return Effect.gen({ self: this }, function*() {
      const { record } = this
      const { program, startedAt } = this.tried
      const progress = yield* this.begin
      while (progress.run.step < steps.length) {
        const { name } = steps[progress.run.step]!
        if ((yield* Clock.currentTimeMillis) - startedAt > longest) {
          const message = `a trial begins no further step after ${longest / 1_000} s`
          record.outcome = "limit"
          record.error = { name: "LimitExceeded", message, stack: "", step: name }
          return
        }
        const result = yield* this.execute(name, WorkflowProgress.callOf(program, [progress], name))
        const outcome = outcomeOf(result, progress, this.services.limits.resultsOfRun)
        const { cpuMs, wallMs } = result
        if (outcome._tag === "Failed") {
          const failed = undone(result, outcome.fault)
          yield* this.take(name, failed)
          const nothing = { exportsJson: null, waitMs: null, isRerun: false }
          record.steps.push({ name, outcome: failed.outcome, wallMs, cpuMs, ...nothing })
          return
        }
        yield* this.take(name, result)
        const { delay, exit, rerun } = outcome.flow
        const isRerun = exit === undefined && rerun !== undefined && progress.run.tries < mostReruns
        record.steps.push({
          name,
          outcome: "success",
          wallMs,
          cpuMs,
          exportsJson: isRerun || !record.hasRoom(outcome.resultJson.length) ? null : outcome.resultJson,
          waitMs: exit === undefined ? rerun?.delay ?? delay ?? null : null,
          isRerun
        })
        if (exit !== undefined) {
          record.exitReason = exit
          return
        }
        if (isRerun) {
          const { tries } = progress.run
          progress.run = { ...progress.run, tries: tries + 1, rerunContext: JSON.stringify(rerun.context) }
          continue
        }
        WorkflowProgress.noteResult(progress, name, outcome.resultJson)
        progress.run = { ...progress.run, step: progress.run.step + 1, tries: 0, rerunContext: null }
      }
    })
  }

  private readonly begin = Effect.gen({ self: this }, function*() {
    const { input, program, startedAt } = this.tried
    const newId = <K extends Id.Kind>(kind: K) =>
      Effect.provideService(Id.make(kind), SecureRandom.SecureRandom, this.services.random)
    const run = {
      id: Id.RunId.make(yield* newId("run")),
      workflowId: Id.WorkflowId.make(program.id),
      deploymentId: program.workflow?.deploymentId ?? Id.DeploymentId.make(yield* newId("deployment")),
      trigger: triggerOf(program, input),
      event: input.eventJson,
      startedAt,
      ...beginning,
      step: 0
    }
    return WorkflowProgress.make(run, [], true)
  })

  private execute(step: string | null, call: RunCall): Effect.Effect<RunResult, SandboxUnavailable> {
    const { record } = this
    const onRespond: RunRequest["onRespond"] = (response) =>
      Effect.sync(() => {
        if (record.hasRoom(response.body.length)) record.response ??= response
      })
    return Effect.map(this.services.sandbox.run({ ...this.request, call, onRespond }), (result) => {
      record.wallMs += result.wallMs
      record.cpuMs += result.cpuMs
      for (const line of result.logs) record.show(record.logs, { ...line, step }, line.message)
      for (const made of result.traffic?.requests ?? []) record.show(record.requests, made, made.url, made.error)
      for (const made of result.traffic?.connections ?? []) record.show(record.connections, made, made.error)
      return result
    })
  }

  /** Records the parts that would have been committed of a run. */
  private take(step: string | null, result: RunResult): Effect.Effect<void, SqlError.SqlError> {
    return Effect.gen({ self: this }, function*() {
      const { db, record } = this
      yield* this.readMarks(result)
      const made = yield* this.eventsOf(step, result)
      record.duplicates += made.duplicates
      for (const { meta, payload, stream } of made.events) {
        if (stream === Stream.logs) continue
        if (stream === Stream.errors) {
          const { error } = JSON.parse(payload) as { readonly error: Readonly<Record<string, string>> }
          const { code = "Error", message = "", stack = "" } = error
          record.show(record.errors, { name: code, message, stack }, message, stack)
        } else if (stream === Stream.sends) {
          const sent = OutgoingRequest.parse(payload)
          if (Option.isSome(sent)) record.show(record.sends, sent.value, payload)
        } else record.show(record.emits, { step, stream, payload, meta, dueAt: null }, payload, meta.summary)
      }
      const delayed = yield* DueItems.emitted(made.delayed)
      for (const [index, { meta, payload, stream }] of delayed.entries()) {
        const { dueAt } = made.delayed[index]!
        record.show(record.emits, { step, stream, payload, meta, dueAt }, payload, meta.summary)
      }
      for (const [key, value] of Object.entries(result.db)) {
        if (value === null) delete db[key]
        else OwnMember.set(db, key, value)
      }
      const failure = RunEvents.failureOf(result)
      if (failure === undefined) return
      record.outcome = result.outcome
      record.error = { stack: "", ...failure, ...result.error, step }
    })
  }

  private eventsOf(step: string | null, result: RunResult) {
    const { component, input, program } = this.tried
    const origin = {
      accountId: program.accountId,
      programId: program.id,
      deploymentId: component.id,
      cellId: step ?? program.id,
      input
    }
    return Effect.flatMap(Clock.currentTimeMillis, (now) =>
      this.services.turns.work(
        program.accountId,
        RunEvents.make({
          origin,
          result,
          strategy: component.dedupe,
          known: this.record.known,
          streams: new Set(),
          now,
          emitId: EmitId.make
        })
      ))
  }

  private readMarks({ emits }: RunResult): Effect.Effect<void, SqlError.SqlError> {
    const { component: { dedupe }, exists, program } = this.tried
    if (dedupe === null || !exists) return Effect.void
    const wanted = Dedupe.marksFor(dedupe, emits.map(({ id }) => id))
    return Effect.map(this.services.marks.known(program.id, wanted), (known) => {
      for (const { mark, value } of known) this.record.known.set(mark, value)
    })
  }
}
