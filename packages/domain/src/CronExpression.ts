import { Cron, CronPattern } from "croner"
import { DateTime, Result } from "effect"
import { BoundedMap } from "./BoundedMap.ts"

const nicknames = ["@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"]

/** The fields, the last value of each, and the values that it takes beside lists, ranges and steps of them. */
const kinds = [
  ["second", 59, "0 to 59"],
  ["minute", 59, "0 to 59"],
  ["hour", 23, "0 to 23"],
  ["day of the month", 31, "1 to 31, L, LW, or such as 15W"],
  ["month", 12, "1 to 12, or jan to dec"],
  ["day of the week", 7, "0 to 7, sun to sat, or such as fri#2 and fri#L"]
] as const

const anything = kinds.map(() => "*")

const grammar = { mode: "5-or-6-parts" } as const

const fieldsOf = (text: string): ReadonlyArray<string> => text.match(/\S+/g) ?? []

/** Croner does not take a step from a single value, such as `5/15`, but takes the range that it stands for. */
const withRanges = (fields: ReadonlyArray<string>): string => {
  const skipped = kinds.length - fields.length
  return fields.map((field, index) => field.replaceAll(/(?<=^|,)(\w+)\//g, `$1-${kinds[index + skipped]?.[1]}/`)).join(
    " "
  )
}

const patternOf = (fields: ReadonlyArray<string>): Result.Result<CronPattern, unknown> =>
  Result.try({ try: () => new CronPattern(withRanges(fields), undefined, grammar), catch: (cause) => cause })

/** The reason why a text is no cron expression. */
const faultOf = (text: string): string => {
  const fields = fieldsOf(text)
  if (text.includes("@")) {
    return `"${text.trim()}" is none of ${nicknames.slice(0, -1).join(", ")} and ${nicknames.at(-1)}`
  }
  if (fields.length !== 5 && fields.length !== 6) {
    return `it has ${fields.length} ${fields.length === 1 ? "field" : "fields"}`
  }
  const skipped = kinds.length - fields.length
  const at = fields.findIndex((field, index) => Result.isFailure(patternOf(anything.with(index + skipped, field))))
  const [name, , values] = kinds[at + skipped]!
  return `"${fields[at]}" is no ${name} (${values})`
}

const day = 86_400_000

/** Those that were read last, of no more characters than people write: thousands of timers may have the same. */
const latest = new BoundedMap<string, Result.Result<CronExpression, string>>(100)
const mostKept = 100

/** The due times of a cron expression in a time zone. */
export class CronExpression {
  readonly #zone: DateTime.TimeZone.Named
  readonly #isFixed: boolean
  /** For a fixed time, it reads wall clocks as if they stood in UTC. */
  readonly #cron: Cron
  /** The last question, and its answer. */
  #last: { readonly after: number; readonly next: number | undefined } | undefined

  private constructor(fields: ReadonlyArray<string>, zone: DateTime.TimeZone.Named, isFixed: boolean) {
    this.#zone = zone
    this.#isFixed = isFixed
    this.#cron = new Cron(withRanges(fields), {
      ...grammar,
      timezone: isFixed ? "UTC" : zone.id,
      // As Vixie cron has it, a day is named by either field, but by both where one begins with a wildcard.
      domAndDow: [fields.at(-3), fields.at(-1)].some((field) => /^[*?]/.test(field ?? ""))
    })
  }

  /** Fails with the reason why the text can't be read. */
  static parse(text: string, zone: DateTime.TimeZone.Named): Result.Result<CronExpression, string> {
    const key = `${zone.id} ${text}`
    const known = latest.get(key)
    if (known !== undefined) return known
    const fields = fieldsOf(text)
    const parsed = Result.mapBoth(patternOf(fields), {
      onSuccess: ({ isFixedTime }) => new CronExpression(fields, zone, isFixedTime),
      onFailure: () => faultOf(text)
    })
    if (text.length <= mostKept) latest.set(key, parsed)
    return parsed
  }

  /**
   * The first time strictly after another, in Unix milliseconds; nothing where there is none. A fixed time, with one
   * second, one minute and one hour, is due once: when the wall clock first shows it or a later time. Any other
   * expression is due whenever the wall clock shows one of its times, also where that goes back and shows them twice.
   */
  next(after: number): number | undefined {
    if (this.#last?.after !== after) this.#last = { after, next: this.#find(after) }
    return this.#last.next
  }

  #find(after: number): number | undefined {
    if (!this.#isFixed) return this.#cron.nextRun(new Date(after))?.getTime()
    for (let wall = after + this.#offsetAt(after);;) {
      const named = this.#cron.nextRun(new Date(wall))?.getTime()
      if (named === undefined) return undefined
      const due = this.#firstShowing(named)
      if (due > after) return due
      wall = named
    }
  }

  #offsetAt(at: number): number {
    return DateTime.zonedOffset(DateTime.makeZonedUnsafe(at, { timeZone: this.#zone }))
  }

  /** No zone is a day from UTC, nor changes its clock twice in two days. */
  #firstShowing(wall: number): number {
    let before = wall - day
    let behind = wall + day
    const offset = this.#offsetAt(before)
    const offsetBehind = this.#offsetAt(behind)
    if (offset === offsetBehind) return wall - offset
    while (behind - before > 1_000) {
      const middle = before + Math.floor((behind - before) / 2_000) * 1_000
      if (this.#offsetAt(middle) === offset) before = middle
      else behind = middle
    }
    return wall - offset < behind ? wall - offset : Math.max(behind, wall - offsetBehind)
  }
}
