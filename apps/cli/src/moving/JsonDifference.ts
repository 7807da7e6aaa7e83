/** The places in which two JSON values differ. */
import type { Schema } from "effect"

type Json = Schema.Json

export interface Difference {
  /** As code would write it: `order.lines[0].id`. */
  readonly path: string
  /** Undefined where there is nothing. */
  readonly there: Json | undefined
  readonly here: Json | undefined
  /** Of values that differ in each run: times, and ids that are made anew. */
  readonly incidental: "time" | "id" | null
}

const isObject = (value: Json | undefined): value is { readonly [name: string]: Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const member = (path: string, name: string): string =>
  /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name)
    ? path === "" ? name : `${path}.${name}`
    : `${path}[${JSON.stringify(name)}]`

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const namesId = /((^|[._"-])(id|uuid|guid|nonce)|I[dD]|Uuid|UUID)("])?$/

const dayMs = 24 * 60 * 60 * 1_000

/** The time that a value may stand for, in Unix milliseconds. */
const timeOf = (value: Json | undefined): number => {
  if (typeof value === "string" && /^\d{10}(\d{3})?$/.test(value)) return timeOf(Number(value))
  if (typeof value === "string") return /^\d{4}-\d\d-\d\d|^\w{3},? /.test(value) ? Date.parse(value) : Number.NaN
  if (typeof value !== "number") return Number.NaN
  return value > 1e11 ? value : value * 1_000
}

/** A time that has come about in a run is about as old as the run. */
const incidental = (path: string, there: Json | undefined, here: Json | undefined, now: number) => {
  if (typeof there !== typeof here) return null
  if (Math.abs(timeOf(here) - now) < dayMs && timeOf(there) <= timeOf(here)) return "time"
  if (typeof there !== "string" || typeof here !== "string") return null
  const isId = uuid.test(there) && uuid.test(here)
  return isId || there.length === here.length && there.length >= 8 && namesId.test(path) ? "id" : null
}

const isSame = (one: Json | undefined, other: Json | undefined): boolean =>
  one === other || [...differences("", one, other, Number.NaN)].length === 0

/** Pairs the items of lists: what is added or missing in the middle shifts nothing behind it. */
const paired = (there: ReadonlyArray<Json>, here: ReadonlyArray<Json>) => {
  const shorter = Math.min(there.length, here.length)
  let front = 0
  while (front < shorter && isSame(there[front], here[front])) front++
  let back = 0
  while (back < shorter - front && isSame(there.at(-1 - back), here.at(-1 - back))) back++
  const length = Math.max(there.length, here.length) - front - back
  return Array.from({ length }, (_, offset) => {
    const index = front + offset
    return [
      index,
      index < there.length - back ? there[index] : undefined,
      index < here.length - back ? here[index] : undefined
    ] as const
  })
}

/** @param now the time of the run here, in Unix milliseconds */
export function* differences(
  path: string,
  there: Json | undefined,
  here: Json | undefined,
  now: number
): Generator<Difference> {
  if (there === here) return
  if (Array.isArray(there) && Array.isArray(here)) {
    for (const [index, one, other] of paired(there, here)) yield* differences(`${path}[${index}]`, one, other, now)
  } else if (isObject(there) && isObject(here)) {
    for (const name of new Set([...Object.keys(there), ...Object.keys(here)])) {
      const [one, other] = [there, here].map((each) => Object.hasOwn(each, name) ? each[name] : undefined)
      yield* differences(member(path, name), one, other, now)
    }
  } else {
    yield { path, there, here, incidental: incidental(path, there, here, now) }
  }
}
