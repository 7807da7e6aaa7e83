import * as FastCheck from "fast-check"
import * as Placeholder from "./Placeholder.ts"

/** Names that JavaScript objects have by themselves, and other names that code may trip over. */
export const prototypeNames = [
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "valueOf",
  "hasOwnProperty",
  "toJSON",
  "then",
  "length",
  "__defineGetter__",
  "__lv"
]

export const prototypeName = FastCheck.constantFrom(...prototypeNames)

/** Text as a person might write it, the odd case included; never NUL or half a surrogate pair. */
export const plain = (maxLength: number): FastCheck.Arbitrary<string> =>
  FastCheck.oneof(
    { weight: 4, arbitrary: FastCheck.string({ unit: "grapheme-ascii", maxLength: Math.min(maxLength, 30) }) },
    { weight: 3, arbitrary: FastCheck.string({ unit: "grapheme", maxLength: Math.min(maxLength, 30) }) },
    { weight: 1, arbitrary: FastCheck.string({ unit: "binary", maxLength: Math.min(maxLength, 15) }) },
    { weight: 1, arbitrary: prototypeName },
    {
      weight: 1,
      arbitrary: FastCheck.constantFrom("'; DROP TABLE programs; --", "%", "\\", "\"", "${x}", "<b>", "{{7*7}}")
    },
    { weight: 1, arbitrary: FastCheck.constantFrom("\u202e", "\ufeff", "İ", "ß", "\u2028", "👩‍👩‍👧", "Å\u0301") }
  ).map((text) => text.replaceAll("\u0000", " ").toWellFormed().slice(0, maxLength).toWellFormed())

/** Text with the account's marker in front, where there is room. */
export const marked = (maxLength: number): FastCheck.Arbitrary<string> =>
  maxLength <= Placeholder.markerLength
    ? plain(maxLength)
    : plain(maxLength - Placeholder.markerLength).map((text) => Placeholder.marker + text)

/** Marked text that is as long as it may be. */
export const longest = (maxLength: number): string =>
  Placeholder.marker + "x".repeat(Math.max(0, maxLength - Placeholder.markerLength))

/** Text that an API should refuse, or take with care. */
export const hostile: FastCheck.Arbitrary<string> = FastCheck.oneof(
  FastCheck.constantFrom(
    "\u0000",
    "a\u0000b",
    "\ud800",
    "\udc00x",
    "a\udbff",
    "\ud800\ud800",
    "\r\nSet-Cookie: a=b",
    "../../etc/passwd",
    "%00",
    "%2e%2e%2f",
    "$errors",
    "$requests",
    "$webhooks",
    "*",
    "dc_*",
    "?".repeat(90),
    "*?".repeat(45),
    "[a-z]*",
    "(a+)+$",
    "NaN",
    "-0",
    "1e400",
    "null",
    "undefined",
    "true",
    "\u0007",
    "\uffff",
    "\ufffe"
  ),
  FastCheck.string({
    unit: FastCheck.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
    maxLength: 20
  }),
  FastCheck.integer({ min: 900, max: 20_000 }).map((length) => "y".repeat(length)),
  prototypeName
)
