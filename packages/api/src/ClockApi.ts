import { Fired, StoppedBy, stoppedByText } from "@headwater/domain/ClockEvents"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authorization } from "./Authorization.ts"
import * as Extension from "./Extension.ts"
import * as Idempotency from "./Idempotency.ts"
import { NeededScope } from "./NeededScope.ts"
import * as Pagination from "./Pagination.ts"
import { PathId } from "./PathId.ts"
import * as Problem from "./Problem.ts"
import * as Projection from "./Projection.ts"
import { RequestCheck } from "./RequestCheck.ts"
import { ResourceId } from "./ResourceId.ts"
import { UnixMillis } from "./UnixMillis.ts"

const milliseconds = (what: string) => Schema.Int.annotate({ description: `${what} Unix time in milliseconds.` })

const operationExample = {
  id: "clk_0Uz7QaB3Lk6RwSe2MxDa",
  state: "done" as const,
  from: 1760000000000,
  to: 1760259200000,
  now: 1760259200000,
  max_fired: null,
  fired: { timer: 864, emit: 0, retry: 9, resume: 1, wake: 0, delete: 0, bulk: 0 },
  stopped_by: "target" as const,
  began_at_ms: 1760000000000,
  ended_at_ms: 1760000004200
}

export const ClockOperationResource = Schema.Struct({
  id: ResourceId("clockOperation"),
  state: Schema.Literals(["running", "done"]),
  from: milliseconds("Where the clock was."),
  to: Schema.NullOr(Schema.Int).annotate({
    description:
      "Where it goes, in Unix milliseconds; null where it was to go to the next due time, and nothing was due."
  }),
  now: milliseconds("How far it has come."),
  max_fired: Schema.NullOr(Schema.Int),
  fired: Fired,
  stopped_by: Schema.NullOr(StoppedBy).annotate({ description: `${stoppedByText} null: it has not ended.` }),
  began_at_ms: milliseconds("In real time."),
  ended_at_ms: Schema.NullOr(Schema.Int).annotate({ description: "In real time. Unix time in milliseconds." })
}).annotate({ identifier: "ClockOperation", examples: [operationExample] })
export type ClockOperationResource = typeof ClockOperationResource.Type

export const ClockResource = Schema.Struct({
  now: milliseconds("What time it is for the server."),
  real_now: milliseconds("What time it really is."),
  mode: Schema.Literals(["real", "ahead", "frozen"]).annotate({
    description: "real: real time. ahead: at the speed of real time, but ahead of it. frozen: it stands still."
  }),
  status: Schema.Literals(["fixed", "ready", "advancing"]).annotate({
    description:
      "fixed: this server has no clock that can be moved. ready: it can be moved. advancing: it is being moved, and what falls " +
      "due is being done."
  }),
  operation: Schema.NullOr(ClockOperationResource).annotate({
    description: "The advance under way, if the account asked for it."
  }),
  next_due: Schema.NullOr(Schema.Int).annotate({
    description:
      "When anything is due next, of any account, in Unix milliseconds. null: nothing is, or the clock is fixed."
  })
}).annotate({
  identifier: "Clock",
  examples: [{
    now: 1760259200000,
    real_now: 1760000004200,
    mode: "frozen",
    status: "ready",
    operation: null,
    next_due: 1760259500000
  }]
})
export type ClockResource = typeof ClockResource.Type

/** The clock of a server that was started with one that can be moved. It is the server's: of all accounts. */
export class ClockApi extends HttpApiGroup.make("clock")
  .add(
    HttpApiEndpoint.get("get", "/clock", {
      query: Projection.fields,
      success: Pagination.Single(ClockResource)
    }).annotate(NeededScope, "read").annotateMerge(Extension.operation(
      "Get the clock",
      "What time it is for the server. A server that was not started with a dev clock has a fixed one, which is real time."
    )),
    HttpApiEndpoint.post("freeze", "/clock/freeze", {
      headers: Idempotency.headers,
      query: Projection.fields,
      success: Pagination.Single(ClockResource),
      error: Problem.ClockFixed
    }).annotate(NeededScope, "run").middleware(Idempotency.Idempotency).annotateMerge(
      Extension.operation("Stop the clock", "Time stands still. An advance under way ends where it is.")
    ),
    HttpApiEndpoint.post("advance", "/clock/advance", {
      headers: Idempotency.headers,
      payload: Schema.Struct({
        to: Schema.optionalKey(UnixMillis.annotate({ description: "To this time, in Unix milliseconds." })),
        by: Schema.optionalKey(UnixMillis.annotate({ description: "By so many milliseconds." })),
        to_next: Schema.optionalKey(
          Schema.Literal(true).annotate({
            description: "To the next time at which anything is due."
          })
        ),
        max_fired: Schema.optionalKey(
          Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000_000 }))).annotate({
            description: "After so much due work it goes no further. What is due at the same time is done together."
          })
        ),
        ...Projection.fields
      }).annotate({
        description: "One of to, by and to_next is required.",
        examples: [{ by: 259_200_000 }]
      }),
      success: Pagination.Single(ClockOperationResource).pipe(HttpApiSchema.status(202)),
      error: [Problem.ClockFixed, Problem.ClockAdvancing]
    }).annotate(NeededScope, "run").middleware(Idempotency.Idempotency).annotateMerge(Extension.operation(
      "Move the clock forward",
      "Begins to do all that falls due up to a time, each at its time and in its order. Time stands still before and after. The " +
        "end is told by clock.ready on the stream $clock of the account."
    )),
    HttpApiEndpoint.get("operation", "/clock/operations/:id", {
      params: PathId("The operation's id."),
      query: Projection.fields,
      success: Pagination.Single(ClockOperationResource),
      error: Problem.NotFound
    }).annotate(NeededScope, "read").annotateMerge(
      Extension.operation(
        "Get an advance of the clock",
        "How far it has come, and what fell due. The last 200 are kept."
      )
    ),
    HttpApiEndpoint.delete("release", "/clock", {
      query: Projection.fields,
      success: Pagination.Single(ClockResource),
      error: Problem.ClockFixed
    }).annotate(NeededScope, "run").annotateMerge(Extension.operation(
      "Let the clock run",
      "Time goes on at its own speed from where it is; it never goes back. An advance under way ends first."
    ))
  )
  .middleware(RequestCheck)
  .middleware(Projection.Projection)
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({
    title: "Clock",
    description: "The time of a server that was started with a clock that can be moved."
  }))
{}
