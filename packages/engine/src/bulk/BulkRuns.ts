import { untilAnswered } from "@headwater/log/database/TransientSqlError"
import type { BulkActions, BulkPart } from "@headwater/log/work/BulkActions"
import { Effect, Latch } from "effect"
import { type BulkItem, BulkRun, type BulkWork } from "./BulkRun.ts"

interface Options {
  readonly ownerId: string
  readonly bulk: BulkActions["Service"]
  /** Forks work that keeps the owner busy until it ends. */
  readonly start: (work: Effect.Effect<void>, onEnd: () => void) => void
}

/** An owner's parts of bulk actions. */
export class BulkRuns<Item extends BulkItem> {
  /** Ids of the actions whose parts are at work. */
  private readonly atWork = new Set<string>()
  private readonly halting = Latch.makeUnsafe(false)
  private readonly options: Options

  constructor(options: Options) {
    this.options = options
  }

  get isBusy(): boolean {
    return this.atWork.size > 0
  }

  /** Begins, or goes on with, all that is to be done. */
  look(workOf: (part: BulkPart) => BulkWork<Item>): Effect.Effect<void> {
    return Effect.gen({ self: this }, function*() {
      const { atWork, halting, options: { bulk, ownerId, start } } = this
      halting.closeUnsafe()
      // One that ends while the database answers is told of as it was before.
      const before = new Set(atWork)
      for (const part of yield* untilAnswered(bulk.partsOf(ownerId))) {
        if (before.has(part.bulkId) || atWork.has(part.bulkId)) continue
        atWork.add(part.bulkId)
        const run = new BulkRun({ bulk, halting, part, work: workOf(part) })
        start(run.toItsEnd, () => void atWork.delete(part.bulkId))
      }
    })
  }

  /** Has the parts that wait end soon. */
  halt(): void {
    this.halting.openUnsafe()
  }
}
