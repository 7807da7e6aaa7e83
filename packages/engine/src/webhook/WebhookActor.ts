import * as DeliveryId from "@headwater/domain/DeliveryId"
import type { LoggedEvent } from "@headwater/domain/Event"
import type * as Id from "@headwater/domain/Id"
import { OnBehalfOf } from "@headwater/domain/OnBehalfOf"
import * as RealTime from "@headwater/domain/RealTime"
import type { SubscriptionBatch } from "@headwater/domain/SubscriptionBatch"
import { EgressHttp } from "@headwater/egress/EgressHttp"
import type { Commit } from "@headwater/log/commit/Commit"
import * as CrashPoint from "@headwater/log/commit/CrashPoint"
import { GroupCommit } from "@headwater/log/commit/GroupCommit"
import { untilAnswered } from "@headwater/log/database/TransientSqlError"
import { EventLog } from "@headwater/log/logs/EventLog"
import { Subscriptions } from "@headwater/log/resources/Subscriptions"
import { Cursors } from "@headwater/log/work/Cursors"
import { Deliveries, type Delivery } from "@headwater/log/work/Deliveries"
import { type DueItem, DueWork } from "@headwater/log/work/DueWork"
import { Clock, Effect, type Exit, Fiber, Metric, Option, Schema, Semaphore } from "effect"
import type { SecureRandom } from "effect/crypto"
import { type Reopening, WebhookNotFound } from "../ground/ActorCalls.ts"
import { AskedWork } from "../ground/AskedWork.ts"
import { Draining } from "../ground/Draining.ts"
import { EngineLimits } from "../ground/EngineLimits.ts"
import { InFlight } from "../ground/InFlight.ts"
import { Suspensions } from "../ground/Suspensions.ts"
import type { TestedAttempt } from "../ground/TestedAttempt.ts"
import { Unavailable } from "../ground/Unavailable.ts"
import * as Wake from "../ground/Wake.ts"
import { WorkLoop } from "../ground/WorkLoop.ts"
import { FeedReader } from "../routing/Feed.ts"
import * as OwedLook from "../routing/OwedLook.ts"
import * as BulkRuns from "./BulkRuns.ts"
import * as DeliveryEvents from "./DeliveryEvents.ts"
import * as DueRetries from "./DueRetries.ts"
import * as FirstAttempts from "./FirstAttempts.ts"
import * as Interventions from "./Interventions.ts"
import type { Lane } from "./Lanes.ts"
import * as WebhookCommits from "./WebhookCommits.ts"
import { load, readSigningKeys, type WebhookMemory } from "./WebhookMemory.ts"
import * as WebhookSend from "./WebhookSend.ts"
import { wakeItem } from "./WebhookTransitions.ts"

/** The owner of one webhook: sends the events that its cursors come to, and retries attempts that failed. */
export interface WebhookActor {
  /** Takes a hint in. Answers true if it has dealt with it already, false if it left that to its work. */
  readonly hint: (wake: Wake.Wake) => boolean
  /** Works until there is nothing left to do. Returns at once if it is working already. */
  readonly wake: (wake: Wake.Wake) => Effect.Effect<void>
  /** True while it waits for an answer or a commit, or has been asked for something. */
  readonly awaitsTurn: () => boolean
  /**
   * The webhook was changed: before anything else starts, it is read anew. Returns when all work that was based on its
   * former state is committed.
   */
  readonly changed: Effect.Effect<void>
  /** Takes the webhook out of service for good. An attempt under way is broken off, and comes to nothing. */
  readonly retire: Effect.Effect<void>
  /** Has a delivery attempted once more, now, whatever became of it. */
  readonly reopen: (deliveryId: string) => Effect.Effect<Reopening, Unavailable | WebhookNotFound>
  /** A delivery that waits for an attempt is dropped. */
  readonly skip: (deliveryId: string) => Effect.Effect<void, Unavailable | WebhookNotFound>
  /** Passes, without sending it, all that waits for a first attempt or another one. */
  readonly passAll: Effect.Effect<void, Unavailable | WebhookNotFound>
  /** Sends one request to try the webhook, and answers its outcome. Nothing of it is kept. */
  readonly test: (event: LoggedEvent) => Effect.Effect<TestedAttempt, Unavailable | WebhookNotFound>
  /** A subscription is gone: no new attempt for it starts any more. */
  readonly forget: (subscriptionId: string) => Effect.Effect<void>
  /** A subscription lets other events through. Once this returns, events that it has not passed meet the new filter. */
  readonly refilter: (subscriptionId: Id.SubscriptionId) => Effect.Effect<void>
}

/**
 * A webhook has one slot for retries for so many of first attempts. If it wants fewer requests at once than this, both
 * take turns at the same slots.
 */
const firstsPerRetry = 4

/** A wait for the rate or a batch longer than this, in milliseconds, is due work: nobody stays in memory for it. */
const longestWaitMs = 1_000

/** Waits of batches that end within so many milliseconds of each other end together. */
const batchedWaitsMs = 20

const waitsForRate = Metric.counter("headwater_rate_waits_total", {
  description: "How often the attempts of a webhook had to wait for its rate.",
  incremental: true
})

const isUnavailable = Schema.is(Unavailable)

/** Tests under way at once. */
const mostTests = 4

const stopping = "The webhook is leaving this node. Try again."

/** The batches that a subscription asks for, of which none is larger than the webhook takes. */
const fitting = (
  { requestSettings }: WebhookMemory,
  batch: SubscriptionBatch | undefined
): SubscriptionBatch | undefined => {
  const most = requestSettings?.maxBytes ?? Infinity
  return batch === undefined || batch.maxBytes <= most ? batch : { ...batch, maxBytes: most }
}

/** Retries of an inactive webhook are put off by so many milliseconds; they are due at once when it is active again. */
const inactiveRetryMs = 24 * 3_600_000

/** The TLS settings of its connections, if it has its own. */
const tlsOf = (memory: Option.Option<WebhookMemory>) => Option.getOrUndefined(memory)?.requestSettings?.tls

/** The requests of a webhook's owner to those who keep it in memory. */
export interface WebhookOwnerOptions {
  /** Has `wake` called: there is something to do that nobody hinted at. */
  readonly kick: () => void
}

export const make = Effect.fnUntraced(function*(
  webhookId: Id.WebhookId,
  { kick }: WebhookOwnerOptions = { kick: () => {} }
) {
  const cursors = yield* Cursors
  const deliveries = yield* Deliveries
  const dueWork = yield* DueWork
  const events = yield* EventLog
  const limits = yield* EngineLimits
  const writer = yield* GroupCommit
  const reader = yield* FeedReader
  const draining = yield* Draining
  const subscriptions = yield* Subscriptions
  const suspensions = yield* Suspensions
  const commits = yield* WebhookCommits.make
  const send = yield* WebhookSend.make
  const http = yield* EgressHttp
  const context = yield* Effect.context<Effect.Services<ReturnType<typeof load>> | SecureRandom.SecureRandom>()
  const runSync = Effect.runSyncWith(context)
  const scope = yield* Effect.scope
  const clock = yield* Clock.Clock
  const inFlight = yield* InFlight.make({ webhook_id: webhookId })

  const read = load(webhookId).pipe(untilAnswered, Effect.provideContext(context))
  let memory = yield* read
  const accountId = Option.match(memory, { onNone: () => "", onSome: (known) => known.accountId })
  const onItsBehalf = Effect.provideService(OnBehalfOf, accountId)
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      const tls = tlsOf(memory)
      if (tls !== undefined) http.forget(tls)
    })
  )
  let retrySlotsTaken = 0
  /** The times at which it is woken for its rate, and for batches that have waited enough, in Unix milliseconds. */
  const wakesAt = { rate: 0, batch: 0 }
  let hints: Wake.Wake | undefined = Wake.forEverything
  /** Subscriptions that are gone: their feeds start nothing more. */
  const forgotten = new Set<string>()
  const look = yield* OwedLook.make(webhookId)
  /** Held from the read of a filter until the feed has it, so that no older filter replaces a newer one. */
  const filtering = yield* Semaphore.make(1)
  const underWay = new Set<Fiber.Fiber<void>>()
  /** By delivery. */
  const retrying = new Map<string, Fiber.Fiber<unknown, unknown>>()
  const asked = new AskedWork<WebhookMemory>()
  let retired = false
  /** True if the webhook was changed since the last read of memory began. */
  let isChanged = false

  /** Reads memory anew, and again if the webhook was changed meanwhile: its former state may have been read. */
  const readAnew = Effect.gen(function*() {
    const before = tlsOf(memory)
    do {
      isChanged = false
      // The due work that was to wake it may not have been written.
      wakesAt.rate = wakesAt.batch = 0
      memory = yield* read
    } while (isChanged)
    if (before !== undefined && before.id !== tlsOf(memory)?.id) http.forget(before)
  })

  /** Has the work go on, or begin. */
  const work = () => {
    if (!loop.isResting()) loop.signal()
    else if (!isStopping()) kick()
  }

  const handOver = (memory: WebhookMemory, commit: Commit, after: () => void) => {
    const submission = writer.submit(commit)
    inFlight.track(memory, submission)
    submission.onEnd(() => {
      after()
      if (memory.failed) work()
    })
  }

  /** Hands a commit over; the next attempt does not wait for it. */
  const commit = (memory: WebhookMemory, commit: Commit, after: () => void = () => {}) =>
    Effect.andThen(
      inFlight.room(memory),
      Effect.sync(() => handOver(memory, { ...commit, ...WebhookCommits.ownedBy(memory) }, after))
    )

  const hasFailed = () => Option.exists(memory, ({ failed }) => failed)

  const noteDefect = (defect: unknown) =>
    Effect.andThen(
      Effect.logError("A webhook's work failed; reading its state again", defect),
      Effect.sync(() => {
        if (Option.isSome(memory)) inFlight.noteFailure(memory.value)
      })
    )

  /** Forks work that keeps the actor busy until it ends; if the actor is gone from the node, it ends at once. */
  const start = (work: Effect.Effect<void>, onEnd: (exit: Exit.Exit<void>) => void) =>
    work.pipe(
      onItsBehalf,
      Effect.catchDefect(noteDefect),
      Effect.forkIn(scope),
      Effect.map((fiber) => {
        underWay.add(fiber)
        fiber.addObserver((exit) => {
          underWay.delete(fiber)
          onEnd(exit)
          loop.signal()
        })
        return fiber
      })
    )

  /** The time before which nothing is sent, as the endpoint asked for that or its circuit is open; may be past. */
  const heldUpTo = ({ webhook: { circuitUntil, throttledUntil } }: WebhookMemory): number =>
    Math.max(throttledUntil ?? 0, circuitUntil ?? 0)

  /** True if a send may start now, but for its turn. */
  const isOpen = (memory: WebhookMemory, now: number): boolean =>
    !isStopping() && !memory.failed && memory.webhook.active && !asked.awaitsRest && heldUpTo(memory) <= now

  /** Has the webhook go on at a time. Answers false if it was to go on by then already. */
  const wakeAt = (memory: WebhookMemory, why: keyof typeof wakesAt, at: number, now: number): boolean => {
    if (wakesAt[why] > now && wakesAt[why] <= at) return false
    wakesAt[why] = at
    if (at - now > (RealTime.isApart(clock) ? 0 : longestWaitMs)) {
      handOver(memory, { ...WebhookCommits.ownedBy(memory), duePut: [wakeItem(webhookId, why, at)] }, () => {})
    } else {
      const wake = Effect.sync(() => {
        wakesAt[why] = 0
        work()
      })
      runSync(Effect.forkIn(Effect.delay(wake, at - now), scope))
    }
    return true
  }

  /** True if it is the next send's turn by the webhook's rate and circuit. If not, the webhook goes on when it is. */
  const isTurn = (memory: WebhookMemory, now: number): boolean => {
    const at = memory.gate?.startsAt(now) ?? now
    if (at <= now) return true
    if (at < Infinity && wakeAt(memory, "rate", at, now)) waitsForRate.updateUnsafe(1, context)
    return false
  }

  const reserve = (memory: WebhookMemory, until: number) =>
    Effect.callback<void>((resume) =>
      handOver(memory, commits.reserved(memory, until), () => {
        if (!memory.failed) memory.gate?.noteReserved(until)
        resume(Effect.void)
      })
    )

  /** The most first attempts at once. */
  const firstSlots = ({ retries, webhook: { settings: { concurrency } } }: WebhookMemory): number =>
    concurrency >= firstsPerRetry ? concurrency : concurrency - retrySlotsTaken - (retries.awaitsTurn ? 1 : 0)

  const hasRetrySlot = ({ webhook: { settings: { concurrency }, workflowId } }: WebhookMemory): boolean => {
    // Each request of a workflow goes to a place of its own: none is to wait for others.
    if (workflowId !== null) return retrySlotsTaken < concurrency
    if (concurrency < firstsPerRetry) return retrySlotsTaken === 0 && firstAttempts.slotsTaken < concurrency
    return retrySlotsTaken < Math.min(limits.retries, Math.floor(concurrency / firstsPerRetry))
  }

  const readKeys = (memory: WebhookMemory) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      Effect.map(
        readSigningKeys(webhookId).pipe(untilAnswered, Effect.provideContext(context)),
        (signingKeys) => {
          memory.signingKeys = signingKeys
          memory.keysReadAt = now
        }
      ))

  const sendAndWait = (memory: WebhookMemory, options: WebhookSend.Send) =>
    Effect.callback<WebhookSend.Sent>((resume) => {
      const sending = send(memory, options, (sent) => resume(Effect.succeed(sent)))
      return Effect.sync(() => sending.cancel())
    })

  /** Sends, unless the webhook closed or the subscription went while this waited for its turn. */
  const attempt = Effect.fnUntraced(function*(memory: WebhookMemory, options: WebhookSend.Send) {
    if (clock.currentTimeMillisUnsafe() - memory.keysReadAt >= FirstAttempts.keysFreshMs) yield* readKeys(memory)
    if (!isOpen(memory, clock.currentTimeMillisUnsafe()) || forgotten.has(options.subscriptionId)) return undefined
    return yield* sendAndWait(memory, options)
  })

  /** The lane's next item, with a look into the log: of its feeds the one that comes first there. */
  const nextOf = Effect.fnUntraced(function*(lane: Lane) {
    let first: FirstAttempts.NextItem | undefined
    for (const feed of lane.feeds.values()) {
      const item = Option.getOrUndefined(yield* untilAnswered(feed.next(reader)))
      if (item !== undefined && FirstAttempts.isBefore(item, first?.item)) first = { feed, item }
    }
    return first
  })

  const firstAttempts = new FirstAttempts.FirstAttempts({
    now: () => clock.currentTimeMillisUnsafe(),
    send,
    commits,
    isOpen: (memory, now) =>
      isOpen(memory, now) && (memory.gate === undefined || !memory.retries.awaitsTurn && isTurn(memory, now)),
    slots: firstSlots,
    mostHeld: limits.outcomes,
    reserve,
    isFull: (memory) => inFlight.isFull(memory),
    commit: handOver,
    room: (memory) => inFlight.room(memory),
    nextOf,
    readKeys,
    start: (work, onEnd) => void runSync(start(work, onEnd)),
    onQueued: () => {
      hint(Wake.forDueWork)
      work()
    },
    wakeAt: (memory, at) => void wakeAt(memory, "batch", at, clock.currentTimeMillisUnsafe()),
    onProbed: () => work(),
    onDefect: (defect) => void Effect.runForkWith(context)(noteDefect(defect)),
    onSlack: () => {
      const retriesWait = Option.isSome(memory) && memory.value.retries.awaitsTurn
      if (look.isUnderWay() || retriesWait || (!firstAttempts.isBusy && hasFailed())) work()
      else if (!firstAttempts.isBusy) loop.signal()
    }
  })
  yield* Effect.addFinalizer(() => Effect.sync(() => firstAttempts.close()))

  /** Reads which events hold those behind them, if others than this owner may have ended some. */
  const readHeld = Effect.fnUntraced(function*({ lanes, webhook }: WebhookMemory) {
    if (webhook.settings.ordering !== "strict") return
    let changes: number
    do {
      changes = lanes.heldChanges
      yield* inFlight.settled
      const pending = yield* untilAnswered(deliveries.pendingByEmitter(webhookId))
      if (changes !== lanes.heldChanges) continue
      lanes.holdAll(pending)
      return look.begin()
    } while (true)
  })

  /** A delivery has come to an end: by strict order, the events that it held go on. */
  const release = ({ lanes }: WebhookMemory, delivery: Delivery) => {
    if (lanes.heldCount === 0) return
    lanes.release(delivery.emitterId)
    if (lanes.feed(delivery) === undefined) note(Wake.forOwed([delivery]))
  }

  const retry = Effect.fnUntraced(function*(memory: WebhookMemory, due: DueItem) {
    const settled = () => memory.retries.underWay.delete(due.key)
    const [delivery] = yield* untilAnswered(deliveries.find([due.key]))
    // Its subscription was removed, maybe while it waited for a slot.
    if (delivery?.state !== "pending") {
      yield* commit(memory, { dueDone: [due] }, settled)
      return yield* readHeld(memory)
    }
    const found = yield* untilAnswered(DeliveryEvents.read(events, delivery))
    const subscribed = yield* untilAnswered(cursors.position(delivery))
    if (found === undefined || Option.isNone(subscribed)) {
      yield* commit(memory, commits.ended(memory, [delivery], "dropped"), settled)
      return release(memory, delivery)
    }
    CrashPoint.reached("retry-chosen")
    const sent = yield* attempt(memory, {
      deliveryId: delivery.id,
      subscriptionId: delivery.subscriptionId,
      attempt: delivery.attempts + 1,
      ...found
    })
    if (sent === undefined) {
      settled()
      // It is still due: if the webhook is out of service or told to wait, it is put off.
      if (!forgotten.has(delivery.subscriptionId)) memory.retries.hint()
      return
    }
    CrashPoint.reached("retry-answered")
    const outcome = commits.retried(memory, delivery, sent)
    yield* commit(memory, outcome, settled)
    if (outcome.deliveryChanges?.[0]?.state !== "pending") release(memory, delivery)
  })

  const readRetries = Effect.fnUntraced(function*(memory: WebhookMemory) {
    const { after, take } = memory.retries.startPage()
    const now = yield* Clock.currentTimeMillis
    const page = yield* untilAnswered(dueWork.dueOf(webhookId, now, DueRetries.pageSize, ["bulk"], after))
    const wakes = page.filter((item) => item.kind === "wake")
    if (wakes.length > 0) yield* commit(memory, { dueDone: wakes })
    take(page)
  })

  /** The time until which retries are put off; undefined if they may be sent. */
  const putOffTo = (memory: WebhookMemory, now: number): number | undefined => {
    if (!memory.webhook.active) return now + inactiveRetryMs
    const until = heldUpTo(memory)
    return until > now ? until : undefined
  }

  /** True if a retry may begin now. If first attempts take up its slot or turn, the next one is for the retry. */
  const mayRetry = (memory: WebhookMemory, now: number): boolean => {
    if (!hasRetrySlot(memory)) {
      if (memory.webhook.settings.concurrency < firstsPerRetry) memory.retries.awaitsTurn = retrySlotsTaken === 0
      return false
    }
    if (memory.gate === undefined || isTurn(memory, now)) return true
    memory.retries.awaitsTurn = true
    return false
  }

  /** Starts retries that are due while there are slots for them, or puts them off if none is to be sent now. */
  const startRetries = Effect.fnUntraced(function*(memory: WebhookMemory) {
    const { retries } = memory
    retries.awaitsTurn = false
    // Changed while the database answered, it may be in service again and have nothing to put off.
    while (retries.mayHaveMore && !memory.failed && !isStopping()) {
      const now = yield* Clock.currentTimeMillis
      const dueAt = putOffTo(memory, now)
      if (!retries.hasKnown) {
        if (dueAt === undefined && retrySlotsTaken > 0 && !hasRetrySlot(memory)) return
        yield* readRetries(memory)
      } else if (dueAt !== undefined) {
        yield* commit(memory, { duePut: retries.takeKnown().map((item) => ({ ...item, dueAt })) })
        yield* inFlight.settled
      } else {
        if (!mayRetry(memory, now)) return
        const until = memory.gate?.toReserve(now)
        if (until !== undefined) {
          yield* reserve(memory, until)
          continue
        }
        const item = retries.begin()
        if (item === undefined) continue
        const isProbe = memory.gate?.begin(memory.webhook, now) === true
        retrySlotsTaken += 1
        retries.awaitsTurn = false
        const fiber = yield* start(retry(memory, item), () => {
          retrySlotsTaken -= 1
          if (isProbe) memory.gate?.probed()
        })
        retrying.set(item.key, fiber)
        fiber.addObserver(() => retrying.delete(item.key))
      }
    }
  })

  const takeHint = Effect.fnUntraced(function*(memory: WebhookMemory, hint: Wake.FedEvents) {
    const { filters, lanes } = memory
    // Events that are held are read from the log when they are released: those in memory are bounded by ready lanes.
    if (lanes.offer(hint) || lanes.isHeld(hint.emitterId)) return
    const found = yield* untilAnswered(cursors.position(hint))
    if (Option.isNone(found) || forgotten.has(hint.subscriptionId)) return
    lanes.add(hint, found.value.position, filters.of(found.value.filter), fitting(memory, found.value.batch))
    lanes.offer(hint)
  }, filtering.withPermits(1))

  const lookAtPage = Effect.fnUntraced(function*(memory: WebhookMemory) {
    const { filters, lanes } = memory
    lanes.keepAll = true
    for (const owed of yield* look.page) {
      if (forgotten.has(owed.subscriptionId) || lanes.isHeld(owed.emitterId)) continue
      const feed = lanes.feed(owed) ??
        lanes.add(owed, owed.position, filters.of(owed.filter), fitting(memory, owed.batch))
      feed.lookAgain()
      lanes.makeReady(owed.emitterId)
    }
    lanes.dropIdle()
  }, filtering.withPermits(1))

  const lookOn = Effect.fnUntraced(function*(memory: WebhookMemory) {
    while (look.isUnderWay() && memory.lanes.readyCount < limits.ready) yield* lookAtPage(memory)
  })

  /** Has the lanes go on whose events have waited for others for long enough. */
  const endWaits = (memory: WebhookMemory) => {
    const now = clock.currentTimeMillisUnsafe()
    const { lanes } = memory
    if (lanes.waitUntil > now) return
    if (lanes.endWaits(now)) look.begin()
    if (lanes.waitUntil < Infinity) wakeAt(memory, "batch", Math.max(lanes.waitUntil, now + batchedWaitsMs), now)
  }

  const takeHints = Effect.fnUntraced(function*(memory: WebhookMemory) {
    const taken = hints ?? Wake.forEvents([])
    hints = undefined
    endWaits(memory)
    if (taken.look) look.begin()
    yield* lookOn(memory)
    if (taken.look && memory.lanes.heldCount > 0) yield* readHeld(memory)
    for (const hint of taken.fed) yield* takeHint(memory, hint)
    firstAttempts.work(memory)
    if (taken.due || taken.look) {
      memory.retries.hint()
      yield* bulkRuns.look(memory)
    }
    yield* startRetries(memory)
    // Slots and turns that were left to retries may be free again.
    if (memory.lanes.readyCount > 0) firstAttempts.work(memory)
  })

  const interventions = yield* Interventions.make(webhookId, {
    commit: Effect.fnUntraced(function*(memory, commit) {
      yield* inFlight.room(memory)
      const submission = writer.submit(commit)
      inFlight.track(memory, submission)
      yield* submission.durable
    }),
    claim: Effect.fnUntraced(function*({ retries: { underWay } }, ids) {
      const broken = ids.filter((id) => retrying.has(id))
      const claimed = ids.filter((id) => retrying.has(id) || !underWay.has(id))
      for (const id of claimed) underWay.add(id)
      yield* Fiber.interruptAll(broken.map((id) => retrying.get(id)!))
      yield* inFlight.settled
      return {
        claimed,
        letGo: () => {
          for (const id of claimed) underWay.delete(id)
        }
      }
    }),
    onDue: (memory, delivery) => {
      memory.retries.hint()
      // By strict order it holds those behind it, as it would after a restart.
      if (memory.webhook.settings.ordering === "strict" && delivery !== undefined) memory.lanes.hold(delivery.emitterId)
    },
    onEnded: (memory, ended) => {
      for (const delivery of ended) release(memory, delivery)
    }
  })

  /** Has the owner do something in its own work. */
  const ask = <A, E>(
    act: (memory: WebhookMemory) => Effect.Effect<A, E>,
    atRest: boolean = false
  ): Effect.Effect<A, Unavailable | WebhookNotFound> =>
    asked.ask(act, {
      atRest,
      onAsked: () => {
        if (isStopping()) asked.refuse(stopping)
        else work()
      }
    }).pipe(
      Effect.tapError((error) => Effect.logWarning("A webhook's owner could not do what it was asked to", error)),
      Effect.mapError((error) => {
        if (retired || Option.isNone(memory)) return new WebhookNotFound()
        return isUnavailable(error)
          ? error
          : new Unavailable({ message: "The webhook can't do this now.", retryAfterSeconds: 1 })
      })
    )

  yield* Effect.addFinalizer(() => Effect.sync(() => asked.refuse(stopping)))

  const bulkRuns = yield* BulkRuns.make(webhookId, {
    commits,
    commit,
    settled: inFlight.settled,
    isOpen,
    isStopping: ({ failed }) => isStopping() || failed || asked.awaitsRest,
    isForgotten: (subscriptionId) => forgotten.has(subscriptionId),
    attempt,
    start,
    track: (id, fiber) => {
      retrying.set(id, fiber)
      fiber.addObserver(() => retrying.delete(id))
    },
    enter: Effect.fnUntraced(function*(memory) {
      const { gate, lanes, retries, webhook } = memory
      const isShared = webhook.settings.concurrency < firstsPerRetry
      // First attempts and retries go first if all share the same slots or rate.
      const isWanted = lanes.readyCount > 0 || retries.awaitsTurn
      if (isShared && (isWanted || !hasRetrySlot(memory))) return undefined
      const now = clock.currentTimeMillisUnsafe()
      if (gate !== undefined) {
        if (isWanted || gate.startsAt(now) > now) return undefined
        const until = gate.toReserve(now)
        if (until !== undefined) {
          yield* reserve(memory, until)
          return undefined
        }
      }
      const isProbe = gate?.begin(webhook, now) === true
      if (isShared) retrySlotsTaken += 1
      return () => {
        if (isShared) retrySlotsTaken -= 1
        if (isProbe) gate?.probed()
        if (isShared || isProbe) work()
      }
    }),
    onEnded: release,
    end: (ids, state, also) => Effect.isSuccess(ask((memory) => interventions.end(memory, ids, state, also)))
  })

  const testing = yield* Semaphore.make(mostTests)

  const test = Effect.fnUntraced(function*(event: LoggedEvent) {
    // In the owner's own work, memory has the present state of the webhook.
    const memory = yield* ask((memory) => Effect.as(readKeys(memory), memory))
    const deliveryId = DeliveryId.make(clock.currentTimeMillisUnsafe())
    const { record } = yield* sendAndWait(memory, { deliveryId, subscriptionId: "", event, attempt: 1, isTest: true })
    return record
  })

  const isStopping = () => draining.isDraining() || retired || suspensions.holds(webhookId)

  const isBusy = () => underWay.size > 0 || firstAttempts.isBusy

  const loop = new WorkLoop({
    step: Effect.gen(function*() {
      if (isStopping() || hasFailed() || asked.awaitsRest) bulkRuns.halt()
      if (isStopping()) {
        asked.refuse(stopping)
        return false
      }
      if (hasFailed() && !isBusy()) {
        yield* inFlight.settled
        yield* inFlight.backOff
        yield* readAnew
        hints = Wake.forEverything
      }
      if (Option.isNone(memory)) asked.refuse("There is no such webhook.")
      else if (!memory.value.failed && !isStopping()) {
        yield* asked.perform(memory.value, () => isBusy() || !inFlight.isIdle)
        if (!memory.value.failed && !asked.awaitsRest) yield* takeHints(memory.value)
      }
      return false
    }).pipe(onItsBehalf),
    isBusy,
    settle: Effect.map(inFlight.settled, () => {
      const owing = Option.isSome(memory) && hints !== undefined
      return (hasFailed() || owing || !asked.isEmpty) && !isStopping()
    })
  })

  const hint = (wake: Wake.Wake): boolean => {
    if (Option.isSome(memory) && !memory.value.failed && !isStopping()) {
      const fed = firstAttempts.offer(memory.value, wake.fed)
      firstAttempts.work(memory.value)
      if (wake.fed.length > 0 && fed.length === 0 && !wake.due && !wake.look) return true
      note({ ...wake, fed })
    } else note(wake)
    return false
  }

  /** Keeps a hint for the work under way or the next. */
  const note = (wake: Wake.Wake) => {
    if (Wake.asksFor(wake)) hints = Wake.merge(hints, wake)
    loop.signal()
  }

  return {
    hint,
    awaitsTurn: () => isBusy() || !inFlight.isIdle || !asked.isEmpty,
    wake: (wake) =>
      Effect.suspend(() => {
        hint(wake)
        return loop.run
      }),
    changed: Effect.suspend(() => {
      isChanged = true
      if (Option.isSome(memory)) memory.value.failed = true
      return inFlight.settled
    }),
    retire: Effect.suspend(() => {
      retired = true
      firstAttempts.close()
      return Effect.andThen(Fiber.interruptAll([...underWay]), inFlight.settled)
    }),
    reopen: (id) => ask((memory) => interventions.reopen(memory, id)),
    skip: (id) => ask((memory) => interventions.end(memory, [id], "dropped")),
    test: (event) =>
      Effect.flatMap(
        testing.withPermitsIfAvailable(1)(test(event)),
        Option.match({
          onNone: () =>
            Effect.fail(
              new Unavailable({
                message: `${mostTests} tests of the webhook are under way. Try again.`,
                retryAfterSeconds: 1
              })
            ),
          onSome: Effect.succeed
        })
      ),
    passAll: ask((memory) =>
      Effect.map(interventions.passAll(memory), () => {
        // The events that its lanes and retries know were passed.
        memory.failed = true
      }), true),
    refilter: Effect.fnUntraced(function*(subscriptionId) {
      const found = yield* untilAnswered(subscriptions.get(subscriptionId))
      if (Option.isNone(memory) || Option.isNone(found)) return
      const { filters, lanes } = memory.value
      const batch = fitting(memory.value, found.value.batch ?? undefined)
      lanes.change(subscriptionId, filters.of(found.value.filter), batch)
      work()
    }, filtering.withPermits(1)),
    forget: (subscriptionId) =>
      Effect.suspend(() => {
        forgotten.add(subscriptionId)
        if (forgotten.size > limits.forgotten) forgotten.delete(forgotten.values().next().value!)
        if (Option.isNone(memory)) return Effect.void
        memory.value.lanes.forget(subscriptionId)
        // Its deliveries that waited for a retry hold nothing any more.
        return memory.value.lanes.heldCount === 0 ? Effect.void : Effect.map(readHeld(memory.value), work)
      })
  } satisfies WebhookActor as WebhookActor
})
