import { ChangesNothing } from "@headwater/api/ChangesNothing"
import { NamedByQuery } from "@headwater/api/NamedByQuery"
import * as Id from "@headwater/domain/Id"
import * as RandomBytes from "@headwater/domain/RandomBytes"
import * as Storable from "@headwater/domain/Storable"
import { AuditLog } from "@headwater/log/access/AuditLog"
import { Clock, Context, Effect, Option } from "effect"
import { HttpEffect, HttpRouter, HttpServerRequest, type HttpServerResponse } from "effect/http"
import type { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import * as ClientAddress from "./ClientAddress.ts"
import { HttpSettings } from "./HttpSettings.ts"

/** In whose name, and to what, a request is. */
export interface Audited {
  readonly accountId: Id.AccountId
  readonly keyId: Id.KeyId
  readonly sessionId: Id.SessionId | undefined
  readonly endpoint: HttpApiEndpoint.Top
  readonly group: HttpApiGroup.Top
}

/** True if requests to an endpoint are meant to change something. */
export const isAudited = ({ annotations, method }: HttpApiEndpoint.Top): boolean =>
  method !== "GET" && !Context.get(annotations, ChangesNothing)

const longestPath = 1_000
const longestId = 200

const shownFirst = /^\{"data":\{"id":"([a-z]+_[0-9A-Za-z]+)"/

/** The id of what an answer shows, which is its first field. */
const shownId = ({ body }: HttpServerResponse.HttpServerResponse): string | undefined =>
  body._tag === "Uint8Array"
    ? shownFirst.exec(Buffer.from(body.body.subarray(0, 100)).toString("latin1"))?.[1]
    : undefined

const namedId = (named: string | undefined): string | null =>
  named !== undefined && named.length <= longestId && Storable.isText(named) ? named : null

/** Has the audit log tell of a request once its answer is known, whatever it is. */
export const make = Effect.gen(function*() {
  const audit = yield* AuditLog
  const clock = yield* Clock.Clock
  const { trustedProxies = [] } = yield* HttpSettings
  return Effect.fnUntraced(function*({ accountId, endpoint, group, keyId, sessionId }: Audited) {
    const { params } = yield* HttpRouter.RouteContext
    const parameter = Context.get(endpoint.annotations, NamedByQuery)
    const query = yield* HttpServerRequest.ParsedSearchParams
    const named = namedId(parameter === undefined ? Object.values(params).at(-1) : [query[parameter]].flat()[0])
    const { headers, method, remoteAddress, url } = yield* HttpServerRequest.HttpServerRequest
    // Of a client that has gone away it is no longer known.
    const peer = Option.getOrElse(remoteAddress, () => "")
    yield* HttpEffect.appendPreResponseHandler((_request, response) =>
      Effect.as(
        audit.note({
          id: Id.AuditId.make(Id.of("audit", clock.currentTimeMillisUnsafe(), RandomBytes.take(Id.randomLength))),
          accountId,
          keyId,
          sessionId: sessionId ?? null,
          operation: `${group.identifier}.${endpoint.identifier}`,
          method,
          path: url.split("?", 1)[0]!.slice(0, longestPath),
          resourceId: shownId(response) ?? named,
          status: response.status,
          clientIp: ClientAddress.of(peer, headers["x-forwarded-for"], trustedProxies)
        }),
        response
      )
    )
  })
})
