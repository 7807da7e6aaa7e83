import { assert, describe, it } from "@effect/vitest"
import { Context, Option } from "effect"
import { HttpApi, OpenApi } from "effect/http-api"
import { HeadwaterApi } from "./HeadwaterApi.ts"
import { NeededScope } from "./NeededScope.ts"

const document = OpenApi.fromApi(HeadwaterApi)

describe("HeadwaterApi", () => {
  it("documents its endpoints under /v1", () => {
    for (const path of Object.keys(document.paths)) assert.match(path, /^\/v1\//)
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
