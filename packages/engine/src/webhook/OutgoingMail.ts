import { Option, Schema } from "effect"

/** A message to the owner of the account, as `$.send.email` leaves it on the stream `$sends`. */
export const OutgoingMail = Schema.Struct({
  email: Schema.Struct({
    subject: Schema.String,
    text: Schema.optionalKey(Schema.String),
    html: Schema.optionalKey(Schema.String)
  })
})
export type OutgoingMail = typeof OutgoingMail.Type

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(OutgoingMail))

const beginning = `{"email":`

/** @param payload JSON text of the event */
export const parse = (payload: string): Option.Option<OutgoingMail> =>
  payload.startsWith(beginning) ? decode(payload) : Option.none()
