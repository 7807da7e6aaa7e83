import { CurrentAccount } from "@headwater/api/Authorization"
import { type BulkActionResource, type BulkFilterInput, defaultRateLimit } from "@headwater/api/BulkActionsApi"
import { HeadwaterApi } from "@headwater/api/HeadwaterApi"
import * as Pagination from "@headwater/api/Pagination"
import * as Problem from "@headwater/api/Problem"
import { type BulkActionKind, type BulkFilter, type BulkRerun, isOfRuns } from "@headwater/domain/BulkAction"
import type * as Id from "@headwater/domain/Id"
import * as StreamName from "@headwater/domain/Stream"
import { BulkActionEnded, BulkActionNotFound, BulkActionsFull, BulkControl } from "@headwater/engine/BulkControl"
import { Programs } from "@headwater/log/resources/Programs"
import { Webhooks } from "@headwater/log/resources/Webhooks"
import { BulkActions, type BulkActionWithProgress } from "@headwater/log/work/BulkActions"
import { Effect, Option, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { answerFailures } from "../conventions/FailureProblem.ts"
import { makeFindAny } from "./EmitterIdOf.ts"
import * as StatusRange from "./StatusRange.ts"

const given = <Name extends string, A>(name: Name, value: A | undefined) =>
  (value === undefined ? {} : { [name]: value }) as { readonly [K in Name]?: A }

const shownFilter = (filter: BulkFilter): BulkFilterInput => ({
  ...given("webhook_id", filter.webhookId),
  ...given("subscription_id", filter.subscriptionId),
  ...given("emitter_id", filter.emitterId),
  ...given("event_name", filter.stream),
  ...given("event_id", filter.eventId),
  ...given("from", filter.from),
  ...given("to", filter.to),
  ...given("state", filter.state),
  ...given("error_class", filter.errorClass as BulkFilterInput["error_class"]),
  ...given("status", filter.status === undefined ? undefined : StatusRange.show(filter.status)),
  ...given("since", filter.since),
  ...given("until", filter.until),
  ...given("last_attempt_since", filter.lastAttemptSince),
  ...given("text", filter.text),
  ...given("program_id", filter.programId),
  ...given("run_status", filter.runStatus),
  ...given("error", filter.error)
})

const none = { total: 0, ended: 0 }

const resourceOf = ({ action, progress }: BulkActionWithProgress): BulkActionResource => ({
  id: action.id,
  action: action.action,
  filter: shownFilter(action.filter),
  ...given("rerun", action.rerun ?? undefined),
  dry_run: action.dryRun,
  rate_limit: action.rateLimit,
  state: action.state !== "cancelled" && progress.endedAt !== null ? "done" : action.state,
  matched: progress.matched,
  done: progress.done,
  failed: progress.failed,
  skipped: progress.skipped,
  left: progress.matched - progress.done - progress.failed - progress.skipped,
  webhooks: isOfRuns(action.action) ? none : { total: progress.owners, ended: progress.ownersEnded },
  programs: isOfRuns(action.action) ? { total: progress.owners, ended: progress.ownersEnded } : none,
  waits_at: progress.waitsAt,
  stopped_at: progress.stoppedAt,
  place_ms: progress.placeAt,
  created_at_ms: action.createdAt,
  ended_at_ms: progress.endedAt
})

const ended = (id: string) => new Problem.BulkActionEnded(Problem.because(`The bulk action "${id}" has ended.`))

const full = ({ most }: BulkActionsFull) => {
  const sentence = `${most} bulk actions have not ended: cancel one, or wait until one has.`
  return new Problem.BulkActionsFull({ detail: sentence, error: sentence, details: { limit: most } })
}

const isFull = Schema.is(BulkActionsFull)

const orFull = <A, E>(effect: Effect.Effect<A, E | BulkActionsFull>) =>
  Effect.catchIf(effect, isFull, (error) => Effect.fail(full(error)))

const orRefused = (id: string) => <A, E>(effect: Effect.Effect<A, E | BulkActionEnded | BulkActionNotFound>) =>
  effect.pipe(
    Effect.catchIf(Schema.is(BulkActionEnded), () => Effect.fail(ended(id))),
    Effect.catchIf(Schema.is(BulkActionNotFound), () => Effect.fail(Problem.notFound("bulk action", id)))
  )

/** The fields of a filter that are about runs. */
const ofRuns: ReadonlyArray<keyof BulkFilterInput> = ["program_id", "run_status", "error"]
const ofBoth: ReadonlyArray<keyof BulkFilterInput> = ["since", "until", "text"]

/** Issues of a filter for an action. */
const issuesOf = (
  action: BulkActionKind,
  filter: BulkFilterInput,
  rerun: Partial<BulkRerun> | undefined
) => {
  const { emitter_id, from, run_status, state, to } = filter
  const isOther = (field: string) =>
    isOfRuns(action) ? ![...ofRuns, ...ofBoth].some((name) => name === field) : ofRuns.some((name) => name === field)
  return [
    ...Object.keys(filter).filter(isOther).map((field) => ({
      path: `filter.${field}`,
      message: isOfRuns(action) ? "is no field of runs" : "is a field of runs alone"
    })),
    ...(rerun !== undefined && action !== "rerun" ? [{ path: "rerun", message: "is for a rerun alone" }] : []),
    ...(action === "cancel_runs" && run_status !== undefined && run_status !== "running" && run_status !== "waiting"
      ? [{ path: "filter.run_status", message: "only a running or waiting run can be cancelled" }]
      : []),
    ...(action === "rerun" && (run_status === "running" || run_status === "waiting")
      ? [{ path: "filter.run_status", message: "only a run that has ended can be run again" }]
      : []),
    ...(emitter_id === undefined && (from !== undefined || to !== undefined)
      ? [{ path: "filter.emitter_id", message: "is required with from and to" }]
      : []),
    ...((action === "skip" || action === "cancel") && state !== undefined && state !== "pending"
      ? [{
        path: "filter.state",
        message: `only a pending delivery can be ${action === "skip" ? "skipped" : "cancelled"}`
      }]
      : [])
  ]
}

export const layer = HttpApiBuilder.group(
  HeadwaterApi,
  "bulkActions",
  Effect.fnUntraced(function*(handlers) {
    const bulkActions = yield* BulkActions
    const control = yield* BulkControl
    const findEmitter = yield* makeFindAny
    const programs = yield* Programs
    const webhooks = yield* Webhooks

    const ownWebhook = Effect.fnUntraced(function*(accountId: Id.AccountId, id: string) {
      const found = yield* webhooks.get(accountId, id)
      return Option.isNone(found) ? yield* Problem.notFound("webhook", id) : found.value.id as string
    })

    const ownProgram = Effect.fnUntraced(function*(accountId: Id.AccountId, idOrSlug: string) {
      const found = yield* programs.get(accountId, idOrSlug)
      return Option.isNone(found) ? yield* Problem.notFound("source or workflow", idOrSlug) : found.value.id as string
    })

    const filterOf = Effect.fnUntraced(function*(accountId: Id.AccountId, filter: BulkFilterInput) {
      const { emitter_id, event_id, event_name, from, program_id, status, subscription_id, to, webhook_id } = filter
      return {
        ...given("webhookId", webhook_id === undefined ? undefined : yield* ownWebhook(accountId, webhook_id)),
        ...given("subscriptionId", subscription_id),
        ...given("emitterId", emitter_id === undefined ? undefined : yield* findEmitter(accountId, emitter_id)),
        ...given("stream", event_name === undefined ? undefined : StreamName.normalize(event_name)),
        ...given("eventId", event_id),
        ...given("from", from),
        ...given("to", to),
        ...given("state", filter.state),
        ...given("errorClass", filter.error_class),
        ...given("status", status === undefined ? undefined : StatusRange.parse(status)),
        ...given("since", filter.since),
        ...given("until", filter.until),
        ...given("lastAttemptSince", filter.last_attempt_since),
        ...given("text", filter.text),
        ...given("programId", program_id === undefined ? undefined : yield* ownProgram(accountId, program_id)),
        ...given("runStatus", filter.run_status),
        ...given("error", filter.error)
      } satisfies BulkFilter
    })

    const begin = Effect.fnUntraced(function*(options: {
      readonly action: BulkActionKind
      readonly filter: BulkFilterInput
      readonly dryRun: boolean
      readonly rateLimit: number | undefined
      readonly rerun?: Partial<BulkRerun> | undefined
    }) {
      const accountId = yield* CurrentAccount
      const begun = yield* orFull(control.begin({
        accountId,
        action: options.action,
        filter: yield* filterOf(accountId, options.filter),
        dryRun: options.dryRun,
        rateLimit: options.rateLimit ?? defaultRateLimit,
        rerun: options.action === "rerun" ? { from: "start", code: "current", ...options.rerun } : null
      }))
      return { data: resourceOf(begun) }
    })

    const act = (name: "pause" | "resume" | "cancel") =>
      Effect.fnUntraced(function*({ params }: { readonly params: { readonly id: string } }) {
        const changed = yield* control[name](yield* CurrentAccount, params.id).pipe(orRefused(params.id))
        return { data: resourceOf(changed) }
      }, answerFailures)

    return handlers.handleAll({
      create: Effect.fnUntraced(function*({ payload: { action, dry_run, filter, rate_limit, rerun } }) {
        const issues = issuesOf(action, filter, rerun)
        if (issues.length > 0) return yield* Problem.invalid(issues)
        return yield* begin({ action, filter, dryRun: dry_run ?? false, rateLimit: rate_limit, rerun })
      }, answerFailures),
      replay: Effect.fnUntraced(function*({ params, payload }) {
        const webhookId = yield* ownWebhook(yield* CurrentAccount, params.id)
        const { emitter_id, from, rate_limit, since, to, until } = payload
        const filter: BulkFilterInput = {
          webhook_id: webhookId,
          ...given("emitter_id", emitter_id),
          ...given("from", from),
          ...given("to", to),
          ...given("since", since),
          ...given("until", until)
        }
        if (emitter_id === undefined && since === undefined && until === undefined) {
          const message = from === undefined && to === undefined
            ? "is required, or since or until"
            : "is required with from and to"
          return yield* Problem.invalid([{ path: "emitter_id", message }])
        }
        return yield* begin({ action: "replay", filter, dryRun: false, rateLimit: rate_limit })
      }, answerFailures),
      list: Effect.fnUntraced(function*({ query }) {
        const { goesOnAt, items } = yield* bulkActions.page(yield* CurrentAccount, Pagination.pageRequest(query))
        return Pagination.openPage(items.map(resourceOf), query, goesOnAt)
      }, answerFailures),
      get: Effect.fnUntraced(function*({ params }) {
        const found = yield* bulkActions.get(yield* CurrentAccount, params.id)
        return Option.isNone(found)
          ? yield* Problem.notFound("bulk action", params.id)
          : { data: resourceOf(found.value) }
      }, answerFailures),
      update: Effect.fnUntraced(function*({ params, payload }) {
        const changed = yield* control.setRate(yield* CurrentAccount, params.id, payload.rate_limit).pipe(
          orRefused(params.id)
        )
        return { data: resourceOf(changed) }
      }, answerFailures),
      pause: act("pause"),
      resume: act("resume"),
      cancel: act("cancel")
    })
  })
)
