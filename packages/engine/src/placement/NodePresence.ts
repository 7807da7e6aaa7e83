import * as Id from "@headwater/domain/Id"
import * as RealTime from "@headwater/domain/RealTime"
import * as Recurring from "@headwater/domain/Recurring"
import { version } from "@headwater/domain/Version"
import { Nodes } from "@headwater/log/database/Nodes"
import { Effect, Layer } from "effect"
import { ActorCalls } from "../ground/ActorCalls.ts"

const sayEvery = "10 seconds"

/** The longest that a node that stops takes to say so. */
const leavingWithin = "2 seconds"

const idLength = 12

/**
 * Says, for as long as this is built, that this node is there and how many actors it holds.
 *
 * @param options.worker its number among the workers of its machine; null where it is one process
 */
export const layer = (options: { readonly worker: number | null }) =>
  Layer.effectDiscard(Effect.gen(function*() {
    const actors = yield* ActorCalls
    const nodes = yield* Nodes
    const id = Id.takeText(idLength)
    const startedAt = yield* RealTime.currentTimeMillis
    const say = Effect.gen(function*() {
      const held = yield* actors.held
      yield* nodes.see({ id, ...options, version, startedAt, held }, yield* RealTime.currentTimeMillis)
    })
    yield* Effect.addFinalizer(() => Effect.ignore(Effect.timeout(nodes.remove(id), leavingWithin)))
    yield* Recurring.every("say that this node is there", sayEvery, say)
  }))
