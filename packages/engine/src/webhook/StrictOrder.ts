import { untilAnswered } from "@headwater/log/database/TransientSqlError"
import type { Delivery } from "@headwater/log/work/Deliveries"
import { Effect } from "effect"
import * as Wake from "../ground/Wake.ts"
import type { WebhookMemory } from "./WebhookMemory.ts"
import type { WebhookOwner } from "./WebhookOwner.ts"

/** By strict order a delivery that waits for a retry holds the events behind it: their lane is not in line. */
export class StrictOrder {
  private readonly owner: WebhookOwner

  constructor(owner: WebhookOwner) {
    this.owner = owner
  }

  /** A delivery waits for a retry. */
  hold({ inbox: { lanes }, webhook }: WebhookMemory, { emitterId }: Pick<Delivery, "emitterId">): void {
    if (webhook.settings.ordering === "strict") lanes.hold(emitterId)
  }

  /** A delivery has come to an end: the events that it held go on. */
  release({ inbox: { lanes } }: WebhookMemory, delivery: Delivery): void {
    if (lanes.heldCount === 0) return
    lanes.release(delivery.emitterId)
    if (lanes.feed(delivery) === undefined) this.owner.note(Wake.forOwed([delivery]))
  }

  /** Reads which events hold those behind them, if others than this owner may have ended some. */
  readAnew({ inbox, webhook }: WebhookMemory): Effect.Effect<void> {
    return Effect.gen({ self: this }, function*() {
      const { lanes } = inbox
      if (webhook.settings.ordering !== "strict" || lanes.heldCount === 0) return
      let changes: number
      do {
        changes = lanes.heldChanges
        yield* this.owner.settled
        const pending = yield* untilAnswered(this.owner.tables.deliveries.pendingByEmitter(this.owner.id))
        if (changes !== lanes.heldChanges) continue
        lanes.holdAll(pending)
        return inbox.lookAgain()
      } while (true)
    })
  }
}
