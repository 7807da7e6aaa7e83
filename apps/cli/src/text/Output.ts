import { Console, type Effect } from "effect"
import { Flag } from "effect/cli"

/** Of every command that answers with something. */
export const json = Flag.Boolean("json").pipe(
  Flag.withDescription("Print one JSON value"),
  Flag.withDefault(false)
)

/** Prints the JSON value where it is asked for, else the text. */
export const print = (asJson: boolean, value: unknown, text: string): Effect.Effect<void> =>
  Console.log(asJson ? JSON.stringify(value) : text)

/** Lines of columns, each as wide as its widest cell; the first row is the head. */
export const table = (rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? "").length)))
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("   ").trimEnd()).join("\n")
}

/** Unix seconds as a person reads them, in UTC. */
export const time = (unixSeconds: number | null): string =>
  unixSeconds === null ? "never" : `${new Date(unixSeconds * 1000).toISOString().slice(0, 19).replace("T", " ")} UTC`

/** Unix milliseconds as a person reads them, in UTC. */
export const timeOfMs = (ms: number | null): string =>
  ms === null ? "" : new Date(ms).toISOString().replace("T", " ").slice(0, 19)

/** Of every command that answers with many things. */
export const jsonLines = Flag.Boolean("json").pipe(
  Flag.withDescription("Print one JSON value a line"),
  Flag.withDefault(false)
)
