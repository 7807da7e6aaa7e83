/** The events of an app that a component's apphook is for (`components.md`, "Props"). */
import { isCallable } from "./Props.ts"

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null

/** The event that a request brings: its body, or what is in the envelope that Slack's Events API puts around it. */
export const eventOf = (request: unknown): unknown => {
  const body = isObject(request) ? request["body"] : undefined
  return isObject(body) && body["type"] === "event_callback" && isObject(body["event"]) ? body["event"] : body
}

/** An event's own strings, such as its type and the ids of what it is about. */
const textsOf = (value: unknown, found: Set<string>, depth: number): Set<string> => {
  if (typeof value === "string") found.add(value)
  else if (isObject(value) && depth > 0) {
    for (const each of Object.values(value)) textsOf(each, found, depth - 1)
  }
  return found
}

/** Ids lie no deeper in events, as `item.channel` or `actions[0].action_id`. */
const deepest = 3

/** Under which name apps tell of a click in a message of theirs, whose own type is another. */
const interaction = "interaction_events"

/**
 * True if the event is of one of the names in `eventNames`. A name is of one or more parts, as
 * `reaction_added:C024BE91L`, each of which is the event's type, or the id of something it is about. Without names
 * every event is meant.
 */
export const isOfApphook = async (
  apphook: Readonly<Record<string, unknown>>,
  self: unknown,
  event: unknown
): Promise<boolean> => {
  const given = apphook["eventNames"]
  const names: unknown = isCallable(given) ? await given.call(self) : given
  if (!Array.isArray(names) || names.length === 0) return true
  const texts = textsOf(event, new Set(), deepest)
  const isInteraction = isObject(event) && "actions" in event
  return names.some((name) =>
    String(name).split(":").every((part) => texts.has(part) || (part === interaction && isInteraction))
  )
}
