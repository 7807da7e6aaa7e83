import { NodeRuntime } from "@effect/platform-node"
import { Cause, Console, Effect, Exit, Layer, Option, Predicate, Runtime } from "effect"
import * as Server from "./Server.ts"

/** An error's message and those of what caused it, as far as they say something new. */
const explain = (error: unknown): string => {
  const messages: Array<string> = []
  for (let at = error, depth = 0; Predicate.isObject(at) && depth < 6; depth++) {
    const message: unknown = Reflect.get(at, "message")
    if (Predicate.isString(message) && message !== "" && !messages.some((known) => known.includes(message))) {
      messages.push(message)
    }
    at = Reflect.get(at, "cause") ?? Reflect.get(at, "reason")
  }
  return messages.length === 0 ? String(error) : messages.join(": ")
}

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
