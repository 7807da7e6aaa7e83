import type { AccountId } from "@headwater/domain/Id"
import { OnBehalfOf } from "@headwater/domain/OnBehalfOf"
import { Effect, Stream } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"

/**
 * An answer whose parts are written one after the other, as the client reads. They use the database on behalf of the
 * account, as everything before them did.
 */
export const make = <E>(
  accountId: AccountId,
  parts: Stream.Stream<string, E, HttpServerRequest.HttpServerRequest>,
  options: HttpServerResponse.Options.WithContentType
) =>
  Effect.map(HttpServerRequest.HttpServerRequest, (request) =>
    HttpServerResponse.stream(
      Stream.encodeText(parts).pipe(
        Stream.provideService(HttpServerRequest.HttpServerRequest, request),
        Stream.provideService(OnBehalfOf, accountId)
      ),
      options
    ))
