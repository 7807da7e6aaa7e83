import { Schema } from "effect"

/** The reasons for which no answer comes. `refused` is the server's own; the others are the network's or the target's. */
export const NoAnswer = Schema.Literals([
  "refused",
  "dns",
  "connect",
  "tls",
  "certificate",
  "timeout",
  "reset",
  "protocol"
])

/** The kinds of failure of an attempt at a delivery: how people find those that failed alike. */
export const ErrorClass = Schema.Literals([
  "status",
  "throttled",
  "redirect",
  "gone",
  ...NoAnswer.literals,
  "request",
  "no_credentials",
  "no_mail_server",
  "internal",
  "too_large",
  "held"
])
export type ErrorClass = typeof ErrorClass.Type
