import { Schema } from "effect"

const wellFormed = Schema.makeFilter((text: string) => text.isWellFormed(), {
  expected: "text without halves of surrogate pairs",
  toJsonSchema: () => ({})
})

const withoutNul = Schema.makeFilter((text: string) => !text.includes("\u0000"), {
  expected: "text without the NUL character",
  toJsonSchema: () => ({})
})

/**
 * Text of a client's that is stored as it is: so many UTF-16 units at most, and nothing that Postgres can't hold (NUL) or
 * would give back as something else (half a surrogate pair).
 */
export const textUpTo = (maxLength: number) =>
  Schema.String.pipe(Schema.check(Schema.isMaxLength(maxLength), withoutNul, wellFormed))

export const Text = textUpTo(1_000)

/** Code may be of any length here: its limit is in bytes, and over it is not a form error. */
export const CodeText = Schema.String.pipe(Schema.check(withoutNul, wellFormed))
