import type * as EventId from "@headwater/domain/EventId"
import * as RealTime from "@headwater/domain/RealTime"
import type { StreamAddress } from "@headwater/domain/Stream"
import { EventLog, type EventOutline } from "@headwater/log/EventLog"
import { GroupCommit } from "@headwater/log/GroupCommit"
import { Context, Effect, Latch, Layer, Option, PubSub, Stream } from "effect"
import { untilAnswered } from "./DatabaseRetry.ts"
import { Draining } from "./placement/Draining.ts"

/** What is held of a log for one follower, who may read slowly. */
const pageSize = 100
const pageBytes = 64 * 1024

/** What other nodes append is not told here: it is looked for this often, in milliseconds. */
const lookAgainMs = 1_000

/** How long nothing comes before followers are told so, in milliseconds. */
const quietMs = 15_000

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
}>()("@headwater/engine/LogTail") {
  static readonly layer = Layer.effect(
    LogTail,
    Effect.gen(function*() {
      const draining = yield* Draining
      const events = yield* EventLog
      const writer = yield* GroupCommit
      /** Opened when something was appended to the emitter. */
      const followers = new Map<string, Set<Latch.Latch>>()

      const batches = yield* PubSub.subscribe(writer.committed)
      yield* PubSub.take(batches).pipe(
        Effect.tap((batch) =>
          Effect.sync(() => {
            for (const { events: [event] } of batch) {
              for (const latch of followers.get(event?.emitterId ?? "") ?? []) latch.openUnsafe()
            }
          })
        ),
        Effect.forever,
        Effect.forkScoped
      )

      const listen = (emitterId: string) =>
        Effect.acquireRelease(
          Effect.gen(function*() {
            const latch = yield* Latch.make()
            followers.set(emitterId, (followers.get(emitterId) ?? new Set()).add(latch))
            return latch
          }),
          (latch) =>
            Effect.sync(() => {
              const others = followers.get(emitterId)
              others?.delete(latch)
              if (others?.size === 0) followers.delete(emitterId)
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

      return LogTail.of({ follow })
    })
  )
}
