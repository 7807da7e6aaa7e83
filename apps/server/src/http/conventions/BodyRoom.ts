import { Sharers } from "@headwater/domain/Sharers"
import { Unavailable } from "@headwater/engine/Unavailable"
import { Context, Effect, Layer, type Scope } from "effect"
import { HttpSettings } from "./HttpSettings.ts"

/** How many bytes of bodies a machine has at a time, of one account and of all. An account may always have one body. */
const bytesOfAccount = 8 * 1024 * 1024
const bytesOfAll = 64 * 1024 * 1024

/** How long a body waits for room: less than most senders do. */
const patience = "10 seconds"

interface Waiter {
  readonly bytes: number
  readonly letIn: () => void
}

interface Share {
  held: number
  readonly waiting: Set<Waiter>
}

/** Room for bytes, by account. */
export class ByteRoom {
  readonly #mostOfAccount: number
  readonly #mostOfAll: number
  /** The account that was let in last comes last. */
  readonly #shares = new Map<string, Share>()
  #held = 0

  constructor(mostOfAccount: number, mostOfAll: number) {
    this.#mostOfAccount = mostOfAccount
    this.#mostOfAll = mostOfAll
  }

  /** Takes room where there is some and nobody of the account waits for it; answers whether it did. */
  take(accountId: string, bytes: number): boolean {
    const share = this.#shareOf(accountId)
    if (share.waiting.size > 0 || !this.#fits(share, bytes)) return false
    this.#hold(accountId, share, bytes)
    return true
  }

  /** Has `letIn` called once the room is taken, unless the answered function is called before. */
  wait(accountId: string, bytes: number, letIn: () => void): () => void {
    const share = this.#shareOf(accountId)
    const waiter: Waiter = { bytes, letIn }
    share.waiting.add(waiter)
    return () => {
      share.waiting.delete(waiter)
      this.#forgetIfIdle(accountId, share)
    }
  }

  giveBack(accountId: string, bytes: number): void {
    const share = this.#shareOf(accountId)
    share.held -= bytes
    this.#held -= bytes
    this.#forgetIfIdle(accountId, share)
    this.#letIn()
  }

  #shareOf(accountId: string): Share {
    const known = this.#shares.get(accountId)
    if (known !== undefined) return known
    const share = { held: 0, waiting: new Set<Waiter>() }
    this.#shares.set(accountId, share)
    return share
  }

  #fits(share: Share, bytes: number): boolean {
    return (share.held === 0 || share.held + bytes <= this.#mostOfAccount) &&
      (this.#held === 0 || this.#held + bytes <= this.#mostOfAll)
  }

  #hold(accountId: string, share: Share, bytes: number): void {
    share.held += bytes
    this.#held += bytes
    // Others that wait go before its next one.
    this.#shares.delete(accountId)
    this.#shares.set(accountId, share)
  }

  /** Lets in who waits and fits, one of each account after another. Who is let in goes to the end, and is met again. */
  #letIn(): void {
    for (const [accountId, share] of this.#shares) {
      const [next] = share.waiting
      if (next === undefined || !this.#fits(share, next.bytes)) continue
      share.waiting.delete(next)
      this.#hold(accountId, share, next.bytes)
      next.letIn()
    }
  }

  #forgetIfIdle(accountId: string, share: Share): void {
    if (share.held === 0 && share.waiting.size === 0 && this.#shares.get(accountId) === share) {
      this.#shares.delete(accountId)
    }
  }
}

/**
 * Room for the bodies of requests to endpoints, from before they are read until they are answered. What finds none is left
 * on its connection, so that its sender waits; an account that sends more than is taken waits for itself.
 */
export class BodyRoom extends Context.Service<BodyRoom, {
  /** Takes room for a body until the scope ends, waiting for it if need be. */
  readonly take: (accountId: string, bytes: number) => Effect.Effect<void, Unavailable, Scope.Scope>
  /**
   * The same for what a body in a coding becomes without it: it is not known before the body is there, and with one room for
   * both, bodies that are there would wait for each other.
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
        new ByteRoom(Math.max(bytesOfAccount / sharers, maxBody), Math.max(bytesOfAll / sharers, maxBody))
      const received = makeRoom()
      const decoded = makeRoom()
      const taken = (room: ByteRoom, accountId: string, bytes: number) =>
        room.take(accountId, bytes)
          ? Effect.void
          : Effect.callback<void>((resume) => {
            const leave = room.wait(accountId, bytes, () => resume(Effect.void))
            return Effect.sync(leave)
          })
      const takeFrom = (room: ByteRoom) => (accountId: string, bytes: number) =>
        Effect.uninterruptibleMask((restore) =>
          restore(Effect.suspend(() => taken(room, accountId, bytes))).pipe(
            Effect.timeoutOrElse({ duration: patience, orElse: () => Effect.fail(noRoom) }),
            Effect.andThen(Effect.addFinalizer(() => Effect.sync(() => room.giveBack(accountId, bytes))))
          )
        )
      return BodyRoom.of({
        takeNow: (accountId, bytes) => received.take(accountId, bytes),
        giveBack: (accountId, bytes) => received.giveBack(accountId, bytes),
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
