/**
 * JSON that is passed on as it was. JavaScript has no number for many that JSON can hold, such as ids of 64 bits: such
 * a one is read as the object that `JSON.rawJSON` makes of its text, which `JSON.stringify` writes as that text
 * (https://tc39.es/proposal-json-parse-with-source/).
 */

interface RawJson {
  readonly rawJSON: string
}

interface NativeJson {
  readonly rawJSON: (text: string) => RawJson
  readonly isRawJSON: (value: unknown) => value is RawJson
  readonly parse: (
    text: string,
    revive?: (key: string, value: unknown, context: { readonly source?: string }) => unknown
  ) => unknown
}

const { isRawJSON, parse: parseJson, rawJSON } = JSON as unknown as NativeJson

/** Matches the spelling of every number that may become another one: many digits, an exponent, or a signed zero. */
const mayChange = /\d[\d.]{15}|\d[eE]|-0/

/** True if the JSON may hold a number that `JSON.parse` would change. */
export const mayHoldInexact = (text: string): boolean => mayChange.test(text)

/** Reads JSON. Numbers that would change become objects of `JSON.rawJSON`. Throws as `JSON.parse` does. */
export const parse = (text: string): unknown =>
  mayHoldInexact(text)
    ? parseJson(
      text,
      (_, value, { source }) =>
        typeof value !== "number" || source === undefined || String(value) === source || isSame(value, source)
          ? value
          : rawJSON(source)
    )
    : parseJson(text)

/** True if a number is the same though it is written otherwise, such as 1.50. */
const isSame = (value: number, source: string): boolean =>
  !/[eE]/.test(source) && !Object.is(value, -0) && source.replace(/\D/g, "").length < 16

/** True for an object of `JSON.rawJSON`, which stands for a number. */
export const isRaw: (value: unknown) => boolean = isRawJSON
