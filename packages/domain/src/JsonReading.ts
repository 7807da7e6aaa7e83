/** The number of characters read in a step: about a third of a millisecond's worth. */
const stepLength = 32 * 1024

const quote = 0x22
const backslash = 0x5c
const openArray = 0x5b
const closeArray = 0x5d
const openObject = 0x7b
const closeObject = 0x7d
const comma = 0x2c
const colon = 0x3a

const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09

const scalar = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y

const escape = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y

const endOf = (form: RegExp, text: string, from: number): number => {
  form.lastIndex = from
  return form.test(text) ? form.lastIndex : -1
}

/** The tokens that may come next. */
type Expected = "value" | "value or end" | "key" | "key or end" | "colon" | "comma or end"

/**
 * True if a text is JSON, as `JSON.parse` sees it, with arrays and objects nested no more than `most` deep. Reads it in
 * small steps.
 */
export function* isJson(text: string, most: number): Generator<void, boolean> {
  const closers: Array<number> = []
  let expected = "value" as Expected
  let at = 0
  let nextStep = stepLength
  while (true) {
    if (at >= nextStep) {
      yield
      nextStep = at + stepLength
    }
    if (at >= text.length) return expected === "comma or end" && closers.length === 0
    const code = text.charCodeAt(at)
    if (isSpace(code)) {
      at += 1
      continue
    }
    switch (expected) {
      case "colon":
        if (code !== colon) return false
        at += 1
        expected = "value"
        continue
      case "comma or end":
        if (closers.length === 0) return false
        at += 1
        if (code === comma) expected = closers.at(-1) === closeObject ? "key" : "value"
        else if (closers.pop() !== code) return false
        continue
      case "key or end":
      case "value or end":
        if (code === closers.at(-1)) {
          closers.pop()
          at += 1
          expected = "comma or end"
          continue
        }
        break
    }
    const isKey: boolean = expected === "key" || expected === "key or end"
    if (code === quote) {
      at += 1
      for (let inside = text.charCodeAt(at); inside !== quote; inside = text.charCodeAt(at)) {
        // At the end of the text, the code is NaN.
        if (!(inside >= 0x20)) return false
        at = inside === backslash ? endOf(escape, text, at) : at + 1
        if (at === -1) return false
        if (at >= nextStep) {
          yield
          nextStep = at + stepLength
        }
      }
      at += 1
      expected = isKey ? "colon" : "comma or end"
    } else if (isKey) {
      return false
    } else if (code === openArray || code === openObject) {
      closers.push(code === openArray ? closeArray : closeObject)
      if (closers.length > most) return false
      at += 1
      expected = code === openArray ? "value or end" : "key or end"
    } else {
      at = endOf(scalar, text, at)
      if (at === -1) return false
      expected = "comma or end"
    }
  }
}

/** Measures of a JSON text outside of its strings. */
export interface Structure {
  /** The number of characters outside of strings, which take many times as long to read as those inside. */
  readonly outside: number
  /** The nesting depth of arrays and objects. */
  readonly depth: number
}

/** Measures a text in small steps. The text need not be valid. */
export function* structureOf(json: string): Generator<void, Structure> {
  let outside = 0
  let depth = 0
  let deepest = 0
  let inString = false
  let nextStep = stepLength
  for (let at = 0; at < json.length; at++) {
    if (at >= nextStep) {
      yield
      nextStep = at + stepLength
    }
    const code = json.charCodeAt(at)
    if (code === quote) {
      inString = !inString
    } else if (inString) {
      if (code === backslash) at++
    } else {
      outside++
      if (code === openArray || code === openObject) deepest = Math.max(deepest, ++depth)
      else if (code === closeArray || code === closeObject) depth--
    }
  }
  return { outside, depth: deepest }
}
