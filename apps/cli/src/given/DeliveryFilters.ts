import { DeliveryState } from "@headwater/api/DeliveryState"
import { ListOrder } from "@headwater/api/ListOrder"
import { ErrorClass } from "@headwater/domain/ErrorClass"
import { Effect, Option } from "effect"
import { Flag } from "effect/cli"
import * as Kind from "../resource/Kind.ts"
import * as Naming from "../resource/Naming.ts"
import type * as FlagWords from "../text/FlagWords.ts"
import * as EventIdGiven from "./EventIdGiven.ts"
import { timeOf } from "./TimeFlag.ts"

/** A flag for one filter. */
export const flag = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.optional)

/** The order of a list that is newest first where nobody asks for the other. */
export const sort = Flag.Literals("sort", ListOrder.literals).pipe(
  Flag.withDescription("newest: the newest first, the default. oldest: the oldest first"),
  Flag.optional
)

/** By which deliveries are found. */
export const flags = {
  webhook: flag("webhook", "To this webhook, by name or id"),
  subscription: flag("subscription", "Of this subscription, by its id"),
  emitter: flag("emitter", "Of events of this source or workflow, by name, slug or id"),
  stream: flag("stream", "Of events of this stream; \"default\" for the default one"),
  event: EventIdGiven.flag("event", "Of the event with this id"),
  state: Flag.Literals("state", DeliveryState.literals).pipe(
    Flag.withDescription("In this state"),
    Flag.optional
  ),
  error: Flag.Literals("error", ErrorClass.literals).pipe(
    Flag.withDescription("Whose last attempt failed in this way"),
    Flag.optional
  ),
  status: flag("status", "Whose last attempt was answered with this status, such as 503 or 5xx"),
  since: flag("since", "Begun at this time or later: ISO 8601, or so long ago, such as 30m, 12h or 7d"),
  until: flag("until", "Begun before this time, in the same forms"),
  lastAttemptSince: flag("last-attempt-since", "Whose last attempt was made at this time or later, in the same forms"),
  text: flag("text", "Of events whose payload contains this text")
}

/** A field of a query, if a flag gives it. */
export const given = <A>(name: string, value: Option.Option<A>) => Option.isNone(value) ? {} : { [name]: value.value }

/** The times of a span, as the API takes them. */
export const span = Effect.fnUntraced(function*(
  { since, until }: { readonly since: Option.Option<string>; readonly until: Option.Option<string> }
) {
  return {
    ...(Option.isNone(since) ? {} : { since: yield* timeOf("--since", since.value) }),
    ...(Option.isNone(until) ? {} : { until: yield* timeOf("--until", until.value) })
  }
})

type Given = { readonly [Name in keyof typeof flags]: (typeof flags)[Name] extends Flag.Flag<infer A> ? A : never }

/** The flag for each field. */
export const words: FlagWords.Flags = {
  webhook_id: "--webhook",
  subscription_id: "--subscription",
  emitter_id: "--emitter",
  event_name: "--stream",
  event_id: "--event",
  state: "--state",
  error_class: "--error",
  status: "--status",
  text: "--text",
  since: "--since",
  until: "--until",
  last_attempt_since: "--last-attempt-since"
}

/** The flags as the API takes them. */
export const query = Effect.fnUntraced(function*(flags: Given) {
  return {
    ...(yield* Naming.fieldOf("webhook_id", [Kind.webhook], flags.webhook)),
    ...given("subscription_id", flags.subscription),
    ...(yield* Naming.fieldOf("emitter_id", Kind.emitters, flags.emitter)),
    ...given("event_name", flags.stream),
    ...given("event_id", flags.event),
    ...given("state", flags.state),
    ...given("error_class", flags.error),
    ...given("status", flags.status),
    ...given("text", flags.text),
    ...(yield* span(flags)),
    ...(Option.isNone(flags.lastAttemptSince)
      ? {}
      : { last_attempt_since: yield* timeOf("--last-attempt-since", flags.lastAttemptSince.value) })
  }
})
