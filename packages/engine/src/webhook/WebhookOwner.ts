import type * as Id from "@headwater/domain/Id"
import { OnBehalfOf } from "@headwater/domain/OnBehalfOf"
import * as RealTime from "@headwater/domain/RealTime"
import { EgressHttp } from "@headwater/egress/EgressHttp"
import type { Commit } from "@headwater/log/commit/Commit"
import { GroupCommit } from "@headwater/log/commit/GroupCommit"
import type { CommitError, Submission } from "@headwater/log/commit/Submission"
import { untilAnswered } from "@headwater/log/database/TransientSqlError"
import { DeliveryList } from "@headwater/log/lists/DeliveryList"
import { ReplayList } from "@headwater/log/lists/ReplayList"
import { EventLog } from "@headwater/log/logs/EventLog"
import { Webhooks } from "@headwater/log/resources/Webhooks"
import { Attempts } from "@headwater/log/work/Attempts"
import { BulkActions } from "@headwater/log/work/BulkActions"
import { Cursors } from "@headwater/log/work/Cursors"
import { Deliveries } from "@headwater/log/work/Deliveries"
import { DueWork } from "@headwater/log/work/DueWork"
import { Clock, type Context, Effect, type Exit, Fiber, Metric, Option, Schema, Scope } from "effect"
import { WebhookNotFound } from "../ground/ActorCalls.ts"
import { AskedWork } from "../ground/AskedWork.ts"
import { Draining } from "../ground/Draining.ts"
import { InFlight } from "../ground/InFlight.ts"
import { Suspensions } from "../ground/Suspensions.ts"
import { Unavailable } from "../ground/Unavailable.ts"
import * as Wake from "../ground/Wake.ts"
import { WorkLoop } from "../ground/WorkLoop.ts"
import type { AttemptKind } from "./AttemptSlots.ts"
import { load, readSigningKeys, type WebhookMemory } from "./WebhookMemory.ts"
import * as WebhookSend from "./WebhookSend.ts"
import { wakeItem } from "./WebhookTransitions.ts"

/** A secret that was rotated out signs no longer than this past its end. */
const keysFreshMs = 30_000

/** A wait for the rate or a batch longer than this, in milliseconds, is due work: nobody stays in memory for it. */
const longestWaitMs = 1_000

const waitsForRate = Metric.counter("headwater_rate_waits_total", {
  description: "How often the attempts of a webhook had to wait for its rate.",
  incremental: true
})

const isUnavailable = Schema.is(Unavailable)

const stopping = "The webhook is leaving this node. Try again."

/** The TLS settings of its connections, if it has its own. */
const tlsOf = (memory: Option.Option<WebhookMemory>) => Option.getOrUndefined(memory)?.requestSettings?.tls

/** The parts of the database that the owner of a webhook reads. */
const tables = Effect.all({
  attempts: Attempts,
  bulk: BulkActions,
  cursors: Cursors,
  deliveries: Deliveries,
  deliveryList: DeliveryList,
  dueWork: DueWork,
  events: EventLog,
  replayList: ReplayList,
  webhooks: Webhooks
})

interface Parts {
  readonly clock: Clock.Clock
  readonly context: Context.Context<never>
  readonly draining: Draining["Service"]
  readonly http: EgressHttp["Service"]
  readonly inFlight: InFlight
  readonly kick: () => void
  readonly read: Effect.Effect<Option.Option<WebhookMemory>>
  readonly readKeys: (memory: WebhookMemory) => Effect.Effect<void>
  /** Forks a fiber that ends with the actor. */
  readonly fork: (work: Effect.Effect<void>) => Fiber.Fiber<void>
  readonly send: WebhookSend.WebhookSend
  readonly suspensions: Suspensions["Service"]
  readonly tables: Effect.Success<typeof tables>
  readonly writer: GroupCommit["Service"]
}

/**
 * The owner of a webhook: its memory, its commits and its work, on which all roads of its attempts stand.
 *
 * - W1. Every commit is under the memory's fence, and is tracked as in flight. Once one fails, so has the memory: nothing
 *   starts on it any more, and it is read anew when nothing is under way.
 * - W2. Work under way counts as busy until it ends: the work loop does not rest before, and looks again then.
 * - W3. Once it is retired, suspended or draining, nothing starts any more; `work` has it woken otherwise.
 */
export class WebhookOwner {
  readonly id: Id.WebhookId
  readonly loop = new WorkLoop()
  readonly asked = new AskedWork<WebhookMemory>()
  readonly send: WebhookSend.WebhookSend
  readonly tables: Effect.Success<typeof tables>
  memory: Option.Option<WebhookMemory> = Option.none()
  /** Has it start nothing any more. */
  isRetired = false
  private accountId = ""
  private hints: Wake.Wake | undefined = Wake.forEverything
  /** True if the webhook was changed since the last read of memory began. */
  private isChanged = false
  /** The times at which it is woken for its rate, and for batches that have waited enough, in Unix milliseconds. */
  private readonly wakesAt = { rate: 0, batch: 0 }
  private readonly underWay = new Set<Fiber.Fiber<void>>()
  private readonly parts: Parts

  private constructor(id: Id.WebhookId, parts: Parts) {
    this.id = id
    this.parts = parts
    this.send = parts.send
    this.tables = parts.tables
  }

  /** @param kick has the actor's `wake` called: there is something to do that nobody hinted at */
  static readonly make = Effect.fnUntraced(function*(id: Id.WebhookId, kick: () => void) {
    const context = yield* Effect.context<Effect.Services<ReturnType<typeof load>>>()
    const scope = yield* Effect.scope
    const run = Effect.runSyncWith(context)
    const owner = new WebhookOwner(id, {
      clock: yield* Clock.Clock,
      context,
      draining: yield* Draining,
      fork: (work) => run(Effect.forkIn(work, scope)),
      http: yield* EgressHttp,
      inFlight: yield* InFlight.make({ webhook_id: id }),
      kick,
      read: load(id).pipe(untilAnswered, Effect.setContext(context)),
      readKeys: (memory) =>
        Effect.flatMap(
          Clock.currentTimeMillis,
          (now) =>
            Effect.map(readSigningKeys(id).pipe(untilAnswered, Effect.setContext(context)), (signingKeys) => {
              memory.signingKeys = signingKeys
              memory.keysReadAt = now
            })
        ),
      send: yield* WebhookSend.make,
      suspensions: yield* Suspensions,
      tables: yield* tables,
      writer: yield* GroupCommit
    })
    owner.memory = yield* owner.parts.read
    owner.accountId = Option.match(owner.memory, { onNone: () => "", onSome: ({ accountId }) => accountId })
    yield* Scope.addFinalizer(scope, Effect.sync(() => owner.leave()))
    return owner
  })

  now(): number {
    return this.parts.clock.currentTimeMillisUnsafe()
  }

  isStopping(): boolean {
    return this.parts.draining.isDraining() || this.isRetired || this.parts.suspensions.holds(this.id)
  }

  get hasFailed(): boolean {
    return Option.isSome(this.memory) && this.memory.value.failed
  }

  /** True if anything is under way that `start` began. */
  get isBusy(): boolean {
    return this.underWay.size > 0
  }

  /** True if commits are under way. */
  get hasCommits(): boolean {
    return !this.parts.inFlight.isIdle
  }

  /** True if it waits for an answer or a commit, or has been asked for something. */
  get isAwaiting(): boolean {
    return this.isBusy || this.hasCommits || !this.asked.isEmpty
  }

  /** True if there is something to do for it once its commits have ended. */
  get owes(): boolean {
    const hasHints = Option.isSome(this.memory) && this.hints !== undefined
    return (this.hasFailed || hasHints || !this.asked.isEmpty) && !this.isStopping()
  }

  /** Has its work go on, or begin. */
  work(): void {
    if (!this.loop.isResting()) this.loop.signal()
    else if (!this.isStopping()) this.parts.kick()
  }

  /** Keeps a hint for the work under way or the next. */
  note(wake: Wake.Wake): void {
    if (Wake.asksFor(wake)) this.hints = Wake.merge(this.hints, wake)
    this.loop.signal()
  }

  takeHints(): Wake.Wake {
    const taken = this.hints ?? Wake.nothing
    this.hints = undefined
    return taken
  }

  /** Reads memory anew, and again if the webhook was changed meanwhile: its former state may have been read. */
  readonly readAnew: Effect.Effect<void> = Effect.gen({ self: this }, function*() {
    const { http, inFlight, read } = this.parts
    yield* inFlight.settled
    yield* inFlight.backOff
    const before = tlsOf(this.memory)
    do {
      this.isChanged = false
      // The due work that was to wake it may not have been written.
      this.wakesAt.rate = this.wakesAt.batch = 0
      this.memory = yield* read
    } while (this.isChanged)
    if (before !== undefined && before.id !== tlsOf(this.memory)?.id) http.forget(before)
    this.hints = Wake.forEverything
  })

  /** The webhook was changed: memory is read anew before anything else starts. */
  noteChanged(): void {
    this.isChanged = true
    if (Option.isSome(this.memory)) this.memory.value.failed = true
  }

  /** Something went wrong that should not: the memory is of no use any more. */
  noteDefect(defect: unknown): void {
    if (Option.isSome(this.memory)) this.parts.inFlight.noteFailure(this.memory.value)
    this.parts.fork(Effect.logError("A webhook's work failed; reading its state again", defect))
  }

  /** Hands a commit over, whether there is room for it or not. */
  submit(memory: WebhookMemory, commit: Commit, onEnd?: () => void): Submission {
    const submission = this.parts.writer.submit({ ...commit, fence: memory.fence })
    this.parts.inFlight.track(memory, submission)
    submission.onEnd(() => {
      onEnd?.()
      if (memory.failed) this.work()
    })
    return submission
  }

  /** Hands a commit over once there is room for it. */
  commit(memory: WebhookMemory, commit: Commit, onEnd?: () => void): Effect.Effect<Submission> {
    return Effect.map(this.parts.inFlight.room(memory), () => this.submit(memory, commit, onEnd))
  }

  /** Returns when a commit is durable. */
  durably(memory: WebhookMemory, commit: Commit): Effect.Effect<void, CommitError> {
    return Effect.flatMap(this.commit(memory, commit), ({ durable }) => durable)
  }

  /** Returns when everything that was handed over has ended. */
  get settled(): Effect.Effect<void> {
    return this.parts.inFlight.settled
  }

  /** Does work on behalf of the webhook's account. */
  onItsBehalf(work: Effect.Effect<void>): Effect.Effect<void> {
    return Effect.provideService(work, OnBehalfOf, this.accountId)
  }

  /** Forks work that keeps the actor busy until it ends; if the actor is gone from the node, it ends at once. */
  start(work: Effect.Effect<void>, onEnd: (exit: Exit.Exit<void>) => void): Fiber.Fiber<void> {
    const fiber = this.parts.fork(
      Effect.catchDefect(this.onItsBehalf(work), (defect) => Effect.sync(() => this.noteDefect(defect)))
    )
    this.underWay.add(fiber)
    fiber.addObserver((exit) => {
      this.underWay.delete(fiber)
      onEnd(exit)
      this.loop.signal()
    })
    return fiber
  }

  /** Breaks off what is under way, and returns when everything that was handed over has ended. */
  get brokenOff(): Effect.Effect<void> {
    return Effect.andThen(Fiber.interruptAll([...this.underWay]), this.settled)
  }

  /** The time before which nothing is sent, as the endpoint asked for that or its circuit is open; may be past. */
  heldUpTo({ webhook: { circuitUntil, throttledUntil } }: WebhookMemory): number {
    return Math.max(throttledUntil ?? 0, circuitUntil ?? 0)
  }

  /** True if an attempt may begin now, but for its slot and place. */
  isOpen(memory: WebhookMemory, now: number): boolean {
    return !this.isStopping() && !memory.failed && memory.webhook.active && !this.asked.awaitsRest &&
      this.heldUpTo(memory) <= now
  }

  /** True if it is the next attempt's turn by the webhook's rate and circuit. If not, the webhook goes on when it is. */
  isTurn(memory: WebhookMemory, kind: AttemptKind, now: number): boolean {
    const at = memory.slots.startsAt(kind, now)
    if (at <= now) return true
    if (at < Infinity && this.wakeAt(memory, "rate", at, now)) waitsForRate.updateUnsafe(1, this.parts.context)
    return false
  }

  areKeysOld({ keysReadAt }: WebhookMemory, now: number): boolean {
    return now - keysReadAt >= keysFreshMs
  }

  readKeys(memory: WebhookMemory): Effect.Effect<void> {
    return this.parts.readKeys(memory)
  }

  /** The work to do before an attempt may begin, if any: keys to read, room for its commit, places of the rate to reserve. */
  preparation(memory: WebhookMemory, now: number): Effect.Effect<void> | undefined {
    if (this.areKeysOld(memory, now)) return this.readKeys(memory)
    if (this.parts.inFlight.isFull(memory)) return this.parts.inFlight.room(memory)
    const until = memory.slots.toReserve(now)
    if (until === undefined) return undefined
    return Effect.callback((resume) => {
      this.submit(memory, { updates: [this.tables.webhooks.reserveRate(this.id, until)] }, () => {
        if (!memory.failed) memory.slots.noteReserved(until)
        resume(Effect.void)
      })
    })
  }

  /** Has the webhook go on at a time. Answers false if it was to go on by then already. */
  wakeAt(memory: WebhookMemory, why: "rate" | "batch", at: number, now: number): boolean {
    if (this.wakesAt[why] > now && this.wakesAt[why] <= at) return false
    this.wakesAt[why] = at
    if (at - now > (RealTime.isApart(this.parts.clock) ? 0 : longestWaitMs)) {
      this.submit(memory, { duePut: [wakeItem(this.id, why, at)] })
    } else {
      const wake = Effect.sync(() => {
        this.wakesAt[why] = 0
        this.work()
      })
      this.parts.fork(Effect.delay(wake, at - now))
    }
    return true
  }

  /**
   * Has something done in the owner's own work.
   *
   * @param atRest whether it waits until nothing else is under way
   */
  ask<A, E>(
    act: (memory: WebhookMemory) => Effect.Effect<A, E>,
    atRest: boolean = false
  ): Effect.Effect<A, Unavailable | WebhookNotFound> {
    return this.asked.ask(act, {
      atRest,
      onAsked: () => {
        if (this.isStopping()) this.refuseAsked()
        else this.work()
      }
    }).pipe(
      Effect.tapError((error) => Effect.logWarning("A webhook's owner could not do what it was asked to", error)),
      Effect.mapError((error) => {
        if (this.isRetired || Option.isNone(this.memory)) return new WebhookNotFound()
        return isUnavailable(error)
          ? error
          : new Unavailable({ message: "The webhook can't do this now.", retryAfterSeconds: 1 })
      })
    )
  }

  refuseAsked(): void {
    this.asked.refuse(stopping)
  }

  /** The actor leaves the node. */
  private leave(): void {
    this.refuseAsked()
    const tls = tlsOf(this.memory)
    if (tls !== undefined) this.parts.http.forget(tls)
  }
}
