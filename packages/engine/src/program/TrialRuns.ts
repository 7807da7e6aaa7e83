import * as Id from "@headwater/domain/Id"
import type { Program } from "@headwater/domain/Program"
import { defaultSettings } from "@headwater/domain/Workflow"
import type { SandboxUnavailable } from "@headwater/sandbox/SandboxPool"
import { Clock, Context, Effect, Layer, Option, RcMap, Semaphore } from "effect"
import { SecureRandom } from "effect/crypto"
import type { HookFailed } from "../ground/ActorCalls.ts"
import { toUnavailable, type Unavailable } from "../ground/Unavailable.ts"
import type { InvalidProps } from "./PropsChoice.ts"
import * as PropsChoice from "./PropsChoice.ts"
import { type QuotaExceeded, Quotas } from "./Quotas.ts"
import type { Trial } from "./Trial.ts"
import type { TrialRefused } from "./TrialInput.ts"
import { type TrialRequest, TrialRun } from "./TrialRun.ts"

export type { Trial, TrialChange } from "./Trial.ts"
export type { TrialTrigger } from "./TrialInput.ts"
export type { TrialRequest } from "./TrialRun.ts"

/** Trials of an account at a time on a node: of the processes that do one thing only, its deployments need some too. */
const mostAtOnce = 2

/** Gives the program with its code and props as they are to be tried, in the place of one that there is, or as a new one. */
const makeProgramOf = Effect.gen(function*() {
  const choose = yield* PropsChoice.make
  const random = yield* SecureRandom.SecureRandom
  const newId = <K extends Id.Kind>(kind: K) => Effect.provideService(Id.make(kind), SecureRandom.SecureRandom, random)

  return Effect.fnUntraced(function*({ accountId, component, configuredProps, mayConnect, program }: TrialRequest) {
    const isAsDeployed = program?.componentId === component.id && Object.keys(configuredProps).length === 0
    if (isAsDeployed) return program
    const { additionalProps, hasEndpoint, props, timers } = yield* choose(
      accountId,
      component,
      configuredProps,
      program,
      { trial: { mayConnect } }
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
      projectId: null,
      emitFrom: null,
      shadow: false,
      createdAt: 0,
      updatedAt: 0
    }
    const endpointKey = hasEndpoint ? fresh.endpointKey ?? component.id : null
    return { ...fresh, componentId: component.id, additionalProps, props, timers, endpointKey } satisfies Program
  })
})

/**
 * Runs code once as it would run, and keeps nothing of what it did: no event, no mark, no cursor, and changes of data stores
 * only if that is asked for.
 */
export class TrialRuns extends Context.Service<TrialRuns, {
  readonly run: (
    request: TrialRequest
  ) => Effect.Effect<Trial, HookFailed | InvalidProps | QuotaExceeded | SandboxUnavailable | TrialRefused | Unavailable>
}>()("@headwater/engine/program/TrialRuns") {
  static readonly layer = Layer.effect(
    TrialRuns,
    Effect.gen(function*() {
      const programOf = yield* makeProgramOf
      const makeTrial = yield* TrialRun.makeWith
      const quotas = yield* Quotas
      const places = yield* RcMap.make({ lookup: (_account: string) => Semaphore.make(mostAtOnce) })

      const tryOut = Effect.fnUntraced(function*(request: TrialRequest) {
        const exceeded = yield* quotas.exceeded(request.accountId, yield* Clock.Clock)
        if (Option.isSome(exceeded)) return yield* exceeded.value
        const startedAt = yield* Clock.currentTimeMillis
        const trial = yield* makeTrial(request, yield* programOf(request), startedAt)
        return yield* trial.toItsEnd
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
