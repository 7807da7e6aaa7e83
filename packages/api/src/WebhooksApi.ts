import { EventIdText } from "@headwater/domain/EventId"
import { WebhookState } from "@headwater/domain/Webhook"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authorization } from "./Authorization.ts"
import { AttemptResource, exampleAttempt } from "./DeliveryAttempt.ts"
import * as Extension from "./Extension.ts"
import * as Idempotency from "./Idempotency.ts"
import { JsonValue } from "./JsonValue.ts"
import * as ListFilter from "./ListFilter.ts"
import { NeededScope } from "./NeededScope.ts"
import * as Pagination from "./Pagination.ts"
import { PathId } from "./PathId.ts"
import * as Problem from "./Problem.ts"
import * as Projection from "./Projection.ts"
import { RequestCheck, TakesAnyParameters } from "./RequestCheck.ts"
import { ResourceId } from "./ResourceId.ts"
import { Text } from "./Text.ts"
import { UnixSeconds } from "./UnixSeconds.ts"
import * as Warnings from "./Warnings.ts"
import * as WebhookHealth from "./WebhookHealth.ts"
import * as WebhookRequestSettings from "./WebhookRequestSettings.ts"
import { WebhookSecret } from "./WebhookSecret.ts"
import * as WebhookSettings from "./WebhookSettings.ts"
import { WebhookUrl } from "./WebhookUrl.ts"

const exampleWebhook = {
  id: "wh_0Uz7MtBwGh3VyUc8PqJk",
  name: "Orders to the warehouse",
  description: null,
  url: "https://warehouse.example.com/orders",
  active: true,
  created_at: 1760000060,
  updated_at: 1760000060
}

export const WebhookResource = Schema.Struct({
  id: ResourceId("webhook"),
  name: Schema.NullOr(Schema.String).annotate({ description: "null if none was given." }),
  description: Schema.NullOr(Schema.String).annotate({ description: "null if none was given." }),
  url: Schema.String,
  active: Schema.Boolean,
  created_at: UnixSeconds,
  updated_at: UnixSeconds
}).annotate({ identifier: "Webhook", examples: [exampleWebhook] })
export type WebhookResource = typeof WebhookResource.Type

/** A webhook as a list shows it. */
export const ListedWebhook = Schema.Struct({ ...WebhookResource.fields, ...WebhookHealth.listed }).annotate({
  identifier: "ListedWebhook",
  examples: [exampleWebhook]
})
export type ListedWebhook = typeof ListedWebhook.Type

/** A webhook with its settings, and how it stands. */
export const WebhookDetails = Schema.Struct({
  ...WebhookResource.fields,
  ...WebhookHealth.shown,
  ...WebhookSettings.shown,
  ...WebhookRequestSettings.shown
}).annotate({
  identifier: "WebhookDetails",
  examples: [{
    ...exampleWebhook,
    state: "failing",
    health: WebhookHealth.example,
    ordering: "strict",
    concurrency: 16,
    rate_limit: { limit: 10, interval_seconds: 1, burst: 1 },
    retry_schedule: [5, 300, 1_800],
    timeout_ms: 15_000,
    circuit: { failures: 10, cooldown_seconds: 30 },
    circuit_state: { state: "open", until_ms: 1760000150000, failures: 0 },
    failing_since_ms: 1760000120044,
    throttled_until_ms: null,
    disabled_reason: null,
    signature: "both",
    max_bytes: 262_144,
    http2: true,
    headers: { "x-team": "orders" },
    secret_headers: { authorization: WebhookRequestSettings.mask },
    tls: null
  }]
})
export type WebhookDetails = typeof WebhookDetails.Type

/** A webhook in the answer to its creation. */
export const CreatedWebhook = Schema.Struct({ ...WebhookResource.fields, user_id: ResourceId("account") }).annotate({
  identifier: "CreatedWebhook",
  examples: [{ ...exampleWebhook, user_id: "u_0Uz1W6zoEr8WsXj4LtGp" }]
})

export const WebhookPublicKey = Schema.Struct({
  public_key: Schema.String.annotate({
    description: "whpk_ and base64 of 32 bytes: the ed25519 public key of the Standard Webhooks specification."
  })
}).annotate({
  identifier: "WebhookPublicKey",
  examples: [{ public_key: "whpk_11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=" }]
})
const TestedWebhook = Schema.Struct({
  emit_id: Schema.String.annotate({ description: "The webhook-id of the request." }),
  attempt: AttemptResource
}).annotate({
  identifier: "TestedWebhook",
  examples: [{
    emit_id: exampleAttempt.request.headers["webhook-id"],
    attempt: { ...exampleAttempt, next_attempt_at_ms: null }
  }]
})

/** Of how many lines the next attempt was brought forward. */
const ForcedLines = Schema.Struct({
  delivery_count: Schema.Int.annotate({ description: "Deliveries that are due now." })
}).annotate({ identifier: "ForcedLines", examples: [{ delivery_count: 1 }] })

/** Given in the query or, as an extension, in a JSON body, which wins. */
const parameters = {
  url: Schema.optionalKey(WebhookUrl.annotate({
    description: "Required. An http or https URL with a hostname; a port and a path are allowed.",
    examples: ["https://warehouse.example.com/orders"]
  })),
  name: Schema.optionalKey(Text.annotate({
    description: "For people. Default: null.",
    examples: ["Orders to the warehouse"]
  })),
  description: Schema.optionalKey(Text.annotate({ description: "For people. Default: null." })),
  ...Projection.fields
}

const params = PathId("The webhook's id.")

export class WebhooksApi extends HttpApiGroup.make("webhooks")
  .add(
    HttpApiEndpoint.post("create", "/webhooks", {
      headers: Idempotency.headers,
      query: parameters,
      // An empty body reads as null.
      payload: [
        Schema.Null,
        Schema.Struct({ ...parameters, ...WebhookSettings.given, ...WebhookRequestSettings.changed }).annotate({
          description: "The parameters as a JSON object, which overrides the query.",
          examples: [{ url: exampleWebhook.url, name: exampleWebhook.name, ordering: "strict" as const }],
          ...Extension.mark
        })
      ],
      success: Warnings.Single(CreatedWebhook)
    }).annotate(NeededScope, "write").annotateMerge(Warnings.takesAnyFields).middleware(Warnings.Warnings)
      .middleware(Idempotency.Idempotency).annotateMerge(OpenApi.annotations({
        summary: "Create a webhook",
        description:
          "Creates a URL that events can be delivered to. Subscriptions with the webhook as listener route events to it."
      })),
    HttpApiEndpoint.get("list", "/users/me/webhooks", {
      query: {
        ...ListFilter.query("webhook", "the name, the description or the URL", WebhookState),
        expand: Schema.optionalKey(
          Schema.Literal("health").annotate({
            description: "health adds how each stands.",
            ...Extension.mark
          })
        ),
        ...Projection.fields
      },
      success: Warnings.Page(ListedWebhook)
    }).annotate(NeededScope, "read").middleware(Warnings.Warnings).annotateMerge(
      OpenApi.annotations({ summary: "List webhooks", description: "Newest first." })
    ),
    HttpApiEndpoint.get("get", "/webhooks/:id", {
      params,
      query: Projection.fields,
      success: Pagination.Single(WebhookDetails),
      error: Problem.NotFound
    }).annotate(NeededScope, "read").annotate(TakesAnyParameters, true).annotateMerge(OpenApi.annotations({
      summary: "Get a webhook",
      description: "By its id, with its settings.",
      override: Extension.mark
    })),
    HttpApiEndpoint.put("update", "/webhooks/:id", {
      params,
      payload: Schema.Struct({
        url: Schema.optionalKey(WebhookUrl.annotate({ description: "An http or https URL with a hostname." })),
        name: Schema.optionalKey(Schema.NullOr(Text).annotate({ description: "null removes it." })),
        description: Schema.optionalKey(Schema.NullOr(Text).annotate({ description: "null removes it." })),
        active: Schema.optionalKey(Schema.Boolean.annotate({
          description: "Default: true. An inactive webhook keeps its place in the log and continues from there."
        })),
        ...WebhookSettings.changed,
        ...WebhookRequestSettings.changed,
        ...Projection.fields
      }).annotate({ examples: [{ url: "https://warehouse.example.com/v2/orders", active: true }] }),
      success: Pagination.Single(WebhookDetails),
      error: Problem.NotFound
    }).annotate(NeededScope, "write").annotateMerge(OpenApi.annotations({
      summary: "Update a webhook",
      description: "Fields that are not given stay unchanged, but a missing active means true.",
      override: Extension.mark
    })),
    HttpApiEndpoint.delete("delete", "/webhooks/:id", {
      params,
      query: Projection.fields,
      success: HttpApiSchema.NoContent,
      error: Problem.NotFound
    }).annotate(NeededScope, "write").annotateMerge(OpenApi.annotations({
      summary: "Delete a webhook",
      description: "Also deletes its subscriptions.",
      override: Extension.mark
    })),
    HttpApiEndpoint.get("getSecret", "/webhooks/:id/secret", {
      params,
      query: Projection.fields,
      success: Pagination.Single(WebhookSecret),
      error: Problem.NotFound
    }).annotate(NeededScope, "write").annotateMerge(OpenApi.annotations({
      summary: "Get a webhook's signing secret",
      description: "The newest one.",
      override: Extension.mark
    })),
    HttpApiEndpoint.post("rotateSecret", "/webhooks/:id/secret/rotate", {
      headers: Idempotency.headers,
      params,
      query: Projection.fields,
      success: Pagination.Single(WebhookSecret),
      error: Problem.NotFound
    }).annotate(NeededScope, "write").middleware(Idempotency.Idempotency).annotateMerge(OpenApi.annotations({
      summary: "Rotate a webhook's signing secret",
      description: "Returns the new secret. For 24 hours the previous one signs too.",
      override: Extension.mark
    })),
    HttpApiEndpoint.get("getPublicKey", "/webhooks/:id/public_key", {
      params,
      query: Projection.fields,
      success: Pagination.Single(WebhookPublicKey),
      error: Problem.NotFound
    }).annotate(NeededScope, "read").annotateMerge(Extension.operation(
      "Get a webhook's public key",
      "The newest one. It verifies the v1a signatures of a webhook with the signature ed25519 or both."
    )),
    HttpApiEndpoint.post("rotatePublicKey", "/webhooks/:id/public_key/rotate", {
      headers: Idempotency.headers,
      params,
      query: Projection.fields,
      success: Pagination.Single(WebhookPublicKey),
      error: Problem.NotFound
    }).annotate(NeededScope, "write").middleware(Idempotency.Idempotency).annotateMerge(Extension.operation(
      "Rotate a webhook's key pair",
      "Returns the new public key. For 24 hours the previous private key signs too."
    )),
    HttpApiEndpoint.post("test", "/webhooks/:id/test", {
      headers: Idempotency.headers,
      params,
      query: Projection.fields,
      // An empty body reads as null.
      payload: [
        Schema.Null,
        Schema.Struct({
          payload: Schema.optionalKey(JsonValue("What to send. Default: the payload of the event, or a sample.")),
          emitter_id: Schema.optionalKey(Text.annotate({
            description:
              "The source or workflow (by id or name slug) whose event is sent. Default: none, and a sample event is."
          })),
          event_id: Schema.optionalKey(
            EventIdText.annotate({ description: "The event's id in the log of emitter_id." })
          ),
          ...Projection.fields
        }).annotate({ examples: [{ payload: { order: 1 } }] })
      ],
      success: Pagination.Single(TestedWebhook),
      error: Problem.NotFound
    }).annotate(NeededScope, "run").middleware(Idempotency.Idempotency).annotateMerge(Extension.operation(
      "Send a webhook a test",
      "Sends one signed request, now and without a retry, also to an inactive webhook, and answers what came back. It has a " +
        "webhook-id of its own and the header x-headwater-test: true. It is in no list and in no accounting."
    )),
    HttpApiEndpoint.post("pause", "/webhooks/:id/pause", {
      headers: Idempotency.headers,
      params,
      query: Projection.fields,
      success: Pagination.Single(WebhookResource),
      error: Problem.NotFound
    }).annotate(NeededScope, "run").middleware(Idempotency.Idempotency).annotateMerge(Extension.operation(
      "Pause a webhook",
      "Makes it inactive. It keeps its place in the log, and its retries wait."
    )),
    HttpApiEndpoint.post("resume", "/webhooks/:id/resume", {
      headers: Idempotency.headers,
      params,
      query: Projection.fields,
      // An empty body reads as null.
      payload: [
        Schema.Null,
        Schema.Struct({
          from: Schema.optionalKey(
            Schema.Literals(["place", "now"]).annotate({
              description:
                "place, the default: it continues where it stood. now: what waits for a first attempt or a retry is dropped, " +
                "and it continues with what is emitted from now on."
            })
          ),
          ...Projection.fields
        }).annotate({ examples: [{ from: "now" as const }] })
      ],
      success: Pagination.Single(WebhookResource),
      error: Problem.NotFound
    }).annotate(NeededScope, "run").middleware(Idempotency.Idempotency).annotateMerge(Extension.operation(
      "Resume a webhook",
      "Makes it active. With from: now, also an active webhook drops what waits."
    )),
    HttpApiEndpoint.post("forceNext", "/webhooks/:id/force-next", {
      headers: Idempotency.headers,
      params,
      query: Projection.fields,
      // An empty body reads as null.
      payload: [
        Schema.Null,
        Schema.Struct({
          emitter_id: Schema.optionalKey(Text.annotate({
            description: "Only the line of this source or workflow (by id or name slug) or account. Default: all."
          })),
          ...Projection.fields
        }).annotate({ examples: [{ emitter_id: "dc_0Uz7Me6SAe7TzXw9LrNf" }] })
      ],
      success: Pagination.Single(ForcedLines).pipe(HttpApiSchema.status(202)),
      error: Problem.NotFound
    }).annotate(NeededScope, "run").middleware(Idempotency.Idempotency).annotateMerge(Extension.operation(
      "Attempt now what the lines of a webhook stand on",
      "The events of each emitter are a line. Of each, the oldest pending delivery is attempted as soon as the webhook takes " +
        "an attempt."
    ))
  )
  .middleware(RequestCheck)
  .middleware(Projection.Projection)
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({ title: "Webhooks", description: "URLs that events are delivered to." }))
{}
