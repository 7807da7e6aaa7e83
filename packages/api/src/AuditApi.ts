import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authorization } from "./Authorization.ts"
import * as Extension from "./Extension.ts"
import { KeyResource } from "./KeysApi.ts"
import { NeededScope } from "./NeededScope.ts"
import * as Pagination from "./Pagination.ts"
import * as Projection from "./Projection.ts"
import { RequestCheck } from "./RequestCheck.ts"
import { ResourceId } from "./ResourceId.ts"
import { Text } from "./Text.ts"
import { UnixSeconds } from "./UnixSeconds.ts"

export const AuditResource = Schema.Struct({
  id: ResourceId("audit"),
  at: UnixSeconds.annotate({ description: "When the server answered. Unix time in seconds." }),
  operation: Schema.String.annotate({ description: "The operation's id in this document." }),
  method: Schema.String,
  path: Schema.String.annotate({ description: "Without the query, at most 1,000 characters." }),
  resource_id: Schema.NullOr(Schema.String).annotate({
    description:
      "What it was about: the id that the answer shows, otherwise the last one in the path; null if there is none."
  }),
  status: Schema.Int.annotate({ description: "The HTTP status of the answer; 499 if the client did not wait for it." }),
  key: Schema.Struct({ id: KeyResource.fields.id, name: KeyResource.fields.name }).annotate({
    description: "The key of the request, or the one that its session began with."
  }),
  session_id: Schema.NullOr(ResourceId("session")).annotate({ description: "null for a request with a key." }),
  client_ip: Schema.String.annotate({ description: "The address that sent the request." })
}).annotate({
  identifier: "AuditEntry",
  examples: [{
    id: "aud_0Uz7RcD5Lk6RwSe2MxDa",
    at: 1_760_000_120,
    operation: "webhooks.pause",
    method: "POST",
    path: "/v1/webhooks/wh_0Uz7MtBwGh3VyUc8PqJk/pause",
    resource_id: "wh_0Uz7MtBwGh3VyUc8PqJk",
    status: 200,
    key: { id: "key_0Uz1W6zoKv4NcFg6SyMe", name: "deploy" },
    session_id: "ses_0Uz7RcB3Lk6RwSe2MxDa",
    client_ip: "203.0.113.7"
  }]
})
export type AuditResource = typeof AuditResource.Type

const Time = Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 8_640_000_000_000 })))

export class AuditApi extends HttpApiGroup.make("audit")
  .add(
    HttpApiEndpoint.get("list", "/audit", {
      query: {
        key: Schema.optionalKey(Text.annotate({ description: "Of the key with this id, also in sessions." })),
        session: Schema.optionalKey(Text.annotate({ description: "Of the session with this id." })),
        operation: Schema.optionalKey(Text.annotate({ description: "Of this operation, by its id in this document." })),
        from: Schema.optionalKey(Time.annotate({ description: "At this time or later. Unix time in seconds." })),
        to: Schema.optionalKey(Time.annotate({ description: "Before this time. Unix time in seconds." })),
        ...Pagination.query("audit"),
        ...Projection.fields
      },
      success: Pagination.OpenPage(AuditResource)
    }).annotate(NeededScope, "read").annotateMerge(Extension.operation(
      "List what was changed",
      "Requests that were to change something, also those that were refused or failed, newest first, without a count. " +
        "All filters given must hold. The server looks at a limited number of requests for each page, so a page can be short " +
        "or empty before the end of the list: go on with end_cursor while has_more is true."
    ))
  )
  .middleware(RequestCheck)
  .middleware(Projection.Projection)
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({ title: "Audit log", description: "Who has changed what, and when." }))
{}
