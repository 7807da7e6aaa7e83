import { CurrentAccount } from "@headwater/api/Authorization"
import { type DataStoreResource, type EntryResource, idOfKey, keyOfId } from "@headwater/api/DataStoresApi"
import { HeadwaterApi } from "@headwater/api/HeadwaterApi"
import * as Pagination from "@headwater/api/Pagination"
import * as Problem from "@headwater/api/Problem"
import type { DataStore, DataStoreChanges, DataStoreEntry, EntryChange } from "@headwater/domain/DataStore"
import * as ExactJson from "@headwater/domain/ExactJson"
import { StoreRoom } from "@headwater/engine/StoreRoom"
import { DataStoreEntries } from "@headwater/log/resources/DataStoreEntries"
import { type DataStoreNameTaken, DataStores } from "@headwater/log/resources/DataStores"
import { Clock, Effect, Option, type Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { answerFailures } from "../conventions/FailureProblem.ts"
import { HttpSettings } from "../conventions/HttpSettings.ts"
import * as GivenJson from "./GivenJson.ts"
import { noStoreRoom } from "./NoRoomProblem.ts"

const resourceOf = ({ createdAt, id, name }: DataStore): DataStoreResource => ({ id, name, created_at: createdAt })

const entryOf = ({ expiresAt, key, value }: DataStoreEntry): EntryResource => ({
  key,
  value: ExactJson.parse(value) as Schema.Json,
  expires_at_ms: expiresAt
})

interface GivenEntry {
  readonly key: string
  readonly value: Schema.Json
  /** Seconds. */
  readonly ttl: number | null
}

/** The value of an entry of a request, with its numbers as they were sent. */
const valueAt = (entries: Schema.Json, index: number): Schema.Json =>
  ((entries as Schema.JsonArray)[index] as Schema.JsonObject)["value"]!

const refuseTakenName = <A, E>(effect: Effect.Effect<A, E | DataStoreNameTaken>, name: string) =>
  Effect.catchTag(
    effect,
    "DataStoreNameTaken",
    () => Effect.fail(new Problem.NameTaken(Problem.because(`There is a data store ${JSON.stringify(name)} already.`)))
  )

export const layer = HttpApiBuilder.group(
  HeadwaterApi,
  "dataStores",
  Effect.fnUntraced(function*(handlers) {
    const dataStores = yield* DataStores
    const entries = yield* DataStoreEntries
    const room = yield* StoreRoom
    const { maxStoredValue } = yield* HttpSettings

    const storeOf = Effect.fnUntraced(function*(reference: string) {
      const found = yield* dataStores.get(yield* CurrentAccount, reference)
      if (Option.isNone(found)) return yield* Problem.notFound("data store", reference)
      return found.value
    })

    const entryAt = Effect.fnUntraced(function*(store: DataStore, key: string) {
      const found = yield* entries.entry(store.id, key, yield* Clock.currentTimeMillis)
      if (found === undefined) return yield* Problem.notFound("entry", key)
      return found
    })

    /** @param path of the entry in the body */
    const settingOf = Effect.fnUntraced(function*({ key, ttl, value }: GivenEntry, path: string) {
      const text = JSON.stringify(value)
      if (Buffer.byteLength(text) > maxStoredValue) {
        return yield* Problem.tooLarge(`${path}value`, maxStoredValue, "HEADWATER_MAX_STORED_VALUE")
      }
      return { _tag: "Set", key, value: text, ttl: ttl === null ? null : ttl * 1_000 } as const
    })

    const change = Effect.fnUntraced(function*(written: DataStoreChanges) {
      yield* entries.commit([written], yield* Clock.currentTimeMillis).pipe(
        // They expect nothing.
        Effect.catchTag("Fenced", Effect.die)
      )
    })

    const set = Effect.fnUntraced(function*({ accountId, id }: DataStore, changes: ReadonlyArray<EntryChange>) {
      const written = { storeId: id, cleared: false, changes }
      yield* room.take(accountId, [written]).pipe(Effect.catchTag("DataStoresFull", noStoreRoom))
      yield* change(written)
    })

    return handlers.handleAll({
      create: Effect.fnUntraced(function*({ payload: { name } }) {
        const created = yield* refuseTakenName(dataStores.create(yield* CurrentAccount, name), name)
        return { data: resourceOf(created) }
      }, answerFailures),
      list: Effect.fnUntraced(function*({ query }) {
        const { items, totalCount } = yield* dataStores.page(yield* CurrentAccount, Pagination.pageRequest(query))
        return Pagination.page(items.map(resourceOf), totalCount)
      }, answerFailures),
      get: Effect.fnUntraced(function*({ params }) {
        const store = yield* storeOf(params.id)
        const size = yield* entries.size(store.id, yield* Clock.currentTimeMillis)
        return { data: { ...resourceOf(store), size } }
      }, answerFailures),
      update: Effect.fnUntraced(function*({ params, payload: { name } }) {
        const { accountId, id } = yield* storeOf(params.id)
        const renamed = yield* refuseTakenName(dataStores.rename(accountId, id, name), name)
        if (Option.isNone(renamed)) return yield* Problem.notFound("data store", params.id)
        return { data: resourceOf(renamed.value) }
      }, answerFailures),
      delete: Effect.fnUntraced(function*({ params }) {
        const { accountId, id } = yield* storeOf(params.id)
        if (!(yield* dataStores.remove(accountId, id))) return yield* Problem.notFound("data store", params.id)
      }, answerFailures),
      entries: Effect.fnUntraced(function*({ params, query: { after, limit = Pagination.defaultLimit, prefix } }) {
        const { id } = yield* storeOf(params.id)
        const request = { after: after === undefined ? null : keyOfId(after), prefix, limit }
        const page = yield* entries.entries(id, request, yield* Clock.currentTimeMillis)
        const ids = page.entries.map(({ key }) => idOfKey(key))
        return {
          page_info: Pagination.openPageInfo(ids, {}, page.isLast ? undefined : ids.at(-1)),
          data: page.entries.map(entryOf)
        }
      }, answerFailures),
      setEntries: Effect.fnUntraced(function*({ params, payload }) {
        const store = yield* storeOf(params.id)
        const exact = yield* GivenJson.exactly("entries", payload.entries)
        const settings = yield* Effect.forEach(
          payload.entries,
          ({ key, ttl = null }, index) => settingOf({ key, ttl, value: valueAt(exact, index) }, `entries.${index}.`)
        )
        const changes = new Map(settings.map((setting) => [setting.key, setting]))
        yield* set(store, [...changes.values()])
        return { data: { count: changes.size } }
      }, answerFailures),
      clear: Effect.fnUntraced(function*({ params }) {
        const { id } = yield* storeOf(params.id)
        yield* change({ storeId: id, cleared: true, changes: [] })
      }, answerFailures),
      entry: Effect.fnUntraced(function*({ params, query: { key } }) {
        return { data: entryOf(yield* entryAt(yield* storeOf(params.id), key)) }
      }, answerFailures),
      setEntry: Effect.fnUntraced(function*({ params, payload: { key, ttl = null, value } }) {
        const store = yield* storeOf(params.id)
        const setting = yield* settingOf({ key, value: yield* GivenJson.exactly("value", value), ttl }, "")
        yield* set(store, [setting])
        return { data: entryOf(yield* entryAt(store, key)) }
      }, answerFailures),
      removeEntry: Effect.fnUntraced(function*({ params, query: { key } }) {
        const store = yield* storeOf(params.id)
        yield* entryAt(store, key)
        yield* change({ storeId: store.id, cleared: false, changes: [{ _tag: "Remove", key }] })
      }, answerFailures)
    })
  })
)
