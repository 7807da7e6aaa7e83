import { NodeRuntime } from "@effect/platform-node"
import { Cause, Deferred, Effect, Exit, Layer, Runtime } from "effect"
import * as Logging from "./Logging.ts"
import { ProgramEnd } from "./ProgramEnd.ts"

/** Being told to stop is no failure. */
const teardown: Runtime.Teardown = (exit, onExit) =>
  Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause) ? onExit(0) : Runtime.defaultTeardown(exit, onExit)

const until = <A, E>(program: Layer.Layer<A, E>, end: Effect.Effect<never, Error>) =>
  Effect.scoped(Effect.andThen(Layer.build(program), end))

/** Makes this process the program that a layer builds, until it is told to stop. Tells why it ends otherwise. */
export const run = <A, E>(program: Layer.Layer<A, E, ProgramEnd>): void =>
  Effect.flatMap(
    Deferred.make<never, Error>(),
    (end) => until(Layer.provide(program, Layer.succeed(ProgramEnd, end)), Deferred.await(end))
  ).pipe(
    Effect.tapCause((cause) => Cause.hasInterruptsOnly(cause) ? Effect.void : Logging.tellEnd(cause)),
    NodeRuntime.runMain({ disableErrorReporting: true, teardown })
  )
