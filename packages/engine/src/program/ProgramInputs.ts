import type { LoggedEvent } from "@headwater/domain/Event"
import * as EventId from "@headwater/domain/EventId"
import { type RunId, WorkflowId } from "@headwater/domain/Id"
import * as OwnMember from "@headwater/domain/OwnMember"
import * as Timer from "@headwater/domain/Timer"
import { untilAnswered } from "@headwater/log/database/TransientSqlError"
import { ownRequests } from "@headwater/log/work/Cursors"
import { type DueItem, type DueKind, DueWork, isFull } from "@headwater/log/work/DueWork"
import { WorkflowRuns } from "@headwater/log/work/WorkflowRuns"
import { Clock, Effect, Option } from "effect"
import { type EventRange } from "../ground/ActorCalls.ts"
import * as DueItems from "../ground/DueItems.ts"
import { EngineLimits } from "../ground/EngineLimits.ts"
import * as Wake from "../ground/Wake.ts"
import * as EventBatch from "../routing/EventBatch.ts"
import {
  type BatchItem,
  type EventItem,
  type Feed,
  type FeedItem,
  FeedReader,
  type PassedItem
} from "../routing/Feed.ts"
import type { NextItem } from "../routing/Inbox.ts"
import type { ProgramInput } from "./ProgramInput.ts"
import { answersItself, type ProgramMemory } from "./ProgramMemory.ts"
import { type QuotaExceeded, Quotas } from "./Quotas.ts"
import { RequestTurn } from "./RunTurns.ts"
import { TicksAhead, type TicksGrant } from "./TicksAhead.ts"
import { of as progressOf, type WorkflowProgress } from "./WorkflowProgress.ts"

/** The next work of a program. */
export type NextWork =
  /** Inputs of the same kind, of one stream, in its order. */
  | { readonly _tag: "Run"; readonly inputs: readonly [ProgramInput, ...ReadonlyArray<ProgramInput>] }
  /** A workflow's run goes on. */
  | { readonly _tag: "Proceed"; readonly run: WorkflowProgress }
  /** A workflow's run has waited for its time. */
  | { readonly _tag: "Resume"; readonly item: DueItem }
  /** Events that are passed without a run. */
  | { readonly _tag: "Skip"; readonly feed: Feed; readonly item: PassedItem }
  /** A delayed emit whose time has come. */
  | { readonly _tag: "Append"; readonly item: DueItem }
  /** Events that a client wants gone. */
  | { readonly _tag: "Delete"; readonly deletion: Deletion }
  /** An input that is taken without a run, since the account may not run any more. */
  | { readonly _tag: "Refuse"; readonly input: ProgramInput; readonly reason: QuotaExceeded }
  /** Events are there that may not be run yet: the program looks again when this is due. */
  | { readonly _tag: "Wait"; readonly item: DueItem }
  /** Due work that asks for nothing more, as of a timer that no longer is. */
  | { readonly _tag: "Forget"; readonly item: DueItem }

/** A deletion under way, a bite at a time, so that it holds up nothing else of the program. */
export interface Deletion {
  readonly item: DueItem
  /** The rest of it. */
  range: EventRange
}

const duePage = 100

/** Due work of a workflow by which a run begins or goes on. */
const heldKinds: ReadonlyArray<DueKind> = ["timer", "resume"]

/** How long a program whose account is over a quota waits before it looks whether that still is so, in milliseconds. */
const quotaWaitMs = 60_000

/**
 * Finds a program's next input: its own requests, the events it listens to, and its timers, taken in turn so that none
 * of them waits for another to run dry.
 */
export interface ProgramInputs {
  /** Takes a hint in. Cheap: what it asks for is done by `next`. */
  readonly absorb: (wake: Wake.Wake) => void
  /**
   * None when there is nothing to do now. Beside a hook only requests that somebody waits for are taken: a vendor may
   * verify the endpoint from within `activate`.
   */
  readonly next: (
    memory: ProgramMemory,
    options: {
      readonly besideHook: boolean
      /** The runs of a workflow that are at a step now, by id, and what they hold. */
      readonly busy: ReadonlyMap<string, Pick<WorkflowProgress, "held">>
      /** The most inputs to run together. */
      readonly most: number
      /** The most ticks of a timer, if the clock lets them be run before they are due. */
      readonly mostTicks: number
    }
  ) => Effect.Effect<Option.Option<NextWork>>
  /** True if the program waits for its turn to run a request, and `onTurn` is going to be called. */
  readonly awaitsTurn: () => boolean
  /** True if all its requests wait for that, so that nothing is to be looked for among them before. */
  readonly requestsWait: (memory: ProgramMemory) => boolean
  /** A commit that is handed over puts work off to a time, in Unix milliseconds. */
  readonly notePutOff: (dueAt: number) => void
  /** Every commit is settled. Answers whether any put work off to a time that has come, so that it is looked for. */
  readonly noteSettled: Effect.Effect<boolean>
  /** True if so much is held for commits under way that they had better be settled before there are more. */
  readonly isFull: () => boolean
  /** A deletion is done. */
  readonly noteDeleted: (deletion: Deletion) => void
  /** The program's memory was read anew: everything is looked for again. */
  readonly restart: () => void
  /** A commit has ended that passed events of a feed without a run: what was to be passed meanwhile is. Answers whether there may be any. */
  readonly notePassed: (memory: ProgramMemory, feed: Feed) => boolean
}

const kindOf = ({ meta }: LoggedEvent): "INVOCATION" | "RERUN" | undefined =>
  meta.kind === "invocation" ? "INVOCATION" : meta.kind === "rerun" ? "RERUN" : undefined

const dueKey = (item: DueItem): string => `${item.kind} ${item.key}`

export const make = Effect.fnUntraced(function*(options: {
  /** Called when a request may be run for which it was not the turn. */
  readonly onTurn: () => void
}) {
  const dueWork = yield* DueWork
  const limits = yield* EngineLimits
  const quotas = yield* Quotas
  const reader = yield* FeedReader
  const runs = yield* WorkflowRuns

  let hints: Wake.Wake | undefined = Wake.forEverything
  let due: Array<DueItem> = []
  let deletions: Array<Deletion> = []
  /** Due work of a workflow that waits until another run may begin or go on. */
  const held = new Map<string, DueItem>()
  let busy: ReadonlyMap<string, Pick<WorkflowProgress, "held">> = new Map()
  let mostTogether = 1
  let mostTicks = 1
  const ticksAhead = yield* TicksAhead
  /** The due times of timers and delayed emits taken by commits that may be under way. */
  const taken = new Map<string, number>()
  /** The earliest time that commits which may be under way put work off to; infinity for none. */
  let putOffTo = Infinity
  /** The times at which it looks again while it waits for its account's quota, its own limit, or batches for others, by that. */
  const waitsUntil = new Map<string, number>()
  let turn = 0
  /** The memory that was last looked at, and how much it and `taken` may hold before what is not needed goes. */
  let memoryUsed: ProgramMemory | undefined
  let mayHold = limits.idle
  const requestTurn = yield* RequestTurn.make(options.onTurn)
  const takeHints = Effect.fnUntraced(function*(memory: ProgramMemory) {
    if (hints === undefined) return
    const { due: lookDue, fed, look: looksAll } = hints
    hints = undefined
    // Its own requests it knows of: nobody else appends them.
    if (looksAll) memory.inbox.lookAgain()
    const own = fed.filter(({ subscriptionId }) => subscriptionId === ownRequests)
    for (const { events } of own) {
      if (events.length === 0) memory.requests.lookAgain()
      else memory.requests.offer(events)
    }
    yield* memory.inbox.follow(fed.filter(({ subscriptionId }) => subscriptionId !== ownRequests))
    if (!lookDue && !looksAll) return
    const now = yield* Clock.currentTimeMillis
    // What is held stays due, and would hide what comes after it; nor is more and more of it to be held.
    const most = duePage + held.size
    const but = held.size < duePage ? [] : heldKinds
    const page = yield* untilAnswered(dueWork.dueOf(memory.program.id, now, most, but))
    if (isFull(page, most)) hints = Wake.merge(hints, Wake.forDueWork)
    due = []
    for (const item of page) {
      const key = dueKey(item)
      if (held.has(key) || item.dueAt <= (taken.get(key) ?? -Infinity)) continue
      if (memory.program.workflow !== null && heldKinds.includes(item.kind)) held.set(key, item)
      else due.push(item)
    }
  })

  const ofEvent = (feed: Feed, item: EventItem, kind: "EVENT" | "HTTP"): ProgramInput => {
    const { event } = item
    return {
      kind: kindOf(event) ?? kind,
      eventJson: event.payload,
      id: event.emitId,
      at: EventId.milliseconds(event.id),
      hops: event.hops,
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
      from: feed.address,
      cause: { emitterId: item.events[0]!.emitterId, id: item.events[0]!.id },
      take: () => ({ moves: [feed.pass(item, { delivered: item.events.length })] })
    }
  }

  /** What is known to come after an input and can be run together with it: events alike, while nobody waits for an answer. */
  const withOthers = (memory: ProgramMemory, feed: Feed, first: ProgramInput, kind: "EVENT" | "HTTP", now: number) => {
    const { accountId } = memory.program
    if (first.kind === "RERUN" || kind === "HTTP" && answersItself(memory)) return [first] as const
    const most = kind === "HTTP" ? mostTogether : Math.min(mostTogether, quotas.runsLeft(accountId, now))
    if (most <= 1) return [first] as const
    const [, ...others] = feed.knownEvents(now, most, limits.runsTogether.characters)
    const inputs = others.map((item) => ofEvent(feed, item, kind))
    const other = inputs.findIndex((input) => input.kind !== first.kind)
    return [first, ...(other < 0 ? inputs : inputs.slice(0, other))] as const
  }

  const toWork = (
    memory: ProgramMemory,
    { feed, item }: NextItem,
    kind: "EVENT" | "HTTP",
    now: number
  ): NextWork => {
    if (item._tag === "Passed") return { _tag: "Skip", feed, item }
    if (item._tag === "Batch") return { _tag: "Run", inputs: [ofBatch(feed, item)] }
    return { _tag: "Run", inputs: withOthers(memory, feed, ofEvent(feed, item, kind), kind, now) }
  }

  const fromOwnFeed = (memory: ProgramMemory) =>
    Effect.clockWith((clock) => {
      const feed = memory.requests
      const work = (item: FeedItem) => toWork(memory, { feed, item }, "HTTP", clock.currentTimeMillisUnsafe())
      const known = feed.known(clock.currentTimeMillisUnsafe())
      if (known !== undefined) return Effect.succeedSome(work(known))
      return feed.mayHaveMore ? Effect.map(untilAnswered(feed.next(reader)), Option.map(work)) : Effect.succeedNone
    })

  /** Requests that somebody waits to be answered by the code have their turn at once. */
  const takesTurn = (memory: ProgramMemory, work: NextWork): boolean =>
    work._tag !== "Run" || work.inputs[0].kind !== "HTTP" || answersItself(memory) ||
    requestTurn.take(memory.program.accountId, work.inputs.length)

  const requestsWait = (memory: ProgramMemory): boolean => requestTurn.isAwaited && !answersItself(memory)

  const fromRequests = (memory: ProgramMemory) =>
    Effect.map(fromOwnFeed(memory), Option.filter((work) => takesTurn(memory, work)))

  const whetherExceeded = (memory: ProgramMemory) =>
    Effect.flatMap(Clock.Clock, (clock) => untilAnswered(quotas.exceeded(memory.program.accountId, clock)))

  const waitUntil = Effect.fnUntraced(function*(memory: ProgramMemory, key: string, until: number) {
    const now = yield* Clock.currentTimeMillis
    if (now < (waitsUntil.get(key) ?? now)) return Option.none<NextWork>()
    waitsUntil.set(key, until)
    const item: DueItem = { ownerId: memory.program.id, kind: "wake", key, dueAt: until, payload: "{}" }
    return Option.some<NextWork>({ _tag: "Wait", item })
  })

  /** Until a workflow may begin another run. */
  const waitForRate = (memory: ProgramMemory) => {
    const { intervalSeconds } = memory.program.workflow?.settings.rateLimit ?? { intervalSeconds: 0 }
    return waitUntil(memory, "rate", (memory.begun[0] ?? 0) + intervalSeconds * 1_000)
  }

  /** Events keep their place while the account is over a quota. */
  const wait = (memory: ProgramMemory, { until }: QuotaExceeded) =>
    Effect.flatMap(
      Clock.currentTimeMillis,
      (now) => waitUntil(memory, "quota", Math.min(until, now + quotaWaitMs))
    )

  /** Events keep their place while they wait for others to go with. */
  const waitForOthers = Effect.fnUntraced(function*(memory: ProgramMemory) {
    waitsUntil.delete("batch")
    return yield* waitUntil(memory, "batch", memory.inbox.lanes.waitUntil)
  })

  /** True if events wait for others and it is yet to be said that they are to go then. */
  const mayWait = ({ inbox }: ProgramMemory) => inbox.lanes.waitUntil < (waitsUntil.get("batch") ?? Infinity)

  const fromInbox = Effect.fnUntraced(function*(memory: ProgramMemory) {
    const { inbox, inbox: { lanes } } = memory
    for (let lane = lanes.take(); lane !== undefined; lane = lanes.take()) {
      const exceeded = lanes.isEmpty(lane) ? Option.none() : yield* whetherExceeded(memory)
      if (Option.isSome(exceeded)) {
        lanes.putBack(lane, true)
        return yield* wait(memory, exceeded.value)
      }
      const now = yield* Clock.currentTimeMillis
      const known = inbox.known(lane, now)
      const next = known === "unread" ? yield* inbox.read(lane) : known
      if (next === undefined) lanes.noteWait(lane)
      lanes.putBack(lane, next !== undefined)
      if (next !== undefined) return Option.some(toWork(memory, next, "EVENT", now))
    }
    return Option.none<NextWork>()
  })

  const tickInput = (
    timer: Timer.Timer,
    item: DueItem,
    nextDueAt: number,
    grant: TicksGrant | undefined,
    isDue = true
  ): ProgramInput => {
    const duePut = [{ ...item, dueAt: nextDueAt }]
    return {
      kind: "TIMER",
      eventJson: JSON.stringify(Timer.tickEvent(timer, item.dueAt)),
      id: `${item.key}-${item.dueAt}`,
      at: item.dueAt,
      hops: 0,
      take: () => ({ duePut }),
      ...(grant === undefined ? {} : {
        ticks: {
          isDue,
          take: (ahead) => ({ duePut, updates: ahead === 0 ? [] : [grant.count(ahead, item.dueAt)] }),
          onDurable: (ahead) => {
            if (ahead > 0) grant.onDurable(ahead, item.dueAt)
          }
        }
      })
    }
  }

  const grantOf = ({ program }: ProgramMemory): TicksGrant | undefined =>
    ticksAhead?.grant?.programId === program.id && program.workflow === null ? ticksAhead.grant : undefined

  /** The ticks after one that is due which may be run together with it. */
  const ticksBehind = Effect.fnUntraced(function*(
    memory: ProgramMemory,
    timer: Timer.Timer,
    item: DueItem,
    from: number,
    now: number
  ) {
    const grant = grantOf(memory)
    if (grant === undefined || item.dueAt !== now) return []
    const most = Math.min(mostTicks, grant.most, quotas.runsLeft(memory.program.accountId, now)) - 1
    const ticks: Array<ProgramInput> = []
    for (let dueAt = from; ticks.length < most && dueAt < grant.before;) {
      const nextDueAt = yield* Effect.orDie(Timer.nextDue(timer, dueAt, dueAt))
      ticks.push(tickInput(timer, { ...item, dueAt }, nextDueAt, grant, false))
      dueAt = nextDueAt
    }
    return ticks
  })

  const tick = Effect.fnUntraced(function*(memory: ProgramMemory, item: DueItem) {
    const timer = OwnMember.get(memory.program.timers, item.key)
    if (timer === undefined || !memory.program.active) return Option.some<NextWork>({ _tag: "Forget", item })
    const now = yield* Clock.currentTimeMillis
    // From the start of this run: ticks that were missed, or fall due while it runs, are taken once after it.
    const nextDueAt = yield* Effect.orDie(Timer.nextDue(timer, item.dueAt, Math.max(now, item.dueAt)))
    // Looked at first: what is left of a day's quota is known from then on.
    const exceeded = yield* whetherExceeded(memory)
    if (Option.isSome(exceeded)) {
      const input = tickInput(timer, item, nextDueAt, undefined)
      return Option.some<NextWork>({ _tag: "Refuse", input, reason: exceeded.value })
    }
    const ahead = yield* ticksBehind(memory, timer, item, nextDueAt, now)
    const input = tickInput(timer, item, nextDueAt, ahead.length === 0 ? undefined : grantOf(memory))
    return Option.some<NextWork>({ _tag: "Run", inputs: [input, ...ahead] })
  })

  const fromDue = Effect.fnUntraced(function*(memory: ProgramMemory) {
    for (let item = due.shift(); item !== undefined; item = due.shift()) {
      taken.set(dueKey(item), item.dueAt)
      if (item.kind === "timer") return yield* tick(memory, item)
      if (item.kind === "emit") return Option.some<NextWork>({ _tag: "Append", item })
      if (item.kind === "wake") return Option.some<NextWork>({ _tag: "Forget", item })
      deletions.push({ item, range: yield* DueItems.deleted(item) })
    }
    return Option.none<NextWork>()
  })

  const fromDeletions = Effect.sync(() =>
    Option.map(Option.fromUndefinedOr(deletions[0]), (deletion): NextWork => ({ _tag: "Delete", deletion }))
  )

  const fromHeld = Effect.fnUntraced(function*(memory: ProgramMemory) {
    const mayBegin = yield* isInRate(memory)
    for (const [key, item] of held) {
      if (item.kind === "timer" && !mayBegin) continue
      held.delete(key)
      taken.set(key, item.dueAt)
      return item.kind === "timer" ? yield* tick(memory, item) : Option.some<NextWork>({ _tag: "Resume", item })
    }
    return yield* waitForRate(memory)
  })

  /** True if the results of the runs under way leave room for those of another. */
  const mayHoldMore = ({ underWay }: ProgramMemory): boolean => {
    let held = 0
    for (const progress of underWay) held += progress.held
    for (const progress of busy.values()) held += progress.held
    return held < limits.runsOfWorkflow
  }

  /** True if one more run may be under way. */
  const hasRoom = (memory: ProgramMemory): boolean => {
    const { program: { workflow }, underWay, unread } = memory
    return workflow === null ||
      underWay.length + unread.length + busy.size < workflow.settings.concurrency && mayHoldMore(memory)
  }

  /** True if one more run may begin now. */
  const isInRate = (memory: ProgramMemory) =>
    Effect.clockWith((clock) => {
      const { rateLimit } = memory.program.workflow?.settings ?? { rateLimit: null }
      if (rateLimit === null) return Effect.succeed(true)
      const from = clock.currentTimeMillisUnsafe() - rateLimit.intervalSeconds * 1_000
      const { begun } = memory
      while (begun.length > 0 && begun[0]! <= from) begun.shift()
      return Effect.succeed(begun.length < rateLimit.limit)
    })

  const fromUnderWay = ({ program: { workflow }, underWay }: ProgramMemory): NextWork | undefined => {
    if (workflow === null || busy.size >= workflow.settings.concurrency) return undefined
    const index = underWay.findIndex(({ run }) => !busy.has(run.id))
    const [run] = index < 0 ? [] : underWay.splice(index, 1)
    return run === undefined ? undefined : { _tag: "Proceed", run }
  }

  /** Reads the next run that was under way when the memory was read. */
  const fromUnread = Effect.fnUntraced(function*(memory: ProgramMemory, id: RunId) {
    const run = yield* untilAnswered(runs.get(WorkflowId.make(memory.program.id), id))
    // One that was at a step then may have ended since.
    if (Option.isNone(run) || run.value.status !== "running") return Option.none<NextWork>()
    const progress = yield* untilAnswered(Effect.provideService(progressOf(run.value), WorkflowRuns, runs))
    return Option.some<NextWork>({ _tag: "Proceed", run: progress })
  })

  const takeUnread = (memory: ProgramMemory): RunId | undefined => {
    const { program: { workflow }, unread } = memory
    const mayProceed = workflow !== null && busy.size < workflow.settings.concurrency && mayHoldMore(memory)
    const index = mayProceed ? unread.findIndex((id) => !busy.has(id)) : -1
    return index < 0 ? undefined : unread.splice(index, 1)[0]
  }

  /** The input that begins a run as soon as it may, and no sooner. */
  const inTurn = (find: (memory: ProgramMemory) => Effect.Effect<Option.Option<NextWork>>) => (memory: ProgramMemory) =>
    Effect.flatMap(isInRate(memory), (isIn) => isIn ? find(memory) : waitForRate(memory))

  /** Each kind of input and whether there may be any. */
  const kinds: ReadonlyArray<{
    readonly mayBe: (memory: ProgramMemory) => boolean
    readonly find: (memory: ProgramMemory) => Effect.Effect<Option.Option<NextWork>>
  }> = [
    {
      mayBe: (memory) =>
        memory.program.active && memory.requests.mayHaveMore && hasRoom(memory) && !requestsWait(memory),
      find: inTurn(fromRequests)
    },
    // What was emitted while the program was active comes when it is due; everything else keeps its place.
    { mayBe: () => due.length > 0, find: fromDue },
    { mayBe: () => deletions.length > 0, find: () => fromDeletions },
    {
      mayBe: (memory) => memory.program.active && memory.inbox.lanes.readyCount > 0 && hasRoom(memory),
      find: inTurn(fromInbox)
    },
    { mayBe: (memory) => held.size > 0 && hasRoom(memory), find: fromHeld }
  ]

  const search = Effect.fnUntraced(function*(memory: ProgramMemory) {
    if (due.length === 0 && hints !== undefined) yield* takeHints(memory)
    if (memory.inbox.endWaits(yield* Clock.currentTimeMillis)) waitsUntil.delete("batch")
    yield* memory.inbox.lookOn
    for (let i = 0; i < kinds.length; i++) {
      turn = (turn + 1) % kinds.length
      const { find, mayBe } = kinds[turn]!
      if (!mayBe(memory)) continue
      const work = yield* find(memory)
      if (Option.isSome(work)) return work
    }
    return mayWait(memory) ? yield* waitForOthers(memory) : Option.none<NextWork>()
  })

  const next: ProgramInputs["next"] = (memory, { besideHook, busy: atSteps, most, mostTicks: mostAhead }) =>
    Effect.suspend(() => {
      const { program } = memory
      busy = atSteps
      mostTogether = most
      mostTicks = mostAhead
      memoryUsed = memory
      if (besideHook || program.state === "creating") {
        // A workflow's runs would begin on what it is changed from; it has no hooks that a vendor may verify it in.
        return program.workflow === null && answersItself(memory)
          ? fromOwnFeed(memory)
          : Effect.succeedNone
      }
      if (program.state === "deleting") return Effect.succeedNone
      const underWay = fromUnderWay(memory)
      if (underWay !== undefined) return Effect.succeedSome(underWay)
      const unread = takeUnread(memory)
      if (unread !== undefined) {
        return Effect.filterOrElse(
          fromUnread(memory, unread),
          Option.isSome,
          () => next(memory, { besideHook, busy, most, mostTicks })
        )
      }
      const mayBeAny = hints !== undefined || memory.inbox.mayLookOn || mayWait(memory) ||
        kinds.some(({ mayBe }) => mayBe(memory))
      return mayBeAny ? search(memory) : Effect.succeedNone
    })

  /** The position of each lane is in the database, and read from there with its next event. */
  const dropIdle = ({ inbox: { lanes } }: ProgramMemory) => {
    lanes.dropIdle()
    mayHold = lanes.size + limits.idle
  }

  const restart = () => {
    hints = Wake.forEverything
    due = []
    deletions = []
    held.clear()
    waitsUntil.clear()
    taken.clear()
  }

  return {
    absorb: (wake) => {
      if (Wake.asksFor(wake)) hints = Wake.merge(hints, wake)
    },
    next,
    awaitsTurn: () => requestTurn.isAwaited,
    requestsWait,
    isFull: () => taken.size + (memoryUsed?.inbox.lanes.size ?? 0) > mayHold,
    notePutOff: (dueAt) => {
      putOffTo = Math.min(putOffTo, dueAt)
    },
    noteSettled: Effect.clockWith((clock) =>
      Effect.sync(() => {
        taken.clear()
        if (memoryUsed !== undefined) dropIdle(memoryUsed)
        // The scan finds work that is due later.
        const isDue = putOffTo <= clock.currentTimeMillisUnsafe()
        putOffTo = Infinity
        if (isDue) hints = Wake.merge(hints, Wake.forDueWork)
        return isDue
      })
    ),
    noteDeleted: (deletion) => {
      deletions = deletions.filter((other) => other !== deletion)
    },
    restart,
    notePassed: ({ inbox }, feed) => {
      feed.isPassing = false
      if (!feed.mayHaveMore) return false
      inbox.lanes.makeReady(feed.key.emitterId)
      return true
    }
  } satisfies ProgramInputs as ProgramInputs
})
