import * as Id from "@headwater/domain/Id"
import * as RandomBytes from "@headwater/domain/RandomBytes"
import * as RealTime from "@headwater/domain/RealTime"
import { VirtualClock } from "@headwater/domain/VirtualClock"
import { untilAnswered } from "@headwater/log/database/TransientSqlError"
import { type ClockOperation, DevClocks } from "@headwater/log/work/DevClocks"
import { Clock, Context, Deferred, Effect, Latch, Layer, Option, Schema, Semaphore } from "effect"
import type { SqlError } from "effect/sql"
import * as ClockAdvance from "./ClockAdvance.ts"
import { TicksAhead } from "./program/ProgramDueWork.ts"
import type { KeptDays } from "./Retention.ts"

/** The latest that the clock can be moved to: ids of events hold few times beyond it. */
export const latestTime = Date.UTC(2200, 0, 1)

/** The clock is being advanced already. */
export class ClockAdvancing extends Schema.TaggedError<ClockAdvancing>()("ClockAdvancing", {
  operationId: Schema.String
}) {}

/** The clock can't be moved to where it was asked to: it goes forward only, and not beyond what ids hold. */
export class ClockTarget extends Schema.TaggedError<ClockTarget>()("ClockTarget", { message: Schema.String }) {}

/** The state of the clock. Times are Unix milliseconds. */
export interface ClockLook {
  readonly now: number
  readonly realNow: number
  /** As real time; at its speed, but ahead of it; or standing still. */
  readonly mode: "real" | "ahead" | "frozen"
  /** The advance under way. */
  readonly advancing: ClockOperation | undefined
  /** The next time at which anything is due. */
  readonly nextDue: number | undefined
}

/** The end that is asked for an advance. */
export type ClockTargetAsked =
  | { readonly _tag: "To"; readonly at: number }
  | { readonly _tag: "By"; readonly ms: number }
  | { readonly _tag: "ToNext" }

interface Advancing {
  readonly id: Id.ClockOperationId
  stopAsked: boolean
  readonly ended: Deferred.Deferred<void>
}

/** The clock of a server whose time can be stopped and moved forward. It takes a database that was made for it. */
export class DevClock extends Context.Service<DevClock, {
  readonly look: Effect.Effect<ClockLook, SqlError.SqlError>
  /** Has the time stand still. An advance under way ends where it is. */
  readonly freeze: Effect.Effect<void, SqlError.SqlError>
  /** Has time go on at its own speed from where it is; from real time, if that is later. An advance ends first. */
  readonly run: Effect.Effect<void, SqlError.SqlError>
  /**
   * Begins to move the time forward, doing all that falls due at its time. It stands still before and after.
   *
   * @param options.maxFired the advance goes no further after so much due work
   */
  readonly advance: (
    accountId: Id.AccountId,
    target: ClockTargetAsked,
    options: { readonly maxFired: number | undefined }
  ) => Effect.Effect<ClockOperation, ClockAdvancing | ClockTarget | SqlError.SqlError>
  /** An advance that the account asked for. */
  readonly operation: DevClocks["Service"]["operation"]
}>()("@headwater/engine/DevClock") {
  /** Takes a virtual clock in the surroundings. Goes on with an advance that a crash has cut off. */
  static readonly layer = (days: KeptDays) =>
    Layer.effect(
      DevClock,
      Effect.gen(function*() {
        const clock = yield* Clock.Clock
        if (!(clock instanceof VirtualClock)) return yield* Effect.die("the clock of the surroundings can't be moved")
        const clocks = yield* DevClocks
        const ticksAhead = yield* TicksAhead
        if (ticksAhead === undefined) return yield* Effect.die("ticks can't be run ahead")
        const advance = yield* ClockAdvance.make(clock, ticksAhead, days)
        const changing = yield* Semaphore.make(1)
        const advancingOf = ({ id }: ClockOperation): Advancing => ({
          id,
          stopAsked: false,
          ended: Deferred.makeUnsafe<void>()
        })
        let advancing = Option.getOrUndefined(Option.map(yield* untilAnswered(clocks.open), advancingOf))
        const begun = Latch.makeUnsafe(advancing !== undefined)

        const goOn = Effect.gen(function*() {
          const current = advancing
          if (current === undefined) return
          const open = yield* untilAnswered(clocks.open)
          const isOver = Option.isNone(open) || (yield* advance(open.value, () => current.stopAsked))
          if (!isOver) return
          advancing = undefined
          Deferred.doneUnsafe(current.ended, Effect.void)
        })

        yield* begun.await.pipe(
          Effect.andThen(Effect.sync(() => begun.closeUnsafe())),
          Effect.andThen(goOn),
          Effect.catchCause((cause) =>
            Effect.logError("An advance of the clock was cut off; going on with it", cause).pipe(
              Effect.andThen(Effect.sleep("1 second")),
              Effect.andThen(begun.open)
            )
          ),
          Effect.forever,
          Effect.forkScoped
        )

        /** Ends an advance where it is. */
        const stop = Effect.gen(function*() {
          const current = advancing
          if (current === undefined) return
          current.stopAsked = true
          yield* Deferred.await(current.ended)
        })

        const stand = Effect.gen(function*() {
          clock.standAt(clock.currentTimeMillisUnsafe())
          yield* clocks.setPlace({ _tag: "Standing", at: clock.currentTimeMillisUnsafe() })
        })

        /** The time that an advance goes to; undefined if nothing is due. */
        const targetOf = Effect.fnUntraced(function*(asked: ClockTargetAsked, now: number) {
          if (asked._tag === "ToNext") return yield* clocks.nextDue(now)
          const to = asked._tag === "To" ? asked.at : now + asked.ms
          if (to < now) {
            return yield* new ClockTarget({ message: `is before ${now}, where the clock is: it goes forward only` })
          }
          if (to > latestTime) return yield* new ClockTarget({ message: `goes beyond ${latestTime}, the latest time` })
          return to
        })

        const begin: DevClock["Service"]["advance"] = Effect.fnUntraced(function*(accountId, asked, { maxFired }) {
          const current = advancing
          if (current !== undefined) {
            // One that has ended has yet to come to rest.
            if (Option.isSome(yield* clocks.open)) return yield* new ClockAdvancing({ operationId: current.id })
            yield* Deferred.await(current.ended)
          }
          const to = yield* targetOf(asked, clock.currentTimeMillisUnsafe())
          yield* stand
          const from = clock.currentTimeMillisUnsafe()
          const id = Id.ClockOperationId.make(Id.of("clockOperation", from, RandomBytes.take(Id.randomLength)))
          const operation: ClockOperation = {
            id,
            accountId,
            from,
            // It has gone on until it stood.
            to: asked._tag === "By" ? from + asked.ms : to === undefined ? undefined : Math.max(from, to),
            toNext: asked._tag === "ToNext",
            maxFired,
            at: from,
            fired: {},
            sweptAt: from,
            reason: undefined,
            beganAt: RealTime.of(clock).currentTimeMillisUnsafe(),
            endedAt: undefined
          }
          yield* Effect.uninterruptible(Effect.suspend(() => {
            advancing = advancingOf(operation)
            // It may have begun or not if the database goes away.
            return Effect.ensuring(clocks.begin(operation), begun.open)
          }))
          return operation
        }, changing.withPermits(1))

        return DevClock.of({
          look: Effect.gen(function*() {
            const now = clock.currentTimeMillisUnsafe()
            const open = yield* clocks.open
            return {
              now,
              realNow: RealTime.of(clock).currentTimeMillisUnsafe(),
              mode: clock.isStanding ? "frozen" : clock.aheadMs > 0 ? "ahead" : "real",
              advancing: Option.getOrUndefined(open),
              nextDue: yield* clocks.nextDue(now)
            }
          }),
          freeze: Effect.andThen(stop, stand).pipe(changing.withPermits(1)),
          run: Effect.andThen(
            stop,
            Effect.suspend(() => {
              clock.run()
              return clocks.setPlace({ _tag: "Running", aheadMs: clock.aheadMs })
            })
          ).pipe(changing.withPermits(1)),
          advance: begin,
          operation: clocks.operation
        })
      })
    )
}
