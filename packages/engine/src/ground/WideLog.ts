import { Context, Effect } from "effect"

/** One line about a whole run, or a whole attempt to deliver. */
export interface WideLine {
  readonly message: string
  readonly isFailure: boolean
  /** In the order of the line; those that are undefined are left out. */
  readonly fields: Readonly<Record<string, string | number | undefined>>
}

/** Takes lines of the log that come with each event. */
export interface WideLogWriter {
  /** @param context where Effect's loggers and clock are found */
  readonly write: (line: WideLine, context: Context.Context<never>) => void
}

const isSaid = (entry: [string, string | number | undefined]): entry is [string, string | number] =>
  entry[1] !== undefined

/** Writes a line through Effect's loggers, which cost more than all else that is done about an event. */
export const throughLoggers = ({ fields, isFailure, message }: WideLine, context: Context.Context<never>): void => {
  const said = Object.fromEntries(Object.entries(fields).filter(isSaid))
  const log = isFailure ? Effect.logWarning(message) : Effect.logInfo(message)
  Effect.runForkWith(context)(Effect.annotateLogs(log, said))
}

/** The way of the log's lines about runs and attempts: to Effect's loggers, unless the server has a shorter one. */
export const WideLog: Context.Reference<WideLogWriter> = Context.Reference("@headwater/engine/ground/WideLog", {
  defaultValue: () => ({ write: throughLoggers })
})
