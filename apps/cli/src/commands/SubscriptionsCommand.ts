import { SubscriptionsApi } from "@headwater/api/SubscriptionsApi"
import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { ApiAccess } from "../access/ApiAccess.ts"
import * as ApiGroup from "../resource/ApiGroup.ts"
import * as Columns from "../resource/Columns.ts"
import * as Kind from "../resource/Kind.ts"
import * as Naming from "../resource/Naming.ts"
import type { Resource } from "../resource/Resource.ts"
import * as ResourceCommand from "../resource/ResourceCommand.ts"
import * as Output from "../text/Output.ts"

/** The fields that tell a subscription from the others. */
const partsOf = ({ emitter_id, event_name, listener_id }: ApiGroup.Thing) => ({
  emitter_id: String(emitter_id),
  listener_id: String(listener_id),
  event_name: String(event_name)
})

/** The command that shows what a listener gets, or what it makes of it. */
const whatComes = (emitter: string, listener: string): string =>
  Kind.isIdOf(Kind.webhook, listener)
    ? `deliveries list --emitter ${emitter}`
    : Kind.isIdOf(Kind.workflow, listener)
    ? `runs list ${listener}`
    : `events ${listener}`

export const subscriptions: Resource = {
  kind: Kind.subscription,
  api: SubscriptionsApi,
  columns: [
    Columns.id,
    Columns.named("EMITTER", "emitter_id"),
    Columns.stream,
    Columns.named("LISTENER", "listener_id"),
    Columns.filter
  ],
  namedFields: ["emitter_id", "listener_id"],
  first: "headwater subscribe EMITTER LISTENER",
  creation: ["emitter_id", "listener_id"],
  addressOf: (subscription) => ({ query: {}, payload: partsOf(subscription) }),
  next: ({ emitter_id, listener_id }) =>
    `See what arrives: headwater ${whatComes(String(emitter_id), String(listener_id))}`
}

export const subscriptionsCommand = ResourceCommand.make("subscriptions", subscriptions, [])

/** The same as `subscriptions create`, under the name that comes to mind first. */
export const subscribeCommand = ResourceCommand.createCommand("subscribe", subscriptions).pipe(
  Command.provide(ApiAccess.layer)
)

/** Takes back what `subscribe` does. */
export const unsubscribeCommand = Command.make(
  "unsubscribe",
  {
    emitter: Argument.String("emitter").pipe(
      Argument.withDescription("The source or workflow, by name, slug or id, or the glob that it was subscribed by")
    ),
    listener: Argument.String("listener").pipe(
      Argument.withDescription("The webhook, workflow or source, by name, slug or id")
    ),
    stream: Flag.String("stream").pipe(
      Flag.withAlias("event"),
      Flag.withDescription("The event stream. Default: the default one"),
      Flag.withDefault("")
    ),
    json: Output.json
  },
  Effect.fnUntraced(function*({ emitter, json, listener, stream }) {
    const payload = {
      emitter_id: yield* Naming.emitterOrGlob(emitter),
      listener_id: (yield* Naming.find(Kind.listeners, listener)).id,
      event_name: stream
    }
    yield* ApiGroup.one(Kind.subscription.group, "delete", { query: {}, payload })
    yield* Output.print(json, { ...payload, deleted: true }, `${listener} gets nothing more of ${emitter}.`)
  })
).pipe(Command.provide(ApiAccess.layer))
