import * as ExactJson from "@headwater/domain/ExactJson"
import type { Schema } from "effect"

/** One token with the space before it. A text that does not end is one too, without the part of an escape at its end. */
const token = /\s*(?:([{}[\]:,])|("(?:[^"\\]+|\\u[\da-fA-F]{4}|\\[^u])*)("?)|([^\s{}[\]:,"]+))/y

const ellipsis = "…"

/**
 * The value that a JSON text begins, as far as its beginning says: lists and objects end where the beginning does, and a
 * text that goes on ends with an ellipsis. Undefined where not even the kind of the value is known.
 *
 * @param beginning the first characters of a JSON text, or all of them
 */
export const parse = (beginning: string): Schema.Json | undefined => {
  /** The signs that close the open lists and objects, the innermost first. */
  let open = ""
  /** The last place at which the text can be closed, and the signs that close it there. */
  let known = 0
  let closers = ""
  let isKey = false
  const keep = (end: number) => {
    known = end
    closers = open
  }
  token.lastIndex = 0
  for (let found = token.exec(beginning); found !== null; found = token.exec(beginning)) {
    const [, sign, text, quote] = found
    const end = token.lastIndex
    if (text !== undefined && quote === "") {
      return isKey
        ? closed(beginning.slice(0, known), closers)
        : closed(`${beginning.slice(0, end).toWellFormed()}${ellipsis}"`, open)
    }
    if (sign === "{" || sign === "[") {
      open = (sign === "{" ? "}" : "]") + open
      keep(end)
    } else if (sign === "}" || sign === "]") {
      open = open.slice(1)
      keep(end)
    } else if (sign === undefined && !isKey && (text !== undefined || end < beginning.length)) {
      keep(end)
    }
    isKey = open[0] === "}" && (sign === "{" || sign === ",")
  }
  return closed(beginning.slice(0, known), closers)
}

const closed = (text: string, closers: string): Schema.Json | undefined =>
  text === "" ? undefined : ExactJson.parse(text + closers) as Schema.Json
