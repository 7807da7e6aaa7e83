import { Effect, Option } from "effect"
import { Argument, Command } from "effect/cli"
import { ApiAccess } from "../access/ApiAccess.ts"
import { CommandRefused } from "../CommandRefused.ts"
import * as DeliveryFilters from "../given/DeliveryFilters.ts"
import * as Kind from "../resource/Kind.ts"
import * as Naming from "../resource/Naming.ts"
import * as FlagWords from "../text/FlagWords.ts"
import * as Output from "../text/Output.ts"
import * as BulkCommand from "./BulkCommand.ts"
import * as DeliveriesCommand from "./DeliveriesCommand.ts"

const isEventId = (text: string): boolean => /^\d{1,13}-\d{1,7}$/.test(text)

const refuse = (message: string) => Effect.fail(new CommandRefused({ message }))

const many = "For many, give filters, such as --state exhausted --since 2d"

/** Sends one delivery or many again. */
export const retryCommand = Command.make(
  "retry",
  {
    what: Argument.String("delivery-or-event").pipe(
      Argument.withDescription("A delivery (dlv_…), or an event, all of whose deliveries are attempted"),
      Argument.optional
    ),
    ...DeliveryFilters.flags,
    ...BulkCommand.flags,
    json: Output.json
  },
  Effect.fnUntraced(function*({ dryRun, json, rate, wait, what, ...flags }) {
    const filter = yield* DeliveryFilters.query(flags)
    const isFiltered = Object.keys(filter).length > 0
    const one = Option.getOrUndefined(what)
    if (one?.startsWith("dlv_")) {
      if (isFiltered || dryRun) return yield* refuse(`${one} is one delivery: leave the filters and --dry-run out`)
      return yield* DeliveriesCommand.retryOne(one, json)
    }
    if (one !== undefined && !isEventId(one)) {
      return yield* refuse(`${JSON.stringify(one)} is neither a delivery (dlv_…) nor the id of an event. ${many}`)
    }
    if (one === undefined && !isFiltered) {
      return yield* refuse(`What is to be retried? Give a delivery (dlv_…). ${many}`)
    }
    yield* BulkCommand.begin(
      { action: "retry", filter: { ...filter, ...(one === undefined ? {} : { event_id: one }) }, dryRun, rate },
      wait,
      json
    )
  }, FlagWords.inFlags(BulkCommand.words))
).pipe(
  Command.withDescription("Attempt a delivery, those of an event, or all that match once more"),
  Command.withExamples([
    { command: "headwater retry dlv_…", description: "One delivery" },
    { command: "headwater retry --state exhausted --since 2d --wait", description: "Those that were given up" }
  ]),
  Command.provide(ApiAccess.layer)
)

/** Sends events to webhooks again. */
export const replayCommand = Command.make(
  "replay",
  {
    what: Argument.String("webhook-or-event").pipe(
      Argument.withDescription("A webhook, by name or id, or the id of an event"),
      Argument.optional
    ),
    ...DeliveryFilters.flags,
    ...BulkCommand.rangeFlags,
    ...BulkCommand.flags,
    json: Output.json
  },
  Effect.fnUntraced(function*({ dryRun, from, json, rate, to, wait, what, ...flags }) {
    const one = Option.getOrUndefined(what)
    const filter = {
      ...(yield* DeliveryFilters.query(flags)),
      ...DeliveryFilters.given("from", from),
      ...DeliveryFilters.given("to", to),
      ...(one === undefined
        ? {}
        : isEventId(one)
        ? { event_id: one }
        : { webhook_id: yield* Naming.idOf(Kind.webhook, one) })
    }
    if (Object.keys(filter).length === 0) {
      return yield* refuse("What is to be replayed? Give a webhook, an event, or filters, such as --since 1h")
    }
    yield* BulkCommand.begin({ action: "replay", filter, dryRun, rate }, wait, json)
  }, FlagWords.inFlags(BulkCommand.words))
).pipe(
  Command.withDescription("Send events again, also those that arrived: to a webhook, one event, or all that match"),
  Command.withExamples([
    { command: "headwater replay receiver --since 1h --rate 20", description: "The last hour to one webhook" },
    {
      command: "headwater replay 1760000120000-0 --emitter orders",
      description: "One event to all webhooks that got it"
    }
  ]),
  Command.provide(ApiAccess.layer)
)
