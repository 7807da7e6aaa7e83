/** Dates as feeds have them: RFC 822, ISO 8601, and what is near to them. */

/** Offsets of time zones by the names that are used for them, in minutes; of several zones with one name, the usual one. */
const zones = new Map([
  ...["UT", "UTC", "GMT", "Z", "WET"].map((name) => [name, 0]),
  ...["BST", "CET", "MET", "MEZ", "WAT", "WEST"].map((name) => [name, 60]),
  ...["CAT", "CEST", "EET", "MEST", "MESZ", "SAST"].map((name) => [name, 120]),
  ...["EAT", "EEST", "IDT", "MSK", "TRT"].map((name) => [name, 180]),
  ["IRST", 210],
  ...["GST", "MSD"].map((name) => [name, 240]),
  ["PKT", 300],
  ["IST", 330],
  ["NPT", 345],
  ...["ICT", "WIB"].map((name) => [name, 420]),
  ...["AWST", "HKT", "MYT", "PHT", "SGT", "WITA"].map((name) => [name, 480]),
  ...["JST", "KST", "WIT"].map((name) => [name, 540]),
  ["ACST", 570],
  ["AEST", 600],
  ["ACDT", 630],
  ["AEDT", 660],
  ["NZST", 720],
  ["NZDT", 780],
  ["NDT", -150],
  ["NST", -210],
  ...["ADT", "ART", "BRT", "CLST", "UYT"].map((name) => [name, -180]),
  ...["AST", "CLT", "EDT", "VET"].map((name) => [name, -240]),
  ...["CDT", "COT", "EST", "PET"].map((name) => [name, -300]),
  ...["CST", "MDT"].map((name) => [name, -360]),
  ...["MST", "PDT"].map((name) => [name, -420]),
  ...["AKDT", "PST"].map((name) => [name, -480]),
  ["AKST", -540],
  ["HST", -600]
])

/** The date's text up to its time, am or pm, the zone as a number or by name, and the rest, where a year may be. */
const parts = new RegExp(
  /^(?<before>.*?\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?)(?<half>\s*[ap]\.?m\b\.?)?/.source +
    /\s*(?:(?:GMT|UTC?)?(?<sign>[-+])(?<hours>\d{1,2}):?(?<minutes>\d{2})?|\(?(?<name>[a-z]{1,5}))?(?<after>.*)$/
      .source,
  "is"
)

/** RFC 5322, 4.3: a name that is not known counts as UTC, and so does none. */
const offsetOf = ({ hours, minutes = 0, name, sign }) =>
  hours === undefined
    ? zones.get(name?.toUpperCase()) ?? 0
    : (Number(hours) * 60 + Number(minutes)) * (sign === "-" ? -1 : 1)

const timeOf = (text) => {
  // What ECMAScript says of dates goes for years before 1000 too.
  if (/^\d{4}-\d\d-\d\dT[\d:.]*(Z|[-+]\d\d:\d\d)$/.test(text)) return Date.parse(text)
  const { groups } = parts.exec(text) ?? {}
  if (groups === undefined) {
    const time = Date.parse(`${text} UTC`)
    return Number.isNaN(time) ? Date.parse(text) : time
  }
  const { after, before, half = "" } = groups
  const [year = ""] = /\b\d{4}\b/.exec(after) ?? []
  const clock = before.replace(/(\d)T(?=\d)/i, "$1 ").replace(/[.,]\d+$/, "")
  const fraction = /[.,](\d{1,3})\d*$/.exec(before)?.[1] ?? ""
  return Date.parse(`${clock}${half.replaceAll(".", "")} ${year} UTC`) + Number(fraction.padEnd(3, "0")) -
    offsetOf(groups) * 60_000
}

/** A date of ISO 8601 without its signs; as ECMAScript reads it. */
const compact = /^(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})(\d{2})?(?=\D|$)|$)/i

const withSigns = (_, year, month, day, hour, minute, second = "00") =>
  `${year}-${month}-${day}${hour === undefined ? "" : ` ${hour}:${minute}:${second}`}`

/** The moment as ISO 8601; undefined where the text is no date. A date without a zone is in UTC. */
export const parse = (text) => {
  const plain = String(text ?? "").trim()
    // The day of the week is wrong often, and in any language.
    .replace(/^[^\d,]*,\s*/, "").replace(compact, withSigns)
  // Unix time, in seconds or milliseconds.
  const unix = /^(\d{10})(\d{3})?$/.exec(plain)
  const date = new Date(unix ? Number(unix[1] + (unix[2] ?? "000")) : timeOf(plain))
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString()
}
