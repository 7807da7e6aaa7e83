import type { Component } from "@headwater/domain/Component"
import * as Id from "@headwater/domain/Id"
import type { Program } from "@headwater/domain/Program"
import * as Timer from "@headwater/domain/Timer"
import { defaultSettings } from "@headwater/domain/Workflow"
import type { SandboxUnavailable } from "@headwater/sandbox/SandboxPool"
import { Clock, Context, Effect, Layer, Option, RcMap, type Schema, Semaphore } from "effect"
import { SecureRandom } from "effect/crypto"
import { type HookFailed } from "../ground/ActorCalls.ts"
import { EngineConfig } from "../ground/EngineConfig.ts"
import { toUnavailable, type Unavailable } from "../ground/Unavailable.ts"
import type { InvalidProps } from "./PropsChoice.ts"
import * as PropsChoice from "./PropsChoice.ts"
import { type QuotaExceeded, Quotas } from "./Quotas.ts"
import type { Trial } from "./Trial.ts"
import * as TrialInput from "./TrialInput.ts"
import { TrialRun } from "./TrialRun.ts"

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
      const { publicUrl } = yield* EngineConfig
      const services = yield* TrialRun.services
      const quotas = yield* Quotas
      const random = yield* SecureRandom.SecureRandom
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
        const exists = request.program !== undefined
        const run = yield* TrialRun.make(
          { component, program, exists, mayConnect, input, trigger, startedAt },
          services
        )
        yield* run.run
        const { changes, record } = run
        const inputJson = record.hasRoom(input.eventJson.length) ? input.eventJson : null
        const { known: _known, ...done } = record
        const timers = yield* timersOf(program, startedAt)
        return { ...done, trigger, inputJson, changes, timers } satisfies Trial
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
