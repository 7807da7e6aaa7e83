import { type Effect, Predicate, Schema } from "effect"
import type { ConfigurableProp } from "./Component.ts"
import { AccountId, DataStoreId } from "./Id.ts"
import { mostTtl } from "./TimeToLive.ts"

/** Keys with values that sources and workflows of an account share. */
export const DataStore = Schema.Struct({
  id: DataStoreId,
  accountId: AccountId,
  /** Unique among the account's. */
  name: Schema.String,
  /** Unix seconds. */
  createdAt: Schema.Int
})
export type DataStore = typeof DataStore.Type

/** The longest name, in characters. */
export const longestName = 255

/** A key's value, as JSON text. */
export interface DataStoreEntry {
  readonly key: string
  readonly value: string
  /** The time from which it is no longer there, in Unix milliseconds; null if it stays. */
  readonly expiresAt: number | null
}

/** Entries in the order of their keys. */
export interface DataStorePage {
  readonly entries: ReadonlyArray<DataStoreEntry>
  readonly isLast: boolean
}

/** The state of data stores that runs read: what is live now. */
export interface DataStoreReads {
  readonly entry: (storeId: string, key: string) => Effect.Effect<DataStoreEntry | undefined>
  /**
   * Those behind a key, or from the first.
   *
   * @param hasValues false if the values are not needed: they are `null` then
   */
  readonly entries: (storeId: string, after: string | null, hasValues: boolean) => Effect.Effect<DataStorePage>
  readonly size: (storeId: string) => Effect.Effect<number>
}

const expected = Schema.optionalKey(Schema.NullOr(Schema.String))
const key = Schema.String
/** Milliseconds from when it is committed; null if it stays. */
const ttl = Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: mostTtl })))

/**
 * A change of a key by a run: it sets or removes the value, adds to a number, or changes when the value expires. With
 * `expected` it is done only if the value is this JSON text, or null for none.
 */
export const EntryChange = Schema.Union([
  Schema.TaggedStruct("Set", { key, value: Schema.String, ttl, expected }),
  Schema.TaggedStruct("Remove", { key, expected }),
  Schema.TaggedStruct("Add", { key, by: Schema.Finite, ttl: Schema.optionalKey(ttl) }),
  Schema.TaggedStruct("Expire", { key, ttl })
])
export type EntryChange = typeof EntryChange.Type

/** The changes of a data store by a run. */
export interface DataStoreChanges {
  readonly storeId: string
  /** True if all is removed before the changes are made. */
  readonly cleared: boolean
  /** One for each key. */
  readonly changes: ReadonlyArray<EntryChange>
}

/** The type of a prop that is a data store. */
export const propType = "data_store"

/** The id or the name of a data store that a prop's value names, in either form: a text, or `{storeId}`. */
export const referenceOf = (value: unknown): string | undefined => {
  const named = Predicate.hasProperty(value, "storeId") ? value.storeId : value
  return typeof named === "string" && named !== "" ? named : undefined
}

/** The data stores among a component's props that have a value, by prop. */
export const referencesOf = (
  declared: ReadonlyArray<ConfigurableProp>,
  props: Readonly<Record<string, unknown>>
): Readonly<Record<string, string>> =>
  Object.fromEntries(declared.flatMap(({ name, type }) => {
    const named = type === propType && Object.hasOwn(props, name) ? referenceOf(props[name]) : undefined
    return named === undefined ? [] : [[name, named]]
  }))
