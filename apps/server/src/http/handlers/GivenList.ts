import * as Pagination from "@headwater/api/Pagination"
import * as Problem from "@headwater/api/Problem"
import * as Page from "@headwater/log/lists/Page"
import { Effect } from "effect"

interface Given {
  readonly limit?: number
  readonly after?: string
  readonly before?: string
  readonly sort?: "created_at" | "name"
}

/** The page of a list that can be sorted by name. A cursor of the list by creation has no name, and is none of it. */
export const pageRequest = (query: Given): Effect.Effect<Page.PageRequest, Problem.InvalidRequest> => {
  const request = Pagination.pageRequest(query)
  if (query.sort !== "name") return Effect.succeed(request)
  const foreign = (["after", "before"] as const).filter((bound) => query[bound]?.includes(" ") === false)
  return foreign.length === 0
    ? Effect.succeed({ ...request, isByName: true })
    : Effect.fail(Problem.invalid(
      foreign.map((path) => ({ path, message: "Expected a cursor of this list sorted by name, as page_info gives it" }))
    ))
}

/** The place of an item, of which its cursor is made. */
export const placeOf =
  ({ sort }: Given) => ({ id, name }: { readonly id: string; readonly name: string | null }): string =>
    sort === "name" ? Page.namedPlace(id, name) : id
