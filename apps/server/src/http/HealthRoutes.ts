import * as Problem from "@headwater/api/Problem"
import { Actors } from "@headwater/engine/placement/Actors"
import { Draining } from "@headwater/engine/placement/Draining"
import { Accounts } from "@headwater/log/Accounts"
import { batchDeadlineMs, GroupCommit } from "@headwater/log/GroupCommit"
import { Duration, Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { PrometheusMetrics } from "effect/observability"
import { answerFailures } from "./FailureProblem.ts"
import { problemResponse } from "./ProblemResponse.ts"

const ok = HttpServerResponse.jsonUnsafe({ status: "ok" })

const databaseTimeout = Duration.seconds(2)

/**
 * `/healthz`: the process serves. `/readyz`: it also reaches its database, which takes what is to be written, has its share
 * of the actors, and is not about to end. `/metrics`: what it measures, for Prometheus.
 */
export const layer = Layer.mergeAll(
  HttpRouter.add("GET", "/healthz", ok),
  PrometheusMetrics.layerHttp(),
  HttpRouter.use(Effect.fnUntraced(function*(router) {
    const accounts = yield* Accounts
    const actors = yield* Actors
    const draining = yield* Draining
    const writer = yield* GroupCommit
    const ready = Effect.gen(function*() {
      if (draining.isDraining()) return yield* Problem.unavailable("The server is shutting down.", 1)
      if (!(yield* actors.hasShards)) {
        return yield* Problem.unavailable("The server has not joined the other nodes yet.", 1)
      }
      const ageMs = writer.ageMs()
      if (ageMs >= batchDeadlineMs) {
        const seconds = Math.floor(ageMs / 1_000)
        return yield* Problem.unavailable(`The database has not taken a batch of commits for ${seconds} s.`, 1)
      }
      yield* answerFailures(accounts.count)
      return ok
    })
    yield* router.add(
      "GET",
      "/readyz",
      ready.pipe(
        Effect.timeoutOrElse({
          duration: databaseTimeout,
          orElse: () => Effect.fail(Problem.unavailable("The database does not answer.", 1))
        }),
        Effect.catch(problemResponse)
      )
    )
  }))
)
