import { DateTime } from "effect"
import { BoundedMap } from "./BoundedMap.ts"

const days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]

const months = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December"
]

const digits = (value: number, count = 2): string => String(value).padStart(count, "0")

/** Thousands of timers may tick at the same time. */
const latest = new BoundedMap<string, Readonly<Record<string, unknown>>>(16)

/**
 * A time in a time zone, in the parts and texts that the ticks of timers have.
 *
 * @param at Unix milliseconds
 * @param timezone IANA name
 */
export const zonedTime = (at: number, timezone: string): Readonly<Record<string, unknown>> => {
  const key = `${at} ${timezone}`
  const found = latest.get(key) ?? partsOf(at, timezone)
  latest.set(key, found)
  return found
}

const partsOf = (at: number, timezone: string): Readonly<Record<string, unknown>> => {
  const zoned = DateTime.makeZonedUnsafe(at, { timeZone: timezone })
  const { day, hour, minute, millisecond, month, second, weekDay, year } = DateTime.toParts(zoned)
  const date = `${digits(year, 4)}-${digits(month)}-${digits(day)}`
  const clock = `${digits(hour)}:${digits(minute)}:${digits(second)}`
  const offset = timezone === "UTC" ? "Z" : DateTime.zonedOffsetIso(zoned)
  return {
    date: { year, month, day },
    time: { hour, minute, second, millisecond },
    iso8601: { date, time: clock + offset, timestamp: `${date}T${clock}.${digits(millisecond, 3)}${offset}` },
    pretty: {
      date: `${months[month - 1]} ${day}, ${year}`,
      time: `${hour % 12 === 0 ? 12 : hour % 12}:${digits(minute)}:${digits(second)} ${hour < 12 ? "AM" : "PM"}`,
      time_24h: clock
    },
    metadata: {
      day_name: days[weekDay],
      day_of_week: weekDay,
      start_of_week: DateTime.formatIsoDate(DateTime.startOf(zoned, "week"))
    },
    timezone
  }
}
