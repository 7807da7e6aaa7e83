/** Longer texts are nobody's slip, and comparing them takes time. */
const longest = 100

/** The least number of characters to insert, leave out, change or swap with the next that makes one text of another. */
const distance = (one: string, other: string): number => {
  let before: ReadonlyArray<number> = []
  let row: ReadonlyArray<number> = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let index = 0; index < one.length; index++) {
    const next = [index + 1]
    for (let at = 0; at < other.length; at++) {
      const isSwapped = index > 0 && at > 0 && one[index] === other[at - 1] && one[index - 1] === other[at]
      next.push(Math.min(
        row[at + 1]! + 1,
        next[at]! + 1,
        row[at]! + (one[index] === other[at] ? 0 : 1),
        isSwapped ? before[at - 1]! + 1 : Infinity
      ))
    }
    before = row
    row = next
  }
  return row.at(-1)!
}

/** The names that a text may have meant, the nearest first. */
export const of = (text: string, names: Iterable<string>): ReadonlyArray<string> => {
  if (text.length > longest) return []
  const said = text.toLowerCase()
  const nearest = [...new Set(names)].flatMap((name) => {
    const known = name.toLowerCase()
    const isPart = said.length > 2 && known.includes(said)
    const far = isPart ? 0 : distance(said, known)
    return far <= Math.max(1, Math.floor(said.length / 3)) ? [{ name, far }] : []
  })
  return nearest.toSorted((one, other) => one.far - other.far).slice(0, 3).map(({ name }) => name)
}
