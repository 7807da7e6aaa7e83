import { emailForm, isEmail, isUsername, usernameForm } from "@headwater/domain/Account"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authorization } from "./Authorization.ts"
import * as Extension from "./Extension.ts"
import { NeededScope } from "./NeededScope.ts"
import { Single } from "./Pagination.ts"
import * as Problem from "./Problem.ts"
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

const noLimit = "-1 if there is no limit."

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

const limits = <S extends Schema.Top>(limit: S) => ({
  daily_compute_time: limit.annotate({ description: computeTime }),
  daily_invocations: limit.annotate({ description: invocations }),
  billing_period_invocations: limit.annotate({ description: "Runs of component code, per UTC calendar month." })
})

const Limits = Schema.Struct(limits(Schema.NullOr(Schema.Int)))

const exampleLimits = { daily_compute_time: null, daily_invocations: 10_000, billing_period_invocations: null }
const exampleOwn = { ...exampleLimits, daily_invocations: 500 }

export const AccountSettings = Schema.Struct({
  ...identity,
  own_limits: Limits.annotate({ description: "Those that the account has set itself; null for none." }),
  operator_limits: Limits.annotate({ description: "Those that the operator has set; null for none." }),
  limits: Limits.annotate({ description: "Those that hold: of both, the smaller." }),
  used: Schema.Struct(limits(Schema.Int)).annotate({ description: "What of them is used up." })
}).annotate({
  identifier: "AccountSettings",
  examples: [{
    ...exampleIdentity,
    own_limits: exampleOwn,
    operator_limits: exampleLimits,
    limits: exampleOwn,
    used: { daily_compute_time: 2_450, daily_invocations: 37, billing_period_invocations: 1_204 }
  }]
})
export type AccountSettings = typeof AccountSettings.Type

const text = (is: (text: string) => boolean, expected: string, maxLength: number) =>
  Schema.String.check(Schema.makeFilter(is, { expected, toJsonSchema: () => ({ minLength: 1, maxLength }) }))

const OwnLimit = Schema.NullOr(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)))

export class UsersApi extends HttpApiGroup.make("users")
  .add(
    HttpApiEndpoint.get("me", "/users/me", {
      query: Projection.fields,
      success: Single(UserResource)
    }).annotate(NeededScope, "read").annotateMerge(OpenApi.annotations({
      summary: "Get the authenticated user",
      description: "The fields depend on the account's plan."
    })),
    HttpApiEndpoint.get("settings", "/users/me/settings", {
      query: Projection.fields,
      success: Single(AccountSettings)
    }).annotate(NeededScope, "read").annotateMerge(Extension.operation(
      "Get the account's settings",
      "With the limits of its quotas, by whom they are set, and what of them is used."
    )),
    HttpApiEndpoint.patch("update", "/users/me", {
      payload: Schema.Struct({
        username: Schema.optionalKey(
          text(isUsername, usernameForm, 100).annotate({
            description: "1 to 100 characters, without spaces; no other account of the server has it."
          })
        ),
        email: Schema.optionalKey(
          text(isEmail, emailForm, 254).annotate({
            description: "Where the server sends e-mail, only the operator changes it."
          })
        ),
        own_limits: Schema.optionalKey(
          Schema.Struct(limits(Schema.optionalKey(OwnLimit))).annotate({
            description: "None is above the operator's. null for none."
          })
        ),
        ...Projection.fields
      }).annotate({ examples: [{ email: "ann@example.com", own_limits: { daily_invocations: 500 } }] }),
      success: Single(AccountSettings),
      error: Problem.NameTaken
    }).annotate(NeededScope, "write").annotateMerge(Extension.operation(
      "Change the account's settings",
      "A field that is left out stays, and so does a limit. Servers keep to other limits within a second."
    ))
  )
  .middleware(RequestCheck)
  .middleware(Projection.Projection)
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({ title: "Users", description: "The account behind the key." }))
{}
