/**
 * Values that Postgres can store and give back as they were. A `text` holds no NUL, half of a surrogate pair would be
 * stored as U+FFFD, so that two texts can become one, and an entry of an index has to fit a third of a page. One value
 * that can't be stored refuses the whole transaction it is in, so text from outside is checked, or made storable, where
 * it comes in.
 */

/** True if a text is stored as it is. */
export const isText = (text: string): boolean => !text.includes("\u0000") && text.isWellFormed()

/** A text for people to read, made storable: what can't be stored becomes U+FFFD. */
export const toText = (text: string): string => text.toWellFormed().replaceAll("\u0000", "\ufffd")

/** Longest key of `$.service.db` and of a data store, in bytes of UTF-8. */
export const maxKeyBytes = 2_500

/** True if a text can be a key of `$.service.db` or of a data store. */
export const isKey = (key: string): boolean =>
  isText(key) && (key.length <= maxKeyBytes / 3 || new TextEncoder().encode(key).length <= maxKeyBytes)

/** The reason for refusing a key. */
export const keyExpected = `a key has at most ${maxKeyBytes} bytes, no NUL character and no half of a surrogate pair`

const maxInteger = 2 ** 31 - 1

/** A measured amount, such as milliseconds, as a column of type `integer` holds it. */
export const toInteger = (amount: number): number =>
  Math.max(-maxInteger, Math.min(Math.round(amount), maxInteger)) || 0
