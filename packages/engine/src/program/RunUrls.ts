import * as EmitId from "@headwater/domain/EmitId"
import type { AccountId, ProgramId } from "@headwater/domain/Id"
import * as RunKey from "@headwater/domain/RunKey"
import { RunSecrets } from "@headwater/log/access/RunSecrets"
import { WorkflowRuns } from "@headwater/log/work/WorkflowRuns"
import { Effect, type Exit, Option } from "effect"
import { ActorCalls, type RequestError } from "../ground/ActorCalls.ts"
import { EngineLimits } from "../ground/EngineLimits.ts"
import { type HttpReply, RunKeyInvalid, RunTooLarge } from "../ground/HttpExchange.ts"

/** The workflow of a run that waits, found by a key of the run. */
export interface RunEndpoint {
  readonly programId: ProgramId
  readonly accountId: AccountId
  readonly runKey: RunKey.RunKey
}

/** Told once what became of a call. */
export type OnCalled = (exit: Exit.Exit<HttpReply, RequestError | RunKeyInvalid | RunTooLarge>) => void

const replyOf = (key: RunKey.RunKey, status: "resumed" | "cancelled"): HttpReply => ({
  status: 200,
  headers: { "content-type": "application/json" },
  body: new TextEncoder().encode(JSON.stringify({ run_id: key.run, status }))
})

/** The URLs by which runs that wait are had go on, or ended, by whoever was given one. */
export const make = Effect.gen(function*() {
  const actors = yield* ActorCalls
  const { resultsOfRun: limit } = yield* EngineLimits
  const runs = yield* WorkflowRuns
  const secrets = yield* RunSecrets
  const runFork = Effect.runForkWith(yield* Effect.context<never>())

  const call = ({ programId, runKey }: RunEndpoint, eventJson: string) => {
    const { action, n, path, run } = runKey
    const after = { n, ...(path === undefined ? {} : { path }) }
    if (action === "cancel") {
      return Effect.flatMap(actors.cancelRun(programId, run, after), (cancellation) =>
        cancellation === "cancelled"
          ? Effect.succeed(replyOf(runKey, "cancelled"))
          : Effect.fail(new RunKeyInvalid()))
    }
    // The id tells a call that is made again, since its answer was lost, from another one.
    const data = `{"id":${JSON.stringify(EmitId.make())},${eventJson.slice(1)}`
    return Effect.flatMap(actors.resumeRun(programId, { id: run, ...after, data }), (resumption) => {
      if (resumption === "resumed") return Effect.succeed(replyOf(runKey, "resumed"))
      return Effect.fail(resumption === "too_large" ? new RunTooLarge({ limit }) : new RunKeyInvalid())
    })
  }

  return {
    find: Effect.fnUntraced(function*(runKey: RunKey.RunKey) {
      const found = yield* runs.ownerOf(runKey.run)
      if (Option.isNone(found) || !RunKey.isOf(secrets.of(found.value.workflowId), runKey)) {
        return yield* new RunKeyInvalid()
      }
      const { accountId, workflowId } = found.value
      return { programId: workflowId, accountId, runKey } satisfies RunEndpoint as RunEndpoint
    }),
    /** Calls back once with the outcome. */
    call: (endpoint: RunEndpoint, eventJson: string, onCalled: OnCalled): void => {
      runFork(
        Effect.catchTag(call(endpoint, eventJson), "ProgramNotFound", () => Effect.fail(new RunKeyInvalid()))
      ).addObserver(onCalled)
    }
  }
})
