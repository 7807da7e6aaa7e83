import type { EventSummary } from "@headwater/api/EventsApi"
import { Console, Deferred, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { ApiAccess } from "./ApiAccess.ts"
import * as EmitterByName from "./EmitterByName.ts"
import * as EmitterTail from "./EmitterTail.ts"
import * as EventText from "./EventText.ts"
import * as Output from "./Output.ts"
import { timeOf } from "./TimeFlag.ts"

const eventId = /^\d{1,13}-\d{1,7}$/

/** The event behind which a place is; undefined for the end. */
const eventBefore = Effect.fnUntraced(function*(text: string) {
  if (text === "end") return undefined
  if (text === "beginning") return "0-0"
  return eventId.test(text) ? text : `${yield* timeOf("from", text)}-0`
})

/** Shows events as they come. */
export const tailCommand = Command.make(
  "tail",
  {
    emitter: Argument.String("emitter").pipe(Argument.withDescription("A source or workflow, by id or name slug")),
    streams: Flag.String("stream").pipe(
      Flag.withDescription("Follow this stream, not the default one; may be repeated"),
      Flag.atLeast(0)
    ),
    from: Flag.String("from").pipe(
      Flag.withDescription(
        "Where to begin: end, beginning, behind an event (its id), or a time in ISO 8601 or so long ago, such as 30m or 7d"
      ),
      Flag.withDefault("end")
    ),
    max: Flag.Int("max").pipe(Flag.withDescription("End after so many events"), Flag.optional),
    json: Output.jsonLines
  },
  Effect.fnUntraced(function*({ emitter, from, json, max, streams: given }) {
    const after = yield* eventBefore(from)
    const { kind, program } = yield* EmitterByName.find(emitter)
    const followed = { kind, id: program.id }
    const streams = given.length === 0 ? ["default"] : [...new Set(given)]
    const places = after === undefined
      ? yield* EmitterTail.ends(followed, streams)
      : streams.map((stream) => ({ stream, after }))
    const ended = yield* Deferred.make<void>()
    let left = Option.getOrElse(max, () => Infinity)
    const event = (_: string, event: EventSummary) =>
      Effect.suspend(() => {
        if (left < 1) return Effect.never
        left -= 1
        const shown = Console.log(json ? JSON.stringify(event) : EventText.lineOf(event))
        return left < 1 ? Effect.asVoid(Effect.andThen(shown, Deferred.succeed(ended, undefined))) : shown
      })
    const watcher = {
      event,
      lost: (why: string) => Console.error(`headwater: ${why}. Trying again`),
      back: Console.error("headwater: connected again")
    }
    if (left >= 1) yield* Effect.raceFirst(EmitterTail.follow(followed, places, watcher), Deferred.await(ended))
  })
).pipe(
  Command.withDescription(
    "Show the events of a source or workflow as they come; connects again by itself and misses none"
  ),
  Command.withExamples([
    { command: "headwater tail orders", description: "From now on, until Ctrl-C" },
    {
      command: "headwater tail orders --stream '$errors' --stream '$logs'",
      description: "What fails, and what is printed"
    },
    {
      command: "headwater tail orders --from 1760000120000-0 --json >> orders.jsonl",
      description: "Go on behind an event"
    }
  ]),
  Command.provide(ApiAccess.layer)
)
