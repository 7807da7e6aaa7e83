import { CurrentAccount } from "@headwater/api/Authorization"
import type { Figures as FiguresResource } from "@headwater/api/FiguresApi"
import { HeadwaterApi } from "@headwater/api/HeadwaterApi"
import * as Problem from "@headwater/api/Problem"
import type * as Id from "@headwater/domain/Id"
import { AccountStanding, type Standing } from "@headwater/engine/AccountStanding"
import { countNames, minuteMs, wholeAccount } from "@headwater/log/commit/FigureCounts"
import { within } from "@headwater/log/commit/FigureHealth"
import { Figures, type FigureStep, hourMs, minutesKeptMs } from "@headwater/log/commit/Figures"
import { Programs } from "@headwater/log/resources/Programs"
import { Webhooks } from "@headwater/log/resources/Webhooks"
import { sizeOf } from "@headwater/log/work/Backlog"
import { RunBooks } from "@headwater/log/work/RunBooks"
import { Clock, Effect, Option } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { answerFailures } from "../conventions/FailureProblem.ts"
import { makeFindAny } from "./EmitterIdOf.ts"

const mostSteps = 1_500
const stepsByDefault = 200

/** Steps that a series has where none is asked for. */
const usualSteps = [1, 5, 15, 60, 6 * 60, 24 * 60].map((minutes) => minutes * minuteMs)

type Step = FiguresResource["series"][number]

/** The average of so many samples, from their sum. */
const mean = (whole: number, samples: number): number => samples === 0 ? 0 : Math.round(whole / samples)

const stepOf = ({ at, latencies, pending, samples, waiting, ...counts }: FigureStep): Step => ({
  at_ms: at,
  ...counts,
  waiting: mean(waiting, samples),
  pending: mean(pending, samples),
  p50_ms: within(0.5, latencies),
  p99_ms: within(0.99, latencies)
})

const nothing = Object.fromEntries(countNames.map((name) => [name, 0])) as Record<typeof countNames[number], number>

const ofEmitter = ["requests", "events", "errors"] as const

const nowOf = (
  { at, backlog, imbalances, quotas, sources, webhooks, workflows }: Standing
): FiguresResource["now"] => ({
  at_ms: at,
  ...sizeOf(backlog),
  oldest_at_ms: backlog.oldestAt ?? null,
  is_cut: backlog.isCut,
  imbalances,
  quotas: quotas.map(({ limit, quota, until, used }) => ({ quota, limit, used, until_ms: until })),
  sources,
  workflows,
  webhooks
})

interface Span {
  readonly from?: number
  readonly to?: number
  readonly step?: number
}

/** The steps that are meant, or the problem with them. */
const stepsOf = ({ from, step, to }: Span, now: number) => {
  const until = to ?? now
  const since = from ?? until - hourMs
  if (since >= until) return Problem.invalid([{ path: "from", message: "must be before to" }])
  const least = since < now - minutesKeptMs ? hourMs : minuteMs
  const usual = usualSteps.find((one) => one >= least && (until - since) / one <= stepsByDefault)
  const stepMs = Math.max(least, step ?? usual ?? usualSteps.at(-1)!)
  if (stepMs % minuteMs !== 0) return Problem.invalid([{ path: "step", message: "must be whole minutes" }])
  const first = since - since % stepMs
  if ((until - first) / stepMs > mostSteps) {
    return Problem.invalid([{ path: "step", message: `must be longer: a series has at most ${mostSteps} steps` }])
  }
  return { from: first, until, stepMs }
}

export const layer = HttpApiBuilder.group(
  HeadwaterApi,
  "figures",
  Effect.fnUntraced(function*(handlers) {
    const books = yield* RunBooks
    const figures = yield* Figures
    const findEmitter = yield* makeFindAny
    const programs = yield* Programs
    const standing = yield* AccountStanding
    const webhooks = yield* Webhooks

    const findListener = Effect.fnUntraced(function*(accountId: Id.AccountId, idOrSlug: string) {
      const webhook = yield* webhooks.get(accountId, idOrSlug)
      if (Option.isSome(webhook)) return webhook.value.id as string
      return yield* Effect.catchTag(
        findEmitter(accountId, idOrSlug),
        "NotFoundProblem",
        () => Effect.fail(Problem.notFound("listener", idOrSlug))
      )
    })

    return handlers.handleAll({
      books: Effect.fnUntraced(function*({ params }) {
        const accountId = yield* CurrentAccount
        const program = yield* programs.get(accountId, params.id)
        const found = Option.isNone(program) ? Option.none() : yield* books.of(accountId, program.value.id)
        if (Option.isNone(program) || Option.isNone(found)) {
          return yield* Problem.notFound("source or workflow", params.id)
        }
        const { atWork: at_work, ...counts } = found.value
        return { data: { program_id: program.value.id, ...counts, at_work } }
      }, answerFailures),
      series: Effect.fnUntraced(function*({ query }) {
        const accountId = yield* CurrentAccount
        const emitterId = query.emitter === undefined ? undefined : yield* findEmitter(accountId, query.emitter)
        const listenerId = query.listener === undefined ? undefined : yield* findListener(accountId, query.listener)
        const steps = stepsOf(query, yield* Clock.currentTimeMillis)
        if (!("stepMs" in steps)) return yield* steps
        const { from, stepMs, until } = steps
        const series = Array.from(
          { length: Math.ceil((until - from) / stepMs) },
          (_, index) => stepOf({ at: from + index * stepMs, ...nothing, latencies: [] })
        )
        const subjectId = listenerId ?? emitterId ?? wholeAccount
        for (const step of yield* figures.series(accountId, subjectId, steps)) {
          series[(step.at - from) / stepMs] = stepOf(step)
        }
        if (subjectId !== wholeAccount) {
          for (const step of series) Object.assign(step, { waiting: null, pending: null })
        }
        if (emitterId !== undefined && listenerId !== undefined && emitterId !== listenerId) {
          for (const step of series) for (const name of ofEmitter) Object.assign(step, { [name]: 0 })
          for (const { at, errors, events, requests } of yield* figures.series(accountId, emitterId, steps)) {
            Object.assign(series[(at - from) / stepMs]!, { errors, events, requests })
          }
        }
        return {
          data: { from_ms: from, to_ms: until, step_ms: stepMs, series, now: nowOf(yield* standing.of(accountId)) }
        }
      }, answerFailures)
    })
  })
)
