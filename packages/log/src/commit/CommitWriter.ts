import type { LoggedEvent } from "@headwater/domain/Event"
import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { FilledInsertion, Insertion } from "../internal/Insertion.ts"
import { DedupeMarks } from "../logs/DedupeMarks.ts"
import { intoEvents } from "../logs/EventLog.ts"
import { type Fence, Fences } from "../logs/Fences.ts"
import { type Head, type HeadMove, intoHeadsJournal } from "../logs/Heads.ts"
import { intoProgramStateJournal } from "../logs/ProgramState.ts"
import { intoAttempts } from "../work/Attempts.ts"
import { BulkActions } from "../work/BulkActions.ts"
import { addTally, type CursorChange, type CursorMove, Cursors, intoCursorsJournal, keyText } from "../work/Cursors.ts"
import { Deliveries } from "../work/Deliveries.ts"
import { type DueItem, type DueKey, DueWork } from "../work/DueWork.ts"
import { add as addRuns, isBooked, noRuns, type RunCounts } from "../work/RunBooks.ts"
import { WorkflowRuns } from "../work/WorkflowRuns.ts"
import { type Commit, fenceOf, runsIn } from "./Commit.ts"
import * as CrashPoint from "./CrashPoint.ts"
import type { UsageEntry } from "./Usage.ts"

/** The committer no longer owns what it wrote to: an epoch was raised, or a delivery changed without it. */
export class Fenced extends Schema.TaggedError<Fenced>()("Fenced", {
  what: Schema.String
}) {}

const nothing: ReadonlyArray<never> = []

const all = <A>(
  commits: ReadonlyArray<Commit>,
  rows: (commit: Commit) => ReadonlyArray<A> | undefined
): ReadonlyArray<A> => {
  let found: Array<A> | undefined
  for (const commit of commits) {
    const own = rows(commit)
    if (own === undefined || own.length === 0) continue
    if (found === undefined) found = [...own]
    else for (const row of own) found.push(row)
  }
  return found ?? nothing
}

const lastByKey = <A>(items: ReadonlyArray<A>, key: (item: A) => string): ReadonlyArray<A> => [
  ...new Map(items.map((item) => [key(item), item])).values()
]

/** Of each owner in a batch the newest. */
const newestFences = (commits: ReadonlyArray<Commit>): ReadonlyMap<string, Fence> => {
  const newest = new Map<string, Fence>()
  for (const commit of commits) {
    const fence = fenceOf(commit)
    if (fence === undefined) continue
    const known = newest.get(fence.ownerId)
    if (known === undefined || known.epoch < fence.epoch) newest.set(fence.ownerId, fence)
  }
  return newest
}

/** The heads of emitters after all commits, and the use of their runs, by day, and their books. */
const headMoves = (commits: ReadonlyArray<Commit>): ReadonlyArray<HeadMove> => {
  const heads = new Map<string, Head>()
  const used = new Map<string, UsageEntry>()
  const booked = new Map<string, RunCounts>()
  const takeRuns = (emitterId: string) => {
    const runs = booked.get(emitterId)
    booked.delete(emitterId)
    return runs
  }
  for (const commit of commits) {
    const { events, head, usage } = commit
    const runs = head === undefined ? noRuns : runsIn(commit)
    if (head !== undefined && isBooked(runs)) {
      booked.set(head.emitterId, addRuns(booked.get(head.emitterId) ?? noRuns, runs))
    }
    if (head !== undefined && events !== undefined && events.length > 0) heads.set(head.emitterId, head)
    for (const entry of usage ?? nothing) {
      const key = `${entry.emitterId} ${entry.day}`
      const before = used.get(key)
      used.set(
        key,
        before === undefined ? entry : {
          ...entry,
          invocations: before.invocations + entry.invocations,
          computeMs: before.computeMs + entry.computeMs
        }
      )
    }
  }
  const moves: Array<HeadMove> = []
  for (const entry of used.values()) {
    const { emitterId } = entry
    moves.push({ emitterId, to: heads.get(emitterId), used: entry, runs: takeRuns(emitterId) })
    heads.delete(emitterId)
  }
  for (const head of heads.values()) {
    const { emitterId } = head
    moves.push({ emitterId, to: head, used: undefined, runs: takeRuns(emitterId) })
  }
  for (const [emitterId, runs] of booked) moves.push({ emitterId, to: undefined, used: undefined, runs })
  return moves
}

/** The changes of commits to cursors, each once, and those of them that leave the beginning. */
const foldMoves = (commits: ReadonlyArray<Commit>) => {
  const changes = new Map<string, CursorChange>()
  const first: Array<CursorMove> = []
  const add = (key: string, change: CursorChange) => {
    const before = changes.get(key)
    changes.set(
      key,
      before === undefined
        ? change
        : { ...change, to: change.to ?? before.to, tally: addTally(before.tally, change.tally) }
    )
  }
  for (const { moves, settlements } of commits) {
    for (const move of moves ?? nothing) {
      if (move.from === 0) first.push(move)
      add(keyText(move), move)
    }
    for (const settlement of settlements ?? nothing) add(keyText(settlement), { ...settlement, to: undefined })
  }
  return { changes: [...changes.values()], first }
}

/** The state of each piece of due work after all commits, in their order. */
const foldDueWork = (commits: ReadonlyArray<Commit>) => {
  const keyOf = (key: DueKey) => `${key.ownerId} ${key.kind} ${key.key}`
  const done = new Map<string, DueItem>()
  const put = new Map<string, DueItem>()
  for (const commit of commits) {
    for (const item of commit.dueDone ?? nothing) {
      done.set(keyOf(item), item)
      if ((put.get(keyOf(item))?.dueAt ?? Infinity) <= item.dueAt) put.delete(keyOf(item))
    }
    for (const item of commit.duePut ?? nothing) {
      done.delete(keyOf(item))
      put.set(keyOf(item), item)
    }
  }
  return { done: [...done.values()], put: [...put.values()] }
}

/** Rows and bytes of a statement: to make one holds up the thread, for longer the more there are. */
const statementRows = 500
const statementBytes = 256 * 1024

/** Items in their order, cut into as many as one statement writes. */
const portions = <A>(items: ReadonlyArray<A>, bytesOf: (item: A) => number): ReadonlyArray<ReadonlyArray<A>> => {
  const cut: Array<Array<A>> = []
  let current: Array<A> = []
  let bytes = 0
  for (const item of items) {
    if (current.length === 0 || current.length >= statementRows || bytes >= statementBytes) {
      current = []
      bytes = 0
      cut.push(current)
    }
    current.push(item)
    bytes += bytesOf(item)
  }
  return cut
}

/** The insertions of commits. Portions of events beyond the first are for statements of their own. */
const insertionsOf = (commits: ReadonlyArray<Commit>, changes: ReadonlyArray<CursorChange>) => {
  const together: Array<FilledInsertion> = []
  const add = <A>(insertion: Insertion<A>, rows: ReadonlyArray<A>) => {
    if (rows.length > 0) together.push(insertion.of(rows))
  }
  const [events = nothing, ...moreEvents] = portions(
    all(commits, (commit) => commit.events),
    ({ payload }) => payload.length
  )
  add(intoHeadsJournal, headMoves(commits))
  add(intoCursorsJournal, changes)
  add(intoEvents, events)
  add(
    intoProgramStateJournal,
    lastByKey(all(commits, (commit) => commit.state), (item) => `${item.programId} ${item.key}`)
  )
  add(intoAttempts, all(commits, (commit) => commit.attempts))
  return { together, moreEvents }
}

/** Writes the rows of many commits, with one statement a table. */
export class CommitWriter extends Context.Service<CommitWriter, {
  /**
   * Writes a batch in the surrounding transaction, which first takes hold of its owners' fences. Answers the commits that
   * were written; what the others are of has another owner by now, and nothing of theirs was.
   */
  readonly write: <C extends Commit>(
    commits: ReadonlyArray<C>
  ) => Effect.Effect<ReadonlyArray<C>, Fenced | SqlError.SqlError>
  /** True if all that commits do is known beforehand, and nothing is known to stand against any of them. */
  readonly isForeseen: (commits: ReadonlyArray<Commit>) => boolean
  /**
   * The statements that write a foreseen batch, and the note of it, if nothing stands against any member; otherwise one
   * of them is an error.
   */
  readonly statements: (
    commits: ReadonlyArray<Commit>,
    note: FilledInsertion
  ) => ReadonlyArray<Effect.Effect<void, SqlError.SqlError>>
}>()("@headwater/log/commit/CommitWriter") {
  static readonly layer = Layer.effect(
    CommitWriter,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const fences = yield* Fences
      const cursors = yield* Cursors
      const marks = yield* DedupeMarks
      const due = yield* DueWork
      const deliveries = yield* Deliveries
      const runs = yield* WorkflowRuns
      const bulkActions = yield* BulkActions

      type Write<A> = (items: ReadonlyArray<A>) => Effect.Effect<void, SqlError.SqlError>

      const whenAny = <A>(
        items: ReadonlyArray<A>,
        write: Write<A>
      ): ReadonlyArray<Effect.Effect<void, SqlError.SqlError>> => items.length === 0 ? nothing : [write(items)]

      /** Statements for items of which there may be very many. Each is made when it is its turn to be sent. */
      const inPortions = <A>(items: ReadonlyArray<A>, write: Write<A>, bytesOf: (item: A) => number = () => 0) =>
        portions(items, bytesOf).map((portion) => Effect.suspend(() => write(portion)))

      /** The writes beside fences, insertions and changed deliveries, in an order in which they can be made. */
      const rest = (commits: ReadonlyArray<Commit>, first: ReadonlyArray<CursorMove>) => {
        const dueWork = foldDueWork(commits)
        return [
          ...whenAny(first, cursors.begin),
          ...inPortions(
            lastByKey(all(commits, (commit) => commit.marks), (item) => `${item.emitterId} ${item.mark}`),
            marks.add
          ),
          ...whenAny(dueWork.done, due.done),
          ...inPortions(dueWork.put, due.put, ({ payload }) => payload.length),
          ...whenAny(all(commits, (commit) => commit.deliveries), deliveries.insert),
          ...whenAny(all(commits, (commit) => commit.runs), runs.insert),
          ...whenAny(lastByKey(all(commits, (commit) => commit.runChanges), ({ id }) => id), runs.change),
          ...whenAny(all(commits, (commit) => commit.steps), runs.recordSteps),
          ...whenAny(all(commits, (commit) => commit.resumptions), runs.resumeSteps),
          ...whenAny(all(commits, (commit) => commit.bulkMarks), bulkActions.mark),
          ...all(commits, (commit) => commit.updates).map(Effect.asVoid)
        ]
      }

      const appendEach = (portions: ReadonlyArray<ReadonlyArray<LoggedEvent>>) =>
        portions.map((events) => Effect.suspend(() => intoEvents.run(sql, events)))

      const changeDeliveries = Effect.fnUntraced(function*(commits: ReadonlyArray<Commit>) {
        const changes = all(commits, (commit) => commit.deliveryChanges)
        if (changes.length === 0) return
        const changed = yield* deliveries.change(changes)
        const stuck = changes.find((change) => !changed.has(change.id))
        if (stuck !== undefined) return yield* new Fenced({ what: `delivery ${stuck.id}` })
      })

      return CommitWriter.of({
        write: Effect.fnUntraced(function*<C extends Commit>(commits: ReadonlyArray<C>) {
          const wanted = newestFences(commits)
          const held = wanted.size === 0 ? new Set<string>() : yield* fences.hold([...wanted.values()])
          const members = commits.filter((commit) => {
            const fence = fenceOf(commit)
            return fence === undefined || (held.has(fence.ownerId) && wanted.get(fence.ownerId)?.epoch === fence.epoch)
          })
          CrashPoint.reached("commit-held")
          const { changes, first } = foldMoves(members)
          const { moreEvents, together } = insertionsOf(members, changes)
          for (const insertion of together) yield* insertion.run(sql)
          for (const statement of [...appendEach(moreEvents), ...rest(members, first)]) yield* statement
          yield* changeDeliveries(members)
          for (const { also } of members) {
            if (also !== undefined) yield* also
          }
          return members
        }),
        isForeseen: (commits) => {
          const newest = newestFences(commits)
          return commits.every((commit) => {
            const fence = fenceOf(commit)
            return commit.also === undefined &&
              (fence === undefined || newest.get(fence.ownerId)?.epoch === fence.epoch)
          })
        },
        statements: (commits, note) => {
          const { changes, first } = foldMoves(commits)
          const { moreEvents, together } = insertionsOf(commits, changes)
          return [
            fences.holdAll([...newestFences(commits).values()], [note, ...together]),
            ...appendEach(moreEvents),
            ...rest(commits, first),
            ...whenAny(all(commits, (commit) => commit.deliveryChanges), deliveries.changeAll)
          ]
        }
      })
    })
  )
}
