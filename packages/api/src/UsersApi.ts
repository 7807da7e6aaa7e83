import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authorization } from "./Authorization.ts"
import { NeededScope } from "./NeededScope.ts"
import { Single } from "./Pagination.ts"
import * as Projection from "./Projection.ts"
import { RequestCheck } from "./RequestCheck.ts"
import { ResourceId } from "./ResourceId.ts"
import { UnixSeconds } from "./UnixSeconds.ts"

const identity = {
  id: ResourceId("account"),
  username: Schema.String,
  email: Schema.String
}

const exampleIdentity = { id: "u_0Uz1W6zoEr8WsXj4LtGp", username: "ann", email: "ann@example.com" }

const noLimit = "-1 if the operator set no limit."

const computeTime = "Milliseconds of compute time, per UTC day."
const invocations = "Runs of component code, per UTC day."

export const FreeUser = Schema.Struct({
  ...identity,
  api_key: Schema.optionalKey(
    Schema.String.annotate({ description: "The key that this request carries; absent in a session." })
  ),
  daily_compute_time_quota: Schema.Int.annotate({ description: `${computeTime} ${noLimit}` }),
  daily_compute_time_used: Schema.Int.annotate({ description: computeTime }),
  daily_invocations_quota: Schema.Int.annotate({ description: `${invocations} ${noLimit}` }),
  daily_invocations_used: Schema.Int.annotate({ description: invocations })
}).annotate({
  identifier: "FreeUser",
  examples: [{
    ...exampleIdentity,
    api_key: "hw_c7LkQ9vNxT2mWd5RzYb8HsJf4GpVnXe3KqAtUw6M",
    daily_compute_time_quota: 1_800_000,
    daily_compute_time_used: 2_450,
    daily_invocations_quota: 10_000,
    daily_invocations_used: 37
  }]
})

export const PaidUser = Schema.Struct({
  ...identity,
  billing_period_start_ts: UnixSeconds,
  billing_period_end_ts: UnixSeconds,
  billing_period_invocations: Schema.Int.annotate({ description: "Runs of component code in the billing period." })
}).annotate({
  identifier: "PaidUser",
  examples: [{
    ...exampleIdentity,
    billing_period_start_ts: 1759276800,
    billing_period_end_ts: 1761955200,
    billing_period_invocations: 1_204
  }]
})

export const UserResource = Schema.Union([FreeUser, PaidUser])
export type UserResource = typeof UserResource.Type

export class UsersApi extends HttpApiGroup.make("users")
  .add(
    HttpApiEndpoint.get("me", "/users/me", {
      query: Projection.fields,
      success: Single(UserResource)
    }).annotate(NeededScope, "read").annotateMerge(OpenApi.annotations({
      summary: "Get the authenticated user",
      description: "The fields depend on the account's plan."
    }))
  )
  .middleware(RequestCheck)
  .middleware(Projection.Projection)
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({ title: "Users", description: "The account behind the key." }))
{}
