import { Effect, Stdio } from "effect"
import { Flag, Prompt } from "effect/cli"
import { CommandRefused } from "../CommandRefused.ts"

/** Of every command that takes something away. */
export const flag = Flag.Boolean("yes").pipe(
  Flag.withAlias("y"),
  Flag.withDescription("Do not ask, at a terminal, whether it is meant"),
  Flag.withDefault(false)
)

/** Asks somebody at a terminal for a yes; scripts mean what they say. */
export const ask = Effect.fnUntraced(function*(question: string, yes: boolean) {
  const stdio = yield* Stdio.Stdio
  if (yes || !(yield* stdio.stdinIsTerminal) || !(yield* stdio.stdoutIsTerminal)) return
  if (!(yield* Prompt.Confirm({ message: question }))) {
    return yield* new CommandRefused({ message: "Nothing was done." })
  }
})
