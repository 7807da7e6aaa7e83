import type { NewEvent } from "@headwater/domain/Event"
import type { CommitError } from "@headwater/log/commit/Submission"
import { untilAnswered } from "@headwater/log/database/TransientSqlError"
import { DueWork } from "@headwater/log/work/DueWork"
import { Clock, Effect, Option } from "effect"
import { Draining } from "../ground/Draining.ts"
import * as DueItems from "../ground/DueItems.ts"
import { EmitterLog } from "../ground/EmitterLog.ts"
import type { Wake } from "../ground/Wake.ts"
import { type Work, WorkLoop } from "../ground/WorkLoop.ts"

/** The owner of an account's own log, on which its webhooks' transitions are told. */
export interface AccountActor {
  /** Takes a hint in, for the work under way or the next. */
  readonly hint: (wake: Wake) => void
  /** Appends what is due. */
  readonly wake: (wake: Wake) => Effect.Effect<void>
}

const duePage = 100

export const make = Effect.fnUntraced(function*(accountId: string) {
  const dueWork = yield* DueWork
  const draining = yield* Draining
  const context = yield* Effect.context<Effect.Services<ReturnType<typeof EmitterLog.acquire>>>()
  const acquire = EmitterLog.acquire(accountId).pipe(untilAnswered, Effect.setContext(context))
  let log = yield* acquire

  const appendDue = Effect.gen(function*() {
    if (draining.isDraining() || Option.isNone(log)) return false
    const due = yield* untilAnswered(dueWork.dueOf(accountId, yield* Clock.currentTimeMillis, duePage))
    if (due.length === 0) return false
    const events: ReadonlyArray<NewEvent> = yield* DueItems.emitted(due)
    yield* log.value.commit(events, { dueDone: due }).pipe(
      Effect.catch((error: CommitError) =>
        Effect.gen(function*() {
          yield* Effect.logWarning("A commit to an account's log failed; reading its head again", error)
          log = yield* acquire
          if (Option.isNone(log) || error._tag === "Fenced") return
          // Events that the database refuses once it would refuse each time.
          yield* Effect.logError("Dropped events of an account that can't be stored", due)
          yield* Effect.orDie(log.value.commit([], { dueDone: due }))
        })
      )
    )
    return true
  })

  const loop = new WorkLoop()
  const work: Work = { step: appendDue, isBusy: () => false, settle: Effect.succeed(false) }

  return { hint: () => loop.signal(), wake: () => loop.run(work) } satisfies AccountActor as AccountActor
})
