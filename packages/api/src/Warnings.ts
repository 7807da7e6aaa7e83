import { Context, Schema } from "effect"
import { HttpApi, HttpApiMiddleware } from "effect/http-api"
import * as Extension from "./Extension.ts"
import * as Pagination from "./Pagination.ts"
import * as Problem from "./Problem.ts"

/** The header with the warnings as JSON in ASCII, which answers without a body have as well. */
export const header = "x-headwater-warnings"

/** The warnings of an answer, at most. */
export const most = 10

/** The most characters of a name that a warning repeats. */
export const longestName = 100

const shown = {
  warnings: Schema.optionalKey(
    Schema.Array(Problem.Issue).annotate({
      description:
        "What of the request was not known or is hardly meant, and did nothing. Not there if there is nothing.",
      ...Extension.mark
    })
  )
}

/** The envelope of a single resource, with warnings. */
export const Single = <Item extends Schema.Top>(item: Item) => Schema.Struct({ data: item, ...shown })

/** The envelope of a page of a list, with warnings. */
export const Page = <Item extends Schema.Top>(item: Item) =>
  Schema.Struct({ ...Pagination.Page(item).fields, ...shown })

/** The warnings of the request that is being handled. */
export class CurrentWarnings extends Context.Service<CurrentWarnings, {
  readonly add: (warning: Problem.Issue) => void
}>()("@headwater/api/CurrentWarnings") {}

/**
 * Tells of names that an endpoint does not know: parameters of its query and fields of its body. Endpoints of the
 * documented contract have it, which take any; all others refuse such a body. It stands behind the idempotency of a POST, so
 * that a repeat is told the same.
 */
export class Warnings extends HttpApiMiddleware.Service<Warnings, {
  provides: CurrentWarnings
}>()("@headwater/api/Warnings") {}

/** The reading of bodies by all endpoints but those of the documented contract. */
export const knownFields = { errors: "all", onExcessProperty: "error" } as const

/** Has an endpoint of the documented contract take fields that it does not know. */
export const takesAnyFields = Context.make(HttpApi.PayloadParseOptions, { errors: "all" })
