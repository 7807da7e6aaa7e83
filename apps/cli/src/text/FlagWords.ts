/** The server's words about fields of a request, as words about the flags that gave them. */
import type { InvalidRequest } from "@headwater/api/Problem"
import { Effect, Predicate } from "effect"
import { CommandRefused } from "../CommandRefused.ts"

/** The flag, or the argument, for each field that it gives. */
export type Flags = Readonly<Record<string, string>>

const isInvalid = (error: unknown): error is InvalidRequest => Predicate.isTagged(error, "InvalidRequestProblem")

const sentence = (flags: Flags, { message, path }: { readonly message: string; readonly path: string }): string => {
  const field = Object.keys(flags).find((field) =>
    path === field || path.startsWith(`${field}.`) || path.startsWith(`${field}[`)
  )
  const place = field === undefined ? path : `${flags[field]}${path.slice(field.length)}`
  return place === "" ? message : `${place}: ${message}`
}

/** Has a refusal of what a call sends name the flags. */
export const inFlags =
  (flags: Flags) => <A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, E | CommandRefused, R> =>
    Effect.mapError(call, (error) =>
      isInvalid(error) && error.details !== undefined && error.details.length > 0
        ? new CommandRefused({ message: error.details.map((issue) => sentence(flags, issue)).join("; ") })
        : error)
