/** How deeply what components say may nest: as deep as nothing that reads or writes JSON minds. */
export const maxComponentDepth = 500

/**
 * How deeply the arrays and objects of a JSON text are nested. Counts brackets outside of strings, so it neither
 * recurses nor needs the text to be valid.
 */
export const jsonDepth = (text: string): number => {
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
