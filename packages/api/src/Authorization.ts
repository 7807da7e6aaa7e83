import type { AccountId, KeyId, SessionId } from "@headwater/domain/Id"
import { Context, type Effect, type Redacted } from "effect"
import { HttpApiMiddleware, HttpApiSecurity, OpenApi } from "effect/http-api"
import * as Problem from "./Problem.ts"

/** The account in whose name a request comes: everything it reads and writes is that account's. */
export class CurrentAccount extends Context.Service<CurrentAccount, AccountId>()("@headwater/api/CurrentAccount") {}

/** A key or a session that was live has ended: what the next request that carries it is told. */
export type AccessEnded = Problem.AccountSuspended | Problem.Unauthorized

/** By what a request speaks for its account: a key, or a session of the console that began with one. */
export class CurrentAccess extends Context.Service<CurrentAccess, {
  readonly keyId: KeyId
  /** The key itself; undefined in a session. */
  readonly key: Redacted.Redacted | undefined
  readonly sessionId: SessionId | undefined
  /** Fails once the key or the session is no longer live, or its account suspended: within a second. */
  readonly untilEnd: Effect.Effect<never, AccessEnded>
}>()("@headwater/api/CurrentAccess") {}

/** The cookie of a session of the console. */
export const sessionCookie = HttpApiSecurity.apiKey({ key: "headwater_session", in: "cookie" })

/**
 * The header, with the value 1, of every request in a session that is not GET or HEAD. A page of another site can't send it:
 * no answer to a preflight allows it.
 */
export const consoleHeader = "X-Headwater-Console"

/**
 * Requires `Authorization: Bearer <API key>` (rest-api.md, "Authentication") or the cookie of a session, with the scope that
 * the endpoint needs, and holds the account to the operator's requests a second. The cookie is not declared here: a request
 * that has both goes by the key, so both are one decision.
 */
export class Authorization extends HttpApiMiddleware.Service<Authorization, {
  provides: CurrentAccount | CurrentAccess
}>()("@headwater/api/Authorization", {
  requiredForClient: true,
  security: {
    bearer: HttpApiSecurity.bearer.pipe(HttpApiSecurity.annotate(OpenApi.Description, "The account's API key."))
  },
  error: [
    Problem.UnauthorizedResponse,
    Problem.AccountSuspended,
    Problem.CrossSiteRequest,
    Problem.InsufficientScope,
    Problem.RateLimitedResponse,
    Problem.UnavailableResponse,
    Problem.InternalError
  ]
}) {}
