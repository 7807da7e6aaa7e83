import * as Recurring from "@headwater/domain/Recurring"
import { Accounting } from "@headwater/log/work/Accounting"
import { Cursors } from "@headwater/log/work/Cursors"
import { DueWork } from "@headwater/log/work/DueWork"
import { Clock, Effect, Layer, Metric } from "effect"

const oldestDue = Metric.gauge("headwater_oldest_due_seconds", {
  description: "How long the oldest due work has waited, by kind. 0 if there is none."
})

const imbalance = Metric.gauge("headwater_accounting_imbalance", {
  description:
    "Subscriptions and emitters whose accounting does not balance, 100 at most. Any value but 0 is a bug in Headwater."
})

const dueInterval = "15 seconds"
const accountingInterval = "5 minutes"

/** Measures what only the database knows: the age of due work and owed events, and the balance of the accounting. */
export const layer = Layer.effectDiscard(Effect.gen(function*() {
  const accounting = yield* Accounting
  const cursors = yield* Cursors
  const dueWork = yield* DueWork

  yield* Recurring.every(
    "measure the age of the oldest due work",
    dueInterval,
    Effect.gen(function*() {
      const now = yield* Clock.currentTimeMillis
      const oldest = { ...(yield* dueWork.oldest(now)), ...(yield* cursors.oldestOwed) }
      for (const [kind, since] of Object.entries(oldest)) {
        const age = since === undefined ? 0 : Math.max(0, now - since) / 1_000
        yield* Metric.update(Metric.withAttributes(oldestDue, { kind }), age)
      }
    })
  )

  yield* Recurring.every(
    "measure the accounting",
    accountingInterval,
    Effect.gen(function*() {
      const found = yield* accounting.imbalances
      yield* Metric.update(imbalance, found.length)
      if (found.length > 0) yield* Effect.logError("The accounting does not balance", found)
    })
  )
}))
