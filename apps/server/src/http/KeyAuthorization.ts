import { Authorization, CurrentAccount, CurrentKey } from "@headwater/api/Authorization"
import { NeededScope } from "@headwater/api/NeededScope"
import * as Problem from "@headwater/api/Problem"
import { covers } from "@headwater/domain/ApiKey"
import { Suspensions } from "@headwater/engine/placement/Suspensions"
import { ApiKeys } from "@headwater/log/ApiKeys"
import { Context, Effect, Layer, Option, Redacted } from "effect"
import { HttpServerRequest } from "effect/http"
import { AnswerRoom } from "./AnswerRoom.ts"
import { answerFailures } from "./FailureProblem.ts"
import { HttpSettings, maxApiBody, maxPlainApiBody } from "./HttpSettings.ts"
import { RateLimiting } from "./RateLimiting.ts"
import * as RequestBody from "./RequestBody.ts"

const suspended = new Problem.AccountSuspended(
  Problem.because("The account is suspended. Ask the operator of this server to resume it.")
)

/** Lets requests through whose bearer token is a live API key, in the name of its account, within its rate and its room for answers. */
export const layer = Layer.effect(
  Authorization,
  Effect.gen(function*() {
    const keys = yield* ApiKeys
    const rate = yield* RateLimiting
    const room = yield* AnswerRoom
    const suspensions = yield* Suspensions
    const settings = yield* HttpSettings
    const [largest, plain] = [maxApiBody(settings), maxPlainApiBody(settings)]
    return Authorization.of({
      bearer: Effect.fnUntraced(function*(handle, { credential, endpoint }) {
        const found = yield* keys.authenticate(credential).pipe(answerFailures)
        if (Option.isNone(found)) {
          return yield* new Problem.Unauthorized(
            Problem.because(
              Redacted.value(credential) === ""
                ? "The request has no API key: send one as `Authorization: Bearer hw_…`."
                : "The API key is unknown, expired or revoked: send a live one as `Authorization: Bearer hw_…`."
            )
          )
        }
        const { accountId, scope } = found.value
        if (suspensions.isSuspended(accountId)) return yield* suspended
        yield* rate.take(accountId)
        const needed = Context.get(endpoint.annotations, NeededScope)
        if (!covers(scope, needed)) return yield* Problem.insufficientScope(scope, needed)
        const request = yield* HttpServerRequest.HttpServerRequest
        const most = RequestBody.isOfUnknownLength(request) ? plain : largest
        rate.noteBytes(accountId, RequestBody.mostBytes(request, most))
        const response = yield* handle.pipe(
          Effect.provideService(CurrentAccount, accountId),
          Effect.provideService(CurrentKey, credential)
        )
        return yield* room.admit(accountId, response)
      })
    })
  })
)
