import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { ApiAccess } from "../access/ApiAccess.ts"
import * as EventIdGiven from "../given/EventIdGiven.ts"
import { harmless } from "../text/HarmlessText.ts"
import { linesOf } from "../text/JourneyText.ts"
import * as Output from "../text/Output.ts"

/** Tells what an event came of, and what came of it. */
export const whyCommand = Command.make(
  "why",
  {
    event: EventIdGiven.argument("event").pipe(Argument.withDescription("The id of an event, as 1760000120000-0")),
    emitter: Flag.String("emitter").pipe(
      Flag.withDescription("Whose event it is: an id or slug. Needed if several emitters have an event with this id"),
      Flag.optional
    ),
    json: Output.json
  },
  Effect.fnUntraced(function*({ emitter, event, json }) {
    const { call } = yield* ApiAccess
    const query = Option.match(emitter, { onNone: () => ({}), onSome: (emitter) => ({ emitter }) })
    const { data } = yield* call(({ journey }) => journey.event({ params: { id: event }, query }))
    yield* Output.print(json, data, harmless(linesOf(data).join("\n")))
  })
).pipe(
  Command.withDescription("Show what an event came of, where it went, and why not"),
  Command.withExamples([{
    command: "headwater why 1760000120000-0 --emitter orders",
    description: "Why did it not arrive?"
  }]),
  Command.provide(ApiAccess.layer)
)
