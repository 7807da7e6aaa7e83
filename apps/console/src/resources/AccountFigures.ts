import type { Figures } from "@headwater/api/FiguresApi"
import { get, type Single } from "../api/Api.ts"
import { humanSeconds } from "../charts/Figures.ts"

export type { Figures }

export type FigureStep = Figures["series"][number]

export type AccountNow = Figures["now"]

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** The time ranges of figures by their names in the address, each with its length and its step in milliseconds. */
const ranges = {
  "1h": { text: "1 h", words: "the last hour", ms: hourMs, stepMs: 60_000 },
  "6h": { text: "6 h", words: "the last 6 hours", ms: 6 * hourMs, stepMs: 5 * 60_000 },
  "24h": { text: "24 h", words: "the last 24 hours", ms: dayMs, stepMs: 15 * 60_000 },
  "7d": { text: "7 d", words: "the last 7 days", ms: 7 * dayMs, stepMs: hourMs },
  "30d": { text: "30 d", words: "the last 30 days", ms: 30 * dayMs, stepMs: 6 * hourMs }
} as const

export type Range = keyof typeof ranges

export const defaultRange: Range = "1h"

export const rangeOf = (text: string | null): Range =>
  text !== null && Object.hasOwn(ranges, text) ? text as Range : defaultRange

export const choices: ReadonlyArray<readonly [Range, string]> = (Object.keys(ranges) as ReadonlyArray<Range>).map(
  (range) => [range, ranges[range].text]
)

/** The beginning of the range, in Unix milliseconds. */
export const fromOf = (range: Range): number => Date.now() - ranges[range].ms

export const wordsOf = (range: Range): string => ranges[range].words

/** Every step that the range reaches into, and the present state of the account. */
export const read = async (range: Range, signal: AbortSignal): Promise<Figures> => {
  const { ms, stepMs } = ranges[range]
  return (await get<Single<Figures>>(["figures"], { query: { from: Date.now() - ms, step: stepMs }, signal })).data
}

/** The figures of one source or workflow for each minute of the last hour, as an emitter and as a listener. */
export const ofEmitter = async (id: string, signal: AbortSignal): Promise<Figures> =>
  (await get<Single<Figures>>(["figures"], { query: { emitter: id, step: 60_000 }, signal })).data

/** The length of a step, as in "in every hour". */
export const everyStep = (stepMs: number): string => {
  const [amount, ...unit] = humanSeconds(stepMs / 1_000).split(" ")
  const name = unit[0] === "min" ? "minute" : unit[0] === "d" ? "day" : "hour"
  return amount === "1" ? name : `${amount} ${name}s`
}

export const sum = (series: ReadonlyArray<FigureStep>, of: (step: FigureStep) => number): number =>
  series.reduce((all, step) => all + of(step), 0)
