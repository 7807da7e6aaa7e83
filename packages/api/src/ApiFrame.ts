/** The frame of every group, in the whole API and where one group is used alone. */
import { HttpApi, type HttpApiGroup } from "effect/http-api"
import * as Warnings from "./Warnings.ts"

/** Puts groups where the server has them, and has them read requests as it does. */
export const framed = <Groups extends HttpApiGroup.Constraint>(api: HttpApi.HttpApi<"headwater", Groups>) =>
  api
    .prefix("/v1")
    .annotate(HttpApi.ParseOptions, { errors: "all" })
    .annotate(HttpApi.PayloadParseOptions, Warnings.knownFields)

/** The API as far as one group goes: all of it takes long to load. */
export const alone = <Group extends HttpApiGroup.Constraint>(group: Group) =>
  framed(HttpApi.make("headwater").add(group))
