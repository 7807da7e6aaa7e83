import { CurrentAccess } from "@headwater/api/Authorization"
import { HeadwaterApi } from "@headwater/api/HeadwaterApi"
import * as Problem from "@headwater/api/Problem"
import type { SessionResource } from "@headwater/api/SessionApi"
import type { SessionId } from "@headwater/domain/Id"
import { longestIdleSeconds, type Session } from "@headwater/domain/Session"
import { EngineConfig } from "@headwater/engine/EngineConfig"
import { Suspensions } from "@headwater/engine/Suspensions"
import { ApiKeys } from "@headwater/log/access/ApiKeys"
import { Sessions } from "@headwater/log/access/Sessions"
import { Effect, Redacted } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import * as Auditing from "../conventions/Auditing.ts"
import { answerFailures } from "../conventions/FailureProblem.ts"
import { HttpSettings } from "../conventions/HttpSettings.ts"
import { foreignSite, suspended } from "../conventions/KeyAuthorization.ts"
import { RateLimiting } from "../conventions/RateLimiting.ts"
import * as RequestSite from "../conventions/RequestSite.ts"
import * as SessionCookie from "../conventions/SessionCookie.ts"

const resourceOf = (session: Session, work: boolean): SessionResource => ({
  id: session.id,
  account: { id: session.accountId, username: session.username, email: session.email },
  key: { id: session.keyId, name: session.keyName, scope: session.scope },
  is_read_only: !work,
  created_at: session.createdAt,
  expires_at: session.expiresAt,
  idle_expires_at: Math.min(session.usedAt + longestIdleSeconds, session.expiresAt)
})

const deadKey = new Problem.Unauthorized(Problem.because("The API key is unknown, expired or revoked."))

const noSession = new Problem.Unauthorized(Problem.because("The request has no session: sign in with an API key."))

export const layer = HttpApiBuilder.group(
  HeadwaterApi,
  "session",
  Effect.fnUntraced(function*(handlers) {
    const keys = yield* ApiKeys
    const sessions = yield* Sessions
    const rate = yield* RateLimiting
    const audit = yield* Auditing.make
    const suspensions = yield* Suspensions
    const { trustedProxies = [], work = true } = yield* HttpSettings
    const { publicUrl } = yield* EngineConfig
    const site = { publicUrl, trustedProxies }

    const show = Effect.fnUntraced(function*(id: SessionId) {
      const found = yield* sessions.get(id)
      // None is there where it has ended since the request was let through.
      return { data: resourceOf(yield* Effect.mapError(Effect.fromOption(found), () => noSession), work) }
    })

    const current = Effect.flatMap(
      CurrentAccess,
      ({ sessionId }) => sessionId === undefined ? Effect.fail(noSession) : Effect.succeed(sessionId)
    )

    return handlers.handleAll({
      create: Effect.fnUntraced(function*({ endpoint, group, payload, request }) {
        if (RequestSite.isForeign(request, site)) return yield* foreignSite
        const found = yield* keys.authenticate(Redacted.make(payload.api_key))
        const key = yield* Effect.mapError(Effect.fromOption(found), () => deadKey)
        if (suspensions.isSuspended(key.accountId)) return yield* suspended
        yield* rate.take(key.accountId)
        const { id, token } = yield* sessions.create(key)
        yield* audit({ accountId: key.accountId, keyId: key.id, sessionId: id, endpoint, group })
        yield* SessionCookie.set(request, site, token)
        return yield* show(id)
      }, answerFailures),
      get: () => answerFailures(Effect.flatMap(current, show)),
      delete: Effect.fnUntraced(function*() {
        yield* sessions.end(yield* current)
        yield* SessionCookie.clear(yield* HttpServerRequest.HttpServerRequest, site)
      }, answerFailures)
    })
  })
)
