import { longestName } from "@headwater/domain/DataStore"
import * as Storable from "@headwater/domain/Storable"
import { mostTtl } from "@headwater/domain/TimeToLive"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authorization } from "./Authorization.ts"
import * as Extension from "./Extension.ts"
import * as Idempotency from "./Idempotency.ts"
import { JsonValue } from "./JsonValue.ts"
import { NeededScope } from "./NeededScope.ts"
import * as Pagination from "./Pagination.ts"
import { PathId } from "./PathId.ts"
import * as Problem from "./Problem.ts"
import * as Projection from "./Projection.ts"
import { RequestCheck, TakesLargeBody } from "./RequestCheck.ts"
import { ResourceId } from "./ResourceId.ts"
import { textUpTo } from "./Text.ts"
import { UnixMillis } from "./UnixMillis.ts"
import { UnixSeconds } from "./UnixSeconds.ts"

export const DataStoreResource = Schema.Struct({
  id: ResourceId("dataStore"),
  name: Schema.String,
  created_at: UnixSeconds
}).annotate({
  identifier: "DataStore",
  examples: [{ id: "ds_0Uz7P0aRk3WnXc5TzQmB", name: "customers", created_at: 1_760_000_000 }]
})
export type DataStoreResource = typeof DataStoreResource.Type

export const EntryResource = Schema.Struct({
  key: Schema.String,
  value: JsonValue("The value: any JSON."),
  expires_at_ms: Schema.NullOr(UnixMillis).annotate({
    description: "When it is removed, in Unix milliseconds; null if it stays."
  })
}).annotate({
  identifier: "DataStoreEntry",
  examples: [{ key: "ann@example.com", value: { visits: 3 }, expires_at_ms: null }]
})
export type EntryResource = typeof EntryResource.Type

/** The most entries that one request sets. */
export const mostEntries = 1_000

const params = PathId("The data store's id or name.")

const name = textUpTo(longestName).check(Schema.isMinLength(1)).annotate({
  description: `Its name, unique in the account, of 1 to ${longestName} characters.`
})

const Key = Schema.String.pipe(Schema.check(Schema.makeFilter(Storable.isKey, {
  expected: Storable.keyExpected,
  toJsonSchema: () => ({ maxLength: Storable.maxKeyBytes })
}))).annotate({ description: "The key." })

const given = {
  key: Key,
  value: JsonValue("The value: any JSON."),
  ttl: Schema.optionalKey(
    Schema.NullOr(Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 1, maximum: mostTtl / 1_000 })))).annotate({
      description: "Seconds after which it is removed. Default: null, it stays."
    })
  )
}

/** The id by which cursors stand for an entry: its key, which may be empty, behind a sign. */
export const idOfKey = (key: string): string => `=${key}`

export const keyOfId = (id: string): string => id.slice(1)

const after = Schema.optionalKey(Pagination.Cursor(/^=/, "An end_cursor. Lists only entries after its entry."))

const example = { key: "ann@example.com", value: { visits: 3 } }

export class DataStoresApi extends HttpApiGroup.make("dataStores")
  .add(
    HttpApiEndpoint.post("create", "/data_stores", {
      headers: Idempotency.headers,
      payload: Schema.Struct({ name, ...Projection.fields }).annotate({ examples: [{ name: "customers" }] }),
      success: Pagination.Single(DataStoreResource),
      error: Problem.NameTaken
    }).annotate(NeededScope, "write").middleware(Idempotency.Idempotency).annotateMerge(Extension.operation(
      "Create a data store",
      "Keys with values that sources and workflows share: give its id or name to a prop of the type data_store."
    )),
    HttpApiEndpoint.get("list", "/data_stores", {
      query: { ...Pagination.query("dataStore"), ...Projection.fields },
      success: Pagination.Page(DataStoreResource)
    }).annotate(NeededScope, "read").annotateMerge(Extension.operation("List data stores", "Newest first.")),
    HttpApiEndpoint.get("get", "/data_stores/:id", {
      params,
      query: Projection.fields,
      success: Pagination.Single(
        Schema.Struct({
          ...DataStoreResource.fields,
          size: Schema.Int.annotate({ description: "The number of its entries." })
        }).annotate({
          identifier: "DataStoreWithSize",
          examples: [{ id: "ds_0Uz7P0aRk3WnXc5TzQmB", name: "customers", created_at: 1_760_000_000, size: 12 }]
        })
      ),
      error: Problem.NotFound
    }).annotate(NeededScope, "read").annotateMerge(
      Extension.operation("Get a data store", "With the number of entries.")
    ),
    HttpApiEndpoint.put("update", "/data_stores/:id", {
      params,
      payload: Schema.Struct({ name, ...Projection.fields }).annotate({ examples: [{ name: "clients" }] }),
      success: Pagination.Single(DataStoreResource),
      error: [Problem.NotFound, Problem.NameTaken]
    }).annotate(NeededScope, "write").annotateMerge(
      Extension.operation("Rename a data store", "Sources and workflows that use it go on.")
    ),
    HttpApiEndpoint.delete("delete", "/data_stores/:id", {
      params,
      query: Projection.fields,
      success: HttpApiSchema.NoContent,
      error: Problem.NotFound
    }).annotate(NeededScope, "write").annotateMerge(
      Extension.operation("Delete a data store", "With its entries. Code that uses it fails then.")
    ),
    HttpApiEndpoint.get("entries", "/data_stores/:id/entries", {
      params,
      query: {
        limit: Pagination.limit,
        after,
        prefix: Schema.optionalKey(Key.annotate({ description: "Lists only keys that begin so." })),
        ...Projection.fields
      },
      success: Pagination.OpenPage(EntryResource).annotate({
        examples: [{
          page_info: Pagination.openPageInfo([idOfKey(example.key)], {}, undefined),
          data: [{ ...example, expires_at_ms: null }]
        }]
      }),
      error: Problem.NotFound
    }).annotate(NeededScope, "read").annotateMerge(Extension.operation(
      "List the entries of a data store",
      "In the order of their keys. A page of large values holds fewer entries than its limit."
    )),
    HttpApiEndpoint.post("setEntries", "/data_stores/:id/entries", {
      headers: Idempotency.headers,
      params,
      payload: Schema.Struct({
        entries: Schema.Array(Schema.Struct(given)).pipe(
          Schema.check(Schema.isMaxLength(mostEntries))
        ).annotate({ description: `At most ${mostEntries} entries. The last of those with one key counts.` }),
        ...Projection.fields
      }).annotate({ examples: [{ entries: [example] }] }),
      success: Pagination.Single(
        Schema.Struct({ count: Schema.Int.annotate({ description: "The number of keys that were set." }) }).annotate({
          identifier: "DataStoreEntriesSet",
          examples: [{ count: 1 }]
        })
      ),
      error: [Problem.NotFound, Problem.PayloadTooLarge, Problem.QuotaExceeded]
    }).annotate(NeededScope, "write").annotate(TakesLargeBody, "values").middleware(Idempotency.Idempotency)
      .annotateMerge(
        Extension.operation("Set entries of a data store", "All of them at once, or none. Other entries stay.")
      ),
    HttpApiEndpoint.delete("clear", "/data_stores/:id/entries", {
      params,
      query: Projection.fields,
      success: HttpApiSchema.NoContent,
      error: Problem.NotFound
    }).annotate(NeededScope, "write").annotateMerge(
      Extension.operation("Clear a data store", "Removes all of its entries.")
    ),
    HttpApiEndpoint.get("entry", "/data_stores/:id/entry", {
      params,
      query: { key: Key, ...Projection.fields },
      success: Pagination.Single(EntryResource),
      error: Problem.NotFound
    }).annotate(NeededScope, "read").annotateMerge(Extension.operation("Get an entry of a data store", "By its key.")),
    HttpApiEndpoint.put("setEntry", "/data_stores/:id/entry", {
      params,
      payload: Schema.Struct({ ...given, ...Projection.fields }).annotate({ examples: [example] }),
      success: Pagination.Single(EntryResource),
      error: [Problem.NotFound, Problem.PayloadTooLarge, Problem.QuotaExceeded]
    }).annotate(NeededScope, "write").annotate(TakesLargeBody, "values").annotateMerge(
      Extension.operation("Set an entry of a data store", "Replaces the value, and when it is removed.")
    ),
    HttpApiEndpoint.delete("removeEntry", "/data_stores/:id/entry", {
      params,
      query: { key: Key, ...Projection.fields },
      success: HttpApiSchema.NoContent,
      error: Problem.NotFound
    }).annotate(NeededScope, "write").annotateMerge(
      Extension.operation("Remove an entry of a data store", "By its key.")
    )
  )
  .middleware(RequestCheck)
  .middleware(Projection.Projection)
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({
    title: "Data stores",
    description: "Keys with values that sources and workflows of an account share."
  }))
{}
