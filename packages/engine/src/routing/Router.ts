import { AccountCapacity } from "@headwater/domain/AccountCapacity"
import { BoundedMap } from "@headwater/domain/BoundedMap"
import * as EmitterPattern from "@headwater/domain/EmitterPattern"
import { charactersOf, type LoggedEvent } from "@headwater/domain/Event"
import type { AccountId } from "@headwater/domain/Id"
import * as Recurring from "@headwater/domain/Recurring"
import * as Stream from "@headwater/domain/Stream"
import type { Subscription } from "@headwater/domain/Subscription"
import { Turns } from "@headwater/domain/Turns"
import * as CrashPoint from "@headwater/log/commit/CrashPoint"
import { type CommittedEvents, GroupCommit } from "@headwater/log/commit/GroupCommit"
import { retrySchedule, untilAnswered } from "@headwater/log/database/TransientSqlError"
import { Heads } from "@headwater/log/logs/Heads"
import { Subscriptions } from "@headwater/log/resources/Subscriptions"
import { beforeAll, type CursorKey, Cursors, type OwedListener, type OwedPage } from "@headwater/log/work/Cursors"
import { Context, Effect, Layer, Queue } from "effect"
import { ActorCalls } from "../ground/ActorCalls.ts"
import { EngineLimits, type Limits } from "../ground/EngineLimits.ts"
import { ShardsAcquired } from "../ground/ShardsAcquired.ts"
import * as Wake from "../ground/Wake.ts"

/** An account's subscriptions, so that those of one emitter are found among many. */
class Routes {
  private readonly literal = new Map<string, Array<Subscription>>()
  private readonly globs: Array<Subscription> = []
  /** The subscriptions that were found before, by emitter and stream. */
  private readonly known: Map<string, Map<string, ReadonlyArray<Subscription>>>
  private readonly most: Limits["routes"]

  constructor(subscriptions: ReadonlyArray<Subscription>, most: Limits["routes"]) {
    this.most = most
    this.known = new BoundedMap(most.emitters)
    for (const subscription of subscriptions) {
      const { emitterId } = subscription
      const others = this.literal.get(emitterId)
      if (EmitterPattern.isGlob(emitterId)) this.globs.push(subscription)
      else if (others === undefined) this.literal.set(emitterId, [subscription])
      else others.push(subscription)
    }
  }

  /** The subscriptions that match events of an emitter's stream. */
  matching(emitterId: string, stream: string): ReadonlyArray<Subscription> {
    const before = this.known.get(emitterId)?.get(stream)
    if (before !== undefined) return before
    const found = this.find(emitterId, stream)
    const streams = this.known.get(emitterId) ?? new BoundedMap<string, ReadonlyArray<Subscription>>(this.most.streams)
    this.known.set(emitterId, streams.set(stream, found))
    return found
  }

  /** True if any stream of an emitter is listened to. */
  isHeard(id: string): boolean {
    return this.literal.has(id) || this.globs.some(({ emitterId }) => EmitterPattern.matches(emitterId, id))
  }

  private find(id: string, stream: string): ReadonlyArray<Subscription> {
    return [
      ...(this.literal.get(id) ?? []),
      // A listener never hears itself through a glob.
      ...this.globs.filter(({ emitterId, listenerId }) => id !== listenerId && EmitterPattern.matches(emitterId, id))
    ].filter(({ eventName }) => Stream.normalize(eventName) === stream)
  }
}

/** Hints at events, by listener. */
type Fed = Map<string, Array<Wake.FedEvents>>

/** Adds hints at one stream's events for its listeners. */
const addStream = (fed: Fed, routes: Routes, stream: string, events: ReadonlyArray<LoggedEvent>): void => {
  const emitterId = events[0]!.emitterId
  if (stream === Stream.requests) return
  for (const { id, listenerId } of routes.matching(emitterId, stream)) {
    const hint = { subscriptionId: id, emitterId, stream, events }
    const hints = fed.get(listenerId)
    if (hints === undefined) fed.set(listenerId, [hint])
    else hints.push(hint)
  }
}

/** Adds hints at one commit's events for the listeners of its emitter. */
const addCommit = (fed: Fed, routes: Routes, events: ReadonlyArray<LoggedEvent>): void => {
  CrashPoint.reached("routing")
  const [first] = events
  if (first === undefined) return
  if (events.every(({ stream }) => stream === first.stream)) return addStream(fed, routes, first.stream, events)
  for (const [stream, group] of Map.groupBy(events, (event) => event.stream)) addStream(fed, routes, stream, group)
}

/**
 * The most listeners that wait for an account's turn to be woken. The next scan finds those of commits beyond that, as
 * if their hints were lost.
 */
const mostWaiting = 10_000

/**
 * The most commits, and characters of their payloads, that wait until subscriptions are read: of all accounts and of one. The
 * next scan finds what those beyond owe.
 */
const mostUnrouted = { count: 4_096, bytes: 32 * 1024 * 1024 }
const mostUnroutedOfAccount = { count: 256, bytes: 8 * 1024 * 1024 }

const sizeOf = ({ events }: CommittedEvents): number => events.reduce((sum, event) => sum + charactersOf(event), 0)

const notRouted = "A batch was not routed; a scan will find what is owed"

/** Wakes listeners one after the other. */
function* wakes(fed: Fed, wake: ActorCalls["Service"]["wake"]): Generator<void, void> {
  for (const [listenerId, hints] of fed) {
    wake(listenerId, Wake.forEvents(hints))
    yield
  }
}

/** The number of emitters that are looked at together. */
const scannedTogether = 1_000

/** The time between two checks of emitters that were just appended to for listeners that missed a hint. */
const scanInterval = "5 seconds"

/** Looks for listeners that missed a hint, and wakes those that are owed anything. */
const makeOwedScan = Effect.gen(function*() {
  const actors = yield* ActorCalls
  const cursors = yield* Cursors
  const heads = yield* Heads
  const limits = yield* EngineLimits
  const shardsAcquired = yield* ShardsAcquired
  const writer = yield* GroupCommit

  /** Emitters that somebody may be behind on, the longest unscanned ones first. One stays until it owes nothing. */
  const behind = new Set<string>()
  let mayOweAnything = false

  /** Wakes the listeners that are owed something by these emitters, and answers the emitters that owe anything. */
  const wakeOwed = Effect.fnUntraced(function*(emitterIds: ReadonlyArray<string>) {
    const owing = new Set<string>()
    let after: CursorKey | undefined = beforeAll
    while (after !== undefined) {
      const { next, owed }: OwedPage<OwedListener> = yield* untilAnswered(cursors.listenersOwed(emitterIds, after))
      for (const [listenerId, addresses] of Map.groupBy(owed, (one) => one.listenerId)) {
        actors.wake(listenerId, Wake.forOwed(addresses))
      }
      for (const { emitterId } of owed) owing.add(emitterId)
      after = next
    }
    return owing
  })

  const scanEverything = Effect.gen(function*() {
    let last: string | undefined = ""
    while (last !== undefined) {
      const page: ReadonlyArray<string> = yield* untilAnswered(heads.idsAfter(last, scannedTogether))
      // Other nodes look at their own emitters.
      const ours = page.filter(actors.isHere)
      if (ours.length > 0) { for (const emitterId of yield* wakeOwed(ours)) behind.add(emitterId) }
      last = page.length < scannedTogether ? undefined : page.at(-1)
    }
  })

  const scanBehind = Effect.gen(function*() {
    const scanned = [...behind].slice(0, limits.scanned)
    for (let from = 0; from < scanned.length; from += scannedTogether) {
      const some = scanned.slice(from, from + scannedTogether)
      const owing = yield* wakeOwed(some)
      for (const emitterId of some) {
        behind.delete(emitterId)
        if (owing.has(emitterId)) behind.add(emitterId)
      }
    }
  })

  const scan = Effect.gen(function*() {
    mayOweAnything ||= shardsAcquired.isOpen()
    shardsAcquired.closeUnsafe()
    for (const emitterId of writer.takeAppendedTo()) behind.add(emitterId)
    if (mayOweAnything) yield* scanEverything
    mayOweAnything = false
    yield* scanBehind
  })

  return { scan, scanEverything }
})

/**
 * Wakes listeners after a commit, handing over the events. It only hints: a listener that missed a hint is found by
 * what its cursor owes.
 */
export class Router extends Context.Service<Router, {
  /** An account's subscriptions changed on this node; the database tells of the changes by other nodes. */
  readonly invalidate: (accountId: AccountId) => Effect.Effect<void>
  /** True if every commit that this node knows of is routed. */
  readonly isQuiet: Effect.Effect<boolean>
  /** Answers true if anybody listens to any stream of an emitter. */
  readonly isHeard: (accountId: AccountId, emitterId: string) => Effect.Effect<boolean>
  /** Wakes all listeners that are owed anything by an emitter of this node. */
  readonly wakeAllOwed: Effect.Effect<void>
}>()("@headwater/engine/routing/Router") {
  static readonly layer = Layer.effect(
    Router,
    Effect.gen(function*() {
      const actors = yield* ActorCalls
      const shardsAcquired = yield* ShardsAcquired
      const limits = yield* EngineLimits
      const subscriptions = yield* Subscriptions
      const turns = yield* Turns
      const writer = yield* GroupCommit
      const runFork = Effect.runForkWith(yield* Effect.context())
      const scope = yield* Effect.scope
      const routes = new BoundedMap<string, Routes>(limits.routes.accounts)
      /** Counts the changes that make routes stale, so that a list read before one is not kept. */
      let changes = 0

      const forgetRoutes = (accountId?: string) => {
        changes += 1
        if (accountId === undefined) routes.clear()
        else routes.delete(accountId)
      }

      const routesOf = Effect.fnUntraced(function*(accountId: string) {
        const known = routes.get(accountId)
        if (known !== undefined) return known
        const before = changes
        const read = yield* untilAnswered(subscriptions.forAccount(accountId as AccountId))
        const fresh = new Routes(read, limits.routes)
        if (changes === before) routes.set(accountId, fresh)
        return fresh
      })

      /** Commits that came while the subscriptions of their accounts are read. */
      const unrouted = new Map<string, Array<CommittedEvents>>()
      const unroutedRoom = new AccountCapacity(mostUnrouted, mostUnroutedOfAccount)
      /** Listeners that are yet to be woken, by account. */
      const waiting = new Map<string, number>()

      /** Wakes the listeners of an account's events, in its turns: one that is woken may begin to send at once. */
      const wakeAll = (accountId: string, fed: Fed) => {
        const before = waiting.get(accountId) ?? 0
        if (fed.size === 0 || before > mostWaiting) return
        waiting.set(accountId, before + fed.size)
        const end = () => {
          const left = waiting.get(accountId)! - fed.size
          if (left > 0) waiting.set(accountId, left)
          else waiting.delete(accountId)
        }
        turns.start(accountId, wakes(fed, actors.wake), end, (error) => {
          end()
          runFork(Effect.logError(notRouted, error))
        })
      }

      const routeTo = (accountId: string, known: Routes, commits: ReadonlyArray<CommittedEvents>) => {
        const fed: Fed = new Map()
        for (const { events } of commits) addCommit(fed, known, events)
        wakeAll(accountId, fed)
      }

      /**
       * Routes an account's commits once its subscriptions are read, and then those that come until then: they may be for
       * subscriptions that are made during the read.
       */
      const routeLater = (accountId: string, commits: ReadonlyArray<CommittedEvents>) => {
        const before = unrouted.get(accountId)
        if (before !== undefined) {
          before.push(...commits.filter((commit) => unroutedRoom.takeNow(accountId, sizeOf(commit))))
          return
        }
        const next: Array<CommittedEvents> = []
        unrouted.set(accountId, next)
        const end = () => {
          unrouted.delete(accountId)
          for (const commit of next) unroutedRoom.release(accountId, sizeOf(commit))
        }
        runFork(
          routesOf(accountId).pipe(
            Effect.ensuring(Effect.sync(end)),
            Effect.andThen((known) =>
              Effect.sync(() => {
                routeTo(accountId, known, commits)
                if (next.length > 0) route(accountId, next)
              })
            ),
            Effect.catchCause((cause) => Effect.logError(notRouted, cause)),
            Effect.forkIn(scope)
          )
        )
      }

      const route = (accountId: string, commits: ReadonlyArray<CommittedEvents>) => {
        const known = unrouted.has(accountId) ? undefined : routes.get(accountId)
        if (known === undefined) routeLater(accountId, commits)
        else routeTo(accountId, known, commits)
      }

      yield* writer.committed.listen((batch) => {
        for (const [accountId, commits] of Map.groupBy(batch, (one) => one.accountId)) route(accountId, commits)
      })

      const { scan, scanEverything } = yield* makeOwedScan
      yield* shardsAcquired.await.pipe(
        Effect.andThen(Recurring.repeat("scan for owed events", scanInterval, scan)),
        Effect.forkScoped
      )

      // Changes that were missed while LISTEN was away may be of anything: all is read anew when it is back.
      yield* Effect.scoped(Effect.gen(function*() {
        const notices = yield* subscriptions.changes
        forgetRoutes()
        while (true) forgetRoutes((yield* Queue.take(notices)).payload)
      })).pipe(
        Effect.tapError((error) => Effect.logWarning("Lost the subscription channel; listening again", error)),
        Effect.retry(retrySchedule),
        Effect.forkScoped
      )

      return Router.of({
        invalidate: (accountId) => Effect.sync(() => forgetRoutes(accountId)),
        isQuiet: Effect.sync(() => writer.committed.isTold && unrouted.size === 0 && waiting.size === 0),
        isHeard: (accountId, emitterId) => Effect.map(routesOf(accountId), (routes) => routes.isHeard(emitterId)),
        wakeAllOwed: scanEverything
      })
    })
  )
}
