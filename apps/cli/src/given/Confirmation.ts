import { Effect, Stdio } from "effect"
import { Flag, Prompt } from "effect/cli"
import { CommandRefused } from "../CommandRefused.ts"

/** Of every command that takes something away. */
export const flag = Flag.Boolean("yes").pipe(
  Flag.withAlias("y"),
  Flag.withDescription("Do not ask, at a terminal, whether it is meant"),
  Flag.withDefault(false)
)

/** Of every command that shows what it is about to do. */
export const flagOfPlan = Flag.Boolean("yes").pipe(
  Flag.withAlias("y"),
  Flag.withDescription("Do it without asking"),
  Flag.withDefault(false)
)

/** Refuses changes that nobody can be asked about. */
export const missing = (changes: number) =>
  new CommandRefused({
    message: `${changes} changes wait for a yes: look at them with --dry-run, and give --yes`
  })

/** True where somebody can be asked. */
export const isAtTerminal = Effect.flatMap(
  Stdio.Stdio,
  (stdio) => Effect.zipWith(stdio.stdinIsTerminal, stdio.stdoutIsTerminal, (reads, shows) => reads && shows)
)

/** Asks somebody at a terminal for a yes; scripts mean what they say. */
export const ask = Effect.fnUntraced(function*(question: string, yes: boolean) {
  if (yes || !(yield* isAtTerminal)) return
  if (!(yield* Prompt.Confirm({ message: question }))) {
    return yield* new CommandRefused({ message: "Nothing was done." })
  }
})

/** The same, where a script too has to say that it is meant: nothing brings back what is gone then. */
export const insist = Effect.fnUntraced(function*(question: string, yes: boolean) {
  if (yes || (yield* isAtTerminal)) return yield* ask(question, yes)
  return yield* new CommandRefused({ message: `${question} Add --yes to confirm` })
})
