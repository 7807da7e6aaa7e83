import type { Operation } from "./ApiDocument.ts"

/** How often each operation was answered by each status. */
export interface Tally {
  readonly count: (operation: string, status: number) => void
  readonly requests: () => number
  /** Operations of the document that no request has succeeded at. */
  readonly neverSucceeded: (operations: ReadonlyArray<Operation>) => ReadonlyArray<string>
  /** Operations of the document that no request has failed at. */
  readonly neverFailed: (operations: ReadonlyArray<Operation>) => ReadonlyArray<string>
  /** The counts as a table. */
  readonly table: () => string
}

export const make = (): Tally => {
  const counts = new Map<string, Map<number, number>>()
  let requests = 0
  const has = (operation: string, fits: (status: number) => boolean): boolean =>
    [...counts.get(operation)?.keys() ?? []].some(fits)
  const without = (operations: ReadonlyArray<Operation>, fits: (status: number) => boolean) =>
    operations.map(({ id }) => id).filter((id) => !has(id, fits))
  return {
    count: (operation, status) => {
      requests += 1
      const ofOperation = counts.get(operation) ?? new Map<number, number>()
      counts.set(operation, ofOperation)
      ofOperation.set(status, (ofOperation.get(status) ?? 0) + 1)
    },
    requests: () => requests,
    neverSucceeded: (operations) => without(operations, (status) => status >= 200 && status < 300),
    neverFailed: (operations) => without(operations, (status) => status >= 400),
    table: () => {
      const statuses = [...new Set([...counts.values()].flatMap((ofOperation) => [...ofOperation.keys()]))].sort()
      const rows = [...counts].sort(([a], [b]) => a < b ? -1 : 1).map(([operation, ofOperation]) => [
        operation,
        ...statuses.map((status) => String(ofOperation.get(status) ?? ""))
      ])
      const head = ["operation", ...statuses.map((status) => status === 0 ? "none" : String(status))]
      const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]!.length)))
      return [head, ...rows]
        .map((row) =>
          row.map((cell, at) => at === 0 ? cell.padEnd(widths[at]!) : cell.padStart(widths[at]!)).join("  ")
        )
        .join("\n")
    }
  }
}
