import type { EventSummary } from "@headwater/api/EventsApi"
import { maxLimit } from "@headwater/api/Pagination"
import { Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { ApiAccess } from "../access/ApiAccess.ts"
import * as DeliveryFilters from "../given/DeliveryFilters.ts"
import * as EventIdGiven from "../given/EventIdGiven.ts"
import { timeOf } from "../given/TimeFlag.ts"
import * as EventText from "../text/EventText.ts"
import * as Output from "../text/Output.ts"

const optionalTime = (name: string, text: Option.Option<string>) =>
  Option.isNone(text) ? Effect.undefined : timeOf(name, text.value)

/** Lists what was emitted. */
export const eventsCommand = Command.make(
  "events",
  {
    emitters: Argument.String("emitter").pipe(
      Argument.withDescription("Only events of this source or workflow, by id or name slug; may be repeated"),
      Argument.variadic()
    ),
    stream: DeliveryFilters.flag("stream", "Only events of this stream; \"default\" for the default one. Default: all"),
    id: EventIdGiven.flag("id", "Only events with this id"),
    since: DeliveryFilters.flag("since", "Emitted at this time or later: ISO 8601, or so long ago, such as 30m or 7d"),
    until: DeliveryFilters.flag("until", "Emitted before this time, in the same forms"),
    text: DeliveryFilters.flag("text", "Whose payload contains this text"),
    limit: Flag.Int("limit").pipe(Flag.withDescription("At most so many, the newest first"), Flag.withDefault(20)),
    full: Flag.Boolean("full").pipe(
      Flag.withDescription("With --json: the whole of each event, however large"),
      Flag.withDefault(false)
    ),
    json: Output.jsonLines
  },
  Effect.fnUntraced(function*({ emitters, full, id, json, limit, since, stream, text, until }) {
    const { call } = yield* ApiAccess
    const from = yield* optionalTime("since", since)
    const to = yield* optionalTime("until", until)
    const query = {
      ...(emitters.length === 0 ? {} : { emitter: emitters }),
      ...DeliveryFilters.given("stream", stream),
      ...DeliveryFilters.given("id", id),
      ...(from === undefined ? {} : { from }),
      ...(to === undefined ? {} : { to }),
      ...DeliveryFilters.given("text", text),
      ...(full ? { expand: "event" as const } : {})
    }
    const rows: Array<EventSummary> = []
    let found = 0
    for (let cursor = {}; found < limit;) {
      const { data, page_info } = yield* call(({ log }) =>
        log.accountEvents({ query: { ...query, limit: Math.min(limit - found, maxLimit), ...cursor } })
      )
      found += data.length
      if (json) { for (const event of data) yield* Console.log(JSON.stringify(event)) }
      else rows.push(...data)
      if (!page_info.has_more) break
      cursor = { after: page_info.end_cursor }
    }
    if (!json) yield* Console.log(Output.table([EventText.heads, ...rows.map(EventText.cellsOf)]))
  })
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
