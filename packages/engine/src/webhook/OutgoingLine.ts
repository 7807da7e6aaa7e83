import * as ExactJson from "@headwater/domain/ExactJson"
import * as ObjectPrefix from "@headwater/domain/ObjectPrefix"
import { Option, Schema } from "effect"

/** A line for an object in a bucket, as `$.send.s3` leaves it on the stream `$s3`. */
export const OutgoingLine = Schema.Struct({
  s3: Schema.Struct({
    bucket: Schema.String.check(Schema.isPattern(/^[\w.-]{3,255}$/)),
    prefix: Schema.String.check(Schema.makeFilter(ObjectPrefix.is)),
    payload: Schema.Json
  })
})
export type OutgoingLine = typeof OutgoingLine.Type

const decode = Schema.decodeUnknownOption(OutgoingLine)

const read = Option.liftThrowable(ExactJson.parse)

/** @param payload JSON text of the event */
export const parse = (payload: string): Option.Option<OutgoingLine> => Option.flatMap(read(payload), decode)
