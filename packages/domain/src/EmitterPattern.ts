/**
 * A subscription's `emitter_id`: an id, or a glob over the account's emitters with `*` (any text) and `?` (one
 * character). Matching is over ids, which hold neither.
 */
export type EmitterPattern = string

export const isGlob = (pattern: EmitterPattern): boolean => /[*?]/.test(pattern)

/**
 * True if an id matches. It takes at most as many steps as the product of both lengths: no pattern takes long, unlike a
 * regular expression with many stars.
 */
export const matches = (pattern: EmitterPattern, id: string): boolean => {
  let at = 0
  let star = -1
  let resumeAt = 0
  let i = 0
  while (i < id.length) {
    if (pattern[at] === "*") {
      star = at++
      resumeAt = i
    } else if (pattern[at] === "?" || pattern[at] === id[i]) {
      at++
      i++
    } else if (star >= 0) {
      // The last star takes one character more.
      at = star + 1
      i = ++resumeAt
    } else {
      return false
    }
  }
  while (pattern[at] === "*") at++
  return at === pattern.length
}

/** The same pattern for SQL `LIKE` with the default escape character. */
export const toLike = (pattern: EmitterPattern): string =>
  pattern.replace(/[\\%_]/g, "\\$&").replaceAll("*", "%").replaceAll("?", "_")
