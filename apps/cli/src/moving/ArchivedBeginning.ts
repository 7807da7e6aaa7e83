/** The state with which a source of an archive begins, so that it emits nothing that was emitted there. */
import { type InitialState, mostEmittedIds } from "@headwater/api/SourcesApi"
import { Effect, Option, type Schema } from "effect"
import { ApiAccess } from "../access/ApiAccess.ts"
import { isFields } from "./Fields.ts"

type Json = Schema.Json

/** The most events of an emitter that the service gives. */
export const mostEvents = 100

interface Emitted {
  /** Unix milliseconds. */
  readonly at: number | undefined
  /** The id that the emit gave its event. */
  readonly id: string | number | undefined
}

/** The event of a summary. Its own id is a time and a number. */
const emittedOf = (summary: Json): Emitted => {
  const member = (value: unknown, name: string): unknown => isFields(value) ? Reflect.get(value, name) : undefined
  const [at, indexedAt] = [Number.parseInt(String(member(summary, "id"))), member(summary, "indexed_at_ms")]
  const id = member(member(summary, "metadata"), "id")
  return {
    at: [at, indexedAt].find((time) => typeof time === "number" && Number.isSafeInteger(time) && time >= 0) as
      | number
      | undefined,
    // A number that JSON could not keep exactly is another one by now.
    id: typeof id === "string" || (typeof id === "number" && (Number.isSafeInteger(id) || !Number.isInteger(id)))
      ? id
      : undefined
  }
}

const dedupeOf = Effect.fnUntraced(function*(component_code: string) {
  const { call } = yield* ApiAccess
  const checked = yield* Effect.option(
    call(({ code }) => code.check({ headers: {}, payload: { component_code } }))
  )
  return Option.isSome(checked) ? checked.value.data.dedupe : null
})

/** The time before which all was emitted there, if the ids alone don't say what was. */
const emitFromOf = (
  events: ReadonlyArray<Emitted>,
  dedupe: string | null,
  fetchedAt: number | undefined
): number | undefined => {
  const times = events.flatMap(({ at }) => at ?? [])
  const isKnown = dedupe !== null && events.length > 0 && events.every(({ id }) => id !== undefined)
  if (!isKnown) return fetchedAt ?? (times.length === 0 ? undefined : Math.max(...times) + 1)
  // There may be older ones than those of the archive.
  return dedupe === "unique" && events.length >= mostEvents && times.length > 0 ? Math.min(...times) : undefined
}

/** @param fetchedAt the time of the archive, in Unix milliseconds */
export const of = Effect.fnUntraced(
  function*(code: string, summaries: Json | undefined, fetchedAt: number | undefined) {
    const events = (Array.isArray(summaries) ? summaries as ReadonlyArray<Json> : []).map(emittedOf)
    const ids = events.flatMap(({ id }) => id ?? []).slice(-mostEmittedIds)
    const dedupe = ids.length === 0 ? null : yield* dedupeOf(code)
    const emitFrom = emitFromOf(events, dedupe, fetchedAt)
    const state: InitialState = {
      ...(dedupe === null ? {} : { emitted_ids: ids }),
      ...(emitFrom === undefined ? {} : { emit_from_ms: emitFrom })
    }
    return Object.keys(state).length === 0 ? undefined : state
  }
)

/** Tells of the state. */
export const told = ({ emit_from_ms, emitted_ids = [] }: InitialState): string =>
  [
    ...(emitted_ids.length === 0 ? [] : [`the ids of its last ${emitted_ids.length} events there count as emitted`]),
    ...(emit_from_ms === undefined
      ? []
      : [`events of before ${new Date(emit_from_ms).toISOString()} are noted as seen and not emitted`])
  ].join(", and ")
