import * as EventCursor from "@headwater/api/EventCursor"
import * as Pagination from "@headwater/api/Pagination"
import * as Problem from "@headwater/api/Problem"
import type { LoggedEvent } from "@headwater/domain/Event"
import * as EventId from "@headwater/domain/EventId"
import type { AccountId } from "@headwater/domain/Id"
import type { StreamAddress } from "@headwater/domain/Stream"
import type { PageEvent } from "@headwater/engine/ConsumerLifecycle"
import { LogTail } from "@headwater/engine/LogTail"
import { untilAnswered } from "@headwater/log/database/TransientSqlError"
import type { AccountTailFilter, CommitPosition } from "@headwater/log/lists/AccountTail"
import {
  EventList,
  type EventListFilter,
  type EventListPlace,
  type EventListRequest
} from "@headwater/log/lists/EventList"
import { EventLog, type EventOutline, isWhole, placeText } from "@headwater/log/logs/EventLog"
import { Cause, Effect, Fiber, Stream } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { awaitHalfClose } from "../conventions/HalfClose.ts"
import { JsonThread } from "../conventions/JsonThread.ts"
import { answerSearch } from "../handlers/SearchProblem.ts"
import { AnswerRoom } from "./AnswerRoom.ts"
import { eventPageRequest, type EventQuery, summaryOf, wholeSummary } from "./EventSummaries.ts"
import * as StreamedAnswer from "./StreamedAnswer.ts"
import { OpenCounts, WaitingAnswers } from "./WaitingAnswers.ts"

/** The limit of the events of a page together, in bytes. A single event may be larger. */
const pageBytes = 1024 * 1024

const contentType = "application/json"

/** Each of them looks at all logs of its account, over and over. */
const mostAccountTails = 20

const tooManyTails = Problem.rateLimited(
  `The account has ${mostAccountTails} tails of its logs open on this node. Close one, or follow one emitter by its own tail.`,
  10
)

/** A line that says nothing, so that no proxy takes the connection for a dead one. */
const comment = ":\n\n"

/** Outside of its texts, where there are none, JSON may have line ends: a frame ends with one. */
const dataFrame = (event: LoggedEvent): string => `data: ${wholeSummary(event).replace(/[\r\n]+/g, " ")}\n\n`
const frameOf = (event: LoggedEvent): string => `id: ${EventId.format(event.id)}\n${dataFrame(event)}`

/** A frame between those of events: the position to go on from once the client has had the events before it. */
const positionFrame = (position: CommitPosition): string => `id: ${position}\n\n`

/** Of a page that is read as its client reads the answer, what is read at once, in bytes: one event at least. */
const pieceBytes = 64 * 1024

/**
 * The same up to an end. Unlike `Stream.interruptWhen` it asks for nothing ahead of its reader: room that is taken for a frame
 * is held until the client has it.
 */
const until = <A, E, R, R2>(
  frames: Stream.Stream<A, E, R>,
  ended: Effect.Effect<unknown, unknown, R2>
): Stream.Stream<A, E, R | R2> =>
  Stream.transformPull(
    frames,
    (pull, scope) =>
      Effect.map(
        Effect.forkIn(Effect.exit(ended), scope),
        (fiber) => Effect.raceFirst(pull, Effect.andThen(Fiber.await(fiber), Cause.done()))
      )
  )

const sizeOf = ({ bytes, payload }: PageEvent): number => bytes ?? Buffer.byteLength(payload ?? "")

const hasPayload = (event: PageEvent): event is PageEvent & { readonly payload: string } => event.payload !== null

/** The events of a page, one piece after another. */
const piecesOf = (page: ReadonlyArray<PageEvent>): ReadonlyArray<ReadonlyArray<PageEvent>> => {
  const pieces: Array<Array<PageEvent>> = []
  let left = 0
  for (const event of page) {
    const bytes = sizeOf(event)
    if (bytes > left) {
      pieces.push([])
      left = pieceBytes
    }
    pieces.at(-1)!.push(event)
    left -= bytes
  }
  return pieces
}

const services = Effect.all({
  events: EventLog,
  list: EventList,
  room: AnswerRoom,
  tail: LogTail,
  thread: JsonThread,
  waiting: WaitingAnswers
})

/** Answers with events in full. Room is taken for large ones before they are read, and held until the client has them. */
export class EventAnswers {
  private readonly services: Effect.Success<typeof services>

  private constructor(given: Effect.Success<typeof services>) {
    this.services = given
  }

  static readonly make = Effect.map(services, (given) => new EventAnswers(given))

  private readonly accountTails = new OpenCounts(mostAccountTails)

  private streamed<E>(accountId: AccountId, parts: Stream.Stream<string, E, HttpServerRequest.HttpServerRequest>) {
    return StreamedAnswer.make(accountId, parts, { contentType })
  }

  /** A list of events by their texts, behind the beginning of its answer. */
  private streamedList<E>(
    accountId: AccountId,
    head: string,
    texts: Stream.Stream<string, E, HttpServerRequest.HttpServerRequest>
  ) {
    const items = Stream.zipWithIndex(texts).pipe(Stream.map(([text, index]) => index === 0 ? text : `,${text}`))
    return this.streamed(accountId, Stream.concat(Stream.concat(Stream.succeed(head), items), Stream.succeed("]}")))
  }

  /** JSON text of an event in full, cut down to the fields asked for. */
  private shownWhole(accountId: AccountId, event: LoggedEvent, { exclude, include }: EventQuery) {
    const summary = wholeSummary(event)
    if (include === undefined && exclude === undefined) return Effect.succeed(summary)
    const bytes = new TextEncoder().encode(summary)
    return Effect.map(
      this.services.thread.project(accountId, { of: "item", bytes, selection: { include, exclude } }),
      (projected) => new TextDecoder().decode(projected)
    )
  }

  /** The events with their whole payloads, but for those that were deleted meanwhile. */
  private complete(accountId: AccountId, outlines: ReadonlyArray<EventOutline>) {
    return Effect.gen({ self: this }, function*() {
      const cut = outlines.filter((outline) => !isWhole(outline))
      if (cut.length === 0) return { events: outlines, isLarge: false }
      yield* this.services.room.take(accountId, cut.reduce((sum, { bytes }) => sum + bytes, 0))
      const payloads = yield* this.services.events.payloadsAt(cut)
      const found = outlines.flatMap((outline) => {
        const payload = isWhole(outline) ? outline.payload : payloads.get(placeText(outline))
        return payload === undefined ? [] : [{ ...outline, payload }]
      })
      return { events: found, isLarge: true }
    })
  }

  /** A page of events in its envelope. */
  private inEnvelope(
    accountId: AccountId,
    outlines: ReadonlyArray<EventOutline>,
    query: EventQuery,
    infoOf: (events: ReadonlyArray<LoggedEvent>) => object
  ) {
    return Effect.gen({ self: this }, function*() {
      const { events: shown, isLarge } = query.expand === "event"
        ? yield* this.complete(accountId, outlines)
        : { events: outlines, isLarge: false }
      const head = `{"page_info":${JSON.stringify(infoOf(shown))},"data":[`
      if (!isLarge) {
        return HttpServerResponse.text(`${head}${outlines.map(summaryOf).join()}]}`, { contentType })
      }
      const texts = Stream.fromIterable(shown, { chunkSize: 1 }).pipe(
        Stream.mapEffect((event) => this.shownWhole(accountId, event, query))
      )
      return yield* this.streamedList(accountId, head, texts)
    })
  }

  /** By page, which the tails of a log have in common, its frames in either form. */
  private readonly texts = new WeakMap<object, Map<unknown, string>>()

  private textOf(page: ReadonlyArray<EventOutline>, frame: (event: LoggedEvent) => string): string {
    const known = this.texts.get(page) ?? new Map<unknown, string>()
    this.texts.set(page, known)
    const text = known.get(frame) ?? page.map(frame).join("")
    known.set(frame, text)
    return text
  }

  /** The frames of some events: large ones one by one, each once there is room for it. */
  private framed(
    accountId: AccountId,
    page: ReadonlyArray<EventOutline>,
    frame: (event: LoggedEvent) => string
  ) {
    const large = (outline: EventOutline) =>
      Stream.unwrap(Effect.gen({ self: this }, function*() {
        yield* this.services.room.await(accountId, outline.bytes)
        const payload = (yield* untilAnswered(this.services.events.payloads(outline, [outline.id]))).get(outline.id)
        return payload === undefined ? Stream.empty : Stream.succeed(frame({ ...outline, payload }))
      }))
    if (page.length === 0) return Stream.empty
    return page.every(isWhole)
      ? Stream.succeed(this.textOf(page, frame))
      : Stream.flatMap(
        Stream.fromIterable(page),
        (outline) => isWhole(outline) ? Stream.succeed(frame(outline)) : large(outline)
      )
  }

  private serverSent(
    accountId: AccountId,
    frames: Stream.Stream<string, never, HttpServerRequest.HttpServerRequest>,
    ended: Effect.Effect<never, unknown>
  ) {
    return StreamedAnswer.make(accountId, until(frames, Effect.raceFirst(awaitHalfClose, ended)), {
      contentType: "text/event-stream",
      headers: { "cache-control": "no-store", "x-accel-buffering": "no" }
    })
  }

  /** The texts of some events of a page, each once there is room for them. Those that were deleted meanwhile are left out. */
  private pieceTexts(accountId: AccountId, piece: ReadonlyArray<PageEvent>, query: EventQuery) {
    return Stream.unwrap(Effect.gen({ self: this }, function*() {
      yield* this.services.room.await(accountId, piece.reduce((sum, event) => sum + sizeOf(event), 0))
      const left = piece.filter(({ payload }) => payload === null)
      const payloads = left.length === 0
        ? new Map<string, string>()
        : yield* untilAnswered(this.services.events.payloadsAt(left))
      const found = piece.flatMap((event) => {
        const payload = event.payload ?? payloads.get(placeText(event))
        return payload === undefined ? [] : [{ ...event, payload }]
      })
      return Stream.fromIterable(yield* Effect.forEach(found, (event) => this.shownWhole(accountId, event, query)))
    }))
  }

  /** One page of a stream that has `totalCount` events, or none older than `from`. */
  page(accountId: AccountId, address: StreamAddress, query: EventQuery, list: {
    readonly totalCount: number
    readonly from?: EventId.EventId | undefined
  }) {
    return Effect.gen({ self: this }, function*() {
      const whole = query.expand === "event"
      const page = { ...address, ...eventPageRequest(query), from: list.from, maxBytes: pageBytes, whole }
      return yield* this.inEnvelope(
        accountId,
        yield* this.services.events.page(page),
        query,
        (shown) => Pagination.pageInfo(shown.map(({ id }) => EventId.format(id)), list.totalCount)
      )
    })
  }

  /** One page of the events of an account. */
  listed(
    accountId: AccountId,
    filter: EventListFilter,
    query: EventQuery,
    request: Pick<EventListRequest, "after" | "before" | "isOldestFirst" | "limit">
  ) {
    return Effect.gen({ self: this }, function*() {
      const whole = query.expand === "event"
      const { goesOnAt, isCut, items, position } = yield* this.services.list.page(accountId, filter, {
        ...request,
        maxBytes: pageBytes,
        whole
      }).pipe(answerSearch(filter.text))
      const isReadBackwards = request.before !== undefined && request.after === undefined
      const edge = (place: EventListPlace | undefined, isEnd: boolean) => {
        const at = goesOnAt !== undefined && isEnd !== isReadBackwards ? goesOnAt : place
        return at === undefined ? "" : EventCursor.format(at)
      }
      return yield* this.inEnvelope(accountId, items, query, (shown) => ({
        count: shown.length,
        start_cursor: edge(items[0], false),
        end_cursor: edge(items.at(-1), true),
        has_more: goesOnAt !== undefined,
        is_cut: isCut,
        position
      }))
    })
  }

  /** One event in full; undefined where it was deleted meanwhile. */
  one(accountId: AccountId, outline: EventOutline, query: EventQuery) {
    return Effect.gen({ self: this }, function*() {
      const { events: [event], isLarge } = yield* this.complete(accountId, [outline])
      if (event === undefined) return undefined
      const parts = ["{\"data\":", yield* this.shownWhole(accountId, event, query), "}"]
      return isLarge
        ? yield* this.streamed(accountId, Stream.fromIterable(parts, { chunkSize: 1 }))
        : HttpServerResponse.text(parts.join(""), { contentType })
    })
  }

  /**
   * A page of a consumer, behind the beginning of its answer. It waits for room rather than be refused: the reader has the
   * lease by now, and would not learn it.
   */
  ofConsumer(accountId: AccountId, head: string, page: ReadonlyArray<PageEvent>, query: EventQuery) {
    return Effect.gen({ self: this }, function*() {
      if (page.every(hasPayload)) {
        const text = `${head}${page.map(wholeSummary).join()}]}`
        if (Buffer.byteLength(text) <= pieceBytes) return HttpServerResponse.text(text, { contentType })
      }
      const texts = Stream.fromIterable(piecesOf(page), { chunkSize: 1 }).pipe(
        Stream.flatMap((piece) => this.pieceTexts(accountId, piece, query))
      )
      return yield* this.streamedList(accountId, head, texts)
    })
  }

  /**
   * Server-sent events of a stream from behind `after` on, each as soon as it is durable.
   */
  tail(accountId: AccountId, address: StreamAddress, after: EventId.EventId) {
    return Effect.gen({ self: this }, function*() {
      const ended = yield* this.services.waiting.open
      const frames = this.services.tail.follow(address, after).pipe(
        Stream.flatMap((page) => page.length === 0 ? Stream.succeed(comment) : this.framed(accountId, page, frameOf))
      )
      return yield* this.serverSent(accountId, frames, ended)
    })
  }

  /** The same of what is committed to an account's logs behind a position, or from now on. */
  accountTail(accountId: AccountId, filter: AccountTailFilter, after: CommitPosition | undefined) {
    return Effect.gen({ self: this }, function*() {
      const ended = yield* this.services.waiting.open
      yield* this.accountTails.take(accountId, tooManyTails)
      const frames = this.services.tail.followAccount(accountId, filter, after).pipe(
        Stream.flatMap(({ events, position }) => {
          const shown = this.framed(accountId, events, dataFrame)
          return position === undefined ? shown : Stream.concat(shown, Stream.succeed(positionFrame(position)))
        })
      )
      return yield* this.serverSent(accountId, frames, ended)
    })
  }
}
