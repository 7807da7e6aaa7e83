import * as EventId from "@headwater/domain/EventId"
import { type Kind, prefixes } from "@headwater/domain/Id"
import { Result, Schema, SchemaTransformation } from "effect"
import { Base64Url } from "effect/encoding"
import { EventCursorText } from "./EventCursor.ts"
import { ListOrder } from "./ListOrder.ts"

export const defaultLimit = 10
export const maxLimit = 100

export const limit = Schema.optionalKey(
  Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 1, maximum: maxLimit }))).annotate({
    description: `Items per page, 1 to ${maxLimit}; default ${defaultLimit}.`,
    default: defaultLimit
  })
)

const afterText = "A cursor from page_info. Lists only items after its item, towards older ones."
const beforeText = "A cursor from page_info. Lists only items before its item, towards newer ones."

/** The cursor that names an item of a list: its id in unpadded base64url (decisions.md, "Conventions"). */
export const cursorOf = (id: string): string => Base64Url.encode(id)

/** The id that a cursor of a list of resources stands for. */
export const idOf = (cursor: string): string => Result.getOrElse(Base64Url.decodeString(cursor), () => "")

/** A cursor as a parameter, which arrives as the id that it stands for. */
export const Cursor = (form: RegExp, description: string) =>
  Schema.String.pipe(
    Schema.check(Schema.makeFilter((cursor) => form.test(idOf(cursor)) && cursorOf(idOf(cursor)) === cursor, {
      expected: "a cursor of this list, as page_info gives it",
      toJsonSchema: () => ({ pattern: "^[0-9A-Za-z_-]+$" })
    }))
  ).annotate({ description }).pipe(
    Schema.decodeTo(Schema.String, SchemaTransformation.transform({ decode: idOf, encode: cursorOf }))
  )

const CursorOf = (kinds: ReadonlyArray<Kind>, description: string) =>
  Cursor(new RegExp(`^(?:${kinds.map((kind) => prefixes[kind]).join("|")})_[0-9A-Za-z]+$`), description)

/** The direction of a list that is newest first where nobody asks for the other. */
export const sort = {
  sort: Schema.optionalKey(
    ListOrder.annotate({
      description:
        "newest: newest first. oldest: oldest first; after then goes towards newer items, before towards older ones. " +
        "Default: newest."
    })
  )
}

/** The pagination parameters of a list of resources; the cursors arrive as the ids they stand for. */
export const query = (kind: Kind) => ({
  limit,
  after: Schema.optionalKey(CursorOf([kind], afterText)),
  before: Schema.optionalKey(CursorOf([kind], beforeText))
})

/**
 * The pagination parameters of a list that can be sorted by name; the cursors arrive as the ids they stand for, each
 * followed by a space and the name where the list is so sorted.
 */
export const namedQuery = (kind: Kind) => {
  const form = new RegExp(`^${prefixes[kind]}_[0-9A-Za-z]+(?: [^\\0]{0,200})?$`)
  return {
    limit,
    after: Schema.optionalKey(Cursor(form, "A cursor from page_info. Lists only items after its item.")),
    before: Schema.optionalKey(Cursor(form, "A cursor from page_info. Lists only items before its item."))
  }
}

/** The pagination parameters of a list that goes one way only, by the ids of emitters. */
export const emitterQuery = {
  limit,
  after: Schema.optionalKey(
    CursorOf(["source", "workflow", "account"], "A cursor from page_info. Lists only items after its item.")
  )
}

export const maxGraphLimit = 1_000

/** The pagination parameters of the graph, which goes one way only, by the ids of its nodes. */
export const graphQuery = {
  limit: Schema.optionalKey(
    Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 1, maximum: maxGraphLimit }))).annotate({
      description: `Nodes per page, 1 to ${maxGraphLimit}; default ${maxGraphLimit}.`,
      default: maxGraphLimit
    })
  ),
  after: Schema.optionalKey(
    CursorOf(
      ["source", "workflow", "webhook", "consumer", "account"],
      "An end_cursor. Lists only nodes after its node."
    )
  )
}

/** The pagination parameters of a list of events, whose cursors are the event ids themselves. */
export const eventQuery = {
  limit,
  after: Schema.optionalKey(EventId.EventIdText.annotate({ description: afterText })),
  before: Schema.optionalKey(EventId.EventIdText.annotate({ description: beforeText }))
}

/** The pagination parameters of a list of the events of several emitters. */
export const eventListQuery = {
  limit,
  after: Schema.optionalKey(EventCursorText.annotate({ description: afterText })),
  before: Schema.optionalKey(EventCursorText.annotate({ description: beforeText }))
}

/** The page of a list that its parameters ask for. */
export const pageRequest = (query: {
  readonly limit?: number
  readonly after?: string
  readonly before?: string
  readonly sort?: string
}) => ({
  limit: query.limit ?? defaultLimit,
  after: query.after,
  before: query.before,
  isOldestFirst: query.sort === "oldest"
})

export const PageInfo = Schema.Struct({
  total_count: Schema.Int.annotate({ description: "Items in the whole list." }),
  count: Schema.Int.annotate({ description: "Items on this page." }),
  start_cursor: Schema.String.annotate({
    description: "The cursor of this page's first item; empty if there is none."
  }),
  end_cursor: Schema.String.annotate({ description: "The cursor of this page's last item; empty if there is none." })
})
export type PageInfo = typeof PageInfo.Type

/** The envelope of a page of a list. */
export const Page = <Item extends Schema.Top>(item: Item) =>
  Schema.Struct({ page_info: PageInfo, data: Schema.Array(item) })

export const OpenPageInfo = Schema.Struct({
  count: Schema.Int.annotate({ description: "Items on this page." }),
  start_cursor: Schema.String.annotate({ description: "Where the page begins; empty if nothing is there." }),
  end_cursor: Schema.String.annotate({ description: "Where the page ends; empty if nothing is there." }),
  has_more: Schema.Boolean.annotate({
    description:
      "Whether the list goes on in the direction of the request: with after=end_cursor, or, on a page asked for with before " +
      "alone, with before=start_cursor."
  })
})

/** The envelope of a page of a list that is not counted, and of which a page looks at a part. */
export const OpenPage = <Item extends Schema.Top>(item: Item) =>
  Schema.Struct({ page_info: OpenPageInfo, data: Schema.Array(item) })

/** The envelope of a single resource. */
export const Single = <Item extends Schema.Top>(item: Item) => Schema.Struct({ data: item })

/** @param cursors those of the page's items, in order */
export const pageInfo = (cursors: ReadonlyArray<string>, totalCount: number): PageInfo => ({
  total_count: totalCount,
  count: cursors.length,
  start_cursor: cursors[0] ?? "",
  end_cursor: cursors.at(-1) ?? ""
})

/** A page of a list of resources, in its envelope. */
export const page = <Item extends { readonly id: string }>(
  data: ReadonlyArray<Item>,
  totalCount: number,
  placeOf = ({ id }: Item): string => id
) => ({ page_info: pageInfo(data.map((item) => cursorOf(placeOf(item))), totalCount), data })

/**
 * @param ids those of the page's items, in order
 * @param goesOnAt behind which item the list goes on, which need not be on the page; undefined at its end
 */
export const openPageInfo = (
  ids: ReadonlyArray<string>,
  { after, before }: { readonly after?: string; readonly before?: string },
  goesOnAt: string | undefined
): typeof OpenPageInfo.Type => {
  const isReadBackwards = before !== undefined && after === undefined
  const edge = (item: string | undefined, isEnd: boolean) => {
    const id = goesOnAt !== undefined && isEnd !== isReadBackwards ? goesOnAt : item
    return id === undefined ? "" : cursorOf(id)
  }
  return {
    count: ids.length,
    start_cursor: edge(ids[0], false),
    end_cursor: edge(ids.at(-1), true),
    has_more: goesOnAt !== undefined
  }
}

/** A page of a list of resources that is not counted, in its envelope. See `openPageInfo`. */
export const openPage = <Item extends { readonly id: string }>(
  data: ReadonlyArray<Item>,
  query: { readonly after?: string; readonly before?: string },
  goesOnAt: string | undefined
) => ({ page_info: openPageInfo(data.map(({ id }) => id), query, goesOnAt), data })
