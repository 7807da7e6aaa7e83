import { Schema } from "effect"

/** Text of a client's that is stored as it is: up to 1,000 UTF-16 units, without the NUL that Postgres can't hold. */
export const Text = Schema.String.pipe(
  Schema.check(
    Schema.isMaxLength(1_000),
    Schema.makeFilter((text) => !text.includes("\u0000"), { expected: "text without the NUL character" })
  )
)
