import * as Id from "@headwater/domain/Id"
import type { Commit } from "@headwater/log/Commit"
import * as CrashPoint from "@headwater/log/CrashPoint"
import { Cursors } from "@headwater/log/Cursors"
import { Deliveries } from "@headwater/log/Deliveries"
import { type DueItem, DueWork } from "@headwater/log/DueWork"
import { EventLog } from "@headwater/log/EventLog"
import { GroupCommit } from "@headwater/log/GroupCommit"
import { Clock, Effect, Fiber, Latch, Option, Semaphore } from "effect"
import type { SecureRandom } from "effect/crypto"
import { untilAnswered } from "./DatabaseRetry.ts"
import { Draining } from "./Draining.ts"
import * as DueRetries from "./DueRetries.ts"
import { type Feed, type FeedItem, FeedReader } from "./Feed.ts"
import * as InFlight from "./InFlight.ts"
import type { Lane } from "./Lanes.ts"
import * as OwedLook from "./OwedLook.ts"
import { Suspensions } from "./Suspensions.ts"
import * as Wake from "./Wake.ts"
import * as WebhookCommits from "./WebhookCommits.ts"
import { load, readSigningKeys, type WebhookMemory } from "./WebhookMemory.ts"
import * as WebhookSend from "./WebhookSend.ts"

/** The owner of one webhook: sends what its cursors come to, and retries what failed. */
export interface WebhookActor {
  /** Takes a hint in, for the work under way or the next. */
  readonly hint: (wake: Wake.Wake) => void
  /** Works until there is nothing left to do. Returns at once where it is working already. */
  readonly wake: (wake: Wake.Wake) => Effect.Effect<void>
  /**
   * The webhook was changed: before anything else starts, it is read anew. Returns when everything is committed that was
   * done on what it was before.
   */
  readonly changed: Effect.Effect<void>
  /** Takes the webhook out of service for good. An attempt under way is broken off, and comes to nothing. */
  readonly retire: Effect.Effect<void>
  /** A subscription is gone: no new attempt for it starts any more. */
  readonly forget: (subscriptionId: string) => Effect.Effect<void>
}

/** First attempts at once, over all emitters (delivery.md, "The answer"). */
const concurrency = 16

/** Retries have slots of their own, so that what fails does not hold up what is new. */
const retryConcurrency = 4

/** While so many lanes are ready, the webhook does not look for more of what it is owed. */
const mostReady = 1_000

/** Subscriptions that are gone, the last of them: a hint at one of them may still be on its way. */
const mostForgotten = 1_000

/** How long retries of an inactive webhook are put off; they are due at once when it is active again. */
const inactiveRetryMs = 3_600_000

/** A secret that was rotated out signs no longer than this past its end. */
const keysFreshMs = 30_000

export const make = Effect.fnUntraced(function*(webhookId: Id.WebhookId) {
  const cursors = yield* Cursors
  const deliveries = yield* Deliveries
  const dueWork = yield* DueWork
  const events = yield* EventLog
  const writer = yield* GroupCommit
  const reader = yield* FeedReader
  const draining = yield* Draining
  const suspensions = yield* Suspensions
  const commits = yield* WebhookCommits.make
  const send = yield* WebhookSend.make
  const context = yield* Effect.context<Effect.Services<ReturnType<typeof load>> | SecureRandom.SecureRandom>()
  const scope = yield* Effect.scope
  const slots = yield* Semaphore.make(concurrency)
  const inFlight = yield* InFlight.make({ webhook_id: webhookId })
  /** Opened whenever there may be something to do. */
  const signal = yield* Latch.make()

  const read = load(webhookId).pipe(untilAnswered, Effect.provideContext(context))
  let memory = yield* read
  // Each request of a workflow goes to a place of its own: none is to wait for others.
  const retrySlots = Option.exists(memory, ({ webhook }) => webhook.workflowId !== null)
    ? concurrency
    : retryConcurrency
  let retrySlotsTaken = 0
  let hints: Wake.Wake | undefined = Wake.forEverything
  /** Subscriptions that are gone: what is known of them starts nothing more. */
  const forgotten = new Set<string>()
  const look = yield* OwedLook.make(webhookId)
  /** Fibers that take what lanes have. */
  let runners = 0
  const underWay = new Set<Fiber.Fiber<void>>()
  let retired = false
  let working = false
  /** Since memory was last begun to be read. */
  let isChanged = false

  /** What is changed while it is read may have been read as it was before. */
  const readAnew = Effect.gen(function*() {
    do {
      isChanged = false
      memory = yield* read
    } while (isChanged)
  })

  /** Hands a commit over; the next attempt does not wait for it. */
  const commit = (memory: WebhookMemory, commit: Commit, after: () => void = () => {}) =>
    Effect.asVoid(inFlight.start(memory, (track) =>
      writer.submitUnsafe((submission) => {
        track(submission)
        submission.onEnd(after)
        return { ...commit, ownerId: webhookId, accountId: memory.accountId }
      })))

  /** Forks work that keeps the actor busy until it ends; where the actor is gone from the node, it ends at once. */
  const start = (work: Effect.Effect<void>, onEnd: () => void = () => {}) =>
    work.pipe(
      Effect.catchDefect((defect) =>
        Effect.andThen(
          Effect.logError("A webhook's work failed; reading its state again", defect),
          Effect.sync(() => {
            if (Option.isSome(memory)) inFlight.noteFailure(memory.value)
          })
        )
      ),
      Effect.forkIn(scope),
      Effect.map((fiber) => {
        underWay.add(fiber)
        fiber.addObserver(() => {
          underWay.delete(fiber)
          onEnd()
          signal.openUnsafe()
        })
      })
    )

  /** Whether a send may start now. */
  const isOpen = (memory: WebhookMemory, now: number): boolean =>
    !isStopping() && !memory.failed && memory.webhook.active &&
    (memory.webhook.throttledUntil ?? 0) <= now

  const refreshKeys = Effect.fnUntraced(function*(memory: WebhookMemory, now: number) {
    memory.keysReadAt = now
    memory.signingKeys = yield* readSigningKeys(webhookId).pipe(untilAnswered, Effect.provideContext(context))
  })

  /** Sends, unless the webhook closed or the subscription went while this waited for its turn. */
  const attempt = Effect.fnUntraced(function*(memory: WebhookMemory, options: WebhookSend.Send) {
    const now = yield* Clock.currentTimeMillis
    if (now - memory.keysReadAt >= keysFreshMs) yield* refreshKeys(memory, now)
    if (!isOpen(memory, yield* Clock.currentTimeMillis) || forgotten.has(options.subscriptionId)) return undefined
    return yield* send(memory, options)
  })

  /** The lane's next item: of its feeds the one that comes first in the emitter's log. */
  const nextOf = Effect.fnUntraced(function*(lane: Lane) {
    const now = yield* Clock.currentTimeMillis
    let first: { readonly feed: Feed; readonly item: FeedItem; readonly id: bigint } | undefined
    for (const feed of lane.feeds.values()) {
      const item = feed.known(now) ?? (yield* readOn(feed))
      if (item === undefined) continue
      const id = item._tag === "Event" ? item.event.id : item.to.id
      if (first === undefined || id < first.id) first = { feed, item, id }
    }
    return first
  })

  const readOn = (feed: Feed) => Effect.map(untilAnswered(feed.next(reader)), Option.getOrUndefined)

  /** Hands over a commit that moves the lane's cursors. */
  const commitOf = (memory: WebhookMemory, lane: Lane, moving: Commit, after: () => void = () => {}) =>
    Effect.suspend(() => {
      lane.commits += 1
      return commit(memory, moving, () => {
        lane.commits -= 1
        after()
        memory.lanes.dropIfIdle(lane)
      })
    })

  /** Sends or passes the lane's next item; answers whether there was any. */
  const takeNext = Effect.fnUntraced(function*(memory: WebhookMemory, lane: Lane) {
    const next = yield* nextOf(lane)
    if (next === undefined) return false
    const { feed, item } = next
    if (item._tag === "Dropped") {
      yield* commitOf(memory, lane, { moves: [feed.pass(item)] })
      return true
    }
    const deliveryId = yield* Id.make("delivery")
    if (memory.webhook.workflowId !== null) {
      yield* commitOf(memory, lane, yield* commits.queued(memory, feed, item, deliveryId), () => hint(Wake.forDueWork))
      return true
    }
    CrashPoint.reached("send-chosen")
    const sent = yield* attempt(memory, {
      deliveryId,
      subscriptionId: feed.key.subscriptionId,
      event: item.event,
      attempt: 1
    })
    CrashPoint.reached("send-answered")
    if (sent !== undefined) yield* commitOf(memory, lane, yield* commits.first(memory, feed, item, sent))
    return true
  })

  /** Takes the next item of one ready lane after another, so that each emitter has its turn. */
  const runLanes = Effect.fnUntraced(function*(memory: WebhookMemory) {
    const { lanes } = memory
    while (isOpen(memory, yield* Clock.currentTimeMillis)) {
      const lane = lanes.take()
      if (lane === undefined) return
      // Chosen when it is its turn: what was chosen before a long wait may be deleted by then.
      const hadItem = yield* slots.withPermits(1)(takeNext(memory, lane))
      lanes.putBack(lane, hadItem)
    }
  })

  const startLanes = Effect.fnUntraced(function*(memory: WebhookMemory) {
    if (!isOpen(memory, yield* Clock.currentTimeMillis)) return
    for (let added = Math.min(concurrency - runners, memory.lanes.readyCount); added > 0; added--) {
      runners += 1
      yield* start(Effect.provideContext(runLanes(memory), context), () => {
        runners -= 1
      })
    }
  })

  const retry = Effect.fnUntraced(function*(memory: WebhookMemory, due: DueItem) {
    const settled = () => memory.retries.underWay.delete(due.key)
    const [delivery] = yield* untilAnswered(deliveries.find([due.key]))
    // Its subscription was removed, maybe while it waited for a slot.
    if (delivery?.state !== "pending") return yield* commit(memory, { dueDone: [due] }, settled)
    const event = yield* untilAnswered(events.find(delivery, delivery.eventId))
    const subscribed = yield* untilAnswered(cursors.position(delivery))
    if (Option.isNone(event) || Option.isNone(subscribed)) {
      return yield* commit(memory, commits.dropped(delivery), settled)
    }
    CrashPoint.reached("retry-chosen")
    const sent = yield* attempt(memory, {
      deliveryId: delivery.id,
      subscriptionId: delivery.subscriptionId,
      event: event.value,
      attempt: delivery.attempts + 1
    })
    if (sent === undefined) {
      settled()
      // It is still due: if the webhook is out of service or told to wait, it is put off.
      if (!forgotten.has(delivery.subscriptionId)) memory.retries.hint()
      return
    }
    CrashPoint.reached("retry-answered")
    yield* commit(memory, yield* commits.retried(memory, delivery, sent), settled)
  })

  const readRetries = Effect.fnUntraced(function*(memory: WebhookMemory) {
    const { after, take } = memory.retries.startPage()
    const now = yield* Clock.currentTimeMillis
    const page = yield* untilAnswered(dueWork.dueOf(webhookId, now, DueRetries.pageSize, [], after))
    const wakes = page.filter((item) => item.kind === "wake")
    if (wakes.length > 0) yield* commit(memory, { dueDone: wakes })
    take(page)
  })

  /** Until when no retry is to be sent, if that is so now. */
  const putOffTo = ({ webhook: { active, throttledUntil } }: WebhookMemory, now: number): number | undefined => {
    if (!active) return now + inactiveRetryMs
    return throttledUntil !== null && throttledUntil > now ? throttledUntil : undefined
  }

  /** Starts retries that are due while there are slots for them, or puts them off where none is to be sent now. */
  const startRetries = Effect.fnUntraced(function*(memory: WebhookMemory) {
    const { retries } = memory
    // Changed while the database answered, it may be in service again and have nothing to put off.
    while (retries.mayHaveMore && !memory.failed && !isStopping()) {
      const now = yield* Clock.currentTimeMillis
      const dueAt = putOffTo(memory, now)
      if (dueAt === undefined && retrySlotsTaken >= retrySlots) return
      if (!retries.hasKnown) {
        yield* readRetries(memory)
      } else if (dueAt !== undefined) {
        yield* commit(memory, { duePut: retries.takeKnown().map((item) => ({ ...item, dueAt })) })
        yield* inFlight.settled
      } else {
        const item = retries.begin()!
        retrySlotsTaken += 1
        yield* start(retry(memory, item), () => {
          retrySlotsTaken -= 1
        })
      }
    }
  })

  const takeHint = Effect.fnUntraced(function*(memory: WebhookMemory, hint: Wake.FedEvents) {
    let feed = memory.lanes.feed(hint)
    if (feed === undefined) {
      const position = yield* untilAnswered(cursors.position(hint))
      if (Option.isNone(position) || forgotten.has(hint.subscriptionId)) return
      feed = memory.lanes.add(hint, position.value)
    }
    if (hint.events.length === 0) feed.lookAgain()
    else feed.offer(hint.events)
    memory.lanes.makeReady(hint.emitterId)
  })

  const lookOn = Effect.fnUntraced(function*({ lanes }: WebhookMemory) {
    while (look.isUnderWay() && lanes.readyCount < mostReady) {
      lanes.keepAll = true
      for (const owed of yield* look.page) {
        if (forgotten.has(owed.subscriptionId)) continue
        const feed = lanes.feed(owed) ?? lanes.add(owed, owed.position)
        feed.lookAgain()
        lanes.makeReady(owed.emitterId)
      }
      lanes.dropIdle()
    }
  })

  const takeHints = Effect.fnUntraced(function*(memory: WebhookMemory) {
    const taken = hints ?? Wake.forEvents([])
    hints = undefined
    if (taken.look) look.begin()
    yield* lookOn(memory)
    for (const hint of taken.fed) yield* takeHint(memory, hint)
    yield* startLanes(memory)
    if (taken.due || taken.look) memory.retries.hint()
    yield* startRetries(memory)
  })

  const isStopping = () => draining.isDraining() || retired || suspensions.holds(webhookId)

  const work = Effect.gen(function*() {
    while (true) {
      signal.closeUnsafe()
      if (Option.isSome(memory) && memory.value.failed && underWay.size === 0 && !isStopping()) {
        yield* inFlight.settled
        yield* inFlight.backOff
        yield* readAnew
        hints = Wake.forEverything
      }
      if (Option.isSome(memory) && !memory.value.failed && !isStopping()) yield* takeHints(memory.value)
      if (underWay.size > 0) {
        yield* signal.await
        continue
      }
      yield* inFlight.settled
      const stale = Option.isSome(memory) && memory.value.failed
      const owing = Option.isSome(memory) && hints !== undefined
      if ((stale || owing) && !isStopping()) continue
      if (!signal.isOpen()) break
    }
    working = false
  })

  const hint = (wake: Wake.Wake) => {
    if (Wake.asksFor(wake)) hints = Wake.merge(hints, wake)
    signal.openUnsafe()
  }

  return {
    hint,
    wake: (wake) =>
      Effect.suspend(() => {
        hint(wake)
        if (working) return Effect.void
        working = true
        return Effect.onError(work, () =>
          Effect.sync(() => {
            working = false
          }))
      }),
    changed: Effect.suspend(() => {
      isChanged = true
      if (Option.isSome(memory)) memory.value.failed = true
      return inFlight.settled
    }),
    retire: Effect.suspend(() => {
      retired = true
      return Effect.andThen(Fiber.interruptAll([...underWay]), inFlight.settled)
    }),
    forget: (subscriptionId) =>
      Effect.sync(() => {
        forgotten.add(subscriptionId)
        if (forgotten.size > mostForgotten) forgotten.delete(forgotten.values().next().value!)
        if (Option.isSome(memory)) memory.value.lanes.forget(subscriptionId)
      })
  } satisfies WebhookActor as WebhookActor
})
