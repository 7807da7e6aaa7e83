import type { Schema } from "effect"

/** One token with the space before it. A text that does not end is one too, without the part of an escape at its end. */
const token = /\s*(?:([{}[\]:,])|("(?:[^"\\]|\\u[\da-fA-F]{4}|\\[^u])*)("?)|([^\s{}[\]:,"]+))/y

const ellipsis = "…"

/**
 * The value that a JSON text begins, as far as its beginning says: lists and objects end where the beginning does, and a
 * text that goes on ends with an ellipsis. Undefined where not even the kind of the value is known.
 *
 * @param beginning the first characters of a JSON text, or all of them
 */
export const parse = (beginning: string): Schema.Json | undefined => {
  /** What closes the lists and objects that are open, the innermost first. */
  let closers = ""
  /** The last JSON text that was whole but for its closers. */
  let known = ""
  let isKey = false
  token.lastIndex = 0
  for (let found = token.exec(beginning); found !== null; found = token.exec(beginning)) {
    const [, sign, text, quote] = found
    const end = token.lastIndex
    if (sign === "{" || sign === "[") {
      closers = (sign === "{" ? "}" : "]") + closers
      known = beginning.slice(0, end) + closers
    } else if (sign === "}" || sign === "]") {
      closers = closers.slice(1)
      known = beginning.slice(0, end) + closers
    } else if (text !== undefined && quote === "") {
      if (!isKey) known = `${beginning.slice(0, end).toWellFormed()}${ellipsis}"${closers}`
      break
    } else if (sign === undefined && !isKey && (text !== undefined || end < beginning.length)) {
      known = beginning.slice(0, end) + closers
    }
    isKey = closers[0] === "}" && (sign === "{" || sign === ",")
  }
  return known === "" ? undefined : JSON.parse(known) as Schema.Json
}
