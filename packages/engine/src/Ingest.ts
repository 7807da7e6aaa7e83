import * as EmitId from "@headwater/domain/EmitId"
import { maxHops } from "@headwater/domain/Event"
import { Sources } from "@headwater/log/Sources"
import { Context, Effect, Layer, Option } from "effect"
import { Actors } from "./Actors.ts"
import { toUnavailable } from "./DatabaseRetry.ts"
import {
  type BacklogFull,
  EndpointNotFound,
  type HttpReply,
  type HttpRequestEvent,
  type NotAnswered
} from "./HttpExchange.ts"
import type { Unavailable } from "./Unavailable.ts"

/** Takes requests for sources' HTTP interfaces: durable before they are answered. */
export class Ingest extends Context.Service<Ingest, {
  readonly request: (endpointKey: string, request: HttpRequestEvent, options: {
    /** How many emitters the request has passed through (`x-headwater-hops`). */
    readonly hops: number
  }) => Effect.Effect<HttpReply, EndpointNotFound | BacklogFull | NotAnswered | Unavailable>
}>()("@headwater/engine/Ingest") {
  static readonly layer = Layer.effect(
    Ingest,
    Effect.gen(function*() {
      const actors = yield* Actors
      const sources = yield* Sources
      return Ingest.of({
        request: Effect.fnUntraced(function*(endpointKey, request, { hops }) {
          const source = yield* sources.byEndpointKey(endpointKey)
          if (Option.isNone(source)) return yield* new EndpointNotFound()
          return yield* actors.ingest(source.value.id, {
            emitId: EmitId.make(),
            payload: JSON.stringify(request),
            hops: Math.min(hops, maxHops)
          })
        }, Effect.catchTag("SqlError", toUnavailable))
      })
    })
  )
}
