import { CurrentAccount } from "@headwater/api/Authorization"
import type { ClockOperationResource, ClockResource } from "@headwater/api/ClockApi"
import { HeadwaterApi } from "@headwater/api/HeadwaterApi"
import * as Problem from "@headwater/api/Problem"
import { nothingFired } from "@headwater/domain/ClockEvents"
import type * as Id from "@headwater/domain/Id"
import { type ClockLook, ClockTarget, type ClockTargetAsked, DevClock } from "@headwater/engine/DevClock"
import type { ClockOperation } from "@headwater/log/work/DevClocks"
import { Clock, Effect, Option, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { answerFailures } from "../conventions/FailureProblem.ts"

const operationOf = (operation: ClockOperation): ClockOperationResource => ({
  id: operation.id,
  state: operation.endedAt === undefined ? "running" : "done",
  from: operation.from,
  to: operation.to ?? null,
  now: operation.at,
  max_fired: operation.maxFired ?? null,
  fired: { ...nothingFired, ...operation.fired },
  stopped_by: operation.reason ?? null,
  began_at_ms: operation.beganAt,
  ended_at_ms: operation.endedAt ?? null
})

const clockOf = ({ advancing, mode, nextDue, now, realNow }: ClockLook, accountId: Id.AccountId): ClockResource => ({
  now,
  real_now: realNow,
  mode,
  status: advancing === undefined ? "ready" : "advancing",
  operation: advancing?.accountId === accountId ? operationOf(advancing) : null,
  next_due: nextDue ?? null
})

const fixed = (now: number): ClockResource => ({
  now,
  real_now: now,
  mode: "real",
  status: "fixed",
  operation: null,
  next_due: null
})

const clockFixed = new Problem.ClockFixed(
  Problem.because(
    "The clock of this server can't be moved. Start one with --dev-clock (HEADWATER_DEV_CLOCK=1) on a new database."
  )
)

/** The target of an advance, which has to be given in exactly one way. */
const targetOf = (given: { readonly to?: number; readonly by?: number; readonly to_next?: true }) => {
  const targets: ReadonlyArray<ClockTargetAsked> = [
    ...(given.to === undefined ? [] : [{ _tag: "To", at: given.to } as const]),
    ...(given.by === undefined ? [] : [{ _tag: "By", ms: given.by } as const]),
    ...(given.to_next === undefined ? [] : [{ _tag: "ToNext" } as const])
  ]
  const [target] = targets
  return target === undefined || targets.length > 1
    ? Effect.fail(Problem.invalid([{ path: "to", message: "one of to, by and to_next is required" }]))
    : Effect.succeed(target)
}

export const layer = HttpApiBuilder.group(
  HeadwaterApi,
  "clock",
  Effect.fnUntraced(function*(handlers) {
    const movable = yield* Effect.serviceOption(DevClock)
    const clock = Effect.suspend(() => Option.isNone(movable) ? clockFixed : Effect.succeed(movable.value))
    const shown = Effect.gen(function*() {
      if (Option.isNone(movable)) return { data: fixed(yield* Clock.currentTimeMillis) }
      return { data: clockOf(yield* movable.value.look, yield* CurrentAccount) }
    })

    return handlers.handleAll({
      get: () => answerFailures(shown),
      freeze: () => Effect.flatMap(clock, ({ freeze }) => Effect.andThen(freeze, shown)).pipe(answerFailures),
      advance: Effect.fnUntraced(function*({ payload: { max_fired, ...given } }) {
        const { advance } = yield* clock
        const target = yield* targetOf(given)
        const begun = yield* advance(yield* CurrentAccount, target, { maxFired: max_fired }).pipe(
          Effect.catchIf(
            Schema.is(ClockTarget),
            ({ message }) => Effect.fail(Problem.invalid([{ path: target._tag === "By" ? "by" : "to", message }]))
          ),
          Effect.catchTag("ClockAdvancing", ({ operationId }) =>
            Effect.fail(
              new Problem.ClockAdvancing(
                Problem.because(
                  `The clock is being moved by the operation "${operationId}". Wait for its end, or stop it.`
                )
              )
            ))
        )
        return { data: operationOf(begun) }
      }, answerFailures),
      operation: Effect.fnUntraced(function*({ params }) {
        const found = Option.isNone(movable)
          ? Option.none()
          : yield* movable.value.operation(yield* CurrentAccount, params.id)
        return Option.isNone(found)
          ? yield* Problem.notFound("clock operation", params.id)
          : { data: operationOf(found.value) }
      }, answerFailures),
      release: () => Effect.flatMap(clock, ({ run }) => Effect.andThen(run, shown)).pipe(answerFailures)
    })
  })
)
