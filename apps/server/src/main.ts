import { NodeRuntime } from "@effect/platform-node"
import { Cause, Console, Effect, Exit, Layer, Option, Runtime } from "effect"
import { explain } from "./ErrorExplanation.ts"
import * as Server from "./Server.ts"

/** What is wrong with the configuration or the machine is told in a line; a fault of ours with its trace. */
const tell = (cause: Cause.Cause<unknown>) =>
  Option.match(Cause.findErrorOption(cause), {
    onNone: () => Effect.logFatal("The server failed", cause),
    onSome: (error) => Console.error(`headwater: ${explain(error)}`)
  })

/** Being told to stop is no failure. */
const teardown: Runtime.Teardown = (exit, onExit) =>
  Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause) ? onExit(0) : Runtime.defaultTeardown(exit, onExit)

Layer.launch(Server.layer).pipe(
  Effect.tapCause((cause) => Cause.hasInterruptsOnly(cause) ? Effect.void : tell(cause)),
  NodeRuntime.runMain({ disableErrorReporting: true, teardown })
)
