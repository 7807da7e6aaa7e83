import { longestSeconds, mostStores, mostVariables, usualSeconds } from "@headwater/domain/Courier"
import { namePattern } from "@headwater/domain/EnvironmentVariable"
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
import { Text, textUpTo } from "./Text.ts"
import { UnixSeconds } from "./UnixSeconds.ts"

const ArrivalResource = Schema.Struct({
  kind: Schema.Literals(["data_store", "variables", "files"]),
  name: Schema.String.annotate({ description: "The id of a data store there; empty otherwise." }),
  pages: Schema.Int,
  items: Schema.Int.annotate({ description: "Entries, variables or files." }),
  bytes: Schema.Int,
  at: UnixSeconds.annotate({ description: "When the last one came, in Unix seconds." })
}).annotate({ identifier: "CourierArrival" })

const fields = {
  id: ResourceId("courier"),
  stores: Schema.Record(Schema.String, ResourceId("dataStore")).annotate({
    description: "The data stores here, by the ids that they have there."
  }),
  variables: Schema.Array(Schema.String).annotate({ description: "The environment variables that it may set." }),
  files: Schema.Boolean.annotate({ description: "Whether it may write files." }),
  project_id: Schema.NullOr(ResourceId("project")).annotate({
    description: "The project that the variables are for; null if they are for all of the account."
  }),
  created_at: UnixSeconds,
  expires_at: UnixSeconds
}

const example = {
  id: "cr_0Uz7P0aRk3WnXc5TzQmB",
  stores: { ds_A1bC2d: "ds_0Uz7P0aRk3WnXc5TzQmB" },
  variables: ["SHOP_TOKEN"],
  files: true,
  project_id: null,
  created_at: 1_760_000_000,
  expires_at: 1_760_086_400
}

export const CourierResource = Schema.Struct({
  ...fields,
  arrived: Schema.Array(ArrivalResource).annotate({ description: "What it has brought." })
}).annotate({
  identifier: "Courier",
  examples: [{
    ...example,
    arrived: [{ kind: "data_store", name: "ds_A1bC2d", pages: 2, items: 312, bytes: 48_213, at: 1_760_000_060 }]
  }]
})
export type CourierResource = typeof CourierResource.Type

/** A courier in the answer to its creation. */
export const NewCourierResource = Schema.Struct({
  ...CourierResource.fields,
  url: Schema.String.annotate({ description: "Where it is to send what it brings." }),
  token: Schema.String.annotate({ description: "Its bearer token, shown only now. It opens nothing but the URL." })
}).annotate({
  identifier: "NewCourier",
  examples: [{
    ...example,
    arrived: [],
    url: "https://events.example.com/courier",
    token: "hwc_c7LkQ9vNxT2mWd5RzYb8HsJf4GpVnXe3KqAtUw6M"
  }]
})

const Variable = Text.pipe(Schema.check(Schema.isPattern(namePattern, {
  expected: "letters, digits and _, at most 255, and no digit first"
})))

export class CouriersApi extends HttpApiGroup.make("couriers")
  .add(
    HttpApiEndpoint.post("create", "/couriers", {
      headers: Idempotency.headers,
      payload: Schema.Struct({
        stores: Schema.optionalKey(
          Schema.Record(textUpTo(100).check(Schema.isMinLength(1)), Text).check(Schema.isMaxProperties(mostStores))
            .annotate({
              description: `Ids or names of at most ${mostStores} data stores here, by the ids that they have there.`
            })
        ),
        variables: Schema.optionalKey(
          Schema.Array(Variable).check(Schema.isMaxLength(mostVariables)).annotate({
            description: `Names of at most ${mostVariables} environment variables. They are set as secrets.`
          })
        ),
        files: Schema.optionalKey(
          Schema.Boolean.annotate({ description: "Whether it may write files. Default: false." })
        ),
        project_id: Schema.optionalKey(Text.annotate({
          description: "Id, name or slug of the project that the variables are for. Default: all of the account."
        })),
        expires_in_seconds: Schema.optionalKey(
          Schema.Int.check(Schema.isBetween({ minimum: 60, maximum: longestSeconds })).annotate({
            description: `Its life, 60 to ${longestSeconds} (7 days). Default: ${usualSeconds} (a day).`
          })
        ),
        ...Projection.fields
      }).annotate({ examples: [{ stores: { ds_A1bC2d: "customers" }, variables: ["SHOP_TOKEN"], files: true }] }),
      success: Pagination.Single(NewCourierResource),
      error: Problem.NotFound
    }).annotate(NeededScope, "write").middleware(Idempotency.Idempotency).annotateMerge(Extension.operation(
      "Create a courier",
      "Its token lets code elsewhere bring what is named here, page by page, each of which is taken once. An account has " +
        "at most 100: one more takes the place of the oldest."
    )),
    HttpApiEndpoint.get("list", "/couriers", {
      query: { ...Pagination.query("courier"), ...Projection.fields },
      success: Pagination.Page(CourierResource)
    }).annotate(NeededScope, "read").annotateMerge(
      Extension.operation("List couriers", "Newest first, with what each has brought.")
    ),
    HttpApiEndpoint.delete("delete", "/couriers/:id", {
      params: PathId("The courier's id."),
      query: Projection.fields,
      success: HttpApiSchema.NoContent,
      error: Problem.NotFound
    }).annotate(NeededScope, "write").annotateMerge(
      Extension.operation("Delete a courier", "Its token is refused from now on. What it has brought stays.")
    )
  )
  .middleware(RequestCheck)
  .middleware(Projection.Projection)
  .middleware(Authorization)
  .annotateMerge(OpenApi.annotations({
    title: "Couriers",
    description: "They bring data stores, environment variables and files from elsewhere."
  }))
{}
