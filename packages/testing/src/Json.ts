/** Parsed JSON in tests: looked into by name and index, and compared with what the contract says is there. */
import { assert } from "vitest"

/** Some parsed JSON. What no test looks into any further may be a text, a number or null as well. */
export interface Json {
  readonly [name: string]: Json
}

export const parse = (text: string): Json => JSON.parse(text)

export const textOf = (json: Json | undefined): string => {
  assert.isString(json)
  return String(json)
}

export const listOf = (json: Json | undefined): Array<Json> => {
  assert.isArray(json)
  return Object.values(json ?? {})
}

/** That it is an object with these fields, and maybe more. */
export const assertHolds = (json: Json | undefined, fields: Record<string, unknown>, message?: string): void =>
  assert.deepInclude<Record<string, unknown>>(json ?? {}, fields, message)
