import { Effect } from "effect"
import type { Client } from "./Client.ts"
import type { Gate } from "./Load.ts"

/**
 * Has all that waits for a retry attempted at once, again and again, while all else goes on.
 *
 * @param pauseMs between two bulk actions
 */
export const run = ({ client, gate, pauseMs }: {
  readonly client: Client
  readonly gate: Gate
  readonly pauseMs: number
}): Effect.Effect<never> =>
  Effect.forever(Effect.gen(function*() {
    yield* Effect.sleep(pauseMs)
    if (!gate.isOpen()) return
    yield* client.call("POST", "/bulk_actions", { action: "retry", filter: { state: "pending" }, rate_limit: 1_000 })
  }))
