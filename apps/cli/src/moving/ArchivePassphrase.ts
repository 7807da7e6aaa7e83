import { Effect, Option, Redacted, Stdio, type Terminal } from "effect"
import { Prompt } from "effect/cli"
import * as AccessFile from "../access/AccessFile.ts"
import { CommandRefused } from "../CommandRefused.ts"

/** The fewest characters of a new one. */
const least = 12

/** Has it in place of a terminal. */
export const variable = "HEADWATER_ARCHIVE_PASSPHRASE"

const refuse = (message: string) => new CommandRefused({ message })

const ask = (message: string) => Prompt.Password({ message })

export type Passphrase = Effect.Effect<
  Redacted.Redacted,
  CommandRefused | Terminal.QuitError,
  Prompt.Environment | Stdio.Stdio
>

const givenOrAsked = (asked: Passphrase): Passphrase =>
  Effect.gen(function*() {
    const given = yield* AccessFile.variable(variable)
    if (Option.isSome(given)) return Redacted.make(given.value)
    if (!(yield* (yield* Stdio.Stdio).stdinIsTerminal)) {
      return yield* refuse(`a passphrase is needed for credentials: set ${variable}, or run this at a terminal`)
    }
    return yield* asked
  })

/** The passphrase of what is there, by the environment or the terminal. */
export const known = (folder: string) => givenOrAsked(ask(`Passphrase of ${folder}`))

/** A new passphrase, which at a terminal is asked for twice. */
export const made = Effect.fnUntraced(function*(folder: string) {
  const given = yield* givenOrAsked(Effect.gen(function*() {
    const first = yield* ask(`A passphrase for the credentials in ${folder}, ${least} characters at least`)
    const second = yield* ask("The same again")
    if (Redacted.value(first) !== Redacted.value(second)) return yield* refuse("the two passphrases differ")
    return first
  }))
  // A file is sealed without the space around it.
  if ([...Redacted.value(given).trim()].length < least) {
    return yield* refuse(`the passphrase has fewer than ${least} characters`)
  }
  return given
})
