import { Schema } from "effect"

/** The kinds of failure of an attempt at a delivery: how people find those that failed alike. */
export const ErrorClass = Schema.Literals([
  "status",
  "throttled",
  "redirect",
  "gone",
  "refused",
  "dns",
  "connect",
  "tls",
  "certificate",
  "timeout",
  "reset",
  "protocol",
  "request",
  "no_credentials",
  "no_mail_server",
  "internal",
  "too_large",
  "held"
])
export type ErrorClass = typeof ErrorClass.Type
