import type { Dedupe as Strategy } from "@headwater/domain/Component"
import * as Storable from "@headwater/domain/Storable"
import { createHash } from "node:crypto"
import * as GreatestIds from "./GreatestIds.ts"

/** The id an emit gave its event. Without one an event is never a duplicate. */
export type EmittedId = string | number | undefined

const lastMark = "last"
const longestPlainMark = 200

/** Encoded as UTF-8, halves of surrogate pairs would all be one; as JSON they are not. */
const hashOf = (id: string): string =>
  `sha256:${createHash("sha256").update(id.isWellFormed() ? id : JSON.stringify(id)).digest("hex")}`

/** A mark is the id itself where that is short and can be stored, else its hash. */
const uniqueMark = (id: string): string =>
  id.length <= longestPlainMark && Storable.isText(id) ? `id:${id}` : hashOf(id)

const longestPlainLast = 10_000

/** The last id is remembered as it is where it can be stored, else by its hash. */
const lastValue = (id: string): string => id.length <= longestPlainLast && Storable.isText(id) ? id : hashOf(id)

/** The marks that decide which of these emits pass. */
export const marksFor = (strategy: Strategy, ids: ReadonlyArray<EmittedId>): ReadonlyArray<string> => {
  switch (strategy) {
    case "unique":
      return ids.filter((id) => id !== undefined).map((id) => uniqueMark(String(id)))
    case "greatest":
      return GreatestIds.marks
    case "last":
      return [lastMark]
  }
}

export interface Decision {
  /** For each emit, whether it passes. */
  readonly passes: ReadonlyArray<boolean>
  /** Marks to remember once they are committed, by name. */
  readonly marks: ReadonlyMap<string, string>
}

/**
 * The emits of a run, in order, that pass the component's strategy (components.md, "Running"): `unique` those whose id
 * was never emitted, `greatest` those with an id above the greatest of its kind so far, `last` those after the last id
 * seen, or all of them if that id is not among them.
 */
export const decide = (
  strategy: Strategy,
  ids: ReadonlyArray<EmittedId>,
  known: ReadonlyMap<string, string>
): Decision => {
  const marks = new Map<string, string>()
  switch (strategy) {
    case "unique": {
      const passes = ids.map((id) => {
        if (id === undefined) return true
        const mark = uniqueMark(String(id))
        if (known.has(mark) || marks.has(mark)) return false
        marks.set(mark, "")
        return true
      })
      return { passes, marks }
    }
    case "greatest": {
      const greatest = new GreatestIds.GreatestIds(known)
      const passes = ids.map((id) => id === undefined || greatest.takes(id))
      return { passes, marks: greatest.marks }
    }
    case "last": {
      const last = known.get(lastMark)
      const seen = last === undefined
        ? -1
        : ids.findLastIndex((id) => id !== undefined && lastValue(String(id)) === last)
      const newest = ids.findLast((id) => id !== undefined)
      if (newest !== undefined) marks.set(lastMark, lastValue(String(newest)))
      return { passes: ids.map((id, index) => id === undefined || index > seen), marks }
    }
  }
}
