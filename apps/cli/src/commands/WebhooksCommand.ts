import type { WebhookResource } from "@headwater/api/WebhooksApi"
import * as ExactJson from "@headwater/domain/ExactJson"
import { Effect, Option, type Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { ApiAccess } from "../access/ApiAccess.ts"
import { CommandRefused } from "../CommandRefused.ts"
import * as DeliveryFilters from "../given/DeliveryFilters.ts"
import { linesOf } from "../text/AttemptText.ts"
import { harmless } from "../text/HarmlessText.ts"
import * as Output from "../text/Output.ts"

const id = Argument.String("id").pipe(Argument.withDescription("Begins with wh_"))

const shown = ({ active, id, name, url }: WebhookResource): string =>
  Output.table([
    ["Webhook", id],
    ["Name", name ?? ""],
    ["URL", url],
    ["Active", active ? "yes" : "no"]
  ])

const pause = Command.make(
  "pause",
  { id, json: Output.json },
  Effect.fnUntraced(function*({ id, json }) {
    const { call } = yield* ApiAccess
    const { data } = yield* call(({ webhooks }) => webhooks.pause({ params: { id }, headers: {}, query: {} }))
    yield* Output.print(json, data, shown(data))
  })
).pipe(Command.withDescription("Take a webhook out of service; it keeps its place"))

const resume = Command.make(
  "resume",
  {
    id,
    fromNow: Flag.Boolean("from-now").pipe(
      Flag.withDescription("Drop what waits, and go on with what is emitted from now on"),
      Flag.withDefault(false)
    ),
    json: Output.json
  },
  Effect.fnUntraced(function*({ fromNow, id, json }) {
    const { call } = yield* ApiAccess
    const { data } = yield* call(({ webhooks }) =>
      webhooks.resume({ params: { id }, headers: {}, query: {}, payload: { from: fromNow ? "now" : "place" } })
    )
    yield* Output.print(json, data, shown(data))
  })
).pipe(Command.withDescription("Put a webhook in service, where it stood or from now on"))

const forceNext = Command.make(
  "force-next",
  {
    id,
    emitter: Flag.String("emitter").pipe(
      Flag.withDescription("Only the line of this source or workflow, by id or name slug"),
      Flag.optional
    ),
    json: Output.json
  },
  Effect.fnUntraced(function*({ emitter, id, json }) {
    const { call } = yield* ApiAccess
    const payload = Option.isNone(emitter) ? {} : { emitter_id: emitter.value }
    const { data } = yield* call(({ webhooks }) =>
      webhooks.forceNext({ params: { id }, headers: {}, query: {}, payload })
    )
    yield* Output.print(json, data, `Due now    ${data.delivery_count}`)
  })
).pipe(Command.withDescription("Attempt now the oldest pending delivery of each emitter"))

const jsonOf = (text: string) =>
  Effect.try({
    try: () => ExactJson.parse(text) as Schema.Json,
    catch: () => new CommandRefused({ message: `--payload is not JSON: ${JSON.stringify(text)}` })
  })

const test = Command.make(
  "test",
  {
    id,
    payload: Flag.String("payload").pipe(Flag.withDescription("What to send, as JSON"), Flag.optional),
    emitter: Flag.String("emitter").pipe(
      Flag.withDescription("Send an event of this source or workflow, by id or name slug"),
      Flag.optional
    ),
    event: Flag.String("event").pipe(Flag.withDescription("The id of that event"), Flag.optional),
    json: Output.json
  },
  Effect.fnUntraced(function*({ emitter, event, id, json, payload }) {
    const { call } = yield* ApiAccess
    const sample = {
      ...(Option.isNone(payload) ? {} : { payload: yield* jsonOf(payload.value) }),
      ...(Option.isNone(emitter) ? {} : { emitter_id: emitter.value }),
      ...(Option.isNone(event) ? {} : { event_id: event.value })
    }
    const { data } = yield* call(({ webhooks }) =>
      webhooks.test({ params: { id }, headers: {}, query: {}, payload: sample })
    )
    yield* Output.print(json, data, harmless(linesOf(data.attempt).slice(1).join("\n")))
  })
).pipe(Command.withDescription("Send a webhook one request to try it, and show what came back"))

const replay = Command.make(
  "replay",
  {
    id,
    emitter: DeliveryFilters.flag("emitter", "Events of this source or workflow, by id or name slug"),
    from: DeliveryFilters.flag("from", "From this event of the emitter on"),
    to: DeliveryFilters.flag("to", "Up to this event of the emitter"),
    since: DeliveryFilters.flags.since,
    until: DeliveryFilters.flags.until,
    rate: Flag.Int("rate").pipe(Flag.withDescription("At most so many a second"), Flag.optional),
    json: Output.json
  },
  Effect.fnUntraced(function*({ emitter, from, id, json, rate, since, to, until }) {
    const { call } = yield* ApiAccess
    const payload = {
      ...DeliveryFilters.given("emitter_id", emitter),
      ...DeliveryFilters.given("from", from),
      ...DeliveryFilters.given("to", to),
      ...DeliveryFilters.given("rate_limit", rate),
      ...(yield* DeliveryFilters.span({ since, until }))
    }
    const { data } = yield* call(({ bulkActions }) => bulkActions.replay({ params: { id }, headers: {}, payload }))
    yield* Output.print(json, data, `Bulk action    ${data.id}`)
  })
).pipe(Command.withDescription("Send a webhook events again: from one of an emitter on, or of a span of time"))

/** Webhooks, in and out of service. */
export const webhooksCommand = Command.make("webhooks").pipe(
  Command.withDescription("Try, pause and resume webhooks, and replay events to them"),
  Command.withSubcommands([test, replay, pause, resume, forceNext]),
  Command.provide(ApiAccess.layer)
)
