import { Predicate, type Schema } from "effect"

/** The fields of an object in JSON. */
export type Fields = Readonly<Record<string, Schema.Json>>

export const isFields = (value: unknown): value is Fields => Predicate.isObject(value) && !Array.isArray(value)

/** The first text under one of these names that is not blank. */
export const textIn = (fields: Fields, ...names: ReadonlyArray<string>): string | undefined => {
  for (const name of names) {
    const value = Object.hasOwn(fields, name) ? fields[name] : undefined
    if (typeof value === "string" && value.trim() !== "") return value
  }
  return undefined
}
