import * as Storable from "@headwater/domain/Storable"
import { Schema } from "effect"

const storable = Schema.makeFilter(Storable.isText, {
  expected: "text without the NUL character and without halves of surrogate pairs",
  toJsonSchema: () => ({})
})

/** Text of a client's that is stored as it is, of so many UTF-16 units at most. */
export const textUpTo = (maxLength: number) => Schema.String.pipe(Schema.check(Schema.isMaxLength(maxLength), storable))

export const Text = textUpTo(1_000)

/** Code may be of any length here: its limit is in bytes, and over it is not a form error. */
export const CodeText = Schema.String.pipe(Schema.check(storable))

/** The URL where component code is hosted, kept as written. */
export const ComponentUrl = textUpTo(2_048)
