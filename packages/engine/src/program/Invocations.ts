import * as Id from "@headwater/domain/Id"
import type { Program } from "@headwater/domain/Program"
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import {
  ActorCalls,
  answerTo,
  type Cancellation,
  type IngestRequest,
  type ProgramNotFound,
  type Resumption
} from "../ground/ActorCalls.ts"
import type { BacklogFull, EndpointNotFound } from "../ground/HttpExchange.ts"
import { toUnavailable, type Unavailable } from "../ground/Unavailable.ts"
import { type QuotaExceeded, Quotas } from "./Quotas.ts"
import { Rerun } from "./StepRuns.ts"

export { EngineLimits } from "../ground/EngineLimits.ts"
export type { QuotaExceeded } from "./Quotas.ts"
export { Rerun } from "./StepRuns.ts"

/** The reasons for which a run does not begin. */
export type InvocationRefused = BacklogFull | EndpointNotFound | QuotaExceeded | Unavailable

const encodeRerun = Schema.encodeEffect(Schema.fromJsonString(Rerun))

/** Has workflows run for those who ask over the API: durable when it is answered, with the id that the run will have. */
export class Invocations extends Context.Service<Invocations, {
  /** @param event JSON text */
  readonly invoke: (workflow: Program, event: string) => Effect.Effect<Id.RunId, InvocationRefused>
  /** Repeats a run from a step on, or the whole of it. */
  readonly rerun: (workflow: Program, rerun: Rerun) => Effect.Effect<Id.RunId, InvocationRefused>
  /** Runs another event in the place of a run's. */
  readonly rerunWith: (workflow: Program, run: Id.RunId, event: string) => Effect.Effect<Id.RunId, InvocationRefused>
  /** Ends a run that has begun and not ended, for good, wherever it is. */
  readonly cancel: (
    workflow: Program,
    run: Id.RunId
  ) => Effect.Effect<Cancellation, ProgramNotFound | Unavailable>
  /** Has a run that waits go on, with JSON text that its steps see. */
  readonly resume: (
    workflow: Program,
    run: Id.RunId,
    data: string | null
  ) => Effect.Effect<Resumption, ProgramNotFound | Unavailable>
}>()("@headwater/engine/program/Invocations") {
  static readonly layer = Layer.effect(
    Invocations,
    Effect.gen(function*() {
      const actors = yield* ActorCalls
      const quotas = yield* Quotas
      const random = yield* SecureRandom.SecureRandom

      const ask = Effect.fnUntraced(function*(
        workflow: Program,
        given: Pick<IngestRequest, "kind" | "payload" | "rerunOf">
      ) {
        const exceeded = yield* quotas.exceeded(workflow.accountId, yield* Clock.Clock)
        if (Option.isSome(exceeded)) return yield* exceeded.value
        const id = Id.RunId.make(yield* Effect.provideService(Id.make("run"), SecureRandom.SecureRandom, random))
        const request = { ...given, endpointKey: null, emitId: id, hops: 0 }
        yield* answerTo((onAnswered) => actors.ingest(workflow.id, request, onAnswered)).pipe(
          // Only who comes through an endpoint waits for an answer of the code, or is asked for a token.
          Effect.catchTags({ NotAnswered: Effect.die, TokenRefused: Effect.die })
        )
        return id
      }, Effect.catchTag("SqlError", toUnavailable))

      return Invocations.of({
        invoke: (workflow, payload) => ask(workflow, { kind: "invocation", payload }),
        cancel: (workflow, run) => actors.cancelRun(workflow.id, run),
        resume: (workflow, id, data) => actors.resumeRun(workflow.id, { id, n: null, data }),
        rerun: (workflow, rerun) =>
          Effect.flatMap(Effect.orDie(encodeRerun(rerun)), (payload) => ask(workflow, { kind: "rerun", payload })),
        rerunWith: (workflow, rerunOf, payload) => ask(workflow, { kind: "invocation", payload, rerunOf })
      })
    })
  )
}
