import { defaultOverlapSeconds, KeyScope, maxOverlapSeconds } from "@headwater/domain/ApiKey"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authorization } from "./Authorization.ts"
import * as Extension from "./Extension.ts"
import * as Idempotency from "./Idempotency.ts"
import { NeededScope } from "./NeededScope.ts"
import * as Pagination from "./Pagination.ts"
import { PathId } from "./PathId.ts"
import * as Problem from "./Problem.ts"
import * as Projection from "./Projection.ts"
import { RequestCheck } from "./RequestCheck.ts"
import { ResourceId } from "./ResourceId.ts"
import { Text } from "./Text.ts"
import { UnixSeconds } from "./UnixSeconds.ts"

const id = ResourceId("key")

const name = Schema.String.annotate({ description: "Empty if none was given." })

const scope = KeyScope.annotate({
  description:
    "read: what shows something, secrets excepted. run: also what runs, sends or steers what exists. write: everything."
})

const expiresAt = Schema.NullOr(UnixSeconds).annotate({
  description: "Unix time in seconds at which the key expires; null if it does not expire."
})

const example = {
  id: "key_0Uz1W6zoKv4NcFg6SyMe",
  name: "deploy",
  scope: "write" as const,
  created_at: 1_760_000_000,
  expires_at: null
}

export const KeyResource = Schema.Struct({ id, name, scope, created_at: UnixSeconds, expires_at: expiresAt }).annotate({
  identifier: "Key",
  examples: [example]
})
export type KeyResource = typeof KeyResource.Type

export const NewKeyResource = Schema.Struct({
  id,
  name,
  scope,
  key: Schema.String.annotate({ description: "The key itself: hw_ and 40 letters and digits. Shown here only." }),
  created_at: UnixSeconds,
  expires_at: expiresAt
}).annotate({
  identifier: "NewKey",
  examples: [{ ...example, key: "hw_c7LkQ9vNxT2mWd5RzYb8HsJf4GpVnXe3KqAtUw6M" }]
})
export type NewKeyResource = typeof NewKeyResource.Type

const Overlap = Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: maxOverlapSeconds })))

const params = PathId("The key's id.")

export class KeysApi extends HttpApiGroup.make("keys")
  .add(
    HttpApiEndpoint.get("list", "/users/me/keys", {
      query: { ...Pagination.query("key"), ...Projection.fields },
      success: Pagination.Page(KeyResource)
    }).annotate(NeededScope, "read").annotateMerge(OpenApi.annotations({
      summary: "List API keys",
      description: "The account's live keys, newest first, without the keys themselves.",
      override: Extension.mark
    })),
    HttpApiEndpoint.post("create", "/users/me/keys", {
      headers: Idempotency.headers,
      query: Projection.fields,
      // An empty body reads as null.
      payload: [
        Schema.Null,
        Schema.Struct({
          name: Schema.optionalKey(Text.annotate({ description: "What the key is for. Default: empty." })),
          scope: Schema.optionalKey(KeyScope.annotate({
            description: "What the key may do: read, run or write. Default: write."
          })),
          ...Projection.fields
        }).annotate({ examples: [{ name: "dashboard", scope: "read" }] })
      ],
      success: Pagination.Single(NewKeyResource)
    }).annotate(NeededScope, "write").middleware(Idempotency.Idempotency).annotateMerge(OpenApi.annotations({
      summary: "Create an API key",
      description: "Creates a key, which does not expire.",
      override: Extension.mark
    })),
    HttpApiEndpoint.post("rotate", "/users/me/keys/:id/rotate", {
      headers: Idempotency.headers,
      params,
      query: Projection.fields,
      payload: [
        Schema.Null,
        Schema.Struct({
          overlap_seconds: Schema.optionalKey(Overlap.annotate({
            description: `Seconds for which the old key stays valid, 0 to ${maxOverlapSeconds} (30 days). Default: ` +
              `${defaultOverlapSeconds} (a day).`
          })),
          ...Projection.fields
        }).annotate({ examples: [{ overlap_seconds: 3600 }] })
      ],
      success: Pagination.Single(NewKeyResource),
      error: Problem.NotFound
    }).annotate(NeededScope, "write").middleware(Idempotency.Idempotency).annotateMerge(OpenApi.annotations({
      summary: "Rotate an API key",
      description: "Returns a new key of the same name and scope. The old key expires after the overlap.",
      override: Extension.mark
    })),
    HttpApiEndpoint.delete("revoke", "/users/me/keys/:id", {
      params,
      query: Projection.fields,
      success: HttpApiSchema.NoContent,
      error: Problem.NotFound
    }).annotate(NeededScope, "write").annotateMerge(OpenApi.annotations({
      summary: "Revoke an API key",
      description:
        "The server refuses the key from now on, even if it is the key of this request or the account's last one.",
      override: Extension.mark
    }))
  )
  .middleware(RequestCheck)
  .middleware(Projection.Projection)
  .middleware(Authorization)
  .annotateMerge(
    OpenApi.annotations({ title: "Keys", description: "The keys that authenticate an account's requests." })
  )
{}
