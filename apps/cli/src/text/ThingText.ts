/** Things as a person reads them, whatever fields they have. */
import * as StreamName from "@headwater/domain/Stream"
import * as TimeSpan from "@headwater/domain/TimeSpan"
import { Predicate } from "effect"
import type { NamesById } from "../resource/Naming.ts"
import { harmless } from "./HarmlessText.ts"
import * as Output from "./Output.ts"

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** Words that are written otherwise than the API's fields. */
const words: Readonly<Record<string, string>> = {
  url: "URL",
  name_slug: "Slug",
  event_name: "Stream",
  configured_props: "Props",
  created_at: "Created",
  updated_at: "Updated"
}

const labelOf = (field: string): string => {
  if (Object.hasOwn(words, field)) return words[field]!
  const text = field.replace(/(_id|_at|_ms)+$/, "").replaceAll("_", " ")
  return capital(field.endsWith("_ms") && text === "timeout" ? "timeout (ms)" : text)
}

/** A time of this century in milliseconds, which a duration never is. */
const firstMs = 1_000_000_000_000

/** A value in a line. */
export const valueOf = (field: string, value: unknown, names: NamesById = new Map()): string => {
  if (value === null || value === undefined) return "none"
  if (field === "event_name") return StreamName.spelled(String(value))
  if (Predicate.isBoolean(value)) return value ? "yes" : "no"
  if (Predicate.isNumber(value)) {
    if (field.includes("compute_time")) return TimeSpan.textOf(value)
    if (field.endsWith("_at")) return Output.time(value)
    return field.endsWith("_ms") && value >= firstMs ? `${Output.timeOfMs(value)} UTC` : String(value)
  }
  if (Predicate.isString(value)) {
    const lines = value.split("\n").length
    if (lines > 1) return `${lines} lines; --json prints them`
    const name = names.get(value)
    return name === undefined ? value : `${name} (${value})`
  }
  return JSON.stringify(value)
}

/** Figures in a line, as "attempts 119, p50 38.2 ms", without those that there are none of. */
const figuresOf = (figures: Readonly<Record<string, unknown>>): string =>
  Object.entries(figures)
    .filter(([, value]) => value !== null)
    .map(([field, value]) => {
      const text = `${labelOf(field).toLowerCase()} ${valueOf(field, value)}`
      return field.endsWith("_ms") ? `${text} ms` : text
    })
    .join(", ")

/** A webhook's health, with a row for each span of its figures. */
const healthRows = (health: Readonly<Record<string, unknown>>): ReadonlyArray<readonly [label: string, text: string]> =>
  Object.entries(health).flatMap(([field, value]) =>
    value === null
      ? []
      : [[labelOf(field), Predicate.isObject(value) ? figuresOf({ ...value }) : valueOf(field, value)] as const]
  )

/** The fields of a thing in rows, without those that hold nothing. */
export const rowsOf = (
  kind: string,
  thing: Readonly<Record<string, unknown>>,
  names?: NamesById
): ReadonlyArray<readonly [label: string, text: string]> =>
  Object.entries(thing).flatMap(([field, value]) => {
    // All things of an account have the same one.
    if (value === null || value === undefined || field === "user_id") return []
    if (field === "health" && Predicate.isObject(value)) return healthRows({ ...value })
    return [[field === "id" ? capital(kind) : labelOf(field), valueOf(field, value, names)] as const]
  })

/** A thing in lines. */
export const linesOf = (kind: string, thing: Readonly<Record<string, unknown>>, names?: NamesById): string =>
  harmless(Output.table(rowsOf(kind, thing, names)))
