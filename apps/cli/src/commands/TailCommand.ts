import type { EventSummary } from "@headwater/api/EventsApi"
import { maxLimit } from "@headwater/api/Pagination"
import * as StreamName from "@headwater/domain/Stream"
import { Console, Deferred, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { ApiAccess } from "../access/ApiAccess.ts"
import { CommandRefused } from "../CommandRefused.ts"
import * as CountFlag from "../given/CountFlag.ts"
import * as DeliveryFilters from "../given/DeliveryFilters.ts"
import { timeOf } from "../given/TimeFlag.ts"
import * as Kind from "../resource/Kind.ts"
import * as Naming from "../resource/Naming.ts"
import * as EventTail from "../tail/EventTail.ts"
import * as EventText from "../text/EventText.ts"
import * as Output from "../text/Output.ts"

const eventId = /^\d{1,13}-\d{1,7}$/

/** The events that are shown, and the place from which on. */
export interface Followed {
  /** By name, slug or id; all where there are none. */
  readonly emitters: ReadonlyArray<string>
  readonly streams: ReadonlyArray<string>
  readonly text: Option.Option<string>
  readonly from: string
  readonly max: Option.Option<number>
  readonly json: boolean
}

/** The event behind which a place is; undefined for the end. */
const eventBefore = Effect.fnUntraced(function*(text: string) {
  if (text === "end") return undefined
  if (text === "beginning") return "0-0"
  return eventId.test(text) ? text : `${yield* timeOf("--from", text)}-0`
})

const keyOf = ({ id, metadata }: EventSummary): string => `${metadata.emitter_id} ${id}`

/** The events of several logs that are shown. */
interface Stored {
  readonly emitter?: ReadonlyArray<string>
  readonly stream?: string
  readonly text?: string
}

/** Events of several logs from a time on, oldest first, and the position behind which a tail goes on after them. */
const storedSince = Effect.fnUntraced(function*(from: number, filter: Stored) {
  const { call } = yield* ApiAccess
  const found: Array<EventSummary> = []
  let position: string | undefined
  for (let cursor = {};;) {
    const { data, page_info } = yield* call(({ log }) =>
      log.accountEvents({ query: { ...filter, from, expand: "event", limit: maxLimit, ...cursor } })
    )
    position ??= page_info.position
    found.push(...data)
    if (page_info.is_cut) {
      return yield* new CommandRefused({ message: "--from reaches back too far for so many streams: name emitters" })
    }
    if (!page_info.has_more) return { events: found.toReversed(), position }
    cursor = { after: page_info.end_cursor }
  }
})

/** The time of a place in several logs, which have no event in common. */
const timeOfPlace = (from: string, after: string) =>
  eventId.test(from)
    ? Effect.fail(
      new CommandRefused({ message: `--from ${from} is an event of one emitter: name that, or give a time` })
    )
    : Effect.succeed(Number(after.slice(0, after.indexOf("-"))))

/** Shows events from a place on, and as they come. */
export const follow = Effect.fnUntraced(
  function*({ emitters: named, from, json, max, streams: given, text }: Followed) {
    const after = yield* eventBefore(from)
    const emitters = yield* Effect.forEach(named, (emitter) => Naming.find(Kind.emitters, emitter))
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

    const ofOne = Effect.fnUntraced(function*({ id, kind: { one } }: Naming.Found) {
      const logs = EventTail.logsOf(one as "source" | "workflow", id, names)
      const places = after === undefined ? yield* EventTail.ends(logs) : EventTail.behind(logs, after)
      yield* EventTail.follow(places, { ...watcher, event: (event) => show(event, EventText.lineOf) })
    })

    const ofMany = Effect.gen(function*() {
      const filter = {
        ...(emitters.length === 0 ? {} : { emitter: emitters.map(({ id }) => id) }),
        ...(names.length === 1 ? { stream: names[0]! } : {}),
        ...DeliveryFilters.given("text", text)
      }
      const followed = new Set(names.map(StreamName.normalize))
      const shown = new Set<string>()
      const event = (event: EventSummary) =>
        (followed.size === 0 || followed.has(event.metadata.name)) && !shown.has(keyOf(event))
          ? show(event, EventText.lineOfAny)
          : Effect.void
      if (after === undefined) {
        yield* EventTail.follow(yield* EventTail.ends([filter]), { ...watcher, event })
        return
      }
      const stored = yield* storedSince(yield* timeOfPlace(from, after), filter)
      for (const one of stored.events) yield* event(one)
      // Events that were committed at about the time of the position can come again behind it.
      for (const one of stored.events) shown.add(keyOf(one))
      yield* EventTail.follow([{ log: filter, after: stored.position }], { ...watcher, event })
    })

    const [only] = emitters
    const tail = only !== undefined && emitters.length === 1 && Option.isNone(text) ? ofOne(only) : ofMany
    if (left >= 1) yield* Effect.raceFirst(tail, Deferred.await(ended))
  }
)

/** Shows events as they come. */
export const tailCommand = Command.make(
  "tail",
  {
    emitters: Argument.String("emitter").pipe(
      Argument.withDescription("A source or workflow, by name, slug or id; may be repeated. Default: all"),
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
        "Where to begin: end, beginning, a time in ISO 8601 or so long ago, such as 30m or 7d, or with one emitter and no " +
          "--text also behind an event (its id)"
      ),
      Flag.withDefault("end")
    ),
    max: CountFlag.make("max", "End after so many events", 0).pipe(Flag.optional),
    json: Output.jsonLines
  },
  follow
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
