import * as StreamName from "@headwater/domain/Stream"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { ApiAccess } from "../access/ApiAccess.ts"
import * as CountFlag from "../given/CountFlag.ts"
import * as DeliveryFilters from "../given/DeliveryFilters.ts"
import * as Output from "../text/Output.ts"
import * as EventsCommand from "./EventsCommand.ts"
import * as TailCommand from "./TailCommand.ts"

/** Shows one stream of a program: its last events, and with `--follow` what comes. */
const make = <const Name extends string>(name: Name, stream: string, none: string) =>
  Command.make(
    name,
    {
      programs: Argument.String("program").pipe(
        Argument.withDescription("A source or workflow, by name, slug or id; may be repeated. Default: all"),
        Argument.variadic()
      ),
      follow: Flag.Boolean("follow").pipe(
        Flag.withAlias("f"),
        Flag.withDescription("Go on with what comes, until Ctrl-C"),
        Flag.withDefault(false)
      ),
      since: DeliveryFilters.flags.since,
      until: DeliveryFilters.flags.until,
      text: DeliveryFilters.flags.text,
      limit: CountFlag.make("limit", "At most so many, the newest. Default: 20").pipe(Flag.withDefault(20)),
      json: Output.jsonLines
    },
    Effect.fnUntraced(function*({ follow, json, limit, programs, since, text, until }) {
      if (follow) {
        const from = Option.getOrElse(since, () => "end")
        return yield* TailCommand.follow({
          emitters: programs,
          streams: [stream],
          from,
          json,
          max: Option.none(),
          text
        })
      }
      yield* EventsCommand.list({
        emitters: programs,
        stream: Option.some(stream),
        id: Option.none(),
        since,
        until,
        text,
        limit,
        json,
        full: false,
        isOldestFirst: true,
        none
      })
    })
  ).pipe(
    Command.withExamples([
      { command: `headwater ${name} orders`, description: "The last 20 of one" },
      { command: `headwater ${name} --since 1h --follow`, description: "Those of the last hour, and what comes" }
    ]),
    Command.provide(ApiAccess.layer)
  )

export const logsCommand = make("logs", StreamName.logs, "Nothing was printed.")

export const errorsCommand = make("errors", StreamName.errors, "Nothing failed.")
