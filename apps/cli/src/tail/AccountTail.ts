import { EventSummary } from "@headwater/api/EventsApi"
import { HeadwaterApi } from "@headwater/api/HeadwaterApi"
import { BoundedSet } from "@headwater/domain/BoundedMap"
import { Effect, Schema, Stream } from "effect"
import { HttpApiClient } from "effect/http-api"
import { ApiAccess } from "../access/ApiAccess.ts"
import * as LastingTail from "./LastingTail.ts"

/** The events that are shown: those of which all of this holds. */
export interface Filter {
  /** Ids or slugs; all emitters where there are none. */
  readonly emitter?: ReadonlyArray<string>
  readonly stream?: string
  readonly text?: string
}

/** The server sends something every 15 seconds. */
const silence = "45 seconds"

/** The most events that are remembered: those committed at about the time of a position can come again behind it. */
const mostKnown = 10_000

const decodeRefusal = HttpApiClient.decodeResponse(HeadwaterApi, { group: "log", endpoint: "accountTail" })
const decodeEvent = Schema.decodeEffect(Schema.fromJsonString(EventSummary))

/**
 * Shows every event of the account's emitters once, and connects again when that ends.
 *
 * @param after the position behind which to begin, as a list of events tells it; now by default
 */
export const follow = Effect.fnUntraced(function*(
  filter: Filter,
  watcher: LastingTail.Watcher & { readonly event: (event: EventSummary) => Effect.Effect<void> },
  after?: string
) {
  const { call } = yield* ApiAccess
  const known = new BoundedSet<string>(mostKnown)
  let position = after

  const isNew = ({ id, metadata }: EventSummary): boolean => {
    const key = `${metadata.emitter_id} ${id}`
    if (known.has(key)) return false
    known.add(key)
    return true
  }

  const connect = Effect.suspend(() =>
    call(({ log }) =>
      Effect.flatMap(
        log.accountTail({
          query: filter,
          headers: position === undefined ? {} : { "last-event-id": position },
          responseMode: "response-only"
        }),
        (response) =>
          response.status === 200
            ? Effect.succeed(Stream.splitLines(Stream.decodeText(Stream.timeout(response.stream, silence))))
            : Effect.andThen(decodeRefusal(response), Effect.never)
      )
    )
  )

  // An id without an event says where to go on, which a reader of events alone does not see.
  const events = Effect.map(connect, (lines) =>
    lines.pipe(
      Stream.tap((line) => Effect.sync(() => void (position = /^id: (.*)/.exec(line)?.[1] ?? position))),
      Stream.filter((line) => line.startsWith("data: ")),
      Stream.mapEffect((line) => decodeEvent(line.slice("data: ".length)))
    ))

  return yield* LastingTail.make(watcher)(events, (event) => isNew(event) ? watcher.event(event) : Effect.void)
})
