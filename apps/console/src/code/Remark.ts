import { diff } from "@codemirror/merge"
import { ChangeSet, Text } from "@codemirror/state"
import type { CodePlace } from "./CodePlace.ts"

/** A message about a place in code. */
export interface Remark {
  readonly place: CodePlace
  readonly message: string
  /** The whole code that it is about, which may have changed since. */
  readonly code: string
}

/** The offset of a remark's place in a document, into which its code may have changed. */
export const offsetIn = (doc: Text, { code, place: { column, line } }: Remark): number => {
  const about = Text.of(code.split(/\r\n?|\n/))
  const { from, length } = about.line(Math.min(Math.max(1, line), about.lines))
  const offset = from + Math.min(Math.max(0, column - 1), length)
  if (about.eq(doc)) return offset
  const now = doc.toString()
  const changes = diff(about.toString(), now, { scanLimit: 500 }).map(({ fromA, fromB, toA, toB }) => ({
    from: fromA,
    to: toA,
    insert: now.slice(fromB, toB)
  }))
  return ChangeSet.of(changes, about.length).mapPos(offset)
}
