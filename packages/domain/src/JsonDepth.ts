/** The deepest nesting allowed in JSON from components: no reader or writer of JSON has trouble with it. */
export const maxComponentDepth = 500

/** True if a text has more than `most` opening brackets, in strings or not. */
const opensMore = (text: string, most: number): boolean => {
  let count = 0
  for (const bracket of ["{", "["]) {
    for (let i = text.indexOf(bracket); i !== -1; i = text.indexOf(bracket, i + 1)) if (++count > most) return true
  }
  return false
}

/** The nesting depth of a JSON text's arrays and objects, by the brackets outside of strings. */
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
 * True if arrays and objects of a JSON text are nested more than `most` deep. It neither recurses nor needs the text to
 * be valid, and is quick for texts with fewer brackets than that.
 */
export const isDeeper = (text: string, most: number): boolean => opensMore(text, most) && jsonDepth(text) > most
