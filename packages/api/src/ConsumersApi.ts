import * as EventId from "@headwater/domain/EventId"
import { StreamNameInput } from "@headwater/domain/Stream"
import { Option, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authorization } from "./Authorization.ts"
import { ChangesNothing } from "./ChangesNothing.ts"
import { EmitterOrGlob } from "./EmitterOrGlob.ts"
import { EventSummary } from "./EventsApi.ts"
import * as Extension from "./Extension.ts"
import * as Filter from "./Filter.ts"
import * as Idempotency from "./Idempotency.ts"
import { NeededScope } from "./NeededScope.ts"
import * as Pagination from "./Pagination.ts"
import { PathId } from "./PathId.ts"
import * as Problem from "./Problem.ts"
import * as Projection from "./Projection.ts"
import { RequestCheck } from "./RequestCheck.ts"
import { ResourceId } from "./ResourceId.ts"
import { Text } from "./Text.ts"
import { UnixSeconds } from "./UnixSeconds.ts"

const milliseconds = "Unix time in milliseconds."

export const defaultMax = 100
const mostMax = 1_000
export const defaultMaxBytes = 256 * 1024
const mostMaxBytes = 1024 * 1024
const mostWaitSeconds = 60
export const defaultLeaseSeconds = 60
const mostLeaseSeconds = 3_600

const exampleConsumer = {
  id: "cns_0Uz7NcQwXa2BvRt5LkPe",
  name: "Orders into the warehouse",
  emitter_id: "dc_0Uz7Me6SAe7TzXw9LrNf",
  event_name: "",
  lease_seconds: 60,
  lease: null,
  created_at: 1760000060
}

export const ConsumerResource = Schema.Struct({
  id: ResourceId("consumer"),
  name: Schema.NullOr(Schema.String).annotate({ description: "null if none was given." }),
  emitter_id: Schema.String.annotate({ description: "The id of an emitter, or a glob." }),
  event_name: Schema.String.annotate({ description: "The event stream; empty if none was given." }),
  ...Filter.shown,
  lease_seconds: Schema.Int.annotate({ description: "How long a reader may be silent before another one takes over." }),
  lease: Schema.NullOr(
    Schema.Struct({
      expires_at_ms: Schema.Int.annotate({
        description: `When it ends if its reader is silent, at the latest. ${milliseconds}`
      })
    })
  ).annotate({ description: "null if nobody reads." }),
  created_at: UnixSeconds
}).annotate({ identifier: "Consumer", examples: [exampleConsumer] })
export type ConsumerResource = typeof ConsumerResource.Type

const count = (what: string) => Schema.Int.annotate({ description: what })

export const ConsumerPosition = Schema.Struct({
  emitter_id: Schema.String.annotate({ description: "The id of the emitter." }),
  position: EventId.EventIdText.annotate({ description: "All events up to this id are passed." }),
  waiting: count("Events behind the position."),
  delivered: count("Events that were committed since the start, as all further counts."),
  filtered: count("Events that the filter kept out."),
  dropped: count(
    "Events that were deleted before they were committed, had reached the hop limit, or took too much work to judge by " +
      "the filter."
  ),
  filter_too_costly: count("Those of the dropped ones that took too much work to judge by the filter.")
}).annotate({
  identifier: "ConsumerPosition",
  examples: [{
    emitter_id: "dc_0Uz7Me6SAe7TzXw9LrNf",
    position: "1760000120000-0",
    waiting: 3,
    delivered: 120,
    filtered: 0,
    dropped: 0,
    filter_too_costly: 0
  }]
})
export type ConsumerPosition = typeof ConsumerPosition.Type

export const beginning = "beginning"
export const end = "end"

/** A place for a consumer in the logs of its emitters. */
export const Place = Schema.Union([
  Schema.String.pipe(Schema.check(
    Schema.makeFilter((text) => text === beginning || text === end || Option.isSome(EventId.parse(text)), {
      expected: `"${beginning}", "${end}" or an event id of the form <milliseconds>-<sequence>`,
      toJsonSchema: () => ({ pattern: `^(${beginning}|${end}|\\d{1,13}-\\d{1,7})$` })
    })
  )),
  Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 8_000_000_000_000 })))
])
export type Place = typeof Place.Type

const place =
  "beginning, end, an event id, or a time in Unix milliseconds. With an id or a time, the next event is the first one from there on."

export const ConsumerLease = Schema.Struct({
  id: Schema.String.annotate({ description: "Given with further reads and with commits." }),
  expires_at_ms: Schema.Int.annotate({ description: `When it ends. Reads and commits renew it. ${milliseconds}` })
}).annotate({
  identifier: "ConsumerLease",
  examples: [{ id: "x4Kq9sLmZp1vTn6RyBc3WdEf", expires_at_ms: 1760000180000 }]
})

const examplePositions = { dc_0Uz7Me6SAe7TzXw9LrNf: "1760000120000-0" }

export const ConsumerEvents = Schema.Struct({
  lease: Schema.NullOr(ConsumerLease).annotate({
    description: "null if the request gave none and there are no events."
  }),
  positions: Schema.Record(Schema.String, EventId.EventIdText).annotate({
    description: "By emitter, the last of these events. To commit all of them, send this back.",
    examples: [examplePositions]
  }),
  data: Schema.Array(EventSummary).annotate({
    description: "With their whole data; of each emitter in its log's order."
  })
}).annotate({ description: "The next events." })

const params = PathId("The consumer's id.")

const reading = {
  max: Schema.optionalKey(
    Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 1, maximum: mostMax }))).annotate({
      description: `At most so many events, 1 to ${mostMax}; default ${defaultMax}.`
    })
  ),
  max_bytes: Schema.optionalKey(
    Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 1, maximum: mostMaxBytes }))).annotate({
      description: `No more events once their data has come to so many bytes, 1 to ${mostMaxBytes}; default ` +
        `${defaultMaxBytes}.`
    })
  ),
  wait: Schema.optionalKey(
    Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: mostWaitSeconds }))).annotate({
      description: `How many seconds to wait for the first event, 0 to ${mostWaitSeconds}; default 0.`
    })
  ),
  lease: Schema.optionalKey(Text.annotate({ description: "The lease that an earlier read gave. Default: get one." })),
  ...Projection.fields
}

const mostPositions = 1_000

export class ConsumersApi extends HttpApiGroup.make("consumers")
  .add(
    HttpApiEndpoint.post("create", "/consumers", {
      headers: Idempotency.headers,
      payload: Schema.Struct({
        emitter_id: Schema.optionalKey(EmitterOrGlob.annotate({
          description:
            "Required. An emitter, or a glob over ids with * and ?: p_* is every workflow, dc_* every source.",
          examples: [exampleConsumer.emitter_id]
        })),
        event_name: Schema.optionalKey(StreamNameInput.annotate({
          description: "The event stream: $errors, $logs, default, or a name the emitter gives. Default: default."
        })),
        ...Filter.given,
        name: Schema.optionalKey(Text.annotate({ description: "For people. Default: null." })),
        start: Schema.optionalKey(Place.annotate({ description: `Where it starts: ${place} Default: end.` })),
        lease_seconds: Schema.optionalKey(
          Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 1, maximum: mostLeaseSeconds }))).annotate({
            description:
              `How long a reader may be silent before another one takes over, in seconds, 1 to ${mostLeaseSeconds}. ` +
              `Default: ${defaultLeaseSeconds}.`
          })
        ),
        ...Projection.fields
      }).annotate({
        examples: [{ emitter_id: exampleConsumer.emitter_id, name: exampleConsumer.name, start: beginning }]
      }),
      success: Pagination.Single(ConsumerResource),
      error: Problem.NotFound
    }).annotate(NeededScope, "write").middleware(Idempotency.Idempotency).annotateMerge(OpenApi.annotations({
      summary: "Create a consumer",
      description: "A place in the log of one emitter or of several, from which a client reads and commits.",
      override: Extension.mark
    })),
    HttpApiEndpoint.get("list", "/consumers", {
      query: { ...Pagination.query("consumer"), ...Projection.fields },
      success: Pagination.OpenPage(ConsumerResource)
    }).annotate(NeededScope, "read").annotateMerge(OpenApi.annotations({
      summary: "List consumers",
      description: "Newest first.",
      override: Extension.mark
    })),
    HttpApiEndpoint.get("get", "/consumers/:id", {
      params,
      query: Projection.fields,
      success: Pagination.Single(ConsumerResource),
      error: Problem.NotFound
    }).annotate(NeededScope, "read").annotateMerge(OpenApi.annotations({
      summary: "Get a consumer",
      description: "By its id.",
      override: Extension.mark
    })),
    HttpApiEndpoint.delete("delete", "/consumers/:id", {
      params,
      query: Projection.fields,
      success: HttpApiSchema.NoContent,
      error: Problem.NotFound
    }).annotate(NeededScope, "write").annotateMerge(OpenApi.annotations({
      summary: "Delete a consumer",
      description: "Reads that wait end.",
      override: Extension.mark
    })),
    HttpApiEndpoint.get("positions", "/consumers/:id/positions", {
      params,
      query: { ...Pagination.emitterQuery, ...Projection.fields },
      success: Pagination.OpenPage(ConsumerPosition),
      error: Problem.NotFound
    }).annotate(NeededScope, "read").annotateMerge(OpenApi.annotations({
      summary: "List where a consumer stands",
      description:
        "Each emitter that it reads, in the order of their ids, with what waits there and what became of the rest.",
      override: Extension.mark
    })),
    HttpApiEndpoint.get("events", "/consumers/:id/events", {
      params,
      query: reading,
      success: ConsumerEvents,
      error: [Problem.NotFound, Problem.LeaseHeld, Problem.LeaseLost]
    }).annotate(NeededScope, "run").annotateMerge(OpenApi.annotations({
      summary: "Read a consumer's events",
      description:
        "What comes behind the last commit, oldest first: until it is committed, the same events again. A page can be empty " +
        "though more waits, where the filter kept out all that was looked at.",
      override: Extension.mark
    })),
    HttpApiEndpoint.post("commit", "/consumers/:id/commit", {
      headers: Idempotency.headers,
      params,
      payload: Schema.Struct({
        lease: Schema.optionalKey(Text.annotate({ description: "Required. The lease that the read gave." })),
        positions: Schema.optionalKey(
          Schema.Record(Schema.String, EventId.EventIdText).pipe(
            Schema.check(Schema.isMaxProperties(mostPositions))
          ).annotate({
            description:
              "By emitter, the last event that is committed, with all before it: the positions of a read, or " +
              "earlier ones. Default: none."
          })
        ),
        release: Schema.optionalKey(Schema.Boolean.annotate({
          description: "Gives the lease back, so that another reader need not wait for its end. Default: false."
        })),
        ...Projection.fields
      }).annotate({ examples: [{ lease: "x4Kq9sLmZp1vTn6RyBc3WdEf", positions: examplePositions }] }),
      success: Pagination.Single(
        Schema.Struct({
          lease: Schema.NullOr(ConsumerLease).annotate({ description: "null if it was given back." })
        })
      ),
      error: [Problem.NotFound, Problem.LeaseLost]
    }).annotate(NeededScope, "run").annotate(ChangesNothing, true).middleware(Idempotency.Idempotency).annotateMerge(
      OpenApi.annotations({
        summary: "Commit events",
        description:
          "They are not read again. To repeat a commit changes nothing. With a lease that has ended it is taken only as long as " +
          "no other reader has one.",
        override: Extension.mark
      })
    ),
    HttpApiEndpoint.post("seek", "/consumers/:id/seek", {
      headers: Idempotency.headers,
      params,
      payload: Schema.Struct({
        to: Schema.optionalKey(Place.annotate({ description: `Required. ${place}` })),
        emitter_id: Schema.optionalKey(Text.annotate({
          description: "Move only in the log of this emitter. Default: in the logs of all emitters that it reads."
        })),
        ...Projection.fields
      }).annotate({ examples: [{ to: "1760000120000-0" }] }),
      success: Pagination.Single(ConsumerResource),
      error: Problem.NotFound
    }).annotate(NeededScope, "run").middleware(Idempotency.Idempotency).annotateMerge(OpenApi.annotations({
      summary: "Move a consumer",
      description:
        "Reads go on from there. Ends the lease, so that a commit of what was read before answers 409, and counts anew.",
      override: Extension.mark
    }))
  )
  .middleware(RequestCheck)
  .middleware(Projection.Projection)
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({ title: "Consumers", description: "Places in logs from which clients read." }))
{}
