import { Effect } from "effect"

/** What a server's log says went wrong. */
export interface ServerLog {
  /** Takes up what is new in the log. */
  readonly read: Effect.Effect<void>
  /** The first line of each sort. */
  readonly errors: () => ReadonlyArray<string>
}

const isError = (line: string): boolean => /"level":"(ERROR|FATAL)"/i.test(line)

/** Lines that are no log are what escaped it: a trace of something uncaught, for one. */
const isUncaught = (line: string): boolean => /^(Uncaught|\s+at |\w*Error\b|node:|FATAL)/.test(line)

/** What it says, without ids, times and other numbers. */
const sortOf = (line: string): string =>
  line
    .replace(/"(timestamp|request_id|fiberId)":"[^"]*"/g, "")
    .replace(/[a-z]+_[0-9A-Za-z]{20}|\d+/g, "*")
    .slice(0, 400)

/** @param output the last of what the server has printed, of which the beginning may be gone by the next time */
export const make = (output: () => string): ServerLog => {
  const errors = new Map<string, string>()
  return {
    read: Effect.sync(() => {
      // The first may have lost its beginning.
      for (const line of output().split("\n").slice(1)) {
        if ((isError(line) || isUncaught(line)) && !errors.has(sortOf(line))) errors.set(sortOf(line), line)
      }
    }),
    errors: () => [...errors.values()]
  }
}
