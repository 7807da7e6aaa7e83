import type * as EventId from "@headwater/domain/EventId"
import type { AccountId } from "@headwater/domain/Id"
import * as RealTime from "@headwater/domain/RealTime"
import type { StreamAddress } from "@headwater/domain/Stream"
import {
  AccountTail,
  type AccountTailFilter,
  type CommitPosition,
  type LogEnd,
  type LogPart,
  type LogPlace
} from "@headwater/log/AccountTail"
import { EventLog, type EventOutline } from "@headwater/log/EventLog"
import { GroupCommit } from "@headwater/log/GroupCommit"
import { Context, Duration, Effect, Latch, Layer, Option, PubSub, Stream } from "effect"
import { untilAnswered } from "./DatabaseRetry.ts"
import { Draining } from "./placement/Draining.ts"

/** What is held of a log for one follower, who may read slowly. */
const pageSize = 100
const pageBytes = 64 * 1024

/** What other nodes append is not told here: it is looked for this often, in milliseconds. */
const lookAgainMs = 1_000

/** How long nothing comes before followers are told so, in milliseconds. */
const quietMs = 15_000

/**
 * A look at how far all logs of an account go takes longer the more there are: it follows on the one before it after so many
 * times as long as that took, and after so many milliseconds at least.
 */
const restShare = 10
const shortestRestMs = 50

/** What a tail of an account has next. */
export interface AccountPage {
  /** In the order of their ids, some of those that were committed since the last position. */
  readonly events: ReadonlyArray<EventOutline>
  /** Where the tail stands, where it is known: all that was committed before that has come, with this page. */
  readonly position: CommitPosition | undefined
}

const keyOf = ({ emitterId, stream }: StreamAddress): string => `${emitterId} ${stream}`

/** What a tail has seen of an account's logs. */
class SeenLogs {
  /** By address, the last event of the log that was seen, and the number of the last that there is. */
  private readonly logs = new Map<string, { seen: EventId.EventId; n: number }>()
  /** What is known to be there, and was not seen yet. */
  private parts: Array<LogPart> = []

  /** Of a log of which nothing is known everything is new. */
  place(place: LogPlace): void {
    this.logs.set(keyOf(place), { seen: place.seen, n: 0 })
  }

  /** All that there is of a log counts as seen. */
  pass({ lastId, n, ...address }: LogEnd): void {
    this.logs.set(keyOf(address), { seen: lastId, n })
  }

  /** Notes how far logs go. */
  look(ends: ReadonlyArray<LogEnd>): void {
    for (const { emitterId, lastId, n, stream } of ends) {
      const key = keyOf({ emitterId, stream })
      const known = this.logs.get(key) ?? { seen: 0n, n: 0 }
      if (known.n === n) continue
      this.logs.set(key, { ...known, n })
      this.parts.push({ emitterId, stream, seen: known.seen, lastId })
    }
  }

  /** What is to be read. */
  get unseen(): ReadonlyArray<LogPart> {
    return this.parts
  }

  /** Notes what a read has reached; where that was nothing, nothing is left. */
  reach(reached: ReadonlyArray<LogPlace>): void {
    for (const place of reached) {
      const known = this.logs.get(keyOf(place))
      if (known !== undefined) known.seen = place.seen
    }
    this.parts = reached.length === 0
      ? []
      : this.parts.map((part) => ({ ...part, seen: this.logs.get(keyOf(part))?.seen ?? part.seen }))
  }
}

/** Follows emitters' logs as they grow. */
export class LogTail extends Context.Service<LogTail, {
  /**
   * The events of a stream after `after`, oldest first, then each new one once it is durable, some at a time. There are none
   * at the very beginning, and where nothing has come for 15 seconds. Ends with the server.
   */
  readonly follow: (
    address: StreamAddress,
    after: EventId.EventId
  ) => Stream.Stream<ReadonlyArray<EventOutline>>
  /**
   * What is committed to the logs of an account behind a position, or from now on, as it comes. Of one emitter the events
   * are in order. What was committed about when the position was taken can come though it was seen there. A page without
   * events tells of a position, also where nothing has come for 15 seconds. Ends with the server.
   */
  readonly followAccount: (
    accountId: AccountId,
    filter: AccountTailFilter,
    after: CommitPosition | undefined
  ) => Stream.Stream<AccountPage>
}>()("@headwater/engine/LogTail") {
  static readonly layer = Layer.effect(
    LogTail,
    Effect.gen(function*() {
      const accountTail = yield* AccountTail
      const draining = yield* Draining
      const events = yield* EventLog
      const writer = yield* GroupCommit
      /** By emitter and by account: opened when something was appended. */
      const followers = new Map<string, Set<Latch.Latch>>()

      const batches = yield* PubSub.subscribe(writer.committed)
      yield* PubSub.take(batches).pipe(
        Effect.tap((batch) =>
          Effect.sync(() => {
            for (const { accountId, events: [event] } of batch) {
              for (const latch of followers.get(event?.emitterId ?? "") ?? []) latch.openUnsafe()
              for (const latch of followers.get(accountId) ?? []) latch.openUnsafe()
            }
          })
        ),
        Effect.forever,
        Effect.forkScoped
      )

      const listen = (id: string) =>
        Effect.acquireRelease(
          Effect.gen(function*() {
            const latch = yield* Latch.make()
            followers.set(id, (followers.get(id) ?? new Set()).add(latch))
            return latch
          }),
          (latch) =>
            Effect.sync(() => {
              const others = followers.get(id)
              others?.delete(latch)
              if (others?.size === 0) followers.delete(id)
            })
        )

      const follow = (address: StreamAddress, after: EventId.EventId) =>
        Stream.unwrap(Effect.gen(function*() {
          const grown = yield* listen(address.emitterId)
          const next = Effect.fnUntraced(function*(at: EventId.EventId) {
            const since = yield* RealTime.elapsed
            while (!draining.isDraining()) {
              grown.closeUnsafe()
              const page = yield* untilAnswered(events.outlinesAfter(address, at, pageSize, pageBytes))
              const last = page.at(-1)
              if (last !== undefined) return [[page], Option.some(last.id)] as const
              const quietFor = (yield* RealTime.elapsed) - since
              if (quietFor >= quietMs) return [[[]], Option.some(at)] as const
              yield* Effect.timeoutOption(grown.await, Math.min(lookAgainMs, quietMs - quietFor))
            }
            return [[], Option.none<EventId.EventId>()] as const
          })
          return Stream.concat(Stream.succeed([]), Stream.paginate(after, next))
        }))

      const followAccount: LogTail["Service"]["followAccount"] = (accountId, filter, after) =>
        Stream.unwrap(Effect.gen(function*() {
          const grown = yield* listen(accountId)
          const logs = new SeenLogs()
          let position = after
          let toldAt = yield* RealTime.elapsed
          let restMs = shortestRestMs

          const look = Effect.gen(function*() {
            grown.closeUnsafe()
            const [duration, found] = yield* Effect.timed(untilAnswered(accountTail.ends(accountId, filter)))
            restMs = Math.max(shortestRestMs, restShare * Duration.toMillis(duration))
            position = found.position
            logs.look(found.ends)
          })

          const open = Effect.gen(function*() {
            if (after === undefined) {
              const now = yield* untilAnswered(accountTail.ends(accountId, filter))
              for (const end of now.ends) logs.pass(end)
              position = now.position
              return { events: [], position }
            }
            const places = yield* untilAnswered(accountTail.placesAt(accountId, filter, after))
            for (const place of places) logs.place(place)
            yield* look
            return { events: [], position: after }
          })

          const next = Effect.gen(function*() {
            while (!draining.isDraining()) {
              if (logs.unseen.length > 0) {
                const { events, reached } = yield* untilAnswered(accountTail.arrived(logs.unseen, filter))
                logs.reach(reached)
                const isAll = logs.unseen.length === 0
                if (events.length === 0 && !isAll) continue
                toldAt = yield* RealTime.elapsed
                return [[{ events, position: isAll ? position : undefined }], Option.some(undefined)] as const
              }
              const quietFor = (yield* RealTime.elapsed) - toldAt
              if (quietFor >= quietMs) {
                toldAt += quietFor
                return [[{ events: [], position }], Option.some(undefined)] as const
              }
              yield* Effect.sleep(restMs)
              yield* Effect.timeoutOption(grown.await, Math.max(0, Math.min(lookAgainMs, quietMs - quietFor) - restMs))
              yield* look
            }
            return [[], Option.none<undefined>()] as const
          })

          return Stream.concat(Stream.fromEffect(open), Stream.paginate(undefined, () => next))
        }))

      return LogTail.of({ follow, followAccount })
    })
  )
}
