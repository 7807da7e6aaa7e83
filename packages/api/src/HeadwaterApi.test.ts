import { assert, describe, it } from "@effect/vitest"
import { Context, Option } from "effect"
import { HttpApi, OpenApi } from "effect/http-api"
import { HeadwaterApi } from "./HeadwaterApi.ts"
import { NeededScope } from "./NeededScope.ts"

const document = OpenApi.fromApi(HeadwaterApi)

describe("HeadwaterApi", () => {
  it("documents its endpoints under /v1", () => {
    const endpoints = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`)
    )
    assert.sameMembers(endpoints, [
      "POST /v1/components",
      "POST /v1/components/{key}/configure",
      "DELETE /v1/components/{key}",
      "GET /v1/registry/components",
      "GET /v1/components/registry/{key}",
      "GET /v1/users/me/components",
      "GET /v1/components/{key}",
      "GET /v1/users/me/sources",
      "POST /v1/sources",
      "GET /v1/sources/{id}",
      "PUT /v1/sources/{id}",
      "DELETE /v1/sources/{id}",
      "GET /v1/sources/{id}/event_summaries",
      "GET /v1/sources/{id}/$errors/event_summaries",
      "GET /v1/sources/{id}/$logs/event_summaries",
      "DELETE /v1/sources/{id}/events",
      "GET /v1/events",
      "GET /v1/events/sse",
      "GET /v1/events/{id}/journey",
      "GET /v1/figures",
      "GET /v1/graph",
      "GET /v1/nodes",
      "GET /v1/diagnosis",
      "GET /v1/sources/{id}/events",
      "GET /v1/sources/{id}/events/{event_id}",
      "GET /v1/sources/{id}/events/{event_id}/trace",
      "GET /v1/sources/{id}/sse",
      "GET /v1/users/me/workflows",
      "POST /v1/workflows",
      "GET /v1/workflows/{id}",
      "PUT /v1/workflows/{id}",
      "DELETE /v1/workflows/{id}",
      "GET /v1/workflows/{id}/secret",
      "POST /v1/workflows/{id}/invocations",
      "GET /v1/workflows/{id}/runs",
      "GET /v1/workflows/{id}/runs/{run_id}",
      "POST /v1/workflows/{id}/runs/{run_id}/rerun",
      "POST /v1/workflows/{id}/runs/{run_id}/cancel",
      "GET /v1/workflows/{id}/events",
      "GET /v1/workflows/{id}/events/{event_id}",
      "GET /v1/workflows/{id}/events/{event_id}/trace",
      "GET /v1/workflows/{id}/sse",
      "GET /v1/workflows/{id}/event_summaries",
      "GET /v1/workflows/{id}/$errors/event_summaries",
      "GET /v1/workflows/{id}/$logs/event_summaries",
      "POST /v1/subscriptions",
      "POST /v1/subscriptions/preview",
      "DELETE /v1/subscriptions",
      "PUT /v1/subscriptions",
      "GET /v1/users/me/subscriptions",
      "POST /v1/auto_subscriptions",
      "GET /v1/users/me/auto_subscriptions",
      "DELETE /v1/auto_subscriptions/{id}",
      "POST /v1/webhooks",
      "GET /v1/users/me/webhooks",
      "GET /v1/webhooks/{id}",
      "PUT /v1/webhooks/{id}",
      "DELETE /v1/webhooks/{id}",
      "GET /v1/webhooks/{id}/secret",
      "POST /v1/webhooks/{id}/secret/rotate",
      "GET /v1/webhooks/{id}/public_key",
      "POST /v1/webhooks/{id}/public_key/rotate",
      "POST /v1/webhooks/{id}/test",
      "POST /v1/webhooks/{id}/pause",
      "POST /v1/webhooks/{id}/resume",
      "POST /v1/webhooks/{id}/force-next",
      "GET /v1/webhooks/{id}/deliveries",
      "GET /v1/deliveries",
      "GET /v1/deliveries/due",
      "GET /v1/deliveries/{id}",
      "POST /v1/deliveries/{id}/retry",
      "POST /v1/deliveries/{id}/skip",
      "POST /v1/bulk_actions",
      "POST /v1/webhooks/{id}/replay",
      "GET /v1/bulk_actions",
      "GET /v1/bulk_actions/{id}",
      "PUT /v1/bulk_actions/{id}",
      "POST /v1/bulk_actions/{id}/pause",
      "POST /v1/bulk_actions/{id}/resume",
      "POST /v1/bulk_actions/{id}/cancel",
      "GET /v1/clock",
      "DELETE /v1/clock",
      "POST /v1/clock/freeze",
      "POST /v1/clock/advance",
      "GET /v1/clock/operations/{id}",
      "POST /v1/consumers",
      "GET /v1/consumers",
      "GET /v1/consumers/{id}",
      "DELETE /v1/consumers/{id}",
      "GET /v1/consumers/{id}/positions",
      "GET /v1/consumers/{id}/events",
      "POST /v1/consumers/{id}/commit",
      "POST /v1/consumers/{id}/seek",
      "GET /v1/users/me",
      "GET /v1/users/me/keys",
      "POST /v1/users/me/keys",
      "POST /v1/users/me/keys/{id}/rotate",
      "DELETE /v1/users/me/keys/{id}",
      "GET /v1/session",
      "POST /v1/session",
      "DELETE /v1/session",
      "GET /v1/audit",
      "GET /v1/sources/{id}/code",
      "GET /v1/workflows/{id}/code",
      "POST /v1/code/check",
      "POST /v1/code/trial",
      "POST /v1/sources/{id}/trial",
      "POST /v1/workflows/{id}/trial",
      "GET /v1/accounts",
      "POST /v1/accounts",
      "GET /v1/accounts/{id}",
      "PUT /v1/accounts/{id}",
      "DELETE /v1/accounts/{id}"
    ])
  })

  it("documents for every endpoint the errors that every endpoint has, as problem documents", () => {
    for (const path of Object.keys(document.paths)) {
      const { delete: remove, get, post, put } = document.paths[path]!
      for (const operation of [remove, get, post, put]) {
        if (operation === undefined) continue
        for (const status of [400, 401, 413, 415, 429, 500, 503]) {
          const content = operation.responses[status]?.content
          assert.property(content, "application/problem+json", `${operation.operationId} ${status}`)
        }
      }
    }
  })

  it("says at every endpoint which scope it needs", () => {
    HttpApi.reflect(HeadwaterApi, {
      onGroup: () => {},
      onEndpoint: ({ endpoint: { annotations, method, path } }) => {
        assert.isTrue(Option.isSome(Context.getOption(annotations, NeededScope)), `${method} ${path}`)
      }
    })
  })

  it("documents for every POST, and for nothing else, that it takes an Idempotency-Key", () => {
    for (const [path, { delete: remove, get, post, put }] of Object.entries(document.paths)) {
      for (const operation of [remove, get, post, put]) {
        if (operation === undefined) continue
        const takesKey = operation.parameters.some(({ in: place, name }) =>
          place === "header" && name === "idempotency-key"
        )
        // It is in no account's name yet.
        const signsIn = path === "/v1/session"
        assert.strictEqual(takesKey, operation === post && !signsIn, path)
        if (takesKey) assert.property(operation.responses[409]?.content, "application/problem+json", path)
      }
    }
  })
})
