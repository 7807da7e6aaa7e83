import { EventIdText } from "@headwater/domain/EventId"
import { Option, Schema } from "effect"
import { Argument, Flag } from "effect/cli"

const isEventId = Schema.is(EventIdText)

const eventId = (text: string) => isEventId(text) ? Option.some(text) : Option.none()

const refusal = () => "Expected an event id such as 1760000120000-0; `headwater events` lists events with theirs"

/** The id of an event, as an argument of a command. */
export const argument = (name: string) => Argument.String(name).pipe(Argument.filterMap(eventId, refusal))

/** The same as a flag. */
export const flag = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.filterMap(eventId, refusal), Flag.optional)
