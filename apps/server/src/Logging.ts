import { Sharers } from "@headwater/domain/Sharers"
import { throughLoggers, type WideLine, WideLog } from "@headwater/engine/WideLog"
import {
  Array,
  Cause,
  Clock,
  Console,
  Context,
  Effect,
  Formatter,
  Latch,
  Layer,
  Logger,
  LogLevel,
  Option,
  Predicate,
  References
} from "effect"
import { explain } from "./ErrorExplanation.ts"
import { LogSampling } from "./LogSampling.ts"
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
  value === undefined || Predicate.isNumber(value) || Predicate.isString(value) && value.length <= maxText

/** The failure, with its stack if it is the server's own fault. */
const failureOf = (cause: Cause.Cause<unknown>) => ({
  error: textOf(Cause.squash(cause)),
  ...(Cause.hasDies(cause) ? { stack: shortened(Cause.pretty(cause)) } : {})
})

/** The fields of a line beside its time, level and message. */
type Fields = Readonly<Record<string, unknown>>

const areAllPlain = (fields: Fields): boolean => {
  for (const name in fields) if (!isPlain(fields[name])) return false
  return true
}

/** A line of the log as one JSON object. docs/operating.md says what is in it. */
const lineOf = (date: Date, level: string, message: string, fields: Fields, more: Fields): string =>
  JSON.stringify({
    timestamp: date.toISOString(),
    level,
    message: shortened(message),
    ...(areAllPlain(fields)
      ? fields
      : Object.fromEntries(
        Object.entries(fields).filter(([, value]) => value !== undefined).map(([name, value]) => [name, fieldOf(value)])
      )),
    ...more
  })

const jsonLine = Logger.make(({ cause, date, fiber, logLevel, message }) => {
  const [first, ...more] = Array.ensure(message)
  const failure = cause.reasons.length === 0 ? undefined : failureOf(cause)
  const errors = [...more.map(textOf), ...(failure === undefined ? [] : [failure.error])]
  return lineOf(date, logLevel.toUpperCase(), textOf(first), fiber.getRef(References.CurrentLogAnnotations), {
    ...(errors.length === 0 ? {} : { error: shortened(errors.join(": ")) }),
    ...(failure?.stack === undefined ? {} : { stack: failure.stack })
  })
})

/** The time that lines wait to be written together. */
const flushEvery = "50 millis"

/** Lines on their way to the standard output, written some at a time: a line by itself costs more to write than to make. */
class Output extends Context.Service<Output, { readonly put: (line: string) => void }>()("@headwater/server/Output") {
  static readonly layer = Layer.effect(
    Output,
    Effect.gen(function*() {
      const lines: Array<string> = []
      const isWaiting = yield* Latch.make()
      const flush = Effect.sync(() => {
        isWaiting.closeUnsafe()
        if (lines.length > 0) process.stdout.write(`${lines.splice(0).join("\n")}\n`)
      })
      yield* Effect.addFinalizer(() => flush)
      yield* isWaiting.await.pipe(
        Effect.andThen(Effect.sleep(flushEvery)),
        Effect.andThen(flush),
        Effect.forever,
        Effect.forkScoped
      )
      return Output.of({
        put: (line) => {
          lines.push(line)
          isWaiting.openUnsafe()
        }
      })
    })
  )
}

const pretty = Logger.consolePretty()

const loggers = Layer.unwrap(Effect.gen(function*() {
  const { log, logLevel } = yield* ServerConfig
  const { put } = yield* Output
  return Layer.mergeAll(
    Logger.layer([log === "pretty" ? pretty : Logger.map(jsonLine, put)]),
    Layer.succeed(References.MinimumLogLevel, levels[logLevel])
  )
}))

/** Logs as configured: lines for a person on a terminal, one JSON object a line elsewhere. */
export const layer = Layer.provideMerge(loggers, Output.layer)

const withCount = (line: WideLine, standsFor: number): WideLine =>
  standsFor === 1 ? line : { ...line, fields: { ...line.fields, stands_for: standsFor } }

/** The fields of a line about a run or a delivery that a person at a terminal reads, in their order. */
const read = [
  "event_id",
  "source_id",
  "workflow_id",
  "webhook_id",
  "outcome",
  "status",
  "limit",
  "wall_ms",
  "duration_ms",
  "error",
  "stands_for"
]

const valueOf = (name: string, value: string | number): string =>
  name.endsWith("_ms")
    ? `${value} ms`
    : name === "stands_for"
    ? `and ${Number(value) - 1} more`
    : `${value}`.replaceAll(/[\s\p{Cc}]+/gu, " ")

/**
 * A line about a run or a delivery for a person at a terminal: one, as wide as that is, so that much stays in sight. An
 * error is in the words of others, of which the terminal is to obey none.
 */
export const briefLine = ({ fields, isFailure, message }: WideLine, at: Date, columns: number): string => {
  const values = read.flatMap((name) => fields[name] === undefined ? [] : [valueOf(name, fields[name])])
  const line = [at.toTimeString().slice(0, 8), isFailure ? "WARN" : "INFO", message.padEnd(8), ...values].join("  ")
  return line.length > columns ? `${line.slice(0, columns - 1)}…` : line
}

/** Some terminals do not say how wide they are. */
const columns = (): number =>
  process.stdout.isTTY ? process.stdout.columns > 1 ? process.stdout.columns : 80 : Number.POSITIVE_INFINITY

/**
 * Lines about runs and deliveries are made into text where they are said, unless they are for others beside the standard
 * output too. Needs to know all loggers that there are.
 */
export const wideLayer = Layer.effect(
  WideLog,
  Effect.gen(function*() {
    const { log, logLevel, logRate } = yield* ServerConfig
    const { put } = yield* Output
    const clock = yield* Clock.Clock
    const context = yield* Effect.context<never>()
    const loggers = yield* Logger.CurrentLoggers
    const isPretty = log === "pretty"
    const isDirect = log === "json" && loggers.size === 1
    const others = new Set([...loggers].filter((logger) => logger !== pretty))
    const beside = Context.add(context, Logger.CurrentLoggers, others)
    const least = LogLevel.getOrdinal(levels[logLevel])
    const isLogged = (level: "Info" | "Warn") => LogLevel.getOrdinal(level) >= least
    const direct = { success: isLogged("Info"), failure: isLogged("Warn") }

    const said = yield* References.CurrentLogAnnotations
    const sampling = new LogSampling(Math.ceil(logRate / (yield* Sharers)), (line, at, standsFor) => {
      const counted = withCount(line, standsFor)
      const { fields, isFailure, message } = counted
      if (!isDirect && others.size > 0) throughLoggers(counted, beside)
      const isSaid = isFailure ? direct.failure : direct.success
      if (isPretty && isSaid) put(briefLine(counted, new Date(at), columns()))
      if (isDirect && isSaid) put(lineOf(new Date(at), isFailure ? "WARN" : "INFO", message, fields, said))
    })
    yield* Effect.addFinalizer(() => Effect.sync(() => sampling.flush(Number.POSITIVE_INFINITY)))
    yield* Effect.sync(() => sampling.flush(clock.currentTimeMillisUnsafe())).pipe(
      Effect.andThen(Effect.sleep("1 second")),
      Effect.forever,
      Effect.forkScoped
    )
    return { write: (line) => sampling.take(line, clock.currentTimeMillisUnsafe()) }
  })
)

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
