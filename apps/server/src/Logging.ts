import { Array, Effect, Layer, Logger, type LogLevel, References } from "effect"
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

/** A line as `Logger.formatJson` writes it, at a fraction of the cost where there is nothing special about it. */
const jsonLine = Logger.make((options) => {
  const { cause, date, fiber, logLevel, message } = options
  const annotations = fiber.getRef(References.CurrentLogAnnotations)
  const [text, ...more] = Array.ensure(message)
  const isPlain = typeof text === "string" && more.length === 0 && cause.reasons.length === 0 &&
    fiber.getRef(References.CurrentLogSpans).length === 0 &&
    Object.values(annotations).every((value) => typeof value === "string" || typeof value === "number")
  return isPlain
    ? JSON.stringify({
      message: text,
      level: logLevel.toUpperCase(),
      timestamp: date.toISOString(),
      annotations,
      spans: {},
      fiberId: `#${fiber.id}`
    })
    : Logger.formatJson.log(options)
})

/** One JSON object a line, written some at a time: a line by itself costs more to write than to make. */
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
