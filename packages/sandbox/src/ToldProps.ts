/** The values of a step's props as its process tells them when the step begins: JSON, up to a bound. */
import { isDeeper, maxComponentDepth } from "@headwater/domain/JsonDepth"

/** The most JSON of a step's props, in bytes of UTF-8. */
export const maxToldBytes = 64 * 1024

/** These stand in the place of values that are not told. */
const tooLarge = "(left out: a step's props are shown with at most 64 KiB of JSON)"
const notJson = "(left out: it is not JSON)"

const { parse, stringify } = JSON
const { entries, fromEntries } = Object
const encoder = new TextEncoder()

const bytesOf = (name: string, text: string): number => encoder.encode(`${stringify(name)}:${text},`).length

const isOver = Symbol("isOver")

/** The JSON of a value, if it is one. A value that is longer than so many characters is not written to its end. */
const textOf = (value: unknown, most: number): string | typeof isOver | undefined => {
  let left = most
  try {
    const text = stringify(value, (_, each: unknown) => {
      left -= typeof each === "string" ? each.length : 1
      if (left < 0) throw isOver
      return each
    }) ?? "null"
    return isDeeper(text, maxComponentDepth) ? undefined : text
  } catch (thrown) {
    return thrown === isOver ? isOver : undefined
  }
}

/** The values by name. Each that does not fit into what those before it have left has a mark in its place. */
export const told = (values: Readonly<Record<string, unknown>>): Record<string, unknown> => {
  const brackets = 2
  let room = maxToldBytes - brackets
  const named = entries(values).flatMap(([name, value]) => {
    const least = bytesOf(name, stringify(tooLarge))
    if (least > room) return []
    room -= least
    return [{ name, value, least }]
  })
  return fromEntries(named.map(({ least, name, value }) => {
    const most = room + least
    const text = textOf(value, most)
    if (text === undefined) return [name, notJson]
    const bytes = text === isOver ? Infinity : bytesOf(name, text)
    if (text === isOver || bytes > most) return [name, tooLarge]
    room = most - bytes
    return [name, parse(text) as unknown]
  }))
}
