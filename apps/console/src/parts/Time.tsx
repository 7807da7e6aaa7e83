import { humanSeconds } from "../charts/Figures.ts"
import { now } from "../resources/Clock.ts"
import { partsOf, zone } from "../Zone.ts"

/** A time in the chosen zone. It omits the day for today, and the year for this year. */
export const local = (ms: number, options: { readonly milliseconds?: boolean } = {}): string => {
  const { clock, date, day, fraction, year } = partsOf(ms)
  const today = partsOf(now.peek())
  const time = options.milliseconds === true ? clock + fraction : clock
  if (date === today.date) return time
  return year === today.year ? `${day} ${time}` : `${day} ${year} ${time}`
}

/** The same for a time at a whole minute. */
export const minuteOf = (ms: number): string => local(ms).replace(/:00$/, "")

/** A time in UTC, for comparison with logs. */
export const utc = (ms: number): string => `${new Date(ms).toISOString().replace("T", " ").replace("Z", "")} UTC`

const isDate = (ms: number) => Math.abs(ms) <= 8_640_000_000_000_000

/** A time in the chosen zone, with UTC on hover. */
export const Time = ({ milliseconds = false, ms }: { readonly ms: number; readonly milliseconds?: boolean }) =>
  isDate(ms)
    ? <time dateTime={new Date(ms).toISOString()} title={utc(ms)}>{local(ms, { milliseconds })}</time>
    : <span>{ms}</span>

/** The distance of a time from now, with the time itself on hover. */
export const Ago = ({ ms }: { readonly ms: number }) => {
  const seconds = Math.round((ms - now.value) / 1_000)
  const text = seconds > 0 ? `in ${humanSeconds(seconds)}` : seconds > -2 ? "now" : `${humanSeconds(-seconds)} ago`
  return isDate(ms)
    ? (
      <time
        class="ago"
        dateTime={new Date(ms).toISOString()}
        title={zone === "UTC" ? utc(ms) : `${local(ms)} here, ${utc(ms)}`}
      >
        {text}
      </time>
    )
    : <span>{ms}</span>
}
