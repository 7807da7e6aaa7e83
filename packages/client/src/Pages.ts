/** A page of a list, as the API answers. */
export interface Page<Item> {
  readonly page_info: { readonly end_cursor: string; readonly has_more?: boolean }
  readonly data: ReadonlyArray<Item>
}

/** The parameters that ask for the page after another; none for the first one. */
export interface Place {
  readonly after?: string
}

/**
 * All pages of a list, in the order of the API: newest first, except for positions of consumers.
 *
 * @param ask for the page at a place: `(place) => headwater.sources.list({ query: { limit: 100, ...place } })`
 */
export async function* pages<P extends Page<unknown>>(
  ask: (place: Place) => Promise<P>
): AsyncGenerator<P, void, undefined> {
  for (let place: Place = {};;) {
    const page = await ask(place)
    const { end_cursor: after, has_more: hasMore } = page.page_info
    if (page.data.length > 0) yield page
    // A list that is not counted may have an empty page before its end, and any other ends with one.
    if (hasMore === undefined ? page.data.length === 0 : !hasMore) return
    place = { after }
  }
}

/** All items of a list, one by one. A page is asked for when the items of the one before are used up. */
export async function* items<Item>(
  ask: (place: Place) => Promise<Page<Item>>
): AsyncGenerator<Item, void, undefined> {
  for await (const { data } of pages(ask)) yield* data
}
