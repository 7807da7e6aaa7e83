import { Schema } from "effect"

/** Sends one request over and over, over so many connections. */
const Begin = Schema.TaggedStruct("Begin", {
  /** All of one host. A connection sends to one of them. */
  urls: Schema.Array(Schema.String),
  method: Schema.Literals(["GET", "POST"]),
  headers: Schema.Record(Schema.String, Schema.String),
  body: Schema.String,
  connections: Schema.Int,
  /** How long a connection rests after an answer, in milliseconds. */
  restMs: Schema.Int
})

/** Stops sending, and says how often each status was answered; 0 counts connections that were lost. */
const End = Schema.TaggedStruct("End", {})

/** The load of an account that asks for as much as it can. */
export const hostile = {
  request: Schema.Union([Begin, End]),
  reply: Schema.Record(Schema.String, Schema.Int)
}
export type HostileRequest = typeof hostile.request.Type
