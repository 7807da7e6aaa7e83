/** A number of so many digits may be one that JavaScript has no number for. */
const longNumber = /\d{16}/

const isExact = (value, source) =>
  /^-?\d+$/.test(source) ? Number.isSafeInteger(value) : source.replace(/\D/g, "").length < 16

/** Parses JSON; numbers that would become others, such as large ids, become text. */
export const parse = (text) =>
  longNumber.test(text)
    ? JSON.parse(text, (_, value, { source }) => typeof value !== "number" || isExact(value, source) ? value : source)
    : JSON.parse(text)

/** Parses JSON for who passes it on: numbers that would become others are written by `JSON.stringify` as they were. */
export const exactly = (text) =>
  JSON.parse(
    text,
    (_, value, { source }) =>
      typeof value !== "number" || (Number.isFinite(value) && isExact(value, source)) ? value : JSON.rawJSON(source)
  )
