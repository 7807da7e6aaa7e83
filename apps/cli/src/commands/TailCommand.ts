import type { EventSummary } from "@headwater/api/EventsApi"
import * as StreamName from "@headwater/domain/Stream"
import { Console, Deferred, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { ApiAccess } from "../access/ApiAccess.ts"
import { CommandRefused } from "../CommandRefused.ts"
import * as DeliveryFilters from "../given/DeliveryFilters.ts"
import * as EmitterByName from "../given/EmitterByName.ts"
import { timeOf } from "../given/TimeFlag.ts"
import * as EventTail from "../tail/EventTail.ts"
import * as EventText from "../text/EventText.ts"
import * as Output from "../text/Output.ts"

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
    emitters: Argument.String("emitter").pipe(
      Argument.withDescription("A source or workflow, by id or name slug; may be repeated. Default: all"),
      Argument.variadic()
    ),
    streams: Flag.String("stream").pipe(
      Flag.withDescription(
        "Follow this stream; may be repeated. Default: the default one of those that are named, and of all emitters every one"
      ),
      Flag.atLeast(0)
    ),
    text: DeliveryFilters.flag("text", "Only events whose payload contains this text"),
    from: Flag.String("from").pipe(
      Flag.withDescription(
        "Where to begin: end, or with one emitter and no --text also beginning, behind an event (its id), or a time in ISO " +
          "8601 or so long ago, such as 30m or 7d"
      ),
      Flag.withDefault("end")
    ),
    max: Flag.Int("max").pipe(Flag.withDescription("End after so many events"), Flag.optional),
    json: Output.jsonLines
  },
  Effect.fnUntraced(function*({ emitters, from, json, max, streams: given, text }) {
    const after = yield* eventBefore(from)
    const names = emitters.length > 0 && given.length === 0 ? ["default"] : [...new Set(given)]
    const ended = yield* Deferred.make<void>()
    let left = Option.getOrElse(max, () => Infinity)
    const show = (event: EventSummary, lineOf: (event: EventSummary) => string) =>
      Effect.suspend(() => {
        if (left < 1) return Effect.never
        left -= 1
        const shown = Console.log(json ? JSON.stringify(event) : lineOf(event))
        return left < 1 ? Effect.asVoid(Effect.andThen(shown, Deferred.succeed(ended, undefined))) : shown
      })
    const watcher = {
      lost: (why: string) => Console.error(`headwater: ${why}. Trying again`),
      back: Console.error("headwater: connected again")
    }

    const ofOne = Effect.fnUntraced(function*(emitter: string) {
      const { kind, program } = yield* EmitterByName.find(emitter)
      const logs = EventTail.logsOf(kind, program.id, names)
      const places = after === undefined ? yield* EventTail.ends(logs) : EventTail.behind(logs, after)
      yield* EventTail.follow(places, { ...watcher, event: (event) => show(event, EventText.lineOf) })
    })

    const ofMany = Effect.gen(function*() {
      if (after !== undefined) {
        return yield* new CommandRefused({
          message: `--from ${from} needs one emitter, and no --text: only the end is known of several logs together`
        })
      }
      const log = {
        ...(emitters.length === 0 ? {} : { emitter: emitters }),
        ...(names.length === 1 ? { stream: names[0]! } : {}),
        ...DeliveryFilters.given("text", text)
      }
      const followed = new Set(names.map(StreamName.normalize))
      const event = (event: EventSummary) =>
        followed.size === 0 || followed.has(event.metadata.name)
          ? show(event, EventText.lineOfAny)
          : Effect.void
      yield* EventTail.follow(yield* EventTail.ends([log]), { ...watcher, event })
    })

    const [only] = emitters
    const tail = only !== undefined && emitters.length === 1 && Option.isNone(text) ? ofOne(only) : ofMany
    if (left >= 1) yield* Effect.raceFirst(tail, Deferred.await(ended))
  })
).pipe(
  Command.withDescription(
    "Show events as they come, of all sources and workflows or of some; connects again by itself and misses none"
  ),
  Command.withExamples([
    { command: "headwater tail", description: "Whatever the account emits, from now on, until Ctrl-C" },
    { command: "headwater tail orders", description: "What one source emits" },
    {
      command: "headwater tail orders --stream '$errors' --stream '$logs'",
      description: "What fails in it, and what it prints"
    },
    { command: "headwater tail --stream '$errors'", description: "What fails anywhere" },
    {
      command: "headwater tail orders --from 1760000120000-0 --json >> orders.jsonl",
      description: "Go on behind an event"
    }
  ]),
  Command.provide(ApiAccess.layer)
)
