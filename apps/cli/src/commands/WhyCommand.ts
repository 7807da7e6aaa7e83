import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { ApiAccess } from "../access/ApiAccess.ts"
import * as EventIdGiven from "../given/EventIdGiven.ts"
import * as Kind from "../resource/Kind.ts"
import * as Naming from "../resource/Naming.ts"
import * as FlagWords from "../text/FlagWords.ts"
import { harmless } from "../text/HarmlessText.ts"
import { linesOf } from "../text/JourneyText.ts"
import * as Output from "../text/Output.ts"

/** Tells what an event came of, and what came of it. */
export const whyCommand = Command.make(
  "why",
  {
    event: EventIdGiven.argument("event").pipe(Argument.withDescription("The id of an event, such as 1760000120000-0")),
    emitter: Flag.String("emitter").pipe(
      Flag.withDescription(
        "The source or workflow whose event it is, by name, slug or id. Needed if several emitters have an event with this id"
      ),
      Flag.optional
    ),
    json: Output.json
  },
  Effect.fnUntraced(function*({ emitter, event, json }) {
    const { call } = yield* ApiAccess
    const query = yield* Naming.fieldOf("emitter", Kind.emitters, emitter)
    const { data } = yield* call(({ journey }) => journey.event({ params: { id: event }, query }))
    yield* Output.print(json, data, harmless(linesOf(data).join("\n")))
  }, FlagWords.inFlags({ emitter: "--emitter" }))
).pipe(
  Command.withDescription("Show what an event came of, where it went, and why not"),
  Command.withExamples([{
    command: "headwater why 1760000120000-0 --emitter orders",
    description: "Why did it not arrive?"
  }]),
  Command.provide(ApiAccess.layer)
)
