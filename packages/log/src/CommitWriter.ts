import { Context, Effect, Layer, Schema } from "effect"
import type { SqlError } from "effect/sql"
import { Attempts } from "./Attempts.ts"
import type { Commit } from "./Commit.ts"
import * as CrashPoint from "./CrashPoint.ts"
import { addTally, type CursorMove, Cursors, keyText } from "./Cursors.ts"
import { DedupeMarks } from "./DedupeMarks.ts"
import { Deliveries } from "./Deliveries.ts"
import { type DueItem, type DueKey, DueWork } from "./DueWork.ts"
import { EventLog } from "./EventLog.ts"
import { type Head, Heads } from "./Heads.ts"
import { ProgramState } from "./ProgramState.ts"
import { Usage } from "./Usage.ts"
import { WorkflowRuns } from "./WorkflowRuns.ts"

/** The committer no longer owns what it wrote to: an epoch was raised, or a cursor or delivery moved without it. */
export class Fenced extends Schema.TaggedError<Fenced>()("Fenced", {
  what: Schema.String
}) {}

const nothing: ReadonlyArray<never> = []

const all = <A>(
  commits: ReadonlyArray<Commit>,
  rows: (commit: Commit) => ReadonlyArray<A> | undefined
): ReadonlyArray<A> => commits.flatMap((commit) => rows(commit) ?? nothing)

const lastByKey = <A>(items: ReadonlyArray<A>, key: (item: A) => string): ReadonlyArray<A> => [
  ...new Map(items.map((item) => [key(item), item])).values()
]

/** The head each emitter of a batch ends at: of its newest owner, the last. */
const newestHeads = (commits: ReadonlyArray<Commit>): ReadonlyMap<string, Head> => {
  const newest = new Map<string, Head>()
  for (const { head } of commits) {
    if (head === undefined) continue
    const known = newest.get(head.emitterId)
    if (known === undefined || known.epoch <= head.epoch) newest.set(head.emitterId, head)
  }
  return newest
}

/** Consecutive moves of a cursor become one; a gap between two is left for the compare-and-set to refuse. */
const mergeMoves = (moves: ReadonlyArray<CursorMove>): ReadonlyArray<CursorMove> => {
  const merged = new Map<string, CursorMove>()
  for (const move of moves) {
    const key = keyText(move)
    const before = merged.get(key)
    merged.set(
      key,
      before === undefined ? move : {
        ...move,
        from: before.to.n === move.from ? before.from : -1,
        tally: addTally(before.tally, move.tally)
      }
    )
  }
  return [...merged.values()]
}

/** What each piece of due work comes to after all commits, in their order. */
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

/** Writes the rows of many commits, with one statement a table. */
export class CommitWriter extends Context.Service<CommitWriter, {
  /**
   * Writes a batch in the surrounding transaction, heads first, in emitter order. Answers the commits that were written;
   * the others' emitters have another owner by now, and nothing of theirs was.
   */
  readonly write: <C extends Commit>(
    commits: ReadonlyArray<C>
  ) => Effect.Effect<ReadonlyArray<C>, Fenced | SqlError.SqlError>
  /**
   * The statements that write a batch if nothing stands against any member of it; otherwise one of them is an error.
   * None where it is known already that something does, or what a member does is not known beforehand.
   */
  readonly statements: (
    commits: ReadonlyArray<Commit>
  ) => ReadonlyArray<Effect.Effect<void, SqlError.SqlError>> | undefined
}>()("@headwater/log/CommitWriter") {
  static readonly layer = Layer.effect(
    CommitWriter,
    Effect.gen(function*() {
      const heads = yield* Heads
      const events = yield* EventLog
      const cursors = yield* Cursors
      const state = yield* ProgramState
      const marks = yield* DedupeMarks
      const due = yield* DueWork
      const attempts = yield* Attempts
      const deliveries = yield* Deliveries
      const usage = yield* Usage
      const runs = yield* WorkflowRuns

      type Write<A> = (items: ReadonlyArray<A>) => Effect.Effect<void, SqlError.SqlError>

      const whenAny = <A>(
        items: ReadonlyArray<A>,
        write: Write<A>
      ): ReadonlyArray<Effect.Effect<void, SqlError.SqlError>> => items.length === 0 ? nothing : [write(items)]

      /** Statements for items of which there may be very many. Each is made when it is its turn to be sent. */
      const inPortions = <A>(items: ReadonlyArray<A>, write: Write<A>, bytesOf: (item: A) => number = () => 0) =>
        portions(items, bytesOf).map((portion) => Effect.suspend(() => write(portion)))

      /** What there is to write beside heads, cursors and deliveries, in an order in which it can be. */
      const rest = (commits: ReadonlyArray<Commit>) => {
        const dueWork = foldDueWork(commits)
        return [
          ...inPortions(all(commits, (commit) => commit.events), events.append, ({ payload }) => payload.length),
          ...whenAny(all(commits, (commit) => commit.settlements), cursors.settle),
          ...whenAny(
            lastByKey(all(commits, (commit) => commit.state), (item) => `${item.programId} ${item.key}`),
            state.write
          ),
          ...inPortions(
            lastByKey(all(commits, (commit) => commit.marks), (item) => `${item.emitterId} ${item.mark}`),
            marks.add
          ),
          ...whenAny(dueWork.done, due.done),
          ...inPortions(dueWork.put, due.put, ({ payload }) => payload.length),
          ...whenAny(all(commits, (commit) => commit.deliveries), deliveries.insert),
          ...whenAny(all(commits, (commit) => commit.attempts), attempts.record),
          ...whenAny(all(commits, (commit) => commit.usage), usage.add),
          ...whenAny(all(commits, (commit) => commit.runs), runs.insert),
          ...whenAny(lastByKey(all(commits, (commit) => commit.runChanges), ({ id }) => id), runs.change),
          ...whenAny(all(commits, (commit) => commit.steps), runs.recordSteps),
          ...all(commits, (commit) => commit.updates).map(Effect.asVoid)
        ]
      }

      const moveCursors = Effect.fnUntraced(function*(commits: ReadonlyArray<Commit>) {
        const moves = mergeMoves(all(commits, (commit) => commit.moves))
        if (moves.length === 0) return
        const moved = yield* cursors.move(moves)
        const unmoved = moves.filter((move) => !moved(move))
        if (unmoved.length === 0) return
        // A cursor that went with its subscription or its emitter is nobody's: the rest of the commit stands.
        const [stuck] = yield* cursors.existing(unmoved)
        if (stuck !== undefined) {
          return yield* new Fenced({ what: `cursor of ${stuck.subscriptionId} on ${stuck.emitterId}` })
        }
      })

      const changeDeliveries = Effect.fnUntraced(function*(commits: ReadonlyArray<Commit>) {
        const changes = all(commits, (commit) => commit.deliveryChanges)
        if (changes.length === 0) return
        const changed = yield* deliveries.change(changes)
        const stuck = changes.find((change) => !changed.has(change.id))
        if (stuck !== undefined) return yield* new Fenced({ what: `delivery ${stuck.id}` })
      })

      return CommitWriter.of({
        write: Effect.fnUntraced(function*<C extends Commit>(commits: ReadonlyArray<C>) {
          const wanted = newestHeads(commits)
          const held = wanted.size === 0 ? new Set<string>() : yield* heads.advance([...wanted.values()])
          const members = commits.filter(({ head }) =>
            head === undefined || (held.has(head.emitterId) && wanted.get(head.emitterId)?.epoch === head.epoch)
          )
          CrashPoint.reached("commit-heads")
          yield* moveCursors(members)
          for (const statement of rest(members)) yield* statement
          yield* changeDeliveries(members)
          for (const { also } of members) {
            if (also !== undefined) yield* also
          }
          return members
        }),
        statements: (commits) => {
          const newest = newestHeads(commits)
          const isStale = ({ head }: Commit) => head !== undefined && newest.get(head.emitterId)?.epoch !== head.epoch
          if (commits.some((commit) => commit.also !== undefined || isStale(commit))) return undefined
          return [
            ...whenAny([...newest.values()], heads.advanceAll),
            ...whenAny(mergeMoves(all(commits, (commit) => commit.moves)), cursors.moveAll),
            ...rest(commits),
            ...whenAny(all(commits, (commit) => commit.deliveryChanges), deliveries.changeAll)
          ]
        }
      })
    })
  )
}
