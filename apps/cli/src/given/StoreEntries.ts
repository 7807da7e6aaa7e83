/** Entries of data stores, as files have them. */
import { mostEntries } from "@headwater/api/DataStoresApi"
import * as ExactJson from "@headwater/domain/ExactJson"
import { Clock, Effect, Option, Predicate, Schema } from "effect"
import { ApiAccess } from "../access/ApiAccess.ts"
import { CommandRefused } from "../CommandRefused.ts"

export interface Entry {
  readonly key: string
  readonly value: Schema.Json
  readonly expires_at_ms?: number | null
}

export const jsonIn = Option.liftThrowable((text: string) => ExactJson.parse(text) as Schema.Json)

const isEntry = Schema.is(Schema.Struct({
  key: Schema.String,
  value: Schema.Json,
  expires_at_ms: Schema.optionalKey(Schema.NullOr(Schema.Int))
}))

/** Reads the entries of a file: one on each line, or those of one object by their keys. */
export const read = Effect.fnUntraced(function*(text: string) {
  const whole = jsonIn(text)
  if (Option.isSome(whole) && Predicate.isObject(whole.value) && !isEntry(whole.value)) {
    return Object.entries(whole.value).map(([key, value]) => ({
      key,
      value: value as Schema.Json
    }))
  }
  const lines = text.split("\n").map((line, index) => ({ line, number: index + 1 })).filter(({ line }) =>
    line.trim() !== ""
  )
  return yield* Effect.forEach(lines, ({ line, number }) => {
    const entry = jsonIn(line)
    return Option.isSome(entry) && isEntry(entry.value)
      ? Effect.succeed<Entry>(entry.value)
      : Effect.fail(new CommandRefused({ message: `Line ${number} is no entry such as {"key": "ann", "value": 1}` }))
  })
})

/** The most bytes of the values of one request, if it has more than one entry. */
const requestBytes = 256 * 1024

/** Entries in the requests that set them. Those that have expired are left out. */
const requestsOf = (entries: ReadonlyArray<Entry>, now: number) => {
  const requests: Array<Array<{ readonly key: string; readonly value: Schema.Json; readonly ttl: number | null }>> = []
  let bytes = Infinity
  for (const { expires_at_ms = null, key, value } of entries) {
    if (expires_at_ms !== null && expires_at_ms <= now) continue
    const size = key.length + JSON.stringify(value).length
    if (bytes + size > requestBytes || requests.at(-1)!.length === mostEntries) {
      requests.push([])
      bytes = 0
    }
    bytes += size
    requests.at(-1)!.push({
      key,
      value,
      ttl: expires_at_ms === null ? null : Math.ceil((expires_at_ms - now) / 1_000)
    })
  }
  return requests
}

/** Sets entries of a data store, and answers how many have not expired. */
export const set = Effect.fnUntraced(function*(store: string, entries: ReadonlyArray<Entry>) {
  const { call } = yield* ApiAccess
  const requests = requestsOf(entries, yield* Clock.currentTimeMillis)
  yield* call(({ dataStores }) =>
    Effect.forEach(
      requests,
      (entries) => dataStores.setEntries({ headers: {}, params: { id: store }, payload: { entries } }),
      { discard: true }
    )
  )
  return requests.reduce((sum, { length }) => sum + length, 0)
})
