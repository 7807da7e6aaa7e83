import { type Component, interfaceTypes } from "@headwater/domain/Component"
import * as EmitId from "@headwater/domain/EmitId"
import * as Id from "@headwater/domain/Id"
import * as OwnMember from "@headwater/domain/OwnMember"
import { declaredProps, type Program } from "@headwater/domain/Program"
import { changed } from "@headwater/domain/RunFile"
import * as Stream from "@headwater/domain/Stream"
import * as Timer from "@headwater/domain/Timer"
import { Turns } from "@headwater/domain/Turns"
import { DedupeMarks } from "@headwater/log/logs/DedupeMarks"
import { ProgramState } from "@headwater/log/logs/ProgramState"
import { DataStoreEntries } from "@headwater/log/resources/DataStoreEntries"
import type { RunCall, RunRequest, RunResult, StepKeys } from "@headwater/sandbox/Run"
import { Sandbox } from "@headwater/sandbox/Sandbox"
import type { SandboxUnavailable } from "@headwater/sandbox/SandboxPool"
import { Clock, Effect, Option, type Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import type { SqlError } from "effect/sql"
import * as DueItems from "../ground/DueItems.ts"
import { endpointUrl, EngineConfig } from "../ground/EngineConfig.ts"
import { EngineLimits } from "../ground/EngineLimits.ts"
import * as OutgoingRequest from "../webhook/OutgoingRequest.ts"
import * as AttachedFiles from "./AttachedFiles.ts"
import { makeGivenOf, moduleOf } from "./ComponentRuns.ts"
import * as Dedupe from "./Dedupe.ts"
import type { ProgramInput } from "./ProgramInput.ts"
import { interfacesOf, limitsOf, valuesOf } from "./ProgramMemory.ts"
import * as RunEvents from "./RunEvents.ts"
import { outcomeOf, placeAfter, undone } from "./StepEnd.ts"
import { StoreRoom } from "./StoreRoom.ts"
import { type Trial, type TrialChange, TrialRecord } from "./Trial.ts"
import { TrialFiles } from "./TrialFiles.ts"
import * as TrialInput from "./TrialInput.ts"
import { TrialStores } from "./TrialStores.ts"
import { makeFind } from "./TriggeredWorkflows.ts"
import { callOf, isOfRun, runOver, WorkflowProgress } from "./WorkflowProgress.ts"

/** The code to try, and the input to try it over. */
export interface TrialRequest extends TrialInput.TrialSample {
  readonly accountId: Id.AccountId
  /** Saved or not. */
  readonly component: Component
  /** The program as which the code is tried: its props, its store and its emits count. Undefined for a new one. */
  readonly program: Program | undefined
  readonly configuredProps: Readonly<Record<string, Schema.Json>>
  /** True if the code's requests are made. */
  readonly mayConnect: boolean
  /** True if the code's changes of data stores are kept, and nothing else is. */
  readonly keepsStores?: boolean
}

/** After so many milliseconds no further step is begun: somebody waits. */
const longest = 300_000

/** The most times that a step is run again in a trial that asks for it. */
const mostReruns = 10

/** The keys of the run open nothing, as it never waits. */
const noSecret = "trial"

/** Times shown of each timer. */
const shownTimes = 3

const timesOf = ({ timers }: Program, now: number) =>
  Effect.forEach(Object.entries(timers), ([prop, timer]) =>
    Effect.gen(function*() {
      const dueAt: Array<number> = []
      for (let after = now; dueAt.length < shownTimes;) {
        after = yield* Effect.orDie(Timer.nextDue(timer, now, after))
        dueAt.push(after)
      }
      return { prop, dueAt }
    }))

const services = Effect.all({
  attachedFiles: AttachedFiles.make,
  config: EngineConfig,
  storeEntries: DataStoreEntries,
  storeRoom: StoreRoom,
  findWorkflows: makeFind,
  limits: EngineLimits,
  marks: DedupeMarks,
  newId: Effect.map(
    SecureRandom.SecureRandom,
    (random) => <K extends Id.Kind>(kind: K) => Effect.provideService(Id.make(kind), SecureRandom.SecureRandom, random)
  ),
  sandbox: Sandbox,
  givenOf: makeGivenOf,
  state: ProgramState,
  turns: Turns
})

interface Parts extends Effect.Success<typeof services> {
  readonly before: Readonly<Record<string, string>>
  readonly input: ProgramInput
  readonly request: TrialRequest
  /** The run of the code, but for its call and its store. */
  readonly run: Omit<RunRequest, "call" | "db">
  /** The program as it is tried. */
  readonly program: Program
  readonly startedAt: number
  readonly trigger: TrialInput.TrialTrigger
}

/**
 * One run of code as it would run, of which nothing is kept, or its changes of data stores alone:
 *
 *     input ─▶ execute ─▶ take ─▶ (the next step ─▶ …) ─▶ told
 *
 * - K1. The store, the marks and the results of steps are in the trial alone, so that what runs later in it sees them.
 * - K2. A hook or a step that fails leaves nothing but what it logged.
 */
export class TrialRun {
  /** The store as it is now. */
  private readonly db: Record<string, string>
  private readonly parts: Parts
  private readonly files: TrialFiles
  private readonly record = new TrialRecord()
  private readonly stores: TrialStores | undefined

  private constructor(parts: Parts) {
    this.parts = parts
    this.db = { ...parts.before }
    this.files = new TrialFiles(parts.limits.filesOfRuns.trial)
    const { request: { keepsStores }, run: { stores } } = parts
    this.stores = stores === undefined || keepsStores === true ? undefined : new TrialStores(stores.reads)
  }

  /** Has code run as a program, which may be a new one. */
  static readonly makeWith = Effect.map(
    services,
    (services) =>
      Effect.fnUntraced(function*(request: TrialRequest, program: Program, startedAt: number) {
        const { config, givenOf, state } = services
        const { accountId, component, mayConnect } = request
        const { input, trigger } = yield* TrialInput.make(request, component, program, config.publicUrl, startedAt)
        const declared = declaredProps(component, program)
        const hasStore = request.program !== undefined && declared.some(({ type }) => type === interfaceTypes.db)
        const props = valuesOf(program)
        return new TrialRun({
          ...services,
          before: hasStore ? yield* state.load(program.id) : {},
          input,
          program,
          request,
          run: {
            accountId,
            programId: program.id,
            module: moduleOf(component),
            additionalProps: Object.fromEntries(program.additionalProps.map((prop) => [prop.name, prop])),
            props,
            interfaces: interfacesOf(program, declared, config),
            ...yield* givenOf(program, declared, props, request.keepsStores !== true),
            limits: limitsOf(program),
            trial: { mayConnect }
          },
          startedAt,
          trigger
        })
      })
  )

  /** Runs the code, and tells what it did. */
  readonly toItsEnd: Effect.Effect<Trial, SandboxUnavailable | SqlError.SqlError> = Effect.gen(
    { self: this },
    function*() {
      const { input: { eventJson }, program, request: { component: { steps } }, startedAt, trigger } = this.parts
      yield* steps === null ? this.runSource : this.runSteps(steps)
      const { changes, record } = this
      const inputJson = record.hasRoom(eventJson.length) ? eventJson : null
      const { known: _known, ...done } = record
      return { ...done, trigger, inputJson, changes, timers: yield* timesOf(program, startedAt) }
    }
  )

  private readonly runSource = Effect.gen({ self: this }, function*() {
    const { input, trigger } = this.parts
    const isHook = TrialInput.isHook(trigger)
    const result = yield* this.execute(
      null,
      isHook
        ? { _tag: "Hook", hook: trigger }
        : { _tag: "Run", eventsJson: [input.eventJson], isRequest: trigger === "http" && input.isShaped !== true }
    )
    yield* this.take(
      null,
      isHook && result.outcome !== "success" ? { ...result, emits: [], db: {}, stores: [] } : result
    )
  })

  private runSteps(steps: NonNullable<Component["steps"]>) {
    return Effect.gen({ self: this }, function*() {
      const { input, newId, program, startedAt } = this.parts
      const runId = Id.RunId.make(yield* newId("run"))
      const deploymentId = program.workflow?.deploymentId ?? Id.DeploymentId.make(yield* newId("deployment"))
      const over = isOfRun(input) ? input : { ...input, kind: "EVENT" as const }
      const progress = new WorkflowProgress(runOver(program.id, deploymentId, over, runId, startedAt), {
        isTrial: true
      })
      while (progress.run.step < steps.length) {
        const step = steps[progress.run.step]!
        if ((yield* Clock.currentTimeMillis) - startedAt > longest) {
          const message = `a trial begins no further step after ${longest / 1_000} s`
          this.record.outcome = "limit"
          this.record.error = { name: "LimitExceeded", message, stack: "", step: step.name }
          return
        }
        if (!(yield* this.runStep(progress, steps))) return
      }
    })
  }

  /** Runs a step, and answers whether the run goes on. */
  private runStep(progress: WorkflowProgress, steps: NonNullable<Component["steps"]>) {
    return Effect.gen({ self: this }, function*() {
      const { files, keys, parts: { limits, program }, record } = this
      const { name } = steps[progress.run.step]!
      const attached = yield* this.parts.attachedFiles(
        program.accountId,
        program.workflow?.settings.attachments ?? {}
      )
      const filesOf = (progress: WorkflowProgress) => AttachedFiles.lendTo(files.of(progress), attached)
      const result = yield* this.execute(name, callOf(program, [progress], { steps, keys, filesOf }))
      const { cpuMs, wallMs } = result
      const known = yield* this.parts.findWorkflows(program.accountId, [result])
      const outcome = outcomeOf(result, progress, limits, known)
      if (outcome._tag === "Failed") {
        const failed = undone(result, outcome.fault)
        yield* this.take(name, failed)
        const nothing = { exportsJson: null, waitMs: null, isRerun: false }
        record.steps.push({ name, outcome: failed.outcome, wallMs, cpuMs, ...nothing })
        return false
      }
      yield* this.take(name, result)
      if (result.files !== undefined) progress.steps.files = changed(progress.steps.files, result.files)
      const { flow: { delay, exit, rerun, suspend }, resultJson } = outcome
      const { run } = progress
      const isRerun = exit === undefined && rerun !== undefined && run.tries < mostReruns
      record.steps.push({
        name,
        outcome: "success",
        wallMs,
        cpuMs,
        exportsJson: isRerun || !record.hasRoom(resultJson.length) ? null : resultJson,
        waitMs: exit === undefined ? rerun?.delay ?? suspend ?? delay ?? null : null,
        isRerun
      })
      if (exit !== undefined) {
        record.exitReason = exit
        return false
      }
      if (isRerun) {
        progress.run = { ...run, tries: run.tries + 1, rerunContext: JSON.stringify(rerun.context) }
        return true
      }
      progress.steps.note([{ name, result: resultJson }])
      progress.run = { ...run, step: placeAfter(run.step, outcome.flow), tries: 0, rerunContext: null }
      return true
    })
  }

  private get keys(): StepKeys {
    return { url: endpointUrl(this.parts.config.publicUrl, ""), secret: noSecret }
  }

  private execute(step: string | null, call: RunCall): Effect.Effect<RunResult, SandboxUnavailable> {
    const { db, parts: { run, sandbox }, record, stores } = this
    return Effect.map(
      sandbox.run({
        ...run,
        call,
        db,
        ...(run.stores === undefined || stores === undefined ? {} : { stores: { ids: run.stores.ids, reads: stores } }),
        onRespond: (response) =>
          Effect.sync(() => {
            if (record.hasRoom(response.body.length)) record.response ??= response
          })
      }),
      (result) => {
        record.wallMs += result.wallMs
        record.cpuMs += result.cpuMs
        for (const line of result.logs) record.show(record.logs, { ...line, step }, line.message)
        for (const made of result.traffic?.requests ?? []) record.show(record.requests, made, made.url, made.error)
        for (const made of result.traffic?.connections ?? []) record.show(record.connections, made, made.error)
        return result
      }
    )
  }

  /** Notes what would have been committed of a run. */
  private take(step: string | null, result: RunResult): Effect.Effect<void, SqlError.SqlError> {
    return Effect.gen({ self: this }, function*() {
      const { db, parts: { input, program, request: { accountId, component }, turns }, record } = this
      yield* this.readMarks(result)
      const origin = {
        accountId,
        programId: program.id,
        deploymentId: component.id,
        cellId: step ?? program.id,
        input
      }
      const made = yield* turns.work(
        accountId,
        RunEvents.make({
          origin,
          result,
          strategy: component.dedupe,
          known: record.known,
          streams: new Set(),
          now: yield* Clock.currentTimeMillis,
          emitId: EmitId.make
        })
      )
      record.duplicates += made.duplicates
      for (const event of made.events) this.show(step, event)
      const delayed = yield* DueItems.emitted(made.delayed)
      for (const [index, { meta, payload, stream }] of delayed.entries()) {
        const { dueAt } = made.delayed[index]!
        record.show(record.emits, { step, stream, payload, meta, dueAt }, payload, meta.summary)
      }
      for (const [key, value] of Object.entries(result.db)) {
        if (value === null) delete db[key]
        else OwnMember.set(db, key, value)
      }
      if (this.stores === undefined) yield* this.keep(step, result)
      else yield* this.stores.take(result.stores)
      const failure = RunEvents.failureOf(result)
      if (failure === undefined) return
      record.outcome = result.outcome
      record.error = { stack: "", ...failure, ...result.error, step }
    })
  }

  private keep(step: string | null, { stores }: RunResult): Effect.Effect<void, SqlError.SqlError> {
    return Effect.gen({ self: this }, function*() {
      const { request: { accountId }, storeEntries, storeRoom } = this.parts
      if (stores.length === 0) return
      yield* storeRoom.take(accountId, stores)
      yield* storeEntries.commit(stores, yield* Clock.currentTimeMillis)
    }).pipe(Effect.catchTags({
      DataStoresFull: ({ _tag, message }) => this.storedNothing(step, _tag, message),
      Fenced: () =>
        this.storedNothing(
          step,
          "DataStoreChanged",
          "another run has changed the value of a data store meanwhile, so nothing was stored"
        )
    }))
  }

  private storedNothing(step: string | null, name: string, message: string): Effect.Effect<void> {
    return Effect.sync(() => {
      this.record.outcome = "error"
      this.record.error = { name, message, stack: "", step }
    })
  }

  private show(step: string | null, { meta, payload, stream }: RunEvents.RunEvents["events"][number]): void {
    const { record } = this
    if (stream === Stream.logs) return
    if (stream === Stream.errors) {
      const { error } = JSON.parse(payload) as { readonly error: Readonly<Record<string, string>> }
      const { code = "Error", message = "", stack = "" } = error
      record.show(record.errors, { name: code, message, stack }, message, stack)
    } else if (stream === Stream.sends) {
      const sent = OutgoingRequest.parse(payload)
      if (Option.isSome(sent)) record.show(record.sends, sent.value, payload)
      else record.show(record.emits, { step, stream, payload, meta, dueAt: null }, payload)
    } else record.show(record.emits, { step, stream, payload, meta, dueAt: null }, payload, meta.summary)
  }

  private readMarks({ emits }: RunResult): Effect.Effect<void, SqlError.SqlError> {
    return Effect.gen({ self: this }, function*() {
      const { marks, program, request: { component: { dedupe }, program: existing } } = this.parts
      if (dedupe === null || existing === undefined) return
      const wanted = Dedupe.marksFor(dedupe, emits.map(({ id }) => id))
      for (const { mark, value } of yield* marks.known(program.id, wanted)) this.record.known.set(mark, value)
    })
  }

  private get changes(): ReadonlyArray<TrialChange> {
    const { db, parts: { before }, record } = this
    const valueIn = (store: Readonly<Record<string, string>>, key: string) => OwnMember.get(store, key) ?? null
    return [...new Set([...Object.keys(before), ...Object.keys(db)])].toSorted()
      .map((key) => ({ key, before: valueIn(before, key), after: valueIn(db, key) }))
      .filter((change) => change.before !== change.after)
      .filter(({ after, before }) => record.hasRoom((before?.length ?? 0) + (after?.length ?? 0)))
  }
}
