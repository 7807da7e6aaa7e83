import { Effect, Option, Stream } from "effect"
import * as Pagination from "./Pagination.ts"

/** A page of a list, as the client has it. */
export interface Page<Item> {
  readonly page_info: { readonly end_cursor: string; readonly has_more?: boolean }
  readonly data: ReadonlyArray<Item>
}

/** The parameters that ask for the page after another; none for the first one. */
export interface Place {
  readonly after?: string
}

/** An id of a resource, or of an entry of a data store. */
const encodedId = /^(?:[a-z]{1,4}_[0-9A-Za-z]+$|=)/

/** The client takes such an id in place of the cursor that stands for it, and other cursors as they are. */
const placeOf = (cursor: string): Place => {
  const id = Pagination.idOf(cursor)
  return { after: encodedId.test(id) ? id : cursor }
}

/**
 * All items of a list, in its order. The next page is asked for when the items of the one before are used up.
 *
 * @param ask for the page at a place: `(place) => client.sources.list({ query: { limit: 100, ...place } })`
 */
export const items = <Item, E, R>(
  ask: (place: Place) => Effect.Effect<Page<Item>, E, R>
): Stream.Stream<Item, E, R> =>
  Stream.paginate(
    {} as Place,
    (place) =>
      Effect.map(ask(place), ({ data, page_info: { end_cursor: end, has_more: hasMore } }) => {
        // A list that is not counted may have an empty page before its end, and any other ends with one.
        const goesOn = hasMore ?? data.length > 0
        return [data, goesOn ? Option.some(placeOf(end)) : Option.none()]
      })
  )
