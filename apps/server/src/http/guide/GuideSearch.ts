/** Finds sections of the documentation in which all words of a query stand. */
import type { GuidePage, Section } from "./GuidePage.ts"

export interface Found {
  readonly page: GuidePage
  readonly section: Section
  /** Around the first word that was found. */
  readonly excerpt: string
}

const most = 30
const longest = 200
const around = 110

/** The words that are looked for. */
export const wordsOf = (query: string): ReadonlyArray<string> => [
  ...new Set(query.slice(0, longest).toLowerCase().split(/\s+/).filter((word) => word !== ""))
]

/** The text around the first of the words, cut between words where it has any spaces. */
const excerptOf = (text: string, words: ReadonlyArray<string>): string => {
  const flat = text.replaceAll(/\s+/g, " ").trim()
  const places = words.map((word) => flat.toLowerCase().indexOf(word)).filter((place) => place >= 0)
  const place = Math.min(...places, flat.length)
  const from = Math.max(0, place - around / 2)
  const space = flat.indexOf(" ", from)
  const begin = from > 0 && space >= 0 && space < place ? space + 1 : from
  const to = Math.min(flat.length, begin + 2 * around)
  const last = flat.lastIndexOf(" ", to)
  const end = to < flat.length && last > place ? last : to
  return `${begin > 0 ? "… " : ""}${flat.slice(begin, end)}${end < flat.length ? " …" : ""}`
}

/** The best first: those whose heading or page is named so. */
export const find = (pages: ReadonlyArray<GuidePage>, query: string): ReadonlyArray<Found> => {
  const words = wordsOf(query)
  if (words.length === 0) return []
  return pages.flatMap((page) =>
    page.sections.flatMap((section) => {
      const heading = section.heading.toLowerCase()
      const all = `${heading} ${section.text.toLowerCase()}`
      if (!words.every((word) => all.includes(word))) return []
      const inHeading = words.filter((word) => heading.includes(word)).length
      const times = words.reduce((sum, word) => sum + Math.min(5, all.split(word).length - 1), 0)
      return [{ page, section, excerpt: excerptOf(section.text, words), weight: inHeading * 10 + times }]
    })
  ).toSorted((one, other) => other.weight - one.weight).slice(0, most)
}
