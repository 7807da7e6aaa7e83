import type * as EventId from "@headwater/domain/EventId"
import type { AccountId } from "@headwater/domain/Id"
import * as RealTime from "@headwater/domain/RealTime"
import type { StreamAddress } from "@headwater/domain/Stream"
import { GroupCommit } from "@headwater/log/commit/GroupCommit"
import { untilAnswered } from "@headwater/log/database/TransientSqlError"
import {
  AccountTail,
  type AccountTailFilter,
  type CommitPosition,
  type GrownLogsPlace,
  type LogPart,
  type LogPlace
} from "@headwater/log/lists/AccountTail"
import { EventLog, type EventOutline } from "@headwater/log/logs/EventLog"
import { Context, Effect, Fiber, Latch, Layer, Option, type Scope, Stream } from "effect"
import { Draining } from "./ground/Draining.ts"

/** The most that is held of a log for one follower, who may read slowly: events, and bytes. */
const pageSize = 100
const pageBytes = 64 * 1024

/** Events that other nodes append are not told here: they are looked for this often, in milliseconds. */
const lookAgainMs = 1_000

/** The quiet time after which followers are told that nothing has come, in milliseconds. */
const quietMs = 15_000

/**
 * A look for the logs of an account that have grown takes longer the more emitters there are. The next one follows
 * after so many times as long as it took, times the account's open tails, and after so many milliseconds at least.
 */
const restShare = 10
const shortestRestMs = 50

/** The next page of an account's tail. */
export interface AccountPage {
  /** In the order of their ids, some of those that were committed since the last position. */
  readonly events: ReadonlyArray<EventOutline>
  /** The tail's position, if it is known: all that was committed before it has come, with this page. */
  readonly position: CommitPosition | undefined
}

/** The time that one follower's read serves others at the same place, in milliseconds, and the most held for that. */
const sharedMs = 500
const sharedBytes = 8 * 1024 * 1024

const keyOf = ({ emitterId, stream }: StreamAddress): string => `${emitterId} ${stream}`

type Page = ReadonlyArray<EventOutline>

interface SharedRead {
  readonly read: Fiber.Fiber<Page>
  /** The log's `growth` when the read began. */
  readonly growth: number
  readonly begunAt: number
  bytes: number
  /** The number of followers that wait for it. */
  waiting: number
}

/** Reads of logs that followers at the same place have in common. */
class SharedReads {
  /** By log and place, the oldest first. */
  private readonly reads = new Map<string, SharedRead>()
  private bytes = 0

  /** The read at a place, if it began after the log last grew and is not too old. */
  find(key: string, growth: number, now: number): SharedRead | undefined {
    this.forgetBefore(now - sharedMs)
    const found = this.reads.get(key)
    return found?.growth === growth ? found : undefined
  }

  put(key: string, read: SharedRead): void {
    this.forget(key)
    this.reads.set(key, read)
  }

  /** Notes how much was read, in characters. */
  weigh(key: string, read: SharedRead, characters: number): void {
    if (this.reads.get(key) !== read) return
    read.bytes = characters
    this.bytes += characters
    for (const oldest of this.reads.keys()) {
      if (this.bytes <= sharedBytes) return
      this.forget(oldest)
    }
  }

  /** Nobody waits for it any more. */
  drop(key: string, read: SharedRead): void {
    if (this.reads.get(key) === read) this.forget(key)
  }

  private forgetBefore(time: number): void {
    for (const [key, { begunAt }] of this.reads) {
      if (begunAt > time) return
      this.forget(key)
    }
  }

  private forget(key: string): void {
    this.bytes -= this.reads.get(key)?.bytes ?? 0
    this.reads.delete(key)
  }
}

/** Those who follow logs and accounts, by the id of the emitter or the account, and how often each is told to have grown. */
class Followers {
  private readonly followed = new Map<string, { readonly latches: Set<Latch.Latch>; growth: number }>()
  private growths = 0

  /** A number that changes each time something followed is told to have grown. */
  growthOf(id: string): number {
    return this.followed.get(id)?.growth ?? 0
  }

  countOf(id: string): number {
    return this.followed.get(id)?.latches.size ?? 0
  }

  grow(id: string): void {
    const one = this.followed.get(id)
    if (one === undefined) return
    one.growth = ++this.growths
    for (const latch of one.latches) latch.openUnsafe()
  }

  /** A latch that opens when something grows. */
  listen(id: string): Effect.Effect<Latch.Latch, never, Scope.Scope> {
    const { followed } = this
    return Effect.acquireRelease(
      Effect.map(Latch.make(), (latch) => {
        const one = followed.get(id) ?? { latches: new Set(), growth: ++this.growths }
        one.latches.add(latch)
        followed.set(id, one)
        return latch
      }),
      (latch) =>
        Effect.sync(() => {
          const one = followed.get(id)
          one?.latches.delete(latch)
          if (one?.latches.size === 0) followed.delete(id)
        })
    )
  }
}

/** A tail's progress in an account's logs, beyond its position: all before that was seen. */
class SeenLogs {
  /** The last event that was seen of each log, by address, for logs that the next look may find again. */
  private readonly seen = new Map<string, Pick<LogPlace, "committedIn" | "id">>()
  /** The parts of logs that are known to be there, and were not seen yet. */
  private parts: ReadonlyArray<LogPart> = []

  /** All that a look found counts as seen. */
  pass(parts: ReadonlyArray<LogPart>): void {
    for (const { last, lastCommittedIn, ...address } of parts) {
      this.seen.set(keyOf(address), { id: last, committedIn: lastCommittedIn })
    }
  }

  /** Notes the parts that a look found. */
  find(parts: ReadonlyArray<LogPart>): void {
    this.parts = parts.map((part) => this.from(part)).filter(({ last, seen }) => last > seen)
  }

  /** The parts that are to be read. */
  get unseen(): ReadonlyArray<LogPart> {
    return this.parts
  }

  /** Notes the places that a read has reached; if there are none, nothing is left. */
  reach(reached: ReadonlyArray<LogPlace>): void {
    for (const { committedIn, id, ...address } of reached) this.seen.set(keyOf(address), { committedIn, id })
    if (reached.length === 0) this.parts = []
    else this.find(this.parts)
  }

  /** The next look is from this position on: it finds nothing that was committed before. */
  settle(position: CommitPosition): void {
    const before = BigInt(position)
    for (const [key, { committedIn }] of this.seen) if (committedIn < before) this.seen.delete(key)
  }

  private from(part: LogPart): LogPart {
    const id = this.seen.get(keyOf(part))?.id ?? 0n
    return id > part.seen ? { ...part, seen: id } : part
  }
}

interface AccountParts {
  readonly accountId: AccountId
  readonly accountTail: AccountTail["Service"]
  readonly draining: Draining["Service"]
  readonly filter: AccountTailFilter
  readonly followers: Followers
  readonly grown: Latch.Latch
}

/**
 * One tail of an account's logs. It looks for the logs that have grown, in one part or several, and reads what is new of them.
 * Once all that a look found was read, the tail is at the look's position.
 */
class AccountFollower {
  private readonly logs = new SeenLogs()
  private position: CommitPosition | undefined
  /** The position that a look reaches once all it finds was read, and where it goes on. */
  private look: { readonly position: CommitPosition; readonly goesOnAt: GrownLogsPlace | undefined } | undefined
  private lookMs = 0
  private restedAt = 0
  private toldAt: number
  private readonly after: CommitPosition | undefined
  private readonly parts: AccountParts

  constructor(parts: AccountParts, after: CommitPosition | undefined, now: number) {
    this.parts = parts
    this.after = this.position = after
    this.toldAt = now
  }

  get pages(): Stream.Stream<AccountPage> {
    return Stream.concat(Stream.fromEffect(this.first), Stream.paginate(undefined, () => this.next))
  }

  private readonly first: Effect.Effect<AccountPage> = Effect.gen({ self: this }, function*() {
    const { after, logs } = this
    if (after !== undefined) {
      logs.find(yield* this.find)
      this.endLook()
      return { events: [], position: after }
    }
    do logs.pass(yield* this.find)
    while (!this.endLook())
    return { events: [], position: this.position }
  })

  private readonly next = Effect.gen({ self: this }, function*() {
    const { logs, parts: { accountId, accountTail, draining, filter } } = this
    while (!draining.isDraining()) {
      if (logs.unseen.length > 0) {
        const { events, reached } = yield* untilAnswered(accountTail.arrived(accountId, logs.unseen, filter))
        logs.reach(reached)
        const isAll = this.endLook()
        if (events.length === 0 && !isAll) continue
        this.toldAt = yield* RealTime.elapsed
        return [[{ events, position: isAll ? this.position : undefined }], Option.some(undefined)] as const
      }
      const now = yield* RealTime.elapsed
      const quietAt = this.toldAt + quietMs
      if (now >= quietAt) {
        this.toldAt = now
        return [[{ events: [], position: this.position }], Option.some(undefined)] as const
      }
      if (this.look === undefined && !(yield* this.rest(now, quietAt))) continue
      logs.find(yield* this.find)
      this.endLook()
    }
    return [[], Option.none<undefined>()] as const
  })

  /** Waits until the next look is to begin; false if there is something to tell first. */
  private rest(now: number, quietAt: number): Effect.Effect<boolean> {
    return Effect.gen({ self: this }, function*() {
      const { restedAt } = this
      const restMs = Math.max(0, Math.min(restedAt, quietAt) - now)
      yield* Effect.sleep(restMs)
      if (restedAt >= quietAt) return false
      const waitMs = Math.max(0, Math.min(lookAgainMs, quietAt - now) - restMs)
      yield* Effect.timeoutOption(this.parts.grown.await, waitMs)
      return true
    })
  }

  /** The first part of a look, or the next. */
  private readonly find: Effect.Effect<ReadonlyArray<LogPart>> = Effect.gen({ self: this }, function*() {
    const { accountId, accountTail, filter, followers, grown } = this.parts
    if (this.look === undefined) {
      grown.closeUnsafe()
      this.lookMs = 0
    }
    const beganAt = yield* RealTime.elapsed
    const since = this.position ?? this.look?.position
    const found = yield* untilAnswered(accountTail.grown(accountId, filter, since, this.look?.goesOnAt))
    const endedAt = yield* RealTime.elapsed
    this.lookMs += endedAt - beganAt
    this.look = { position: this.look?.position ?? found.position, goesOnAt: found.goesOnAt }
    const tails = Math.max(1, followers.countOf(accountId))
    this.restedAt = endedAt + Math.max(shortestRestMs, restShare * this.lookMs * tails)
    return found.parts
  })

  /** Moves the tail to a look's position if all that the look found was read; answers whether it was. */
  private endLook(): boolean {
    const { logs, look } = this
    if (logs.unseen.length > 0 || look?.goesOnAt !== undefined) return false
    this.position = look?.position ?? this.position
    this.look = undefined
    if (this.position !== undefined) logs.settle(this.position)
    return true
  }
}

/** Follows emitters' logs as they grow. Followers of one log at the same place share one read. */
export class LogTail extends Context.Service<LogTail, {
  /**
   * The events of a stream after `after`, oldest first, then each new one once it is durable, some at a time. A list
   * without events comes at the very beginning, and when nothing has come for 15 seconds. Ends with the server, and at once
   * where that has begun to end: a client then does not take the connection for one.
   */
  readonly follow: (
    address: StreamAddress,
    after: EventId.EventId
  ) => Stream.Stream<ReadonlyArray<EventOutline>>
  /**
   * The events that are committed to the logs of an account behind a position, or from now on, as they come. Those of
   * one emitter are in order. Events that were committed about when the position was taken can come though they were
   * seen before. A page without events tells of a position, also when nothing has come for 15 seconds. Ends with the
   * server.
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
      const scope = yield* Effect.scope
      const shared = new SharedReads()
      const followers = new Followers()

      yield* writer.committed.listen((batch) => {
        for (const { accountId, events: [event] } of batch) {
          followers.grow(event?.emitterId ?? "")
          followers.grow(accountId)
        }
      })

      /** The result of a read. The read ends when nobody waits for it any more. */
      const joined = (key: string, one: SharedRead) => {
        // At once, or it could end before this is begun.
        one.waiting += 1
        return Effect.ensuring(
          Fiber.join(one.read),
          Effect.suspend(() => {
            one.waiting -= 1
            if (one.waiting > 0 || one.read.pollUnsafe() !== undefined) return Effect.void
            shared.drop(key, one)
            return Fiber.interrupt(one.read)
          })
        )
      }

      /** The events behind a place, read once for all followers at it. The first one to ask may go away meanwhile. */
      const pageAfter = Effect.fnUntraced(function*(address: StreamAddress, at: EventId.EventId) {
        const key = `${keyOf(address)} ${at}`
        const growth = followers.growthOf(address.emitterId)
        const now = yield* RealTime.elapsed
        const known = shared.find(key, growth, now)
        if (known !== undefined) return yield* joined(key, known)
        const read = yield* untilAnswered(events.outlinesAfter(address, at, pageSize, pageBytes)).pipe(
          Effect.tap((page) =>
            Effect.sync(() => shared.weigh(key, begun, page.reduce((sum, { payload }) => sum + payload.length, 0)))
          ),
          Effect.forkIn(scope)
        )
        const begun: SharedRead = { read, growth, begunAt: now, bytes: 0, waiting: 0 }
        shared.put(key, begun)
        return yield* joined(key, begun)
      })

      const follow = (address: StreamAddress, after: EventId.EventId) =>
        Stream.unwrap(Effect.gen(function*() {
          if (draining.isDraining()) return Stream.empty
          const grown = yield* followers.listen(address.emitterId)
          const next = Effect.fnUntraced(function*(at: EventId.EventId) {
            const since = yield* RealTime.elapsed
            while (!draining.isDraining()) {
              grown.closeUnsafe()
              const page = yield* pageAfter(address, at)
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
          if (draining.isDraining()) return Stream.empty
          const grown = yield* followers.listen(accountId)
          const parts = { accountId, accountTail, draining, filter, followers, grown }
          return new AccountFollower(parts, after, yield* RealTime.elapsed).pages
        }))

      return LogTail.of({ follow, followAccount })
    })
  )
}
