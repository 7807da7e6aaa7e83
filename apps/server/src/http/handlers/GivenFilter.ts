import * as Problem from "@headwater/api/Problem"
import { SubscriptionFilter } from "@headwater/domain/SubscriptionFilter"
import { Effect, type Schema } from "effect"

type FilterJson = { readonly [key: string]: Schema.Json }

/** The filter that a body gives, if any. One that is malformed is answered with the place of each fault. */
export const read = Effect.fnUntraced(function*(given: FilterJson | undefined) {
  if (given === undefined) return undefined
  return yield* Effect.mapError(Effect.fromResult(SubscriptionFilter.parse(given)), Problem.invalid)
})

/** The field of an answer that shows a filter, where there is one. */
export const shown = (text: string | null): { readonly filter?: FilterJson } =>
  text === null ? {} : { filter: JSON.parse(text) }
