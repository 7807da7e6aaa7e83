import { NodeRuntime } from "@effect/platform-node"
import { Cause, Effect, Exit, Layer, Runtime } from "effect"
import * as Logging from "./Logging.ts"
import * as Server from "./Server.ts"

/** Being told to stop is no failure. */
const teardown: Runtime.Teardown = (exit, onExit) =>
  Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause) ? onExit(0) : Runtime.defaultTeardown(exit, onExit)

Layer.launch(Server.layer).pipe(
  Effect.tapCause((cause) => Cause.hasInterruptsOnly(cause) ? Effect.void : Logging.tellEnd(cause)),
  NodeRuntime.runMain({ disableErrorReporting: true, teardown })
)
