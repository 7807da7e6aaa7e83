import { Clock, Console, Effect, Option, Queue, Redacted } from "effect"
import { Command, Flag } from "effect/cli"
import { ApiAccess } from "../access/ApiAccess.ts"
import * as Deployment from "../code/Deployment.ts"
import { CommandRefused } from "../CommandRefused.ts"
import * as ProgramByName from "../given/ProgramByName.ts"
import * as DemoReceiver from "../listen/DemoReceiver.ts"
import * as ApiGroup from "../resource/ApiGroup.ts"
import { harmless } from "../text/HarmlessText.ts"
import * as Output from "../text/Output.ts"
import * as Progress from "../text/Progress.ts"
import { endpointOf, post } from "./TriggerCommand.ts"

/** The name of all that it makes. */
const name = "demo"

/** Emits the order that it is sent. */
const code = `export default {
  name: "${name}",
  version: "0.0.1",
  props: { http: "$.interface.http" },
  run({ body }) {
    this.$emit(body, { summary: \`order \${body.order}\` })
  }
}
`

const payload = { order: 17, total: 42.5 }

const patience = "20 seconds"

const refuse = (message: string) => new CommandRefused({ message })

/** A server on another machine would deliver to itself. */
const refuseElsewhere = (url: string) =>
  /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(url).hostname) ? Effect.void : refuse(
    `${url} is another machine, which can't reach this one to deliver to it. ` +
      "`headwater listen --forward-to <url>` brings its events here"
  )

/** A source of this name that runs another component is somebody's work. */
const refuseOther = Effect.gen(function*() {
  const { call } = yield* ApiAccess
  const source = yield* ProgramByName.find("source", name)
  const key = source?.component_id
  if (source === undefined || key === undefined) return
  const component = yield* call(({ components }) => components.get({ params: { key }, query: {} })).pipe(
    Effect.catchTag("NotFoundProblem", () => Effect.undefined)
  )
  if (component?.data.name !== name) {
    return yield* refuse(
      `The source ${JSON.stringify(source.name)} (${source.id}) is not that of the demo. Rename it, then try again`
    )
  }
})

const deploySource = Effect.gen(function*() {
  yield* refuseOther
  const deployment = yield* Deployment.make({
    name,
    props: [],
    asks: false,
    during: Progress.during
  })
  const { apply } = yield* deployment.prepare({
    _tag: "Code",
    name,
    bundle: { code, imports: [], place: (line, column) => ({ file: "demo.mjs", line, column }) }
  })
  return (yield* apply).program
})

/** The places at which it listens. */
const isOwnPlace = (url: unknown): boolean => /^http:\/\/127\.0\.0\.1:\d+\/$/.test(String(url))

/** The webhook of an earlier time, sent to the new place, else a new one. */
const makeWebhook = Effect.fnUntraced(function*(url: string) {
  const known = (yield* ApiGroup.list("webhooks")).find((webhook) =>
    webhook["name"] === name && isOwnPlace(webhook["url"])
  )
  const webhook = known === undefined
    ? yield* ApiGroup.one("webhooks", "create", { headers: {}, query: {}, payload: { name, url } })
    : yield* ApiGroup.one("webhooks", "update", { params: { id: known.id }, payload: { url, active: true } })
  return webhook!.id
})

/** The outcome of the newest delivery to a webhook, of which nothing has arrived. */
const reasonOf = Effect.fnUntraced(function*(webhookId: string) {
  const { call } = yield* ApiAccess
  const { data: [delivery] } = yield* call(({ deliveries }) =>
    deliveries.list({ query: { webhook_id: webhookId, limit: 1 } })
  )
  if (delivery === undefined) {
    return "The server has attempted no delivery. `headwater logs demo` shows its code's lines"
  }
  return `The server could not deliver it (${delivery.error_class ?? delivery.state}). ` +
    `\`headwater deliveries get ${delivery.id}\` shows every attempt. A server in a container can't reach this machine ` +
    "so: use `headwater listen --forward-to <url>`"
})

const awaitDelivery = Effect.fnUntraced(function*(
  { received }: { readonly received: Queue.Queue<DemoReceiver.Received> },
  webhookId: string
) {
  const arrived = yield* Queue.take(received).pipe(
    Progress.during(() => "Waiting for the delivery"),
    Effect.timeoutOption(patience)
  )
  return Option.isSome(arrived) ? arrived.value : yield* Effect.flatMap(reasonOf(webhookId), refuse)
})

/** Makes a source and a webhook, sends the source an event, and shows how it arrives. */
export const demoCommand = Command.make(
  "demo",
  {
    port: Flag.Int("port").pipe(
      Flag.withMetavar("N"),
      Flag.withDescription("The port of this machine at which it arrives. Default: a free one"),
      Flag.withDefault(0)
    ),
    json: Output.json
  },
  Effect.fnUntraced(function*({ json, port }) {
    const { call, url } = yield* ApiAccess
    yield* refuseElsewhere(url)
    const say = (title: string, text: string) =>
      json ? Effect.void : Console.log(harmless(`${title.padEnd(11)}${text}`))
    const receiver = yield* DemoReceiver.make(port)
    const source = yield* deploySource
    const endpoint = `${url}${endpointOf(source)}`
    yield* say("Source", `${source.name_slug}, at ${endpoint}`)
    const webhookId = yield* makeWebhook(receiver.url)
    const params = { id: webhookId }
    const { data: { secret } } = yield* call(({ webhooks }) => webhooks.getSecret({ params, query: {} }))
    yield* say("Webhook", `${name}, at ${receiver.url}`)
    yield* ApiGroup.one("subscriptions", "create", {
      headers: {},
      query: {},
      payload: { emitter_id: source.id, listener_id: webhookId }
    })
    const sentAt = yield* Clock.currentTimeMillis
    const answer = yield* post(endpoint, Option.some(payload))
    if (answer.status >= 400) return yield* refuse(`The source answered ${answer.status}: ${answer.body}`)
    yield* say("Sent", `${JSON.stringify(payload)} to the source, which answered ${answer.status}`)
    const request = yield* awaitDelivery(receiver, webhookId)
    const tookMs = (yield* Clock.currentTimeMillis) - sentAt
    const eventId = String(request.headers["x-headwater-event-id"])
    const isValid = DemoReceiver.isSigned(request, Redacted.make(secret))
    yield* say(
      "Received",
      `${request.body} at the webhook, ${tookMs} ms later, signature ${isValid ? "valid" : "INVALID"}`
    )
    const page = `${url}/console/events/${source.id}/${eventId}`
    yield* Output.print(
      json,
      {
        source_id: source.id,
        webhook_id: webhookId,
        event_id: eventId,
        body: request.body,
        valid: isValid,
        took_ms: tookMs,
        page
      },
      `\nSee all that came of it at ${page}\n` +
        "`headwater sources delete demo` and `headwater webhooks delete demo` remove what was made."
    )
    if (!isValid) return yield* refuse("The signature is not that of the webhook's secret")
  }, Effect.scoped)
).pipe(
  Command.withDescription("Make a source and a webhook, send an event through both, and show how it arrives, signed"),
  Command.withExamples([{ command: "headwater demo", description: "The first delivery, after `headwater login`" }]),
  Command.provide(ApiAccess.layer)
)
