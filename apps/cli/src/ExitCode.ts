import { Cause, Exit, type Runtime } from "effect"
import { CliError } from "effect/cli"
import * as PassingFailure from "./access/PassingFailure.ts"

const done = 0
/** It was refused, or has failed, or what was to be checked is not well. */
const failed = 1
/** The command line can't be understood. */
const misused = 2
/** The server, or what it needs, is away or busy: the same command may succeed later. */
const later = 3
const interrupted = 130

const hasTag = (error: unknown): error is { readonly _tag: string } =>
  typeof error === "object" && error !== null && "_tag" in error && typeof error._tag === "string"

const ofError = (error: unknown): number => {
  if (CliError.isCliError(error)) return error._tag === "ShowHelp" && error.errors.length === 0 ? done : misused
  return hasTag(error) && PassingFailure.is(error) ? later : failed
}

/** The codes by which a command tells scripts its outcome. */
export const of = (exit: Exit.Exit<unknown, unknown>): number => {
  if (Exit.isSuccess(exit)) return done
  return Cause.hasInterruptsOnly(exit.cause) ? interrupted : ofError(Cause.squash(exit.cause))
}

export const teardown: Runtime.Teardown = (exit, onExit) => onExit(of(exit))
