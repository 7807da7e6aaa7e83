/** What a run tells while it lasts, on standard error. */
import { Console, type Effect } from "effect"
import { rounded } from "./Statistics.ts"

export const say = (text: string): Effect.Effect<void> => Console.error(text)

export const figure = (value: number): string => String(rounded(value) ?? "-")
