import * as ExactJson from "@headwater/domain/ExactJson"
import { Predicate, type Schema } from "effect"

const sizeOf = (value: Schema.Json): number => Buffer.byteLength(JSON.stringify(value))

const ellipsis = "…"

const cutText = (text: string, budget: number): string | undefined => {
  if (sizeOf(text) <= budget) return text
  const frame = sizeOf(ellipsis)
  if (budget <= frame) return undefined
  let kept = text.slice(0, budget - frame)
  while (sizeOf(kept + ellipsis) > budget) kept = kept.slice(0, Math.floor(kept.length * 0.8))
  return kept.toWellFormed() + ellipsis
}

/** As much of a value as fits into so many bytes of JSON, from its beginning; undefined where nothing does. */
const cut = (value: Schema.Json, budget: number): Schema.Json | undefined => {
  if (typeof value === "string") return cutText(value, budget)
  let left = budget - 2
  if (left < 0) return undefined
  if (Array.isArray(value)) {
    const kept: Array<Schema.Json> = []
    for (const element of value as ReadonlyArray<Schema.Json>) {
      const part = cut(element, left - 1)
      if (part === undefined) break
      kept.push(part)
      left -= sizeOf(part) + 1
    }
    return kept
  }
  if (Predicate.isObject(value) && !ExactJson.isRaw(value)) {
    const kept: Array<[string, Schema.Json]> = []
    for (const [name, field] of Object.entries(value as Schema.JsonObject)) {
      const frame = sizeOf(name) + 2
      const part = frame < left ? cut(field, left - frame) : undefined
      if (part === undefined) continue
      kept.push([name, part])
      left -= sizeOf(part) + frame
    }
    return Object.fromEntries(kept)
  }
  return sizeOf(value) <= budget ? value : undefined
}

/** A JSON value of less than so many bytes that shows the beginning of the given one (decisions.md, "Events"). */
export const preview = (value: Schema.Json, limitBytes: number): Schema.Json => cut(value, limitBytes - 1) ?? null
