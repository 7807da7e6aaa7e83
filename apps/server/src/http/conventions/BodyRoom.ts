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
 *
 * Bodies in a coding have room of a second kind for what they become, whose size is not known before they are there: with one
 * room for both, bodies that are there would wait for each other.
 */
export class BodyRoom extends Context.Service<BodyRoom, {
  /**
   * Takes room for a body: at once if there is some now, else in the effect, which waits.
   *
   * @param onTaken called when the room is taken: from then on it is to be given back
   */
  readonly take: (
    kind: RoomKind,
    accountId: string,
    bytes: number,
    onTaken: () => void
  ) => Effect.Effect<void, Unavailable>
  /** Takes room for a body that has come, until the scope ends. */
  readonly hold: (accountId: string, bytes: number) => Effect.Effect<void, Unavailable, Scope.Scope>
  readonly giveBack: (kind: RoomKind, accountId: string, bytes: number) => void
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
      const rooms: Record<RoomKind, AccountCapacity> = { received: makeRoom(), decoded: makeRoom() }
      const take: BodyRoom["Service"]["take"] = (kind, accountId, bytes, onTaken) => {
        const room = rooms[kind]
        if (room.takeNow(accountId, bytes)) {
          onTaken()
          return Effect.void
        }
        return Effect.callback<void>((resume) =>
          Effect.sync(room.wait(accountId, bytes, () => {
            room.take(accountId, bytes)
            onTaken()
            resume(Effect.void)
          }))
        ).pipe(Effect.timeoutOrElse({ duration: patience, orElse: () => Effect.fail(noRoom) }))
      }
      return BodyRoom.of({
        take,
        hold: (accountId, bytes) =>
          Effect.suspend(() => {
            let isTaken = false
            const giveBack = Effect.sync(() => {
              if (isTaken) rooms.received.release(accountId, bytes)
            })
            const taken = Effect.suspend(() =>
              take("received", accountId, bytes, () => {
                isTaken = true
              })
            )
            return Effect.andThen(Effect.addFinalizer(() => giveBack), taken)
          }),
        giveBack: (kind, accountId, bytes) => rooms[kind].release(accountId, bytes)
      })
    })
  )
}

type RoomKind = "received" | "decoded"

const noRoom = new Unavailable({
  message: "The account sends too many bytes of request bodies together. Try again later.",
  retryAfterSeconds: 1
})
