import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { ApiAccess } from "../access/ApiAccess.ts"
import { ComponentFiles } from "../code/ComponentFiles.ts"
import { CommandRefused } from "../CommandRefused.ts"
import * as Finishing from "../moving/Finishing.ts"
import * as Forwarding from "../moving/Forwarding.ts"
import * as ForwardingCode from "../moving/ForwardingCode.ts"
import * as Output from "../text/Output.ts"
import { into } from "./ImportFinishCommand.ts"

/** Relays requests between the old URL of a workflow and its new one. */
export const forwardCommand = Command.make(
  "forward",
  {
    workflow: Argument.String("workflow").pipe(Argument.withDescription("Its name in `headwater import status`")),
    to: Flag.String("to").pipe(
      Flag.withMetavar("url"),
      Flag.withDescription("Make an endpoint here that relays to this old URL, or to the workflow: `here`"),
      Flag.optional
    ),
    from: Flag.Boolean("from").pipe(
      Flag.withDescription("Print a step for the workflow there that relays from its URL to the one here"),
      Flag.withDefault(false)
    ),
    noAnswer: Flag.Boolean("no-answer").pipe(
      Flag.withDescription("Answer callers 200 at once, and try again what could not be relayed"),
      Flag.withDefault(false)
    ),
    into,
    json: Output.json
  },
  Effect.fnUntraced(function*({ from, into, json, noAnswer, to, workflow }) {
    if (from === Option.isSome(to)) {
      return yield* new CommandRefused({ message: "give either --to, with a URL, or --from" })
    }
    const { standings } = yield* Finishing.read(into)
    const standing = yield* Finishing.named(standings, workflow)
    if (Option.isNone(to)) {
      const url = yield* Forwarding.endpointOf(standing)
      const code = ForwardingCode.step(url)
      return yield* Output.print(json, { url, code }, code)
    }
    const made = yield* Forwarding.forward(into, standing, { to: to.value, answers: !noAnswer })
    yield* Output.print(json, made, `${made.url} relays to ${made.to}`)
  })
).pipe(
  Command.withDescription(
    "Relay requests to the old URL of a workflow, or from it, so that callers move one at a time"
  ),
  Command.provide(ComponentFiles.layer),
  Command.provide(ApiAccess.layer)
)
