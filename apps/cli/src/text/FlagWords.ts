/** The server's words about fields of a request, as words about the flags that gave them. */
import type { InvalidRequest, Issue } from "@headwater/api/Problem"
import { Context, Effect, Predicate } from "effect"
import { CommandRefused } from "../CommandRefused.ts"

/** The flag, or the argument, for each field that it gives. */
export type Flags = Readonly<Record<string, string>>

/** Those of the command that runs. */
const Given = Context.Reference<Flags>("@headwater/cli/FlagWords/Given", { defaultValue: () => ({}) })

const isInvalid = (error: unknown): error is InvalidRequest => Predicate.isTagged(error, "InvalidRequestProblem")

const sentence = (flags: Flags, { message, path }: Issue): string => {
  const field = Object.keys(flags).find((field) =>
    path === field || path.startsWith(`${field}.`) || path.startsWith(`${field}[`)
  )
  const place = field === undefined ? path : `${flags[field]}${path.slice(field.length)}`
  return place === "" ? message : `${place}: ${message}`
}

/** The words of an answer about a field, about the flag of the command that runs. */
export const told = (issue: Issue): Effect.Effect<string> => Effect.map(Given, (flags) => sentence(flags, issue))

/** Has refusals and warnings of what a command sends name its flags. */
export const inFlags =
  (flags: Flags) => <A, E, R>(command: Effect.Effect<A, E, R>): Effect.Effect<A, E | CommandRefused, R> =>
    command.pipe(
      Effect.mapError((error) =>
        isInvalid(error) && error.details !== undefined && error.details.length > 0
          ? new CommandRefused({ message: error.details.map((issue) => sentence(flags, issue)).join("; ") })
          : error
      ),
      Effect.provideService(Given, flags)
    )

/** The same flags for the fields of an object that a field holds. */
export const within = (field: string, flags: Flags): Flags =>
  Object.fromEntries(Object.entries(flags).map(([name, flag]) => [`${field}.${name}`, flag]))
