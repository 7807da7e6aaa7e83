import { Effect, Layer } from "effect"
import { unknownVariables } from "./ServerConfig.ts"

/** Says what the environment has that means nothing to the server. */
export const layer = Layer.effectDiscard(Effect.suspend(() =>
  Effect.forEach(
    unknownVariables(Object.keys(process.env)),
    (name) => Effect.logWarning(`${name} is not a setting of Headwater and has no effect`)
  )
))
