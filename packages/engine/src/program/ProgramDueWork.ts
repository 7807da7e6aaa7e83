import * as OwnMember from "@headwater/domain/OwnMember"
import * as Timer from "@headwater/domain/Timer"
import { untilAnswered } from "@headwater/log/database/TransientSqlError"
import { type DueItem, type DueKind, DueWork, isFull } from "@headwater/log/work/DueWork"
import { Clock, Context, Effect, Option } from "effect"
import type { SqlError } from "effect/sql"
import * as DueItems from "../ground/DueItems.ts"
import type { Deletion, NextWork } from "./NextWork.ts"
import type { ProgramInput } from "./ProgramInput.ts"
import type { ProgramMemory } from "./ProgramMemory.ts"
import { exceededOf, Quotas } from "./Quotas.ts"

/**
 * Leave for a source to run ticks of one of its timers before they are due, while nothing else happens. The clock follows
 * when they are durable.
 */
export interface TicksGrant {
  readonly programId: string
  /** Those before this time, in Unix milliseconds. */
  readonly before: number
  /** So many at most, with the one that is due. */
  readonly most: number
  /** Counts those behind the first, in the commit of what they did; up to which time. One statement. */
  readonly count: (ticks: number, at: number) => Effect.Effect<unknown, SqlError.SqlError>
  /** They are durable. */
  readonly onDurable: (ticks: number, at: number) => void
}

/** The leave by which a clock that is being moved has the ticks of a source run together. */
export interface TicksAhead {
  grant: TicksGrant | undefined
}

/** None where the clock goes by itself. */
export const TicksAhead = Context.Reference<TicksAhead | undefined>("@headwater/engine/program/TicksAhead", {
  defaultValue: () => undefined
})

const duePage = 100

/** Due work of a workflow by which a run begins or goes on. */
const heldKinds: ReadonlyArray<DueKind> = ["timer", "resume"]

const keyOf = (item: DueItem): string => `${item.kind} ${item.key}`

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

/**
 * A program's due work: its timers, delayed emits, deletions, and a workflow's runs that have waited for their time.
 *
 * - D1. An item stays due in the database until a commit has done it. Until that commit is settled, `taken` keeps the item
 *   from being taken again.
 * - D2. Work by which a workflow's run begins or goes on is held until there is room for a run. Once a page of it is held, no
 *   more is read.
 */
export class ProgramDueWork {
  private due: Array<DueItem> = []
  private deletions: Array<Deletion> = []
  private isBulkDue = false
  private readonly held = new Map<string, DueItem>()
  /** The due times of timers and delayed emits taken by commits that may be under way. */
  private readonly taken = new Map<string, number>()
  /** The earliest time that commits which may be under way put work off to; infinity for none. */
  private putOffTo = Infinity
  private readonly dueWork: DueWork["Service"]
  private readonly quotas: Quotas["Service"]
  private readonly ticksAhead: TicksAhead | undefined

  private constructor(dueWork: DueWork["Service"], quotas: Quotas["Service"], ticksAhead: TicksAhead | undefined) {
    this.dueWork = dueWork
    this.quotas = quotas
    this.ticksAhead = ticksAhead
  }

  static readonly make = Effect.gen(function*() {
    return new ProgramDueWork(yield* DueWork, yield* Quotas, yield* TicksAhead)
  })

  get hasDue(): boolean {
    return this.due.length > 0
  }

  /** True if a part of a bulk action is due, which the program looks for itself. Told once. */
  takeBulk(): boolean {
    const isDue = this.isBulkDue
    this.isBulkDue = false
    return isDue
  }

  get hasDeletions(): boolean {
    return this.deletions.length > 0
  }

  get hasHeld(): boolean {
    return this.held.size > 0
  }

  /** The number of items that commits which may be under way have taken. */
  get takenCount(): number {
    return this.taken.size
  }

  /** Reads what is due. Answers whether there may be more. */
  read(memory: ProgramMemory): Effect.Effect<boolean> {
    return Effect.gen({ self: this }, function*() {
      const now = yield* Clock.currentTimeMillis
      // Held items stay due and would hide those behind them, so the page is larger by them. Once a page is held, no more is read.
      const most = duePage + this.held.size
      const but = this.held.size < duePage ? [] : heldKinds
      const page = yield* untilAnswered(this.dueWork.dueOf(memory.program.id, now, most, but))
      this.due = []
      for (const item of page) {
        const key = keyOf(item)
        if (item.kind === "bulk") {
          this.isBulkDue = true
          continue
        }
        if (this.held.has(key) || item.dueAt <= (this.taken.get(key) ?? -Infinity)) continue
        if (memory.program.workflow !== null && heldKinds.includes(item.kind)) this.held.set(key, item)
        else this.due.push(item)
      }
      return isFull(page, most)
    })
  }

  /** @param mostTicks the most ticks of a timer, if the clock lets them be run before they are due */
  nextDue(memory: ProgramMemory, mostTicks: number): Effect.Effect<Option.Option<NextWork>> {
    return Effect.gen({ self: this }, function*() {
      for (let item = this.due.shift(); item !== undefined; item = this.due.shift()) {
        this.taken.set(keyOf(item), item.dueAt)
        if (item.kind === "timer") return Option.some(yield* this.tick(memory, item, mostTicks))
        if (item.kind === "emit") return Option.some<NextWork>({ _tag: "Append", item })
        if (item.kind === "wake") return Option.some<NextWork>({ _tag: "Forget", item })
        this.deletions.push({ item, range: yield* DueItems.deleted(item) })
      }
      return Option.none<NextWork>()
    })
  }

  get nextDeletion(): Option.Option<NextWork> {
    return Option.map(Option.fromUndefinedOr(this.deletions[0]), (deletion) => ({ _tag: "Delete", deletion }))
  }

  /** @param may whether an item may have a run begin, or go on, now */
  nextHeld(memory: ProgramMemory, may: (item: DueItem) => boolean): Effect.Effect<Option.Option<NextWork>> {
    return Effect.suspend(() => {
      for (const [key, item] of this.held) {
        if (!may(item)) continue
        this.held.delete(key)
        this.taken.set(key, item.dueAt)
        return item.kind === "timer"
          ? Effect.asSome(this.tick(memory, item, 1))
          : Effect.succeedSome<NextWork>({ _tag: "Resume", item })
      }
      return Effect.succeedNone
    })
  }

  noteDeleted(deletion: Deletion): void {
    this.deletions = this.deletions.filter((other) => other !== deletion)
  }

  /** A commit that is handed over puts work off to a time, in Unix milliseconds. */
  notePutOff(dueAt: number): void {
    this.putOffTo = Math.min(this.putOffTo, dueAt)
  }

  /** Every commit is settled. Answers whether any put work off to a time that has come; the scan finds what is due later. */
  noteSettled(now: number): boolean {
    this.taken.clear()
    const isDue = this.putOffTo <= now
    this.putOffTo = Infinity
    return isDue
  }

  /** Forgets what was read: it is looked for again. */
  restart(): void {
    this.due = []
    this.deletions = []
    this.held.clear()
    this.taken.clear()
  }

  private tick(memory: ProgramMemory, item: DueItem, mostTicks: number): Effect.Effect<NextWork> {
    return Effect.gen({ self: this }, function*() {
      const timer = OwnMember.get(memory.program.timers, item.key)
      if (timer === undefined || !memory.program.active) return { _tag: "Forget", item } satisfies NextWork
      const now = yield* Clock.currentTimeMillis
      // From the start of this run: ticks that were missed, or fall due while it runs, are taken once after it.
      const nextDueAt = yield* Effect.orDie(Timer.nextDue(timer, item.dueAt, Math.max(now, item.dueAt)))
      // Looked at first: what is left of a day's quota is known from then on.
      const exceeded = yield* exceededOf(this.quotas, memory.program.accountId)
      if (Option.isSome(exceeded)) {
        const input = tickInput(timer, item, nextDueAt, undefined)
        return { _tag: "Refuse", input, reason: exceeded.value } satisfies NextWork
      }
      const ahead = yield* this.ticksBehind(memory, timer, item, nextDueAt, now, mostTicks)
      const input = tickInput(timer, item, nextDueAt, ahead.length === 0 ? undefined : this.grantOf(memory))
      return { _tag: "Run", inputs: [input, ...ahead] } satisfies NextWork
    })
  }

  private grantOf({ program }: ProgramMemory): TicksGrant | undefined {
    const grant = this.ticksAhead?.grant
    return grant?.programId === program.id && program.workflow === null ? grant : undefined
  }

  /** The ticks after one that is due which may be run together with it. */
  private ticksBehind(
    memory: ProgramMemory,
    timer: Timer.Timer,
    item: DueItem,
    from: number,
    now: number,
    mostTicks: number
  ): Effect.Effect<ReadonlyArray<ProgramInput>> {
    return Effect.gen({ self: this }, function*() {
      const grant = this.grantOf(memory)
      if (grant === undefined || item.dueAt !== now) return []
      const most = Math.min(mostTicks, grant.most, this.quotas.runsLeft(memory.program.accountId, now)) - 1
      const ticks: Array<ProgramInput> = []
      for (let dueAt = from; ticks.length < most && dueAt < grant.before;) {
        const nextDueAt = yield* Effect.orDie(Timer.nextDue(timer, dueAt, dueAt))
        ticks.push(tickInput(timer, { ...item, dueAt }, nextDueAt, grant, false))
        dueAt = nextDueAt
      }
      return ticks
    })
  }
}
