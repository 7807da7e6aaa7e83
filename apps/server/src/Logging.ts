import { Effect, Formatter, Layer, Logger, type LogLevel, References } from "effect"
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

/** JSON as the platform writes it, which is many times faster; what it can't write is written as well as can be. */
const jsonText = (line: unknown): string => {
  try {
    return JSON.stringify(line)
  } catch {
    return Formatter.formatJson(line)
  }
}

/** One JSON object a line, written some at a time: a line by itself costs more to write than to make. */
const jsonLines = Logger.batched(Logger.map(Logger.formatStructured, jsonText), {
  window: "50 millis",
  flush: (lines) => Effect.sync(() => process.stdout.write(`${lines.join("\n")}\n`))
})

/** Logs as configured: lines for a person on a terminal, one JSON object a line elsewhere. */
export const layer = Layer.unwrap(Effect.map(ServerConfig, ({ log, logLevel }) =>
  Layer.mergeAll(
    Logger.layer([log === "pretty" ? Logger.consolePretty() : jsonLines]),
    Layer.succeed(References.MinimumLogLevel, levels[logLevel])
  )))
