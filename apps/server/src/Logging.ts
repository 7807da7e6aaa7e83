import { Effect, Layer, Logger, type LogLevel, References } from "effect"
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

/** Logs as configured: lines for a person on a terminal, one JSON object a line elsewhere. */
export const layer = Layer.unwrap(Effect.map(ServerConfig, ({ log, logLevel }) =>
  Layer.mergeAll(
    Logger.layer([log === "pretty" ? Logger.consolePretty() : Logger.consoleJson]),
    Layer.succeed(References.MinimumLogLevel, levels[logLevel])
  )))
