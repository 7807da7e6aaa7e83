import { AccountCapacity } from "@headwater/domain/AccountCapacity"
import { Sharers } from "@headwater/domain/Sharers"
import { Unavailable } from "@headwater/engine/Unavailable"
import { Context, Effect, Layer, type Scope } from "effect"
import { HttpSettings } from "./HttpSettings.ts"

/** The most bytes of bodies on a machine, of one account and of all. One body of the largest size always fits. */
const bytesOfAccount = 8 * 1024 * 1024
const bytesOfAll = 64 * 1024 * 1024

/** The time that a body waits for room: less than most senders wait. */
const patience = "10 seconds"

/**
 * Room for the bodies of requests to endpoints, from before they are read until they are answered. A body that finds
 * none is left on its connection, so that its sender waits; an account that sends too much delays only itself.
 */
export class BodyRoom extends Context.Service<BodyRoom, {
  /** Takes room for a body until the scope ends, waiting for it if need be. */
  readonly take: (accountId: string, bytes: number) => Effect.Effect<void, Unavailable, Scope.Scope>
  /**
   * The same for a body in a coding, without that coding: its size is not known before the body is there, and with one
   * room for both, bodies that are there would wait for each other.
   */
  readonly takeDecoded: (accountId: string, bytes: number) => Effect.Effect<void, Unavailable, Scope.Scope>
  /** Takes room where there is some now; answers whether it did. It has to be given back. */
  readonly takeNow: (accountId: string, bytes: number) => boolean
  readonly giveBack: (accountId: string, bytes: number) => void
}>()("@headwater/server/BodyRoom") {
  static readonly layer: Layer.Layer<BodyRoom, never, HttpSettings> = Layer.effect(
    BodyRoom,
    Effect.gen(function*() {
      const { maxBody } = yield* HttpSettings
      const sharers = yield* Sharers
      const makeRoom = () =>
        new AccountCapacity(
          { count: Infinity, bytes: Math.max(bytesOfAll / sharers, maxBody) },
          { count: Infinity, bytes: Math.max(bytesOfAccount / sharers, maxBody) }
        )
      const received = makeRoom()
      const decoded = makeRoom()
      const taken = (room: AccountCapacity, accountId: string, bytes: number) =>
        room.takeNow(accountId, bytes)
          ? Effect.void
          : Effect.callback<void>((resume) =>
            Effect.sync(room.wait(accountId, bytes, () => {
              room.take(accountId, bytes)
              resume(Effect.void)
            }))
          )
      const takeFrom = (room: AccountCapacity) => (accountId: string, bytes: number) =>
        Effect.uninterruptibleMask((restore) =>
          restore(Effect.suspend(() => taken(room, accountId, bytes))).pipe(
            Effect.timeoutOrElse({ duration: patience, orElse: () => Effect.fail(noRoom) }),
            Effect.andThen(Effect.addFinalizer(() => Effect.sync(() => room.release(accountId, bytes))))
          )
        )
      return BodyRoom.of({
        takeNow: (accountId, bytes) => received.takeNow(accountId, bytes),
        giveBack: (accountId, bytes) => received.release(accountId, bytes),
        take: takeFrom(received),
        takeDecoded: takeFrom(decoded)
      })
    })
  )
}

const noRoom = new Unavailable({
  message: "The account sends too many bytes of request bodies together. Try again later.",
  retryAfterSeconds: 1
})
