/** Statuses from the first to the second, which a client gives as one (503) or as a class (5xx). */
export type StatusRange = readonly [least: number, most: number]

export const parse = (text: string): StatusRange =>
  text.endsWith("xx") ? [Number(text[0]) * 100, Number(text[0]) * 100 + 99] : [Number(text), Number(text)]

export const show = ([least, most]: StatusRange): string => least === most ? String(least) : `${least / 100}xx`
