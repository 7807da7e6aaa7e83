import { Console, Effect, Stdio, Terminal } from "effect"
import { Flag } from "effect/cli"
import { harmless } from "./HarmlessText.ts"

/** Of every command that answers with something. */
export const json = Flag.Boolean("json").pipe(
  Flag.withDescription("Print one JSON value"),
  Flag.withDefault(false)
)

/** Prints the JSON value where it is asked for, else the text. */
export const print = (asJson: boolean, value: unknown, text: string): Effect.Effect<void> =>
  Console.log(asJson ? JSON.stringify(value) : text)

const gap = "   "

/** A column that is cut keeps so much. */
const leastColumn = 8

/** An id, a time, a number or the short word for a state is of no use in part. */
const isWhole = (cell: string): boolean => /^([a-z]+_\w+|\d+-\d+|\d{4}-\d\d-\d\d .*|[\d.]+|[a-z]{0,9})$/.test(cell)

const cut = (text: string, width: number): string => text.length > width ? `${text.slice(0, width - 1)}…` : text

/**
 * Lines of columns, each as wide as its widest cell; the first row is the head.
 *
 * @param width that the lines are not to exceed: the widest columns of text are cut for it
 */
export const table = (rows: ReadonlyArray<ReadonlyArray<string>>, width = Number.POSITIVE_INFINITY): string => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? "").length)))
  const canBeCut = widths.map((_, column) => rows.slice(1).some((row) => !isWhole(row[column] ?? "")))
  for (;;) {
    const over = widths.reduce((sum, one) => sum + one, gap.length * (widths.length - 1)) - width
    const widest = Math.max(...widths.filter((_, column) => canBeCut[column]))
    if (!(over > 0 && widest > leastColumn)) break
    const column = widths.findIndex((one, at) => canBeCut[at] && one === widest)
    widths[column] = Math.max(leastColumn, widest - 1)
  }
  return rows.map((row) =>
    row.map((cell, column) => cut(cell, widths[column]!).padEnd(widths[column]!)).join(gap).trimEnd()
  ).join("\n")
}

/** The width of the terminal that the output goes to; none where it goes elsewhere. */
export const width = Effect.gen(function*() {
  const stdio = yield* Stdio.Stdio
  if (!(yield* stdio.stdoutIsTerminal)) return Number.POSITIVE_INFINITY
  const columns = yield* (yield* Terminal.Terminal).columns
  return columns > 1 ? columns : 80
})

/** Prints what a list holds, as a table that fits the terminal, or the words for none. */
export const list = Effect.fnUntraced(function*(
  asJson: boolean,
  values: ReadonlyArray<unknown>,
  { heads, none, rows }: {
    readonly heads: ReadonlyArray<string>
    readonly rows: ReadonlyArray<ReadonlyArray<string>>
    readonly none: string
  }
) {
  const text = values.length === 0 ? none : harmless(table([heads, ...rows], yield* width))
  yield* print(asJson, values, text)
})

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
