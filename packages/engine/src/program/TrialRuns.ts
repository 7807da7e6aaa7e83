import { type Component, interfaceTypes } from "@headwater/domain/Component"
import * as EmitId from "@headwater/domain/EmitId"
import * as Id from "@headwater/domain/Id"
import * as OwnMember from "@headwater/domain/OwnMember"
import { declaredProps, type Program } from "@headwater/domain/Program"
import * as Stream from "@headwater/domain/Stream"
import * as Timer from "@headwater/domain/Timer"
import { Turns } from "@headwater/domain/Turns"
import { defaultSettings } from "@headwater/domain/Workflow"
import { DedupeMarks } from "@headwater/log/logs/DedupeMarks"
import { ProgramState } from "@headwater/log/logs/ProgramState"
import type { RunTrigger } from "@headwater/log/work/WorkflowRuns"
import type { RunCall, RunResult } from "@headwater/sandbox/Run"
import { Sandbox } from "@headwater/sandbox/Sandbox"
import type { SandboxUnavailable } from "@headwater/sandbox/SandboxPool"
import { Clock, Context, Effect, Layer, Option, RcMap, type Schema, Semaphore } from "effect"
import { SecureRandom } from "effect/crypto"
import { type HookFailed } from "../ground/ActorCalls.ts"
import * as DueItems from "../ground/DueItems.ts"
import { EngineConfig } from "../ground/EngineConfig.ts"
import { EngineLimits } from "../ground/EngineLimits.ts"
import { toUnavailable, type Unavailable } from "../ground/Unavailable.ts"
import * as OutgoingRequest from "../webhook/OutgoingRequest.ts"
import { makeSecretsOf, moduleOf } from "./ComponentRuns.ts"
import * as Dedupe from "./Dedupe.ts"
import type { ProgramInput } from "./ProgramInput.ts"
import { interfacesOf, valuesOf } from "./ProgramMemory.ts"
import type { InvalidProps } from "./PropsChoice.ts"
import * as PropsChoice from "./PropsChoice.ts"
import { type QuotaExceeded, Quotas } from "./Quotas.ts"
import * as RunEvents from "./RunEvents.ts"
import { outcomeOf, undone } from "./RunTurn.ts"
import { type Trial, TrialRecord } from "./Trial.ts"
import * as TrialInput from "./TrialInput.ts"
import * as WorkflowProgress from "./WorkflowProgress.ts"

export type { Trial, TrialChange } from "./Trial.ts"
export type { TrialTrigger } from "./TrialInput.ts"

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
}

/** Trials of an account at a time on a node: of the processes that do one thing only, its deployments need some too. */
const mostAtOnce = 2

/** After so many milliseconds no further step is begun: somebody waits. */
const longest = 300_000

/** The most times that a step is run again in a trial that asks for it. */
const mostReruns = 10

/** Times shown of each timer. */
const shownTimes = 3

/** Runs code once as it would run, and keeps nothing of what it did: no event, no change of a store, no mark, no cursor. */
export class TrialRuns extends Context.Service<TrialRuns, {
  readonly run: (
    request: TrialRequest
  ) => Effect.Effect<
    Trial,
    HookFailed | InvalidProps | QuotaExceeded | SandboxUnavailable | TrialInput.TrialRefused | Unavailable
  >
}>()("@headwater/engine/program/TrialRuns") {
  static readonly layer = Layer.effect(
    TrialRuns,
    Effect.gen(function*() {
      const choose = yield* PropsChoice.make
      const secretsOf = yield* makeSecretsOf
      const { publicUrl } = yield* EngineConfig
      const limits = yield* EngineLimits
      const marks = yield* DedupeMarks
      const quotas = yield* Quotas
      const random = yield* SecureRandom.SecureRandom
      const sandbox = yield* Sandbox
      const state = yield* ProgramState
      const turns = yield* Turns
      const places = yield* RcMap.make({ lookup: (_account: string) => Semaphore.make(mostAtOnce) })

      const newId = <K extends Id.Kind>(kind: K) =>
        Effect.provideService(Id.make(kind), SecureRandom.SecureRandom, random)

      /** The program with its code and props as they are to be tried, in the place of one that there is, or as a new one. */
      const programOf = Effect.fnUntraced(function*(
        { accountId, component, configuredProps, mayConnect, program }: TrialRequest
      ) {
        const isAsDeployed = program?.componentId === component.id && Object.keys(configuredProps).length === 0
        if (isAsDeployed) return program
        const { additionalProps, hasHttp, props, timers } = yield* choose(
          accountId,
          component,
          configuredProps,
          program,
          { mayConnect }
        )
        const isWorkflow = component.steps !== null
        const fresh: Omit<Program, "additionalProps" | "props" | "timers"> = program ?? {
          id: isWorkflow
            ? Id.WorkflowId.make(yield* newId("workflow"))
            : Id.SourceId.make(yield* newId("source")),
          accountId,
          componentId: component.id,
          name: component.name,
          nameSlug: "",
          active: true,
          state: "ready",
          endpointKey: null,
          workflow: isWorkflow
            ? { deploymentId: Id.DeploymentId.make(yield* newId("deployment")), settings: defaultSettings }
            : null,
          createdAt: 0,
          updatedAt: 0
        }
        const endpointKey = hasHttp ? fresh.endpointKey ?? component.id : null
        return { ...fresh, componentId: component.id, additionalProps, props, timers, endpointKey } satisfies Program
      })

      const timersOf = ({ timers }: Program, now: number) =>
        Effect.forEach(Object.entries(timers), ([prop, timer]) =>
          Effect.gen(function*() {
            const dueAt: Array<number> = []
            for (let after = now; dueAt.length < shownTimes;) {
              after = yield* Effect.orDie(Timer.nextDue(timer, now, after))
              dueAt.push(after)
            }
            return { prop, dueAt }
          }))

      const tryOut = Effect.fnUntraced(function*(request: TrialRequest) {
        const { accountId, component, mayConnect } = request
        const exceeded = yield* quotas.exceeded(accountId, yield* Clock.Clock)
        if (Option.isSome(exceeded)) return yield* exceeded.value
        const startedAt = yield* Clock.currentTimeMillis
        const program = yield* programOf(request)
        const { input, trigger } = yield* TrialInput.make(request, component, program, publicUrl, startedAt)
        const declared = declaredProps(component, program)
        const hasStore = request.program !== undefined && declared.some(({ type }) => type === interfaceTypes.db)
        const before = hasStore ? yield* state.load(program.id) : {}
        const db = { ...before }
        const values = valuesOf(program)
        const secrets = yield* secretsOf(program, declared, values)
        const interfaces = interfacesOf(program, declared, publicUrl)
        const record = new TrialRecord()

        const execute = Effect.fnUntraced(function*(step: string | null, call: RunCall) {
          const result = yield* sandbox.run({
            accountId,
            programId: program.id,
            module: moduleOf(component),
            call,
            additionalProps: Object.fromEntries(program.additionalProps.map((prop) => [prop.name, prop])),
            props: values,
            interfaces,
            ...secrets,
            db,
            trial: { mayConnect },
            onRespond: (response) =>
              Effect.sync(() => {
                if (record.hasRoom(response.body.length)) record.response ??= response
              })
          })
          record.wallMs += result.wallMs
          record.cpuMs += result.cpuMs
          for (const line of result.logs) record.show(record.logs, { ...line, step }, line.message)
          for (const made of result.traffic?.requests ?? []) record.show(record.requests, made, made.url, made.error)
          for (const made of result.traffic?.connections ?? []) record.show(record.connections, made, made.error)
          return result
        })

        const knownMarks = Effect.fnUntraced(function*({ emits }: RunResult) {
          const { dedupe } = component
          if (dedupe === null || request.program === undefined) return
          const wanted = Dedupe.marksFor(dedupe, emits.map(({ id }) => id))
          for (const { mark, value } of yield* marks.known(program.id, wanted)) record.known.set(mark, value)
        })

        /** The parts that would have been committed of a run. */
        const take = Effect.fnUntraced(function*(step: string | null, result: RunResult) {
          yield* knownMarks(result)
          const now = yield* Clock.currentTimeMillis
          const made = yield* turns.work(
            accountId,
            RunEvents.make({
              origin: {
                accountId,
                programId: program.id,
                deploymentId: component.id,
                cellId: step ?? program.id,
                input
              },
              result,
              strategy: component.dedupe,
              known: record.known,
              streams: new Set(),
              now,
              emitId: EmitId.make
            })
          )
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

        const runSource = Effect.gen(function*() {
          const call: RunCall = TrialInput.isHook(trigger)
            ? { _tag: "Hook", hook: trigger }
            : { _tag: "Run", eventsJson: [input.eventJson], isRequest: trigger === "http" }
          const result = yield* execute(null, call)
          // A hook that fails leaves nothing.
          const isUndone = TrialInput.isHook(trigger) && result.outcome !== "success"
          yield* take(null, isUndone ? { ...result, emits: [], db: {} } : result)
        })

        const runWorkflow = Effect.fnUntraced(function*(steps: NonNullable<Component["steps"]>) {
          const runId = Id.RunId.make(yield* newId("run"))
          const progress = WorkflowProgress.make({
            id: runId,
            workflowId: Id.WorkflowId.make(program.id),
            deploymentId: program.workflow?.deploymentId ?? Id.DeploymentId.make(yield* newId("deployment")),
            trigger: triggerOf(program, input),
            event: input.eventJson,
            startedAt,
            status: "running",
            step: 0,
            tries: 0,
            failures: 0,
            rerunContext: null,
            dueAt: null,
            error: null,
            exitReason: null,
            endedAt: null
          }, [])
          while (progress.run.step < steps.length) {
            const { name } = steps[progress.run.step]!
            if ((yield* Clock.currentTimeMillis) - startedAt > longest) {
              const message = `a trial begins no further step after ${longest / 1_000} s`
              record.outcome = "limit"
              record.error = { name: "LimitExceeded", message, stack: "", step: name }
              return
            }
            const result = yield* execute(name, WorkflowProgress.callOf(program, [progress], name))
            const outcome = outcomeOf(result, progress, limits.resultsOfRun)
            const { cpuMs, wallMs } = result
            if (outcome._tag === "Failed") {
              const failed = undone(result, outcome.fault)
              yield* take(name, failed)
              record.steps.push({
                name,
                outcome: failed.outcome,
                wallMs,
                cpuMs,
                exportsJson: null,
                waitMs: null,
                isRerun: false
              })
              return
            }
            yield* take(name, result)
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

        yield* component.steps === null ? runSource : runWorkflow(component.steps)

        const keys = [...new Set([...Object.keys(before), ...Object.keys(db)])].toSorted()
        const valueIn = (store: Readonly<Record<string, string>>, key: string) => OwnMember.get(store, key) ?? null
        const changes = keys
          .map((key) => ({ key, before: valueIn(before, key), after: valueIn(db, key) }))
          .filter((change) => change.before !== change.after)
          .filter(({ after, before }) => record.hasRoom((before?.length ?? 0) + (after?.length ?? 0)))
        const inputJson = record.hasRoom(input.eventJson.length) ? input.eventJson : null
        const { known: _known, ...done } = record
        const trial: Trial = {
          ...done,
          trigger,
          inputJson,
          changes,
          timers: yield* timersOf(program, startedAt)
        }
        return trial
      })

      return TrialRuns.of({
        run: (request) =>
          Effect.scoped(Effect.flatMap(
            RcMap.get(places, request.accountId),
            (place) => place.withPermits(1)(tryOut(request))
          )).pipe(Effect.catchTag("SqlError", toUnavailable))
      })
    })
  )
}

const triggerOf = ({ id }: Program, input: ProgramInput): RunTrigger => ({
  kind: input.kind === "HOOK" || input.kind === "RERUN" ? "EVENT" : input.kind,
  id: input.id,
  at: input.at,
  hops: input.hops,
  emitterId: input.from?.emitterId ?? id,
  stream: input.from?.stream ?? Stream.requests
})
