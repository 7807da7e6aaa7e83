import * as Problem from "@headwater/api/Problem"
import { Accounts } from "@headwater/log/Accounts"
import { Duration, Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { PrometheusMetrics } from "effect/observability"
import { answerFailures } from "./FailureProblem.ts"
import { problemResponse } from "./ProblemResponse.ts"

const ok = HttpServerResponse.jsonUnsafe({ status: "ok" })

const databaseTimeout = Duration.seconds(2)

/** `/healthz`: the process serves. `/readyz`: it also reaches its database. `/metrics`: what it measures, for Prometheus. */
export const layer = Layer.mergeAll(
  HttpRouter.add("GET", "/healthz", ok),
  PrometheusMetrics.layerHttp(),
  HttpRouter.use(Effect.fnUntraced(function*(router) {
    const accounts = yield* Accounts
    yield* router.add(
      "GET",
      "/readyz",
      accounts.count.pipe(
        Effect.as(ok),
        answerFailures,
        Effect.timeoutOrElse({
          duration: databaseTimeout,
          orElse: () => Effect.fail(Problem.unavailable("The database does not answer.", 1))
        }),
        Effect.catch(problemResponse)
      )
    )
  }))
)
