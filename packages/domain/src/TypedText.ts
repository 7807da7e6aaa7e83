/** Text in the props of steps and actions, which is taken for a number, a list and so on where it reads as one. */

const isRecord = (value: unknown): boolean => typeof value === "object" && value !== null && !Array.isArray(value)

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const ofOne: ReadonlyMap<string, (text: string) => unknown> = new Map(Object.entries({
  integer: (text: string) => /^\s*[+-]?\d+\s*$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : text,
  number: (text: string) => text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : text,
  boolean: (text: string) => /^\s*(true|false)\s*$/i.test(text) ? /true/i.test(text) : text,
  object: (text: string) => {
    const value = parsed(text)
    return isRecord(value) ? value : text
  }
}))

/** Text as the type that its prop has, where it reads as one; else as it is. */
export const read = (type: string, value: unknown): unknown => {
  if (type.endsWith("[]")) {
    const list = typeof value === "string" ? parsed(value) : value
    return Array.isArray(list) ? list.map((each) => read(type.slice(0, -2), each)) : value
  }
  const ofText = ofOne.get(type)
  return typeof value === "string" && ofText !== undefined ? ofText(value) : value
}
