import {
  type AccessEnded,
  Authorization,
  consoleHeader,
  CurrentAccess,
  CurrentAccount
} from "@headwater/api/Authorization"
import { NeededScope } from "@headwater/api/NeededScope"
import * as Problem from "@headwater/api/Problem"
import { TakesFile } from "@headwater/api/RequestCheck"
import { covers } from "@headwater/domain/ApiKey"
import { OnBehalfOf } from "@headwater/domain/OnBehalfOf"
import { EngineConfig } from "@headwater/engine/EngineConfig"
import { Suspensions } from "@headwater/engine/Suspensions"
import { type AccessEnd, ApiKeys } from "@headwater/log/access/ApiKeys"
import { Sessions } from "@headwater/log/access/Sessions"
import { Context, Effect, Layer, Option, Redacted } from "effect"
import { HttpServerRequest } from "effect/http"
import { AnswerRoom } from "../answers/AnswerRoom.ts"
import * as Auditing from "./Auditing.ts"
import { answerFailures } from "./FailureProblem.ts"
import { HttpSettings, maxApiBody, maxPlainApiBody } from "./HttpSettings.ts"
import { RateLimiting } from "./RateLimiting.ts"
import * as RequestBody from "./RequestBody.ts"
import * as RequestSite from "./RequestSite.ts"
import * as SessionCookie from "./SessionCookie.ts"

export const suspended = new Problem.AccountSuspended(
  Problem.because("The account is suspended. Ask the operator of this server to resume it.")
)

const noKey = new Problem.Unauthorized(
  Problem.because(
    "The request has no API key: send one as `Authorization: Bearer hw_…`. An operator makes one with `headwater key create`."
  )
)

const deadKey = new Problem.Unauthorized(
  Problem.because(
    "The API key is unknown, expired or revoked: send a live one as `Authorization: Bearer hw_…`. An operator makes one with " +
      "`headwater key create`."
  )
)

const endedSession = new Problem.Unauthorized(Problem.because("The session has ended: sign in again."))

const until = (awaitEnd: Effect.Effect<AccessEnd>, ended: Problem.Unauthorized): Effect.Effect<never, AccessEnded> =>
  Effect.flatMap(awaitEnd, (end) => Effect.fail(end === "suspended" ? suspended : ended))

export const foreignSite = new Problem.CrossSiteRequest(
  Problem.because(
    "A page of another site may not use a session. If this is the server's own, set HEADWATER_URL to the address that " +
      "browsers see."
  )
)

const noConsoleHeader = new Problem.CrossSiteRequest(
  Problem.because(`In a session, a request that is not GET or HEAD needs the header \`${consoleHeader}: 1\`.`)
)

const isSafe = ({ method }: HttpServerRequest.HttpServerRequest): boolean => method === "GET" || method === "HEAD"

/**
 * Lets requests through that carry a live API key or session with the scope that their endpoint needs, in the name of its
 * account, within its rate and its room for answers.
 */
export const layer = Layer.effect(
  Authorization,
  Effect.gen(function*() {
    const keys = yield* ApiKeys
    const sessions = yield* Sessions
    const rate = yield* RateLimiting
    const audit = yield* Auditing.make
    const room = yield* AnswerRoom
    const suspensions = yield* Suspensions
    const settings = yield* HttpSettings
    const [largest, plain] = [maxApiBody(settings), maxPlainApiBody(settings)]
    const { publicUrl } = yield* EngineConfig
    const site = { publicUrl, trustedProxies: settings.trustedProxies ?? [] }

    const byKey = Effect.fnUntraced(function*(key: Redacted.Redacted) {
      const found = yield* keys.authenticate(key).pipe(answerFailures)
      if (Option.isNone(found)) return yield* Redacted.value(key) === "" ? noKey : deadKey
      const { accountId, id, scope } = found.value
      return {
        accountId,
        scope,
        keyId: id,
        key,
        sessionId: undefined,
        untilEnd: until(keys.awaitEnd(key), deadKey)
      }
    })

    const bySession = Effect.fnUntraced(
      function*(request: HttpServerRequest.HttpServerRequest, token: Redacted.Redacted) {
        if (RequestSite.isForeign(request, site)) return yield* foreignSite
        if (!isSafe(request) && request.headers[consoleHeader.toLowerCase()] !== "1") return yield* noConsoleHeader
        const found = yield* sessions.authenticate(token).pipe(answerFailures)
        if (Option.isNone(found)) return yield* endedSession
        const { accountId, id, keyId, scope } = found.value
        const untilEnd = until(sessions.awaitEnd(token), endedSession)
        return { accountId, scope, keyId, key: undefined, sessionId: id, untilEnd }
      }
    )

    return Authorization.of({
      bearer: Effect.fnUntraced(function*(handle, { credential, endpoint, group }) {
        const request = yield* HttpServerRequest.HttpServerRequest
        const token = Redacted.value(credential) === "" ? SessionCookie.tokenOf(request) : undefined
        const { accountId, scope, ...access } = yield* token === undefined
          ? byKey(credential)
          : bySession(request, token)
        if (suspensions.isSuspended(accountId)) return yield* suspended
        yield* rate.take(accountId)
        if (Auditing.isAudited(endpoint)) yield* audit({ ...access, accountId, endpoint, group })
        const needed = Context.get(endpoint.annotations, NeededScope)
        if (!covers(scope, needed)) return yield* Problem.insufficientScope(scope, needed)
        const most = RequestBody.isOfUnknownLength(request) ? plain : largest
        // Those of a file are counted as they come.
        if (!Context.get(endpoint.annotations, TakesFile)) {
          rate.noteBytes(accountId, RequestBody.mostBytes(request, most))
        }
        const response = yield* handle.pipe(
          Effect.provideService(OnBehalfOf, accountId),
          Effect.provideService(CurrentAccount, accountId),
          Effect.provideService(CurrentAccess, access)
        )
        return yield* room.admit(accountId, response)
      })
    })
  })
)
