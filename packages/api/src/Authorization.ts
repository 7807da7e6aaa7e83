import type { AccountId } from "@headwater/domain/Id"
import { Context, type Redacted } from "effect"
import { HttpApiMiddleware, HttpApiSecurity, OpenApi } from "effect/http-api"
import * as Problem from "./Problem.ts"

/** The account whose key a request carries: everything it reads and writes is that account's. */
export class CurrentAccount extends Context.Service<CurrentAccount, AccountId>()("@headwater/api/CurrentAccount") {}

/** The key that a request carries. */
export class CurrentKey extends Context.Service<CurrentKey, Redacted.Redacted>()("@headwater/api/CurrentKey") {}

/**
 * Requires `Authorization: Bearer <API key>` (rest-api.md, "Authentication") with the scope that the endpoint needs, and
 * holds the account to the operator's requests a second.
 */
export class Authorization extends HttpApiMiddleware.Service<Authorization, {
  provides: CurrentAccount | CurrentKey
}>()("@headwater/api/Authorization", {
  requiredForClient: true,
  security: {
    bearer: HttpApiSecurity.bearer.pipe(HttpApiSecurity.annotate(OpenApi.Description, "The account's API key."))
  },
  error: [
    Problem.UnauthorizedResponse,
    Problem.AccountSuspended,
    Problem.InsufficientScope,
    Problem.RateLimitedResponse,
    Problem.UnavailableResponse,
    Problem.InternalError
  ]
}) {}
