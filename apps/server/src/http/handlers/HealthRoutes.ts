import * as Problem from "@headwater/api/Problem"
import { ActorCalls } from "@headwater/engine/ActorCalls"
import { Draining } from "@headwater/engine/Draining"
import { Accounts } from "@headwater/log/access/Accounts"
import { batchDeadlineMs, GroupCommit } from "@headwater/log/commit/GroupCommit"
import { Duration, Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { PrometheusMetrics } from "effect/observability"
import { Machine } from "../../workers/Machine.ts"
import { answerFailures } from "../conventions/FailureProblem.ts"
import { HttpSettings } from "../conventions/HttpSettings.ts"
import * as OwnHost from "../conventions/OwnHost.ts"
import { problemResponse } from "../conventions/ProblemResponse.ts"

const ok = HttpServerResponse.jsonUnsafe({ status: "ok" })

const okToLookAt = HttpServerResponse.jsonUnsafe({ status: "ok", work: "off" })

const databaseTimeout = Duration.seconds(2)

/**
 * `/healthz`: the process serves. `/readyz`: it also reaches its database, which takes what is to be written, has its share
 * of the actors, and is not about to end. `/metrics`: what it measures, for Prometheus. Of several workers any answers for
 * all of the machine.
 */
export const layer = Layer.mergeAll(
  HttpRouter.add("GET", "/healthz", ok),
  HttpRouter.use(Effect.fnUntraced(function*(router) {
    const machine = yield* Machine
    const ofOwnHost = yield* OwnHost.make
    const text = machine === undefined ? PrometheusMetrics.format() : machine.metrics
    yield* router.add(
      "GET",
      "/metrics",
      ofOwnHost(Effect.map(
        text,
        (metrics) => HttpServerResponse.text(metrics, { contentType: "text/plain; version=0.0.4; charset=utf-8" })
      ))
    )
  })),
  HttpRouter.use(Effect.fnUntraced(function*(router) {
    const accounts = yield* Accounts
    const actors = yield* ActorCalls
    const draining = yield* Draining
    const writer = yield* GroupCommit
    const machine = yield* Machine
    const { work = true } = yield* HttpSettings
    const ready = work ? ok : okToLookAt

    /** The reason why this process can't take work; undefined if it can. */
    const unready = Effect.gen(function*() {
      if (draining.isDraining()) return "The server is shutting down."
      if (!(yield* actors.hasShards)) return "The server has not joined the other nodes yet."
      const ageMs = writer.ageMs()
      if (ageMs >= batchDeadlineMs) {
        return `The database has not taken a batch of commits for ${Math.floor(ageMs / 1_000)} s.`
      }
      yield* answerFailures(accounts.count)
      return undefined
    }).pipe(
      Effect.timeoutOrElse({
        duration: databaseTimeout,
        orElse: () => Effect.succeed("The database does not answer.")
      }),
      Effect.catch(({ detail }) => Effect.succeed(detail))
    )
    machine?.answerUnready(unready)

    yield* router.add(
      "GET",
      "/readyz",
      Effect.flatMap(
        machine?.unready ?? unready,
        (why) => why === undefined ? Effect.succeed(ready) : problemResponse(Problem.unavailable(why, 1))
      )
    )
  }))
)
