/**
 * JSON that is passed on as it was. JavaScript has no number for many that JSON can hold, such as ids of 64 bits: such a one
 * is read as the object that `JSON.rawJSON` makes of its text, which `JSON.stringify` writes as that text
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

/** What a number that becomes another one is written with: many digits, an exponent, or a zero with a sign. */
const mayChange = /\d[\d.]{15}|\d[eE]|-0/

/** Whether JSON may hold a number that `JSON.parse` makes another one of. */
export const mayHoldInexact = (text: string): boolean => mayChange.test(text)

/** Reads JSON. Numbers that would be written as others are the objects of `JSON.rawJSON`. Throws as `JSON.parse` does. */
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

/** Whether a number that is written otherwise is the same, such as 1.50. */
const isSame = (value: number, source: string): boolean =>
  !/[eE]/.test(source) && !Object.is(value, -0) && source.replace(/\D/g, "").length < 16

/** Whether a value stands for a number. */
export const isRaw: (value: unknown) => boolean = isRawJSON
