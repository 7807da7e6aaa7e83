import { charactersOfUnit, mostAtOnce, type Work } from "./Work.ts"

/** A text is searched for a part in one step if the product of their lengths, the most work, is at most this. */
const quickProduct = 64 * 1024

/** A place less than `mostAtOnce` characters before the first difference of two texts, or their common length. */
function* differsFrom(a: string, b: string, work: Work): Generator<void, number> {
  const common = Math.min(a.length, b.length)
  let at = 0
  for (; at < common; at += mostAtOnce) {
    const length = Math.min(mostAtOnce, common - at)
    if (work.spendOn(length)) yield work.rest()
    if (!a.startsWith(b.slice(at, at + length), at)) return at
  }
  return common
}

/** True if two texts are the same. */
export function* isSame(a: string, b: string, work: Work): Generator<void, boolean> {
  return a.length === b.length && (yield* differsFrom(a, b, work)) === a.length
}

/** True if a text begins with another. */
export function* begins(text: string, beginning: string, work: Work): Generator<void, boolean> {
  return beginning.length <= text.length && (yield* differsFrom(text, beginning, work)) === beginning.length
}

/** True if a text ends with another. */
export function* ends(text: string, end: string, work: Work): Generator<void, boolean> {
  return end.length <= text.length && (yield* isSame(text.slice(text.length - end.length), end, work))
}

/** Less than 0 where the first of two texts comes first, code unit by code unit, more than 0 where the second does. */
export function* compare(a: string, b: string, work: Work): Generator<void, number> {
  const from = yield* differsFrom(a, b, work)
  const [partA, partB] = [a.slice(from, from + mostAtOnce), b.slice(from, from + mostAtOnce)]
  return partA < partB ? -1 : partA > partB ? 1 : 0
}

/** The work of comparing single characters, counted once for each unit. */
class Characters {
  private readonly work: Work
  private left = charactersOfUnit

  constructor(work: Work) {
    this.work = work
  }

  /** Counts a comparison, and answers whether it is time for a new step. */
  count(): boolean {
    if (--this.left > 0) return false
    this.left = charactersOfUnit
    return this.work.spend(1)
  }

  /** A step ends here. */
  rest(): void {
    this.work.rest()
  }
}

/** The start of a text's maximal suffix, less one, and its period, by the order of characters or its reverse. */
function* maximalSuffix(text: string, isReversed: boolean, characters: Characters): Generator<void, [number, number]> {
  let before = -1
  let period = 1
  let j = 0
  let k = 1
  while (j + k < text.length) {
    if (characters.count()) yield characters.rest()
    const one = text.charCodeAt(j + k)
    const other = text.charCodeAt(before + k)
    if (one === other) {
      if (k === period) {
        j += period
        k = 1
      } else k += 1
    } else if (isReversed ? one > other : one < other) {
      j += k
      k = 1
      period = j - before
    } else {
      before = j
      j += 1
      k = 1
      period = 1
    }
  }
  return [before, period]
}

/**
 * Searches a text for a part by Crochemore and Perrin's two-way search ("Two-way string-matching", J. ACM 38 (1991)).
 * The search takes time that grows with the sum of both lengths, whatever they hold, and no extra memory.
 */
function* searchTwoWay(text: string, part: string, work: Work): Generator<void, boolean> {
  const characters = new Characters(work)
  const forward = yield* maximalSuffix(part, false, characters)
  const reverse = yield* maximalSuffix(part, true, characters)
  const [cut, suffixPeriod] = forward[0] > reverse[0] ? forward : reverse
  const left = part.slice(0, cut + 1)
  const isPeriodic = suffixPeriod + left.length <= part.length &&
    (yield* isSame(left, part.slice(suffixPeriod, suffixPeriod + left.length), work))
  const period = isPeriodic ? suffixPeriod : Math.max(cut + 1, part.length - cut - 1) + 1
  /** The part is known to be there up to this character, since it was before it was moved by its period. */
  let known = -1
  for (let at = 0; at <= text.length - part.length;) {
    if (characters.count()) yield characters.rest()
    let i = Math.max(cut, known) + 1
    while (i < part.length && part.charCodeAt(i) === text.charCodeAt(at + i)) {
      if (characters.count()) yield characters.rest()
      i += 1
    }
    if (i < part.length) {
      at += i - cut
      known = -1
      continue
    }
    i = cut
    while (i > known && part.charCodeAt(i) === text.charCodeAt(at + i)) {
      if (characters.count()) yield characters.rest()
      i -= 1
    }
    if (i <= known) return true
    at += period
    known = isPeriodic ? part.length - period - 1 : -1
  }
  return false
}

/** True if a text has a part. The time grows with the sum of both lengths. */
export function* contains(text: string, part: string, work: Work): Generator<void, boolean> {
  if (part.length > text.length) return false
  const product = text.length * part.length
  if (product > quickProduct) return yield* searchTwoWay(text, part, work)
  if (work.spendOn(product / 4)) yield work.rest()
  return text.includes(part)
}
