/**
 * A subscription's `emitter_id`: an id, or a glob over the account's emitters with `*` (any text) and `?` (one
 * character). Matching is over ids, which hold neither.
 */
export type EmitterPattern = string

export const isGlob = (pattern: EmitterPattern): boolean => /[*?]/.test(pattern)

const escapeRegExp = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")

export const toRegExp = (pattern: EmitterPattern): RegExp =>
  new RegExp(`^${escapeRegExp(pattern).replaceAll("\\*", ".*").replaceAll("\\?", ".")}$`, "s")

/** The same pattern for SQL `LIKE` with the default escape character. */
export const toLike = (pattern: EmitterPattern): string =>
  pattern.replace(/[\\%_]/g, "\\$&").replaceAll("*", "%").replaceAll("?", "_")
