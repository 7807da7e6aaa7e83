import { NodeRuntime } from "@effect/platform-node"
import { Cause, Effect, Exit, Layer, Runtime } from "effect"
import * as Logging from "./Logging.ts"

/** Being told to stop is no failure. */
const teardown: Runtime.Teardown = (exit, onExit) =>
  Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause) ? onExit(0) : Runtime.defaultTeardown(exit, onExit)

/** Makes this process the program that a layer builds, until it is told to stop. Tells why it ends otherwise. */
export const run = <A, E>(program: Layer.Layer<A, E>): void =>
  Layer.launch(program).pipe(
    Effect.tapCause((cause) => Cause.hasInterruptsOnly(cause) ? Effect.void : Logging.tellEnd(cause)),
    NodeRuntime.runMain({ disableErrorReporting: true, teardown })
  )
