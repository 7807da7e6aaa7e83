import { get, type Page } from "../api/Api.ts"
import { type EventSummary, lineOf, pageSize, timeOf } from "./Events.ts"

/** Errors of one emitter that say the same but for the numbers in them. */
export interface ErrorGroup {
  readonly key: string
  readonly emitterId: string
  /** The text of the last one. */
  readonly text: string
  readonly count: number
  readonly firstMs: number
  readonly lastMs: number
  /** The event of the last one. */
  readonly lastId: string
}

export interface ErrorGroups {
  /** The group with the last error first. */
  readonly groups: ReadonlyArray<ErrorGroup>
  /** The number of errors that were read. */
  readonly count: number
  /** True if there are older ones. */
  readonly isCut: boolean
}

const sameness = (text: string): string => text.slice(0, 300).replaceAll(/\d+/g, "0")

/** @param errors newest first */
export const group = (errors: ReadonlyArray<EventSummary>): ReadonlyArray<ErrorGroup> =>
  [...Map.groupBy(errors, (event) => `${event.metadata.emitter_id} ${sameness(lineOf(event))}`)].map(
    ([key, same]) => ({
      key,
      emitterId: same[0]!.metadata.emitter_id,
      text: lineOf(same[0]!),
      count: same.length,
      firstMs: timeOf(same.at(-1)!.id),
      lastMs: timeOf(same[0]!.id),
      lastId: same[0]!.id
    })
  )

/** The errors since a time, grouped: of the newest ones that one page holds. */
export const read = async (fromMs: number, signal: AbortSignal): Promise<ErrorGroups> => {
  const { data, page_info } = await get<Page<EventSummary>>(["events"], {
    query: { stream: "$errors", from: fromMs, limit: pageSize, expand: "event", include: "id,metadata,event.error" },
    signal
  })
  return { groups: group(data), count: data.length, isCut: page_info.has_more === true }
}
