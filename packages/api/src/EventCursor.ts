import * as EventId from "@headwater/domain/EventId"
import { Option, Result, Schema } from "effect"
import { Base64Url } from "effect/encoding"

/** A place in a list of the events of several emitters. */
export interface EventCursor {
  readonly id: EventId.EventId
  readonly emitterId: string
}

/** The cursor that names a place: the event's id and its emitter's, in unpadded base64url. */
export const format = ({ emitterId, id }: EventCursor): string => Base64Url.encode(`${EventId.format(id)} ${emitterId}`)

const form = /^(\S+) ([a-z]{1,3}_[0-9A-Za-z]{1,30})$/

export const parse = (cursor: string): Option.Option<EventCursor> => {
  const [, idText, emitterId] = form.exec(Result.getOrElse(Base64Url.decodeString(cursor), () => "")) ?? []
  if (idText === undefined || emitterId === undefined) return Option.none()
  return Option.map(EventId.parse(idText), (id) => ({ id, emitterId }))
}

/** A cursor as clients write it. */
export const EventCursorText = Schema.String.pipe(
  Schema.check(Schema.makeFilter((cursor) => Option.isSome(parse(cursor)), {
    expected: "a cursor of this list, as page_info gives it",
    toJsonSchema: () => ({ pattern: "^[0-9A-Za-z_-]+$" })
  }))
)
