/** The prefix of an object's key, as `$.send.s3` takes it, with no `/` at either end. */
import * as Storable from "./Storable.ts"

/** Longest prefix in bytes of UTF-8: a key has at most 1,024, with the time and the name that the server adds. */
const maxBytes = 900

/** True if a text can be a prefix. A URL resolves the segments `.` and `..`, which leave the prefix and the bucket. */
export const is = (prefix: string): boolean =>
  Storable.isText(prefix) &&
  new TextEncoder().encode(prefix).length <= maxBytes &&
  !prefix.split("/").some((segment) => segment === "." || segment === "..")

/** The reason for refusing a prefix. */
export const expected =
  `a prefix has at most ${maxBytes} bytes, no segment . or .., no NUL character and no half of a surrogate pair`
