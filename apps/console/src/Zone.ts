const key = "headwater-zone"

/** The zone in which all times are shown: the reader's own, or UTC. */
export type Zone = "here" | "UTC"

export const zone: Zone = localStorage.getItem(key) === "UTC" ? "UTC" : "here"

/** Times are everywhere on a page, in drawings too: it is loaded anew. */
export const choose = (chosen: Zone): void => {
  if (chosen === "UTC") localStorage.setItem(key, chosen)
  else localStorage.removeItem(key)
  location.reload()
}

const two = (value: number) => String(value).padStart(2, "0")

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

/** A time in the zone, in the parts of which all texts are made. */
export interface Parts {
  readonly year: number
  /** As `28 Nov`. */
  readonly day: string
  /** As `2026-11-28`. */
  readonly date: string
  /** As `22:04:07`. */
  readonly clock: string
  /** As `.041`. */
  readonly fraction: string
}

export const partsOf = (ms: number): Parts => {
  const at = new Date(ms)
  const [year, month, day, hours, minutes, seconds] = zone === "UTC"
    ? [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate(), at.getUTCHours(), at.getUTCMinutes(), at.getUTCSeconds()]
    : [at.getFullYear(), at.getMonth(), at.getDate(), at.getHours(), at.getMinutes(), at.getSeconds()]
  return {
    year,
    day: `${two(day)} ${months[month]}`,
    date: `${String(year).padStart(4, "0")}-${two(month + 1)}-${two(day)}`,
    clock: `${two(hours)}:${two(minutes)}:${two(seconds)}`,
    fraction: `.${String(at.getUTCMilliseconds()).padStart(3, "0")}`
  }
}

/** The time that a field of a form holds, as `2026-11-28T22:04:07`. */
export const timeOf = (text: string): number => Date.parse(zone === "UTC" ? `${text}Z` : text)
