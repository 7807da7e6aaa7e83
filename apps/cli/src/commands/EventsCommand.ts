import type { EventSummary } from "@headwater/api/EventsApi"
import { maxLimit } from "@headwater/api/Pagination"
import { Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { ApiAccess } from "../access/ApiAccess.ts"
import * as CountFlag from "../given/CountFlag.ts"
import * as DeliveryFilters from "../given/DeliveryFilters.ts"
import * as EventIdGiven from "../given/EventIdGiven.ts"
import { timeOf } from "../given/TimeFlag.ts"
import * as Kind from "../resource/Kind.ts"
import * as Naming from "../resource/Naming.ts"
import * as EventText from "../text/EventText.ts"
import * as FlagWords from "../text/FlagWords.ts"
import * as Output from "../text/Output.ts"

const optionalTime = (name: string, text: Option.Option<string>) =>
  Option.isNone(text) ? Effect.undefined : timeOf(name, text.value)

/** Says what would make some, unless filters leave none. */
const noneOf = ({ emitters, id, since, stream, text, until }: Omit<Listed, "none">): string =>
  emitters.length > 0 || [id, since, stream, text, until].some(Option.isSome)
    ? "No event matches."
    : "There is no event yet. Send one with: headwater trigger SOURCE --data '{\"order\": 1}'"

/** The events to list, and the form. */
export interface Listed {
  /** By name, slug or id; all where there are none. */
  readonly emitters: ReadonlyArray<string>
  readonly stream: Option.Option<string>
  readonly id: Option.Option<string>
  readonly since: Option.Option<string>
  readonly until: Option.Option<string>
  readonly text: Option.Option<string>
  readonly limit: number
  readonly full: boolean
  readonly json: boolean
  /** The end from which events are listed. Default: the newest. */
  readonly sort?: Option.Option<"newest" | "oldest">
  /** The newest are found in any case. */
  readonly isOldestFirst?: boolean
  /** The words for no events. */
  readonly none: string
}

/** Prints the first events, in the order, of which all of this holds. */
export const list = Effect.fnUntraced(
  function*(
    { emitters, full, id, isOldestFirst = false, json, limit, none, since, sort = Option.none(), stream, text, until }:
      Listed
  ) {
    const { call } = yield* ApiAccess
    const from = yield* optionalTime("--since", since)
    const to = yield* optionalTime("--until", until)
    const ids = yield* Effect.forEach(emitters, (emitter) => Naming.find(Kind.emitters, emitter))
    const query = {
      ...(ids.length === 0 ? {} : { emitter: ids.map(({ id }) => id) }),
      ...DeliveryFilters.given("stream", stream),
      ...DeliveryFilters.given("id", id),
      ...(from === undefined ? {} : { from }),
      ...(to === undefined ? {} : { to }),
      ...DeliveryFilters.given("text", text),
      ...DeliveryFilters.given("sort", sort),
      ...(full ? { expand: "event" as const } : {})
    }
    const rows: Array<EventSummary> = []
    let found = 0
    for (let cursor = {}; found < limit;) {
      const { data, page_info } = yield* call(({ log }) =>
        log.accountEvents({ query: { ...query, limit: Math.min(limit - found, maxLimit), ...cursor } })
      )
      found += data.length
      if (json && !isOldestFirst) { for (const event of data) yield* Console.log(JSON.stringify(event)) }
      else rows.push(...data)
      if (!page_info.has_more) break
      cursor = { after: page_info.end_cursor }
    }
    const ordered = isOldestFirst ? rows.toReversed() : rows
    if (json) return yield* Effect.forEach(ordered, (event) => Console.log(JSON.stringify(event)), { discard: true })
    if (ordered.length === 0) return yield* Console.log(none)
    const names = yield* Naming.namesById(ordered.map(({ metadata }) => metadata.emitter_id))
    const cells = ordered.map((event) => EventText.cellsOf(event, names))
    yield* Console.log(Output.table([EventText.heads, ...cells], yield* Output.width))
  },
  FlagWords.inFlags({
    emitter: "<emitter>",
    stream: "--stream",
    id: "--id",
    from: "--since",
    to: "--until",
    text: "--text"
  })
)

/** Lists what was emitted. */
export const eventsCommand = Command.make(
  "events",
  {
    emitters: Argument.String("emitter").pipe(
      Argument.withDescription("Only events of this source or workflow, by name, slug or id; may be repeated"),
      Argument.variadic()
    ),
    stream: DeliveryFilters.flag("stream", "Only events of this stream; \"default\" for the default one. Default: all"),
    id: EventIdGiven.flag("id", "Only events with this id"),
    since: DeliveryFilters.flag("since", "Emitted at this time or later: ISO 8601, or so long ago, such as 30m or 7d"),
    until: DeliveryFilters.flag("until", "Emitted before this time, in the same forms"),
    text: DeliveryFilters.flag("text", "Whose payload contains this text"),
    sort: DeliveryFilters.sort,
    limit: CountFlag.limit(20),
    full: Flag.Boolean("full").pipe(
      Flag.withDescription("With --json: the whole of each event, however large"),
      Flag.withDefault(false)
    ),
    json: Output.jsonLines
  },
  (given) => list({ ...given, none: noneOf(given) })
).pipe(
  Command.withDescription("List events of all sources and workflows, or of some; all filters given must hold"),
  Command.withExamples([
    { command: "headwater events orders --since 1h", description: "What the source `orders` has emitted for an hour" },
    {
      command: "headwater events --stream '$errors' --limit 5",
      description: "The last errors of all sources and workflows"
    },
    {
      command: "headwater events orders --json --full --limit 1000 > orders.jsonl",
      description: "Events, one JSON value a line"
    }
  ]),
  Command.provide(ApiAccess.layer)
)
