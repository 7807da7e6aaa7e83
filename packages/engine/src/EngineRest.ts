import { GroupCommit } from "@headwater/log/GroupCommit"
import { Effect } from "effect"
import { Actors } from "./placement/Actors.ts"
import { Router } from "./routing/Router.ts"

/** Whether the engine has nothing to do at the time that it is: all is committed and routed, and no actor of this node works. */
export const isAtRest: Effect.Effect<boolean, never, Actors | GroupCommit | Router> = Effect.gen(function*() {
  const [actors, router, writer] = [yield* Actors, yield* Router, yield* GroupCommit]
  return (yield* writer.isIdle) && (yield* router.isQuiet) && (yield* actors.areQuiet)
})
