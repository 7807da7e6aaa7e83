import { Context, Effect, type Scope } from "effect"
import { PrometheusMetrics } from "effect/observability"
import type { RateBuckets } from "../http/conventions/RateBuckets.ts"
import * as Correspondence from "./Correspondence.ts"
import type { OfSupervisor, OfWorker } from "./WorkerQuestions.ts"

/** A worker's link to the others of its machine, through their supervisor. */
export interface MachineLink {
  /** The metrics of all workers, in Prometheus's text format. */
  readonly metrics: Effect.Effect<string>
  /** The reason why the machine can't take work; undefined if it can. */
  readonly unready: Effect.Effect<string | undefined>
  readonly rateBuckets: RateBuckets["Service"]
  /** Sources and workflows that a crash of the machine left half-made or half-removed. */
  readonly abandoned: Effect.Effect<ReadonlyArray<string>>
  /** Sets the check by which this worker finds out whether it can take work; it answers as `unready` does. */
  readonly answerUnready: (unready: Effect.Effect<string | undefined>) => void
  /** Says that this worker serves. `published` ends when the server's own components are in the registry. */
  readonly serve: (published: Effect.Effect<void>) => Effect.Effect<void>
}

/** The machine that this worker is part of; undefined where the server is one process. */
export const Machine: Context.Reference<MachineLink | undefined> = Context.Reference("@headwater/server/Machine", {
  defaultValue: (): MachineLink | undefined => undefined
})

/** @param port to the supervisor */
export const link = (port: Correspondence.Port): Effect.Effect<MachineLink, never, Scope.Scope> =>
  Effect.gen(function*() {
    let unready: Effect.Effect<string | undefined> = Effect.succeed("A worker is starting.")
    let published: Effect.Effect<void> = Effect.void
    const context = yield* Effect.context<never>()
    const supervisor = yield* Correspondence.make<OfSupervisor, OfWorker>(port, {
      metrics: () => PrometheusMetrics.format(),
      unready: () => Effect.map(Effect.suspend(() => unready), (why) => why ?? null),
      published: () => Effect.as(Effect.suspend(() => published), null)
    })
    // Without its supervisor this process ends, and with it all that waits for an answer.
    const ask = <K extends keyof OfSupervisor & string>(question: K, given: OfSupervisor[K][0]) =>
      supervisor.ask(question, given).pipe(Effect.catch(() => Effect.never))
    return {
      metrics: ask("metrics", null),
      unready: Effect.map(ask("unready", null), (why) => why ?? undefined),
      rateBuckets: {
        takeRequest: (accountId) => Effect.map(ask("takeRequest", accountId), (excess) => excess ?? undefined),
        noteBytes: (accountId, bytes) => void Effect.runForkWith(context)(ask("noteBytes", { accountId, bytes }))
      },
      abandoned: ask("abandoned", null),
      answerUnready: (given) => {
        unready = given
      },
      serve: (done) =>
        Effect.suspend(() => {
          published = done
          return Effect.asVoid(ask("serving", null))
        })
    }
  })
