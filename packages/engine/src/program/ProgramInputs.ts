import type { LoggedEvent } from "@headwater/domain/Event"
import * as EventId from "@headwater/domain/EventId"
import * as HttpTrigger from "@headwater/domain/HttpTrigger"
import { type RunId, WorkflowId } from "@headwater/domain/Id"
import { untilAnswered } from "@headwater/log/database/TransientSqlError"
import { ownRequests } from "@headwater/log/work/Cursors"
import type { DueItem } from "@headwater/log/work/DueWork"
import { Clock, Effect, Option } from "effect"
import { EngineLimits, type Limits } from "../ground/EngineLimits.ts"
import * as Wake from "../ground/Wake.ts"
import * as EventBatch from "../routing/EventBatch.ts"
import { type BatchItem, type EventItem, type Feed, type FeedItem, FeedReader } from "../routing/Feed.ts"
import type { NextItem } from "../routing/Inbox.ts"
import type { Deletion, NextWork } from "./NextWork.ts"
import { ProgramDueWork } from "./ProgramDueWork.ts"
import type { InputKind, ProgramInput } from "./ProgramInput.ts"
import { answersItself, type ProgramMemory } from "./ProgramMemory.ts"
import { exceededOf, type QuotaExceeded, Quotas } from "./Quotas.ts"
import { RequestTurn } from "./RunTurns.ts"
import { placeOf, type WorkflowProgress } from "./WorkflowProgress.ts"

/** The time after which a program looks again whether its account is over a quota, in milliseconds. */
const quotaWaitMs = 60_000

const kinds = { email: "EMAIL", invocation: "INVOCATION", rerun: "RERUN" } as const

const kindOf = ({ meta }: LoggedEvent): InputKind | undefined =>
  meta.as ?? (meta.kind === undefined ? undefined : kinds[meta.kind])

/** The event of a request, in the form that the HTTP interface asks for. */
const ofRequest = ({ http }: ProgramMemory, { meta: { as, kind, rerunOf, unstored }, payload }: LoggedEvent) => ({
  ...(unstored === undefined ? {} : { unstored }),
  ...(rerunOf === undefined ? {} : { rerunOf }),
  // As the source got it, so that nothing is to be made of it any more.
  ...(as !== undefined ?
    { eventJson: payload, isShaped: true } :
    kind !== undefined || http === undefined || http.event === "whole"
    ? { eventJson: payload }
    : { eventJson: HttpTrigger.eventJson(http, payload), isShaped: true })
})

const ofEvent = (memory: ProgramMemory, feed: Feed, item: EventItem, kind: "EVENT" | "HTTP"): ProgramInput => {
  const { event } = item
  return {
    kind: kindOf(event) ?? kind,
    ...(kind === "EVENT" ? { eventJson: event.payload } : ofRequest(memory, event)),
    id: event.emitId,
    at: EventId.milliseconds(event.id),
    hops: event.hops,
    isShadow: event.meta.shadow === true,
    from: feed.address,
    cause: { emitterId: kind === "HTTP" ? null : event.emitterId, id: event.id },
    ...(kind === "EVENT" ? {} : { request: { id: event.id, bytes: event.payload.length } }),
    take: () => ({ moves: [feed.pass(item, { delivered: 1 })] })
  }
}

const ofBatch = (feed: Feed, item: BatchItem): ProgramInput => {
  const batch = EventBatch.make(item.events)
  return {
    kind: "EVENT",
    eventJson: EventBatch.body(batch),
    id: batch.id,
    at: EventId.milliseconds(item.events[0]!.id),
    hops: EventBatch.hops(batch),
    isShadow: item.events[0]!.meta.shadow === true,
    from: feed.address,
    cause: { emitterId: item.events[0]!.emitterId, id: item.events[0]!.id },
    take: () => ({ moves: [feed.pass(item, { delivered: item.events.length })] })
  }
}

/** The inputs that a program may take now. */
export interface TakeOptions {
  readonly besideHook: boolean
  /** The runs of a workflow, and their paths, that are at a step now, by key, and what they hold. */
  readonly busy: ReadonlyMap<string, Pick<WorkflowProgress, "held">>
  /** The most inputs to run together. */
  readonly most: number
  /** The most ticks of a timer, if the clock lets them be run before they are due. */
  readonly mostTicks: number
}

const services = Effect.all({
  limits: EngineLimits,
  quotas: Quotas,
  reader: FeedReader
})

/**
 * Finds a program's next input:
 *
 *     own requests ──┐
 *     due work ──────┤
 *     deletions ─────┼─ in turn ─▶ next
 *     inbox ─────────┤
 *     held due work ─┘
 *
 * - P1. The kinds take turns, so that none of them waits for another to run dry.
 * - P2. Runs of a workflow that were under way go on before others begin, and no more than its concurrency are under way.
 * - P3. Events keep their place while the account is over a quota or the workflow may begin no run; it then looks again at a
 *   time that is due work.
 */
export class ProgramInputs {
  private hints: Wake.Wake | undefined = Wake.forEverything
  private options: TakeOptions = { besideHook: false, busy: new Map(), most: 1, mostTicks: 1 }
  /** The times at which it looks again while it waits for its account's quota, its own limit, or batches for others, by that. */
  private readonly waitsUntil = new Map<"rate" | "quota" | "batch", number>()
  private turn = 0
  /** The memory that was last looked at, and how much it and the due work may hold before what is not needed goes. */
  private memoryUsed: ProgramMemory | undefined
  private mayHold: number
  private readonly due: ProgramDueWork
  private readonly requestTurn: RequestTurn
  private readonly services: Effect.Success<typeof services>
  private readonly limits: Limits

  private constructor(due: ProgramDueWork, requestTurn: RequestTurn, given: Effect.Success<typeof services>) {
    this.due = due
    this.requestTurn = requestTurn
    this.services = given
    this.limits = given.limits
    this.mayHold = given.limits.idle
  }

  /** @param onTurn called when a request may be run for which it was not the turn */
  static readonly make = Effect.fnUntraced(function*(onTurn: () => void) {
    return new ProgramInputs(yield* ProgramDueWork.make, yield* RequestTurn.make(onTurn), yield* services)
  })

  /** Takes a hint in. Cheap: what it asks for is done by `next`. */
  absorb(wake: Wake.Wake): void {
    if (Wake.asksFor(wake)) this.hints = Wake.merge(this.hints, wake)
  }

  /**
   * None when there is nothing to do now. Beside a hook only requests that somebody waits for are taken: a vendor may
   * verify the endpoint from within `activate`.
   */
  next(memory: ProgramMemory, options: TakeOptions): Effect.Effect<Option.Option<NextWork>> {
    return Effect.suspend(() => {
      const { program } = memory
      this.options = options
      this.memoryUsed = memory
      if (options.besideHook || program.state === "creating") {
        // A workflow's runs would begin on what it is changed from; it has no hooks that a vendor may verify it in.
        return program.workflow === null && answersItself(memory) ? this.fromOwnFeed(memory) : Effect.succeedNone
      }
      if (program.state === "deleting") return Effect.succeedNone
      const underWay = this.fromUnderWay(memory)
      if (underWay !== undefined) return Effect.succeedSome(underWay)
      const unread = this.takeUnread(memory)
      if (unread !== undefined) {
        return Effect.filterOrElse(this.fromUnread(memory, unread), Option.isSome, () => this.next(memory, options))
      }
      const mayBeAny = this.hints !== undefined || memory.inbox.mayLookOn || this.mayWait(memory) ||
        this.kinds.some(({ mayBe }) => mayBe(memory))
      return mayBeAny ? this.search(memory) : Effect.succeedNone
    })
  }

  /** True if the program waits for its turn to run a request, and `onTurn` is going to be called. */
  get awaitsTurn(): boolean {
    return this.requestTurn.isAwaited
  }

  /** True if all its requests wait for that, so that nothing is to be looked for among them before. */
  requestsWait(memory: ProgramMemory): boolean {
    return this.requestTurn.isAwaited && !answersItself(memory)
  }

  /** True if a part of a bulk action is due. Told once. */
  takeBulk(): boolean {
    return this.due.takeBulk()
  }

  /** A commit that is handed over puts work off to a time, in Unix milliseconds. */
  notePutOff(dueAt: number): void {
    this.due.notePutOff(dueAt)
  }

  /** Every commit is settled. Answers whether any put work off to a time that has come, so that it is looked for. */
  readonly noteSettled: Effect.Effect<boolean> = Effect.map(Clock.currentTimeMillis, (now) => {
    // The position of each lane is in the database, and read from there with its next event.
    const lanes = this.memoryUsed?.inbox.lanes
    if (lanes !== undefined) {
      lanes.dropIdle()
      this.mayHold = lanes.size + this.limits.idle
    }
    const isDue = this.due.noteSettled(now)
    if (isDue) this.absorb(Wake.forDueWork)
    return isDue
  })

  /** True if so much is held for commits under way that they had better be settled before there are more. */
  get isFull(): boolean {
    return this.due.takenCount + (this.memoryUsed?.inbox.lanes.size ?? 0) > this.mayHold
  }

  /** A deletion is done. */
  noteDeleted(deletion: Deletion): void {
    this.due.noteDeleted(deletion)
  }

  /** Everything is looked for again, as where the program's memory was read anew. */
  restart(): void {
    this.hints = Wake.forEverything
    this.waitsUntil.clear()
    this.due.restart()
  }

  /** A commit has ended that passed events of a feed without a run: what was to be passed meanwhile is. Answers whether there may be any. */
  notePassed({ inbox }: ProgramMemory, feed: Feed): boolean {
    feed.isPassing = false
    if (!feed.mayHaveMore) return false
    inbox.lanes.makeReady(feed.key.emitterId)
    return true
  }

  /** Each kind of input and whether there may be any. */
  private readonly kinds: ReadonlyArray<{
    readonly mayBe: (memory: ProgramMemory) => boolean
    readonly find: (memory: ProgramMemory) => Effect.Effect<Option.Option<NextWork>>
  }> = [
    {
      mayBe: (memory) =>
        memory.program.active && memory.requests.mayHaveMore && this.hasRoom(memory) && !this.requestsWait(memory),
      find: (memory) => this.inRate(memory, this.fromRequests(memory))
    },
    // Emits of the time when the program was active come when they are due; everything else keeps its place.
    { mayBe: () => this.due.hasDue, find: (memory) => this.due.nextDue(memory, this.options.mostTicks) },
    { mayBe: () => this.due.hasDeletions, find: () => Effect.sync(() => this.due.nextDeletion) },
    {
      mayBe: (memory) => memory.program.active && memory.inbox.lanes.readyCount > 0 && this.hasRoom(memory),
      find: (memory) => this.inRate(memory, this.fromInbox(memory))
    },
    {
      mayBe: (memory) => this.due.hasHeld && (this.hasRoom(memory) || !memory.forks.isEmpty),
      find: (memory) => this.fromHeld(memory)
    }
  ]

  private search(memory: ProgramMemory): Effect.Effect<Option.Option<NextWork>> {
    return Effect.gen({ self: this }, function*() {
      if (!this.due.hasDue) yield* this.takeHints(memory)
      if (memory.inbox.endWaits(yield* Clock.currentTimeMillis)) this.waitsUntil.delete("batch")
      yield* memory.inbox.lookOn
      for (let i = 0; i < this.kinds.length; i++) {
        this.turn = (this.turn + 1) % this.kinds.length
        const { find, mayBe } = this.kinds[this.turn]!
        if (!mayBe(memory)) continue
        const work = yield* find(memory)
        if (Option.isSome(work)) return work
      }
      if (!this.mayWait(memory)) return Option.none<NextWork>()
      // Events keep their place while they wait for others to go with.
      this.waitsUntil.delete("batch")
      return yield* this.waitUntil(memory, "batch", memory.inbox.lanes.waitUntil)
    })
  }

  private takeHints(memory: ProgramMemory): Effect.Effect<void> {
    return Effect.gen({ self: this }, function*() {
      if (this.hints === undefined) return
      const { due, fed, look } = this.hints
      this.hints = undefined
      // Its own requests it knows of: nobody else appends them.
      if (look) memory.inbox.lookAgain()
      const own = fed.filter(({ subscriptionId }) => subscriptionId === ownRequests)
      for (const { events } of own) {
        if (events.length === 0) memory.requests.lookAgain()
        else memory.requests.offer(events)
      }
      yield* memory.inbox.follow(fed.filter(({ subscriptionId }) => subscriptionId !== ownRequests))
      if ((due || look) && (yield* this.due.read(memory))) this.absorb(Wake.forDueWork)
    })
  }

  /** An input with those known to follow that can be run together with it: like events, while nobody waits for an answer. */
  private withOthers(memory: ProgramMemory, feed: Feed, first: ProgramInput, kind: "EVENT" | "HTTP", now: number) {
    const { accountId } = memory.program
    if (first.kind === "RERUN" || first.rerunOf !== undefined || kind === "HTTP" && answersItself(memory)) {
      return [first] as const
    }
    const { most } = this.options
    const mayRun = kind === "HTTP" ? most : Math.min(most, this.services.quotas.runsLeft(accountId, now))
    if (mayRun <= 1) return [first] as const
    const [, ...others] = feed.knownEvents(now, mayRun, this.limits.runsTogether.characters)
    const inputs = others.map((item) => ofEvent(memory, feed, item, kind))
    const other = inputs.findIndex((input) => input.kind !== first.kind || input.rerunOf !== undefined)
    return [first, ...(other < 0 ? inputs : inputs.slice(0, other))] as const
  }

  private toWork(memory: ProgramMemory, { feed, item }: NextItem, kind: "EVENT" | "HTTP", now: number): NextWork {
    if (item._tag === "Passed") return { _tag: "Skip", feed, item }
    if (item._tag === "Batch") return { _tag: "Run", inputs: [ofBatch(feed, item)] }
    return { _tag: "Run", inputs: this.withOthers(memory, feed, ofEvent(memory, feed, item, kind), kind, now) }
  }

  private fromOwnFeed(memory: ProgramMemory): Effect.Effect<Option.Option<NextWork>> {
    return Effect.clockWith((clock) => {
      const feed = memory.requests
      const work = (item: FeedItem) => this.toWork(memory, { feed, item }, "HTTP", clock.currentTimeMillisUnsafe())
      const known = feed.known(clock.currentTimeMillisUnsafe())
      if (known !== undefined) return Effect.succeedSome(work(known))
      return feed.mayHaveMore
        ? Effect.map(untilAnswered(feed.next(this.services.reader)), Option.map(work))
        : Effect.succeedNone
    })
  }

  private fromRequests(memory: ProgramMemory): Effect.Effect<Option.Option<NextWork>> {
    return Effect.map(this.fromOwnFeed(memory), Option.filter((work) => this.takesTurn(memory, work)))
  }

  /** Requests that somebody waits to be answered by the code have their turn at once. */
  private takesTurn(memory: ProgramMemory, work: NextWork): boolean {
    return work._tag !== "Run" || work.inputs[0].kind !== "HTTP" || answersItself(memory) ||
      this.requestTurn.take(memory.program.accountId, work.inputs.length)
  }

  private fromInbox(memory: ProgramMemory): Effect.Effect<Option.Option<NextWork>> {
    return Effect.gen({ self: this }, function*() {
      const { inbox, inbox: { lanes } } = memory
      for (let lane = lanes.take(); lane !== undefined; lane = lanes.take()) {
        const exceeded = lanes.isEmpty(lane)
          ? Option.none()
          : yield* exceededOf(this.services.quotas, memory.program.accountId)
        if (Option.isSome(exceeded)) {
          lanes.putBack(lane, true)
          return yield* this.waitForQuota(memory, exceeded.value)
        }
        const now = yield* Clock.currentTimeMillis
        const known = inbox.known(lane, now)
        const next = known === "unread" ? yield* inbox.read(lane) : known
        if (next === undefined) lanes.noteWait(lane)
        lanes.putBack(lane, next !== undefined)
        if (next !== undefined) return Option.some(this.toWork(memory, next, "EVENT", now))
      }
      return Option.none<NextWork>()
    })
  }

  private fromHeld(memory: ProgramMemory): Effect.Effect<Option.Option<NextWork>> {
    return Effect.gen({ self: this }, function*() {
      const hasRoom = this.hasRoom(memory)
      const mayBegin = hasRoom && this.isInRate(memory, yield* Clock.currentTimeMillis)
      const found = yield* this.due.nextHeld(
        memory,
        ({ key, kind }) => kind === "timer" ? mayBegin : hasRoom || memory.forks.isUnderWay(placeOf(key).run)
      )
      return Option.isSome(found) || !hasRoom ? found : yield* this.waitForRate(memory)
    })
  }

  private waitUntil(memory: ProgramMemory, key: "rate" | "quota" | "batch", until: number) {
    return Effect.map(Clock.currentTimeMillis, (now) => {
      if (now < (this.waitsUntil.get(key) ?? now)) return Option.none<NextWork>()
      this.waitsUntil.set(key, until)
      const item: DueItem = { ownerId: memory.program.id, kind: "wake", key, dueAt: until, payload: "{}" }
      return Option.some<NextWork>({ _tag: "Wait", item })
    })
  }

  private waitForRate(memory: ProgramMemory) {
    const { intervalSeconds } = memory.program.workflow?.settings.rateLimit ?? { intervalSeconds: 0 }
    return this.waitUntil(memory, "rate", (memory.begun[0] ?? 0) + intervalSeconds * 1_000)
  }

  private waitForQuota(memory: ProgramMemory, { until }: QuotaExceeded) {
    return Effect.flatMap(
      Clock.currentTimeMillis,
      (now) => this.waitUntil(memory, "quota", Math.min(until, now + quotaWaitMs))
    )
  }

  /** True if events wait for others and it is yet to be said that they are to go then. */
  private mayWait({ inbox }: ProgramMemory): boolean {
    return inbox.lanes.waitUntil < (this.waitsUntil.get("batch") ?? Infinity)
  }

  /** True if the results of the runs under way leave room for those of another. */
  private mayHoldMore({ underWay }: ProgramMemory): boolean {
    let held = 0
    for (const progress of underWay) held += progress.held
    for (const progress of this.options.busy.values()) held += progress.held
    return held < this.limits.runsOfWorkflow
  }

  /** True if one more run may be under way. */
  private hasRoom(memory: ProgramMemory): boolean {
    const { program: { workflow }, unread } = memory
    return workflow === null ||
      this.runsAmong(memory, memory.underWay) + unread.length < workflow.settings.concurrency &&
        this.mayHoldMore(memory)
  }

  /** True if one more run may begin now. */
  private isInRate({ begun, program: { workflow } }: ProgramMemory, now: number): boolean {
    const { rateLimit } = workflow?.settings ?? { rateLimit: null }
    if (rateLimit === null) return true
    const from = now - rateLimit.intervalSeconds * 1_000
    while (begun.length > 0 && begun[0]! <= from) begun.shift()
    return begun.length < rateLimit.limit
  }

  /** The input that begins a run as soon as it may, and no sooner. */
  private inRate(memory: ProgramMemory, find: Effect.Effect<Option.Option<NextWork>>) {
    return Effect.flatMap(
      Clock.currentTimeMillis,
      (now) => this.isInRate(memory, now) ? find : this.waitForRate(memory)
    )
  }

  /** The number of runs that are at a step or among these, however many of their paths are. */
  private runsAmong({ forks }: ProgramMemory, progresses: ReadonlyArray<WorkflowProgress>): number {
    const { busy } = this.options
    if (forks.isEmpty) return busy.size + progresses.length
    return new Set([...[...busy.keys()].map((key) => placeOf(key).run), ...progresses.map(({ run }) => run.id)]).size
  }

  /** The next run or path that may go on: another path of a run that is at a step always may. */
  private fromUnderWay(memory: ProgramMemory): NextWork | undefined {
    const { program: { workflow }, underWay } = memory
    const { busy } = this.options
    if (workflow === null || underWay.length === 0) return undefined
    const { concurrency } = workflow.settings
    const index = underWay.findIndex((progress) =>
      !busy.has(progress.key) && this.runsAmong(memory, [progress]) <= concurrency
    )
    const [run] = index < 0 ? [] : underWay.splice(index, 1)
    return run === undefined ? undefined : { _tag: "Proceed", run }
  }

  /** Reads the next run that was under way when the memory was read. One that was at a step then may have ended since. */
  private fromUnread(memory: ProgramMemory, id: RunId): Effect.Effect<Option.Option<NextWork>> {
    const { forks, program, underWay } = memory
    return Effect.map(forks.takeUp(WorkflowId.make(program.id), id), (runs) => {
      // A path that was at a step when the memory was read may still be.
      underWay.unshift(...runs)
      return Option.fromUndefinedOr(this.fromUnderWay(memory))
    })
  }

  private takeUnread(memory: ProgramMemory): RunId | undefined {
    const { busy } = this.options
    const { program: { workflow }, unread } = memory
    const mayProceed = workflow !== null && this.runsAmong(memory, []) < workflow.settings.concurrency &&
      this.mayHoldMore(memory)
    const index = mayProceed ? unread.findIndex((id) => !busy.has(id)) : -1
    return index < 0 ? undefined : unread.splice(index, 1)[0]
  }
}
