import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authorization } from "./Authorization.ts"
import { Single } from "./Pagination.ts"
import * as Projection from "./Projection.ts"
import { RequestCheck } from "./RequestCheck.ts"
import { UnixSeconds } from "./UnixSeconds.ts"

const identity = {
  id: Schema.String.annotate({ description: "Begins with u_." }),
  username: Schema.String,
  email: Schema.String
}

const computeTime = "Milliseconds of compute time, per UTC day."

export const FreeUser = Schema.Struct({
  ...identity,
  api_key: Schema.String,
  daily_compute_time_quota: Schema.Int.annotate({ description: computeTime }),
  daily_compute_time_used: Schema.Int.annotate({ description: computeTime }),
  daily_invocations_quota: Schema.Int,
  daily_invocations_used: Schema.Int
}).annotate({ identifier: "FreeUser" })

export const PaidUser = Schema.Struct({
  ...identity,
  billing_period_start_ts: UnixSeconds,
  billing_period_end_ts: UnixSeconds,
  billing_period_invocations: Schema.Int
}).annotate({ identifier: "PaidUser" })

export const UserResource = Schema.Union([FreeUser, PaidUser])
export type UserResource = typeof UserResource.Type

export class UsersApi extends HttpApiGroup.make("users")
  .add(
    HttpApiEndpoint.get("me", "/users/me", {
      query: Projection.fields,
      success: Single(UserResource)
    }).annotateMerge(OpenApi.annotations({
      summary: "Get the authenticated user",
      description: "With the fields of the account's plan."
    }))
  )
  .middleware(RequestCheck)
  .middleware(Projection.Projection)
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({ title: "Users", description: "The account behind the key." }))
{}
