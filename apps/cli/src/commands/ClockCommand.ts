import type { ClockOperationResource, ClockResource } from "@headwater/api/ClockApi"
import { Effect, Option, Schedule } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { ApiAccess } from "../access/ApiAccess.ts"
import { CommandRefused } from "../CommandRefused.ts"
import * as CountFlag from "../given/CountFlag.ts"
import { spanOf } from "../given/TimeFlag.ts"
import * as FlagWords from "../text/FlagWords.ts"
import * as Output from "../text/Output.ts"

/** The interval at which an advance is looked at until it has ended. */
const lookEvery = "200 millis"

const firedText = ({ fired }: ClockOperationResource): string => {
  const kinds = Object.entries(fired).filter(([, count]) => count > 0)
  return kinds.length === 0 ? "nothing" : kinds.map(([kind, count]) => `${count} ${kind}`).join(", ")
}

const timeText = (ms: number | null): string => ms === null ? "never" : `${Output.timeOfMs(ms)} UTC`

const clockText = (clock: ClockResource): string =>
  Output.table([
    ["Now", timeText(clock.now)],
    ["Real time", timeText(clock.real_now)],
    ["Mode", clock.mode],
    ["Status", clock.status],
    ["Next due", timeText(clock.next_due)]
  ])

const operationText = (operation: ClockOperationResource): string =>
  Output.table([
    ["Operation", operation.id],
    ["State", operation.state],
    ["From", timeText(operation.from)],
    ["Now", timeText(operation.now)],
    ["Fired", firedText(operation)],
    ["Stopped by", operation.stopped_by ?? ""]
  ])

const advance = Command.make(
  "advance",
  {
    by: Argument.String("by").pipe(
      Argument.withDescription("How far, such as 90s, 12h or 3d"),
      Argument.optional
    ),
    to: Flag.String("to").pipe(Flag.withDescription("To this time, ISO 8601"), Flag.optional),
    next: Flag.Boolean("next").pipe(
      Flag.withDescription("To the next time at which anything is due"),
      Flag.withDefault(false)
    ),
    maxFired: CountFlag.make("max-fired", "No further after so much due work").pipe(Flag.optional),
    json: Output.json
  },
  Effect.fnUntraced(function*({ by, json, maxFired, next, to }) {
    const { call } = yield* ApiAccess
    const at = Option.map(to, Date.parse)
    if (Option.exists(at, Number.isNaN)) return yield* new CommandRefused({ message: "--to is not a time" })
    const payload = {
      ...(Option.isNone(by) ? {} : { by: yield* spanOf(by.value) }),
      ...(Option.isNone(at) ? {} : { to: at.value }),
      ...(next ? { to_next: true as const } : {}),
      ...(Option.isNone(maxFired) ? {} : { max_fired: maxFired.value })
    }
    const begun = yield* call(({ clock }) => clock.advance({ headers: {}, payload }))
    const { data } = yield* call(({ clock }) => clock.operation({ params: { id: begun.data.id }, query: {} })).pipe(
      Effect.repeat({ until: ({ data }) => data.state === "done", schedule: Schedule.spaced(lookEvery) })
    )
    yield* Output.print(json, data, operationText(data))
  }, FlagWords.inFlags({ by: "<by>", to: "--to", to_next: "--next", max_fired: "--max-fired" }))
).pipe(
  Command.withDescription("Move the clock forward, and do all that falls due"),
  Command.withExamples([
    { command: "headwater clock advance 3d", description: "Three days later" },
    { command: "headwater clock advance --next", description: "To what is due next" }
  ])
)

const change = (name: "freeze" | "run", description: string) =>
  Command.make(
    name,
    { json: Output.json },
    Effect.fnUntraced(function*({ json }) {
      const { call } = yield* ApiAccess
      const { data } = yield* name === "freeze"
        ? call(({ clock }) => clock.freeze({ headers: {}, query: {} }))
        : call(({ clock }) => clock.release({ query: {} }))
      yield* Output.print(json, data, clockText(data))
    })
  ).pipe(Command.withDescription(description))

/** The clock of a server that was started with one that can be moved. */
export const clockCommand = Command.make(
  "clock",
  { json: Output.json },
  Effect.fnUntraced(function*({ json }) {
    const { call } = yield* ApiAccess
    const { data } = yield* call(({ clock }) => clock.get({ query: {} }))
    yield* Output.print(json, data, clockText(data))
  })
).pipe(
  Command.withDescription("Show and move the clock of a server with a dev clock"),
  Command.withSubcommands([
    advance,
    change("freeze", "Have time stand still"),
    change("run", "Let time go on at its own speed")
  ]),
  Command.provide(ApiAccess.layer)
)
