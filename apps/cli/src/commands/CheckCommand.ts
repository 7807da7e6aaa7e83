import { Effect, Option } from "effect"
import { Argument, Command } from "effect/cli"
import * as CodeCheck from "../code/CodeCheck.ts"
import * as AccountingCheck from "../examination/AccountingCheck.ts"
import * as Output from "../text/Output.ts"
import { workflow } from "./DeployCommand.ts"

/** Checks code; without any, whether the accounting of the server's database balances. */
export const checkCommand = Command.make(
  "check",
  {
    what: Argument.String("what").pipe(
      Argument.withDescription(
        "A file, a folder or a URL. Without one, the accounting of the server's database is checked"
      ),
      Argument.optional
    ),
    workflow,
    json: Output.json
  },
  Effect.fnUntraced(function*({ json, what, workflow }) {
    if (Option.isSome(what)) return yield* CodeCheck.check(what.value, workflow, json)
    return yield* AccountingCheck.check(json)
  })
).pipe(
  Command.withDescription("Check code before it is deployed, or that the server accounts for every event"),
  Command.withExamples([
    { command: "headwater check orders.ts", description: "What is it, and is anything wrong with it?" },
    { command: "headwater check", description: "For operators: does the accounting balance?" }
  ])
)
