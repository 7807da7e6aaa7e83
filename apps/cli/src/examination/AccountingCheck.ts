import { Accounting, type Imbalance } from "@headwater/log/work/Accounting"
import * as OperatorDatabase from "@headwater/server/OperatorDatabase"
import { Effect, Layer, Schema } from "effect"
import * as Output from "../text/Output.ts"

/** The accounting does not balance: a fault of the server. */
export class Unbalanced extends Schema.TaggedError<Unbalanced>()("Unbalanced", { count: Schema.Int }) {
  override get message() {
    return `The accounting of ${this.count} subscriptions and emitters does not balance`
  }
}

const valueOf = (one: Imbalance) => ({
  subscription_id: one.subscriptionId,
  emitter_id: one.emitterId,
  uncounted: one.uncounted,
  unheld_pending: one.unheldPending,
  beyond_head: one.beyondHead
})

const textOf = (found: ReadonlyArray<Imbalance>): string =>
  found.length === 0 ? "The accounting balances." : Output.table([
    ["Subscription", "Emitter", "Uncounted", "Pending without a delivery", "Beyond the head"],
    ...found.map((one) => [
      one.subscriptionId,
      one.emitterId,
      String(one.uncounted),
      String(one.unheldPending),
      String(one.beyondHead)
    ])
  ])

/** Checks that what every cursor has passed is accounted for. */
export const check = Effect.fnUntraced(function*(json: boolean) {
  const accounting = yield* Accounting
  const found = yield* accounting.imbalances
  yield* Output.print(json, { balanced: found.length === 0, imbalances: found.map(valueOf) }, textOf(found))
  if (found.length > 0) return yield* new Unbalanced({ count: found.length })
}, Effect.provide(Accounting.layer.pipe(Layer.provide(OperatorDatabase.layer))))
