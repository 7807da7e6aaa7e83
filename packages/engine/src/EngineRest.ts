import { GroupCommit } from "@headwater/log/commit/GroupCommit"
import { Effect } from "effect"
import { ActorCalls } from "./ground/ActorCalls.ts"
import { Router } from "./routing/Router.ts"

/** Whether the engine has nothing to do at the time that it is: all is committed and routed, and no actor of this node works. */
export const isAtRest: Effect.Effect<boolean, never, ActorCalls | GroupCommit | Router> = Effect.gen(function*() {
  const [actors, router, writer] = [yield* ActorCalls, yield* Router, yield* GroupCommit]
  return (yield* writer.isIdle) && (yield* router.isQuiet) && (yield* actors.areQuiet)
})
