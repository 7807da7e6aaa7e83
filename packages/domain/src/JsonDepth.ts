/** How deeply what components say may nest: as deep as nothing that reads or writes JSON minds. */
export const maxComponentDepth = 500

/** Whether a text has more than `most` of the opening brackets, in strings or not. */
const opensMore = (text: string, most: number): boolean => {
  let count = 0
  for (const bracket of ["{", "["]) {
    for (let i = text.indexOf(bracket); i !== -1; i = text.indexOf(bracket, i + 1)) if (++count > most) return true
  }
  return false
}

/** How deeply the arrays and objects of a JSON text are nested, by the brackets outside of strings. */
const jsonDepth = (text: string): number => {
  let depth = 0
  let deepest = 0
  let inString = false
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (inString) {
      if (code === 0x5c) i++
      else if (code === 0x22) inString = false
    } else if (code === 0x22) {
      inString = true
    } else if (code === 0x5b || code === 0x7b) {
      deepest = Math.max(deepest, ++depth)
    } else if (code === 0x5d || code === 0x7d) {
      depth--
    }
  }
  return deepest
}

/**
 * Whether arrays and objects of a JSON text are nested more than `most` deep. Neither recurses nor needs the text to be
 * valid, and is quick about texts with fewer brackets than that.
 */
export const isDeeper = (text: string, most: number): boolean => opensMore(text, most) && jsonDepth(text) > most
