import {
  Array,
  Cause,
  Console,
  Effect,
  Formatter,
  Layer,
  Logger,
  type LogLevel,
  Option,
  Predicate,
  References
} from "effect"
import { explain } from "./ErrorExplanation.ts"
import { ServerConfig, type SettingLogLevel } from "./ServerConfig.ts"

const levels: Record<SettingLogLevel, LogLevel.LogLevel> = {
  trace: "Trace",
  debug: "Debug",
  info: "Info",
  warn: "Warn",
  error: "Error",
  fatal: "Fatal",
  none: "None"
}

/** Characters of one text in a line. */
const maxText = 8_000

const shortened = (text: string): string => text.length > maxText ? `${text.slice(0, maxText)} …` : text

const textOf = (value: unknown): string =>
  Predicate.isString(value) ? value : Predicate.hasProperty(value, "message") ? explain(value) : Formatter.format(value)

const fieldOf = (value: unknown): unknown =>
  Predicate.isNumber(value) || Predicate.isBoolean(value) || value === null ? value : shortened(textOf(value))

const isPlain = (value: unknown): boolean =>
  Predicate.isNumber(value) || Predicate.isString(value) && value.length <= maxText

/** What went wrong, and where where that is the server's own fault. */
const failureOf = (cause: Cause.Cause<unknown>) => ({
  error: textOf(Cause.squash(cause)),
  ...(Cause.hasDies(cause) ? { stack: shortened(Cause.pretty(cause)) } : {})
})

/** A line of the log as one JSON object. docs/operating.md says what is in it. */
const jsonLine = Logger.make(({ cause, date, fiber, logLevel, message }) => {
  const [first, ...more] = Array.ensure(message)
  const annotations = fiber.getRef(References.CurrentLogAnnotations)
  const failure = cause.reasons.length === 0 ? undefined : failureOf(cause)
  const errors = [...more.map(textOf), ...(failure === undefined ? [] : [failure.error])]
  const isWholePlain = Object.values(annotations).every(isPlain)
  return JSON.stringify({
    timestamp: date.toISOString(),
    level: logLevel.toUpperCase(),
    message: shortened(textOf(first)),
    ...(isWholePlain
      ? annotations
      : Object.fromEntries(Object.entries(annotations).map(([name, value]) => [name, fieldOf(value)]))),
    ...(errors.length === 0 ? {} : { error: shortened(errors.join(": ")) }),
    ...(failure?.stack === undefined ? {} : { stack: failure.stack })
  })
})

/** Written some at a time: a line by itself costs more to write than to make. */
const jsonLines = Logger.batched(jsonLine, {
  window: "50 millis",
  flush: (lines) => Effect.sync(() => process.stdout.write(`${lines.join("\n")}\n`))
})

/** Logs as configured: lines for a person on a terminal, one JSON object a line elsewhere. */
export const layer = Layer.unwrap(Effect.map(ServerConfig, ({ log, logLevel }) =>
  Layer.mergeAll(
    Logger.layer([log === "pretty" ? Logger.consolePretty() : jsonLines]),
    Layer.succeed(References.MinimumLogLevel, levels[logLevel])
  )))

const isJson = (): boolean => {
  const format = (process.env["HEADWATER_LOG"] ?? "").trim().toLowerCase()
  return format === "json" || (format !== "pretty" && !process.stdout.isTTY)
}

/**
 * Tells why the server does not start, or ends: what is wrong with the configuration or the machine by its message, a fault
 * of ours with its trace. Needs no configuration, which may be what is wrong.
 */
export const tellEnd = (cause: Cause.Cause<unknown>): Effect.Effect<void> =>
  Option.match(Cause.findErrorOption(cause), {
    onNone: () => Effect.logFatal("The server failed", cause),
    onSome: (error) => {
      const lines = explain(error).split("\n")
      return isJson()
        ? Effect.logFatal(lines.join("; "))
        : Console.error(lines.map((line) => `headwater: ${line}`).join("\n"))
    }
  }).pipe(
    Effect.provide(
      isJson() ? Logger.layer([Logger.map(jsonLine, (line) => process.stdout.write(`${line}\n`))]) : Layer.empty
    )
  )
