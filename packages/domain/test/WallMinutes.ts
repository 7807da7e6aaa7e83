const minute = 60_000

/** Minutes as a wall clock shows them, as if it stood in UTC. */
type Wall = number

/** A field of a cron expression: its text, and what it means. */
export interface Field {
  readonly text: string
  readonly values: ReadonlyArray<number>
  /** Whether the text is one value, and so names a fixed time. */
  readonly isSingle: boolean
  /** Whether the text begins with a wildcard. */
  readonly isWild: boolean
}

/** A cron expression of five fields. */
export interface Fields {
  readonly minute: Field
  readonly hour: Field
  readonly day: Field
  readonly month: Field
  readonly weekday: Field
}

const isDay = ({ day, month, weekday }: Fields, date: Date): boolean => {
  if (!month.values.includes(date.getUTCMonth() + 1)) return false
  const isOfMonth = day.values.includes(date.getUTCDate())
  const isOfWeek = weekday.values.includes(date.getUTCDay())
  return day.isWild || weekday.isWild ? isOfMonth && isOfWeek : isOfMonth || isOfWeek
}

const isNamed = (fields: Fields, wall: Wall): boolean => {
  const date = new Date(wall)
  return fields.minute.values.includes(date.getUTCMinutes()) &&
    fields.hour.values.includes(date.getUTCHours()) && isDay(fields, date)
}

/**
 * A span of real minutes, each with what a clock on the wall of a time zone shows by `Intl`. When a cron expression is due
 * in the span is found by looking at each minute.
 */
export class WallMinutes {
  readonly #minutes: ReadonlyArray<readonly [at: number, wall: Wall]>

  /** In Unix milliseconds, the first of the minutes. */
  readonly from: number
  /** In Unix milliseconds, the last of the minutes. */
  readonly to: number

  constructor(zone: string, from: number, to: number) {
    this.from = from
    this.to = to
    const format = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      hourCycle: "h23"
    })
    const wallAt = (at: number): Wall => {
      const shown: Record<string, number> = {}
      for (const { type, value } of format.formatToParts(at)) shown[type] = Number(value)
      return Date.UTC(shown["year"]!, shown["month"]! - 1, shown["day"], shown["hour"], shown["minute"])
    }
    this.#minutes = Array.from({ length: (to - from) / minute + 1 }, (_, index) => {
      const at = from + index * minute
      return [at, wallAt(at)] as const
    })
  }

  /**
   * A fixed time is due in the first minute that shows it, or where none does, in the first one behind. All others are due
   * in each minute that shows one of their times.
   */
  due(fields: Fields): ReadonlyArray<number> {
    const isFixed = fields.minute.isSingle && fields.hour.isSingle
    const seen = new Set<Wall>()
    let last: Wall | undefined
    return this.#minutes.flatMap(([at, wall]) => {
      const shown = [wall]
      for (let leftOut = (last ?? wall) + minute; leftOut < wall; leftOut += minute) shown.push(leftOut)
      const isDue = isFixed
        ? shown.some((time) => isNamed(fields, time) && !seen.has(time))
        : isNamed(fields, wall)
      seen.add(wall)
      last = wall
      return isDue ? [at] : []
    })
  }
}
