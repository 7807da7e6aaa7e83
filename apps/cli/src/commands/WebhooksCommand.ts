import { WebhooksApi } from "@headwater/api/WebhooksApi"
import * as ExactJson from "@headwater/domain/ExactJson"
import { Effect, Option, type Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { ApiAccess } from "../access/ApiAccess.ts"
import { CommandRefused } from "../CommandRefused.ts"
import * as CountFlag from "../given/CountFlag.ts"
import * as DeliveryFilters from "../given/DeliveryFilters.ts"
import * as EventIdGiven from "../given/EventIdGiven.ts"
import * as Columns from "../resource/Columns.ts"
import * as Kind from "../resource/Kind.ts"
import * as Naming from "../resource/Naming.ts"
import type { Resource } from "../resource/Resource.ts"
import * as ResourceCommand from "../resource/ResourceCommand.ts"
import { linesOf } from "../text/AttemptText.ts"
import * as FlagWords from "../text/FlagWords.ts"
import { harmless } from "../text/HarmlessText.ts"
import * as Output from "../text/Output.ts"
import * as ThingText from "../text/ThingText.ts"
import * as BulkCommand from "./BulkCommand.ts"

const webhook = ResourceCommand.argumentOf(Kind.webhook)

const idOf = (webhook: string) => Naming.idOf(Kind.webhook, webhook)

const webhooks: Resource = {
  kind: Kind.webhook,
  api: WebhooksApi,
  columns: [Columns.name, Columns.id, Columns.active, Columns.field("URL", "url"), Columns.created],
  first: "headwater webhooks create receiver --url http://localhost:9000",
  creation: ["name"],
  next: ({ id, name }) =>
    `Have it hear something:   headwater subscribe EMITTER ${String(name ?? id)}\n` +
    `Verify what it is sent:   headwater webhooks secret ${String(name ?? id)}`,
  deletion: "with its subscriptions"
}

const resume = Command.make(
  "resume",
  {
    webhook,
    fromNow: Flag.Boolean("from-now").pipe(
      Flag.withDescription("Drop what waits, and go on with what is emitted from now on"),
      Flag.withDefault(false)
    ),
    json: Output.json
  },
  Effect.fnUntraced(function*({ fromNow, json, webhook }) {
    const { call } = yield* ApiAccess
    const id = yield* idOf(webhook)
    const { data } = yield* call(({ webhooks }) =>
      webhooks.resume({ params: { id }, headers: {}, query: {}, payload: { from: fromNow ? "now" : "place" } })
    )
    yield* Output.print(json, data, ThingText.linesOf(Kind.webhook.one, data))
  })
).pipe(Command.withDescription("Put a webhook in service, where it stood or from now on"))

const forceNext = Command.make(
  "force-next",
  {
    webhook,
    emitter: Flag.String("emitter").pipe(
      Flag.withDescription("Only the line of this source or workflow, by name, slug or id"),
      Flag.optional
    ),
    json: Output.json
  },
  Effect.fnUntraced(function*({ emitter, json, webhook }) {
    const { call } = yield* ApiAccess
    const id = yield* idOf(webhook)
    const payload = yield* Naming.fieldOf("emitter_id", Kind.emitters, emitter)
    const { data } = yield* call(({ webhooks }) =>
      webhooks.forceNext({ params: { id }, headers: {}, query: {}, payload })
    )
    yield* Output.print(json, data, `Due now    ${data.delivery_count}`)
  }, FlagWords.inFlags({ emitter_id: "--emitter" }))
).pipe(Command.withDescription("Attempt now the oldest pending delivery of each emitter"))

const jsonOf = (text: string) =>
  Effect.try({
    try: () => ExactJson.parse(text) as Schema.Json,
    catch: () => new CommandRefused({ message: `--payload is not JSON: ${JSON.stringify(text)}` })
  })

const test = Command.make(
  "test",
  {
    webhook,
    payload: Flag.String("payload").pipe(Flag.withDescription("What to send, as JSON"), Flag.optional),
    emitter: Flag.String("emitter").pipe(
      Flag.withDescription("Send an event of this source or workflow, by name, slug or id"),
      Flag.optional
    ),
    event: EventIdGiven.flag("event", "The id of that event"),
    json: Output.json
  },
  Effect.fnUntraced(function*({ emitter, event, json, payload, webhook }) {
    const { call } = yield* ApiAccess
    const id = yield* idOf(webhook)
    const sample = {
      ...(Option.isNone(payload) ? {} : { payload: yield* jsonOf(payload.value) }),
      ...(yield* Naming.fieldOf("emitter_id", Kind.emitters, emitter)),
      ...(Option.isNone(event) ? {} : { event_id: event.value })
    }
    const { data } = yield* call(({ webhooks }) =>
      webhooks.test({ params: { id }, headers: {}, query: {}, payload: sample })
    )
    yield* Output.print(json, data, harmless(linesOf(data.attempt).slice(1).join("\n")))
    const { error_message, outcome } = data.attempt
    if (outcome === "failed") {
      return yield* new CommandRefused({ message: `It did not arrive: ${error_message ?? "nothing answered"}` })
    }
  }, FlagWords.inFlags({ payload: "--payload", emitter_id: "--emitter", event_id: "--event" }))
).pipe(
  Command.withDescription("Send a webhook one request to try it, and show what came back; fails if it did not arrive")
)

const replay = Command.make(
  "replay",
  {
    webhook,
    emitter: DeliveryFilters.flag("emitter", "Events of this source or workflow, by name, slug or id"),
    ...BulkCommand.rangeFlags,
    since: DeliveryFilters.flags.since,
    until: DeliveryFilters.flags.until,
    rate: CountFlag.make("rate", "At most so many a second").pipe(Flag.optional),
    wait: BulkCommand.flags.wait,
    json: Output.json
  },
  Effect.fnUntraced(function*({ emitter, from, json, rate, since, to, until, wait, webhook }) {
    const { call } = yield* ApiAccess
    const id = yield* idOf(webhook)
    const payload = {
      ...(yield* Naming.fieldOf("emitter_id", Kind.emitters, emitter)),
      ...DeliveryFilters.given("from", from),
      ...DeliveryFilters.given("to", to),
      ...DeliveryFilters.given("rate_limit", rate),
      ...(yield* DeliveryFilters.span({ since, until }))
    }
    const { data } = yield* call(({ bulkActions }) => bulkActions.replay({ params: { id }, headers: {}, payload }))
    yield* BulkCommand.finish(data, wait, json)
  }, FlagWords.inFlags({ ...DeliveryFilters.words, from: "--from", to: "--to", rate_limit: "--rate" }))
).pipe(Command.withDescription("Send a webhook events again: from one of an emitter on, or of a span of time"))

const secret = Command.make(
  "secret",
  {
    webhook,
    rotate: Flag.Boolean("rotate").pipe(
      Flag.withDescription("Make a new one first; the old one signs too for 24 hours"),
      Flag.withDefault(false)
    ),
    json: Output.json
  },
  Effect.fnUntraced(function*({ json, rotate, webhook }) {
    const { call } = yield* ApiAccess
    const params = { id: yield* idOf(webhook) }
    const { data } = yield* call(({ webhooks }) =>
      rotate ? webhooks.rotateSecret({ params, headers: {}, query: {} }) : webhooks.getSecret({ params, query: {} })
    )
    yield* Output.print(json, data, data.secret)
  })
).pipe(Command.withDescription("Print the secret that signs what a webhook is sent"))

/** The addresses that events are sent to. */
export const webhooksCommand = ResourceCommand.make("webhooks", webhooks, [secret, test, replay, resume, forceNext])
