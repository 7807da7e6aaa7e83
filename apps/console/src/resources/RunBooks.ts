import type { RunBooks } from "@headwater/api/FiguresApi"
import { get, type Single } from "../api/Api.ts"

export const pollMs = 5_000

export const figures = ["received", "done", "failed", "cancelled", "waiting", "at_work"] as const

/** The state of runs that a figure counts, where it is not all of them. */
export const statuses = {
  done: "success",
  failed: "error",
  cancelled: "cancelled",
  waiting: "waiting",
  at_work: "running"
} as const

export const read = async (id: string, signal: AbortSignal): Promise<RunBooks> =>
  (await get<Single<RunBooks>>(["run_books", id], { signal })).data

/** The number of runs in a state. */
export const countOf = (books: RunBooks, status: string): number =>
  figures.reduce((sum, figure) => sum + (figure !== "received" && statuses[figure] === status ? books[figure] : 0), 0)
