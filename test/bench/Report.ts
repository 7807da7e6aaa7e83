import type { Schema } from "effect"
import type { Latency } from "./Statistics.ts"
import { rounded } from "./Statistics.ts"

/** Rows of figures with a name each. */
export interface Table {
  readonly columns: ReadonlyArray<string>
  readonly rows: ReadonlyArray<readonly [name: string, ...figures: ReadonlyArray<number | string | null>]>
}

/** What a scenario found. */
export interface Report {
  readonly scenario: string
  /** Events a second. */
  readonly throughput: number
  /** What `throughput` is held against. */
  readonly limit: number
  readonly latency: Latency
  /** Events that were acknowledged and are not where they had to be. */
  readonly lost: number
  readonly duplicates: number
  /** Why the run says nothing, beside lost events. */
  readonly voids: ReadonlyArray<string>
  readonly tables: ReadonlyArray<Table>
  /** More for machines. */
  readonly figures: { readonly [name: string]: Schema.Json }
}

export const voidReasons = ({ lost, voids }: Report): ReadonlyArray<string> =>
  lost === 0 ? voids : [`${lost} acknowledged events are lost`, ...voids]

/** The object that `--json` ends with. */
export const json = (report: Report): { readonly [name: string]: Schema.Json } => {
  const reasons = voidReasons(report)
  return {
    scenario: report.scenario,
    void: reasons.length > 0,
    throughput: rounded(report.throughput),
    limit: rounded(report.limit),
    ratio: rounded(report.throughput / report.limit),
    p50_ms: rounded(report.latency.p50Ms),
    p99_ms: rounded(report.latency.p99Ms),
    lost: report.lost,
    duplicates: report.duplicates,
    void_reasons: reasons,
    ...report.figures
  }
}

const text = (cell: number | string | null): string => {
  if (cell === null) return "-"
  if (typeof cell === "string") return cell
  const figure = rounded(cell)
  return figure === null ? "-" : figure.toLocaleString("en-US", { maximumFractionDigits: 3 })
}

/** A table as lines of text, its first column to the left and the others to the right. */
export const render = ({ columns, rows }: Table): string => {
  const lines = [columns, ...rows.map((row) => row.map(text))]
  const widths = columns.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? "").length)))
  return lines.map((line) =>
    line.map((cell, column) => column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!)).join("  ")
      .trimEnd()
  ).join("\n")
}
