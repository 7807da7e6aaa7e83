import { AccountLifecycle, type NewAccount } from "@headwater/engine/AccountLifecycle"
import { Heads } from "@headwater/log/logs/Heads"
import { Effect, Layer } from "effect"

export const create = (input: NewAccount) =>
  Effect.flatMap(AccountLifecycle, ({ create }) => create(input)).pipe(
    Effect.provide(Layer.provide(AccountLifecycle.layer, Heads.layer))
  )
