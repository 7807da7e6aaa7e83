import { Quota } from "@headwater/domain/Account"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authorization } from "./Authorization.ts"
import * as Extension from "./Extension.ts"
import { NeededScope } from "./NeededScope.ts"
import * as Pagination from "./Pagination.ts"
import { PathId } from "./PathId.ts"
import * as Problem from "./Problem.ts"
import * as Projection from "./Projection.ts"
import { RequestCheck } from "./RequestCheck.ts"
import { Text } from "./Text.ts"
import { UnixMillis } from "./UnixMillis.ts"

const milliseconds = "Unix time in milliseconds."

const count = (description: string) => Schema.Int.annotate({ description })

/** The counts of each step of a series. */
export const counts = {
  requests: count("Requests to sources and workflows that were taken in."),
  events: count("Events that were emitted, but for errors and console lines."),
  errors: count("Events on $errors."),
  runs: count("Runs of code, of workflows each step."),
  failed_runs: count("Runs that threw or ran over a limit."),
  run_ms: count("Milliseconds that runs took together."),
  attempts: count("Attempts at deliveries."),
  failed_attempts: count("Attempts that failed."),
  attempt_ms: count("Milliseconds that attempts took together."),
  exhausted: count("Deliveries that were given up."),
  dropped: count(
    "Events that were passed without an attempt or run: skipped, deleted before their turn, or at the hop limit."
  ),
  filtered: count("Events that filters kept from listeners.")
}

const backlog = (description: string) =>
  Schema.NullOr(Schema.Int).annotate({
    description: `${description} Measured each minute, on average over the step; null for an emitter or listener.`
  })

const latency = (share: string) =>
  Schema.NullOr(Schema.Finite).annotate({
    description: `In how many milliseconds ${share} of the attempts ended, about; null if there were none.`
  })

export const FigureStep = Schema.Struct({
  at_ms: Schema.Int.annotate({ description: `When the step begins. ${milliseconds}` }),
  ...counts,
  waiting: backlog(
    "Events in front of the cursors of subscriptions, and requests in front of sources and workflows."
  ),
  pending: backlog("Deliveries that wait for an attempt."),
  p50_ms: latency("half"),
  p99_ms: latency("99 of 100")
}).annotate({ identifier: "FigureStep" })

const QuotaStanding = Schema.Struct({
  quota: Quota,
  limit: Schema.NullOr(Schema.Int).annotate({ description: "null if there is none. Compute time is in milliseconds." }),
  used: Schema.Int,
  until_ms: Schema.Int.annotate({ description: `When it is counted anew. ${milliseconds}` })
})

const programs = Schema.Struct({ total: Schema.Int, active: Schema.Int })

export const AccountNow = Schema.Struct({
  at_ms: Schema.Int.annotate({
    description: `When this was so: at most 5 seconds ago, the accounting a minute. ${milliseconds}`
  }),
  waiting: count("Events in front of the cursors of subscriptions, and requests in front of sources and workflows."),
  pending: count("Deliveries that wait for an attempt."),
  oldest_at_ms: Schema.NullOr(Schema.Int).annotate({
    description:
      `When the oldest event or request came that a listener has not come to; null if there is none. ${milliseconds}`
  }),
  is_cut: Schema.Boolean.annotate({
    description: "Whether there is more: the server counts over 5,000 emitters, 5,000 cursors and 20,000 deliveries."
  }),
  imbalances: count("Subscriptions and emitters whose accounting does not balance; any but 0 is a bug of the server."),
  quotas: Schema.Array(QuotaStanding),
  sources: programs,
  workflows: programs,
  webhooks: Schema.Struct({
    total: Schema.Int,
    active: Schema.Int,
    disabled: count("Taken out of service by the server."),
    failing: count("In service, and most attempts fail: of the first 1,000, those first that failed last."),
    throttled: count("Waiting, since the endpoint asked for it."),
    open: count("With an open circuit.")
  })
}).annotate({ identifier: "AccountNow" })

const exampleCounts = {
  requests: 120,
  events: 118,
  errors: 2,
  runs: 120,
  failed_runs: 2,
  run_ms: 310,
  attempts: 119,
  failed_attempts: 1,
  attempt_ms: 5_012,
  exhausted: 0,
  dropped: 0,
  filtered: 11
}

export const Figures = Schema.Struct({
  from_ms: Schema.Int.annotate({ description: `When the first step begins. ${milliseconds}` }),
  to_ms: Schema.Int.annotate({ description: `Before when all figures are. ${milliseconds}` }),
  step_ms: Schema.Int.annotate({ description: "How long a step is, in milliseconds." }),
  series: Schema.Array(FigureStep).annotate({ description: "Every step, oldest first." }),
  now: AccountNow.annotate({ description: "How the account as a whole stands." })
}).annotate({
  identifier: "Figures",
  examples: [{
    from_ms: 1760000100000,
    to_ms: 1760000160000,
    step_ms: 60_000,
    series: [{ at_ms: 1760000100000, ...exampleCounts, waiting: 4, pending: 1, p50_ms: 38.2, p99_ms: 196.4 }],
    now: {
      at_ms: 1760000158000,
      waiting: 3,
      pending: 1,
      oldest_at_ms: 1760000157200,
      is_cut: false,
      imbalances: 0,
      quotas: [{ quota: "daily_invocations" as const, limit: 10_000, used: 1_204, until_ms: 1760054400000 }],
      sources: { total: 3, active: 3 },
      workflows: { total: 1, active: 1 },
      webhooks: { total: 2, active: 2, disabled: 0, failing: 1, throttled: 0, open: 0 }
    }
  }]
})
export type Figures = typeof Figures.Type

export const RunBooks = Schema.Struct({
  program_id: Schema.String,
  received: count("Inputs that were taken to be run: done + failed + cancelled + waiting + at_work."),
  done: count("Runs that came to their end."),
  failed: count("Runs that failed."),
  cancelled: count("Runs of a workflow that were cancelled, or suspended for too long."),
  waiting: count("Runs of a workflow that wait for a time, or to be resumed."),
  at_work: count("Runs of a workflow that are at a step, or about to be.")
}).annotate({
  identifier: "RunBooks",
  examples: [{
    program_id: "p_0Uz7N2dPz5RtWm8BxKcV",
    received: 1_204,
    done: 1_190,
    failed: 8,
    cancelled: 2,
    waiting: 3,
    at_work: 1
  }]
})
export type RunBooks = typeof RunBooks.Type

const Step = Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 60_000, maximum: 86_400_000 * 40 })))

/** The figures of an account, for charts. */
export class FiguresApi extends HttpApiGroup.make("figures")
  .add(
    HttpApiEndpoint.get("series", "/figures", {
      query: {
        from: Schema.optionalKey(
          UnixMillis.annotate({ description: `From this time on. Default: an hour before to. ${milliseconds}` })
        ),
        to: Schema.optionalKey(UnixMillis.annotate({ description: `Before this time. Default: now. ${milliseconds}` })),
        step: Schema.optionalKey(Step.annotate({
          description:
            "How long a step is, in milliseconds: whole minutes, and at most 1,500 steps. Where minutes are no longer kept, an hour " +
            "at least. Default: one that gives at most 200 steps."
        })),
        emitter: Schema.optionalKey(Text.annotate({
          description:
            "Requests, events and errors of this emitter only: the id or name slug of a source or workflow, or the account's id. " +
            "Without listener, the other figures are its own too, as a listener."
        })),
        listener: Schema.optionalKey(Text.annotate({
          description:
            "Runs, attempts and what follows of this listener only: the id or name slug of a source or workflow, or the id of a " +
            "webhook."
        })),
        ...Projection.fields
      },
      success: Pagination.Single(Figures),
      error: Problem.NotFound
    }).annotate(NeededScope, "read").annotateMerge(Extension.operation(
      "Get figures",
      "What happened over time, and how the account stands now. Minutes are kept for 48 hours, hours for 40 days. A server adds " +
        "what it has counted every 10 seconds; one that is killed loses the figures of its last seconds, and nothing else."
    )),
    HttpApiEndpoint.get("books", "/run_books/:id", {
      params: PathId("The id or name slug of a source or workflow."),
      query: Projection.fields,
      success: Pagination.Single(RunBooks),
      error: Problem.NotFound
    }).annotate(NeededScope, "read").annotateMerge(Extension.operation(
      "Get the books about runs",
      "What became of all runs of a source or workflow since it was made, written down in the commits that begin and end them: " +
        "the figures always come out. A run of a source is received with its end."
    ))
  )
  .middleware(RequestCheck)
  .middleware(Projection.Projection)
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({ title: "Figures", description: "Rates, latencies and backlogs over time." }))
{}
