import { untilAnswered } from "@headwater/log/database/TransientSqlError"
import { Effect, Latch } from "effect"
import { BulkRun } from "./BulkRun.ts"
import type { Interventions } from "./Interventions.ts"
import type * as Outcome from "./Outcome.ts"
import type { StrictOrder } from "./StrictOrder.ts"
import type { WebhookMemory } from "./WebhookMemory.ts"
import type { WebhookOwner } from "./WebhookOwner.ts"

/** A webhook's parts of bulk actions. */
export class BulkRuns {
  /** Ids of the actions whose parts are at work. */
  private readonly atWork = new Set<string>()
  private readonly halting = Latch.makeUnsafe(false)
  private readonly owner: WebhookOwner
  private readonly order: StrictOrder
  private readonly interventions: Interventions
  private readonly outcomes: Outcome.Outcomes

  constructor(
    owner: WebhookOwner,
    order: StrictOrder,
    interventions: Interventions,
    outcomes: Outcome.Outcomes
  ) {
    this.owner = owner
    this.order = order
    this.interventions = interventions
    this.outcomes = outcomes
  }

  /** Begins, or goes on with, all that is to be done. */
  look(memory: WebhookMemory): Effect.Effect<void> {
    return Effect.gen({ self: this }, function*() {
      const { atWork, halting, interventions, order, outcomes, owner } = this
      halting.closeUnsafe()
      // One that ends while the database answers is told of as it was before.
      const before = new Set(atWork)
      for (const part of yield* untilAnswered(owner.tables.bulk.partsOf(owner.id))) {
        if (before.has(part.bulkId) || atWork.has(part.bulkId)) continue
        atWork.add(part.bulkId)
        const run = new BulkRun({ owner, order, interventions, outcomes, halting, memory, part })
        owner.start(run.toItsEnd, () => void atWork.delete(part.bulkId))
      }
    })
  }

  /** Has the parts that wait end soon. */
  halt(): void {
    this.halting.openUnsafe()
  }
}
