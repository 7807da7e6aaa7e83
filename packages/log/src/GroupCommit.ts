import type { LoggedEvent } from "@headwater/domain/Event"
import { Cause, Context, Deferred, Effect, Layer, PubSub, Queue, Schedule, Schema, Semaphore } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { byteCount, type Commit, rowCount } from "./Commit.ts"
import { addTally, type CursorKey, type CursorMove, Cursors } from "./Cursors.ts"
import { DedupeMarks } from "./DedupeMarks.ts"
import { Deliveries } from "./Deliveries.ts"
import { DueWork } from "./DueWork.ts"
import { EventLog } from "./EventLog.ts"
import { type Head, Heads } from "./Heads.ts"
import { SourceState } from "./SourceState.ts"
import { isTransient } from "./TransientSqlError.ts"
import { Usage } from "./Usage.ts"

/** The committer no longer owns what it wrote to: an epoch was raised, or a cursor or delivery moved without it. */
export class Fenced extends Schema.TaggedError<Fenced>()("Fenced", {
  what: Schema.String
}) {}

/** The database refused this commit, and would again. Nothing of it was written. */
export class CommitRejected extends Schema.TaggedError<CommitRejected>()("CommitRejected", {
  cause: Schema.Defect()
}) {}

export type CommitError = Fenced | CommitRejected

interface Waiting {
  readonly commit: Commit
  readonly done: Deferred.Deferred<void, CommitError>
}

/** What one commit appended. */
export interface CommittedEvents {
  readonly accountId: string
  readonly events: ReadonlyArray<LoggedEvent>
}

/** Bounds of one transaction, and of what may wait for the next. */
const maxBatchRows = 2_000
const maxBatchBytes = 8 * 1024 * 1024
const maxWaiting = 10_000

const retryInterval = Schedule.min([Schedule.exponential("50 millis"), Schedule.spaced("2 seconds")])

const nothing: ReadonlyArray<never> = []

const lastByKey = <A>(items: ReadonlyArray<A>, key: (item: A) => string): ReadonlyArray<A> => [
  ...new Map(items.map((item) => [key(item), item])).values()
]

/** The head each emitter of a batch ends at: of its newest owner, the last. */
const newestHeads = (batch: ReadonlyArray<Waiting>): ReadonlyMap<string, Head> => {
  const newest = new Map<string, Head>()
  for (const { commit: { head } } of batch) {
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
    const key = `${move.subscriptionId} ${move.emitterId}`
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

/**
 * The node's one writer: takes what is waiting while the previous commit is in flight and writes it as one transaction
 * of multi-row statements. An actor waits for `submit` and by that for COMMIT.
 */
export class GroupCommit extends Context.Service<GroupCommit, {
  /**
   * Takes the commit that `make` answers and returns when it is durable. `make` is called when there is room and what it
   * answers is in line at once, so an actor that assigns ids in it has its commits in the order of their ids.
   *
   * While the database is away the commit waits and is tried again, and what is unclear is found out first, so a caller
   * that can't wait sets a timeout and does not learn the outcome.
   */
  readonly submit: (make: () => Commit) => Effect.Effect<void, CommitError>
  /** Events as they are committed, in log order per emitter. A hint: a slow reader loses the oldest. */
  readonly committed: PubSub.PubSub<ReadonlyArray<CommittedEvents>>
}>()("@headwater/log/GroupCommit") {
  static readonly layerNoDeps = Layer.effect(
    GroupCommit,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const heads = yield* Heads
      const events = yield* EventLog
      const cursors = yield* Cursors
      const state = yield* SourceState
      const marks = yield* DedupeMarks
      const due = yield* DueWork
      const deliveries = yield* Deliveries
      const usage = yield* Usage
      const room = yield* Semaphore.make(maxWaiting)
      const queue = yield* Queue.unbounded<Waiting>()
      const committed = yield* PubSub.sliding<ReadonlyArray<CommittedEvents>>(4_096)

      const all = <A>(
        batch: ReadonlyArray<Waiting>,
        rows: (commit: Commit) => ReadonlyArray<A> | undefined
      ): ReadonlyArray<A> => batch.flatMap(({ commit }) => rows(commit) ?? nothing)

      const whenAny = <A, B>(
        items: ReadonlyArray<A>,
        write: (items: ReadonlyArray<A>) => Effect.Effect<B, SqlError.SqlError>
      ): Effect.Effect<void, SqlError.SqlError> => items.length === 0 ? Effect.void : Effect.asVoid(write(items))

      /** Writes a batch in the surrounding transaction; answers the members that held their epoch. */
      const write = Effect.fnUntraced(function*(
        batch: ReadonlyArray<Waiting>
      ): Effect.fn.Return<ReadonlyArray<Waiting>, Fenced | SqlError.SqlError> {
        const wanted = newestHeads(batch)
        const held = wanted.size === 0 ? new Set<string>() : yield* heads.advance([...wanted.values()])
        const members = batch.filter(({ commit: { head } }) =>
          head === undefined || (held.has(head.emitterId) && wanted.get(head.emitterId)?.epoch === head.epoch)
        )

        yield* whenAny(all(members, (commit) => commit.events), events.append)
        const moves = mergeMoves(all(members, (commit) => commit.moves))
        if (moves.length > 0) {
          const moved = yield* cursors.move(moves)
          const stuck = moves.find((move: CursorKey) => !moved(move))
          if (stuck !== undefined) {
            return yield* new Fenced({ what: `cursor of ${stuck.subscriptionId} on ${stuck.emitterId}` })
          }
        }
        yield* whenAny(all(members, (commit) => commit.settlements), cursors.settle)
        yield* whenAny(
          lastByKey(all(members, (commit) => commit.state), (item) => `${item.sourceId} ${item.key}`),
          state.write
        )
        yield* whenAny(
          lastByKey(all(members, (commit) => commit.marks), (item) => `${item.emitterId} ${item.mark}`),
          marks.add
        )
        yield* whenAny(all(members, (commit) => commit.dueDone), due.done)
        yield* whenAny(
          lastByKey(all(members, (commit) => commit.duePut), (item) => `${item.ownerId} ${item.kind} ${item.key}`),
          due.put
        )
        yield* whenAny(all(members, (commit) => commit.deliveries), deliveries.insert)
        const changes = all(members, (commit) => commit.deliveryChanges)
        if (changes.length > 0) {
          const changed = yield* deliveries.change(changes)
          const stuck = changes.find((change) => !changed.has(change.id))
          if (stuck !== undefined) return yield* new Fenced({ what: `delivery ${stuck.id}` })
        }
        yield* whenAny(all(members, (commit) => commit.attempts), deliveries.record)
        yield* whenAny(all(members, (commit) => commit.usage), usage.add)
        for (const { commit } of members) {
          if (commit.also !== undefined) yield* commit.also
        }
        return members
      })

      /** Whether the transaction with this id committed, asked until the database knows. */
      const outcomeOf = (transaction: string): Effect.Effect<boolean> =>
        sql<{ status: string | null }>`SELECT pg_xact_status(${transaction}::xid8) AS status`.pipe(
          Effect.flatMap(([row]) =>
            row?.status === "in progress" ? Effect.fail("in progress") : Effect.succeed(row?.status === "committed")
          ),
          Effect.tapError((error) => Effect.logWarning("Can't learn the outcome of a commit yet", error)),
          Effect.retry(retryInterval),
          Effect.orDie
        )

      /**
       * One transaction, tried until the database takes or refuses it. After a lost connection the transaction's own id
       * says whether it had committed, so it is neither lost nor written twice.
       */
      const transact = (
        batch: ReadonlyArray<Waiting>
      ): Effect.Effect<ReadonlyArray<Waiting>, Fenced | SqlError.SqlError> =>
        Effect.suspend(() => {
          let transaction: string | undefined
          let members: ReadonlyArray<Waiting> = nothing
          return Effect.gen(function*() {
            const [row] = yield* sql<{ id: string }>`SELECT pg_current_xact_id()::text AS id`
            transaction = row!.id
            members = yield* write(batch)
            return members
          }).pipe(
            sql.withTransaction,
            Effect.catchTag("SqlError", (error) =>
              transaction === undefined || !isTransient(error)
                ? Effect.fail(error)
                : Effect.flatMap(
                  outcomeOf(transaction),
                  (done) => done ? Effect.succeed(members) : Effect.fail(error)
                ))
          )
        }).pipe(
          Effect.tapError((error) =>
            error._tag === "SqlError" && isTransient(error)
              ? Effect.logWarning("The database is not taking commits; trying again", error)
              : Effect.void
          ),
          Effect.retry({
            schedule: retryInterval,
            while: (error) => error._tag === "SqlError" && isTransient(error)
          })
        )

      const succeed = Effect.fnUntraced(function*(batch: ReadonlyArray<Waiting>, members: ReadonlyArray<Waiting>) {
        const appended = members.flatMap(({ commit: { events, head } }): ReadonlyArray<CommittedEvents> =>
          head === undefined || events === undefined || events.length === 0
            ? nothing
            : [{ accountId: head.accountId, events }]
        )
        if (appended.length > 0) yield* PubSub.publish(committed, appended)
        const held = new Set(members)
        for (const waiting of batch) {
          yield* held.has(waiting)
            ? Deferred.succeed(waiting.done, undefined)
            : Deferred.fail(waiting.done, new Fenced({ what: `head of ${waiting.commit.head?.emitterId}` }))
        }
      })

      /**
       * Epochs under which a commit was refused. What the same owner had queued behind it builds on ids and numbers that
       * were never written, so it is refused too, until the actor starts over under a new epoch.
       */
      const refused = new Map<string, bigint>()

      const isRefused = ({ commit: { head } }: Waiting): boolean => {
        if (head === undefined) return false
        const epoch = refused.get(head.emitterId)
        if (epoch !== undefined && epoch < head.epoch) refused.delete(head.emitterId)
        return epoch !== undefined && epoch >= head.epoch
      }

      const refuse = (waiting: Waiting, cause: Cause.Cause<Fenced | SqlError.SqlError>) => {
        const { head } = waiting.commit
        if (head !== undefined) refused.set(head.emitterId, head.epoch)
        const error = Cause.squash(cause)
        return Deferred.fail(waiting.done, Schema.is(Fenced)(error) ? error : new CommitRejected({ cause: error }))
      }

      const commitBatch = (batch: ReadonlyArray<Waiting>): Effect.Effect<void> => {
        const late = batch.filter(isRefused)
        const current = late.length === 0 ? batch : batch.filter((waiting) => !late.includes(waiting))
        return Effect.andThen(
          Effect.forEach(
            late,
            (waiting) => refuse(waiting, Cause.fail(new Fenced({ what: "a commit before this was refused" }))),
            { discard: true }
          ),
          current.length === 0 ? Effect.void : commitCurrent(current)
        )
      }

      const commitCurrent = (batch: ReadonlyArray<Waiting>): Effect.Effect<void> =>
        transact(batch).pipe(
          Effect.flatMap((members) => succeed(batch, members)),
          Effect.catchCause((cause) =>
            batch.length === 1
              ? refuse(batch[0]!, cause)
              // One member spoils the batch: each alone, so that only it fails.
              : Effect.forEach(batch, (waiting) => commitBatch([waiting]), { discard: true })
          )
        )

      const takeBatch = Effect.gen(function*() {
        const batch = [yield* Queue.take(queue)]
        let rows = rowCount(batch[0]!.commit)
        let bytes = byteCount(batch[0]!.commit)
        while (rows < maxBatchRows && bytes < maxBatchBytes) {
          const next = Queue.takeUnsafe(queue)
          if (next === undefined || next._tag === "Failure") break
          batch.push(next.value)
          rows += rowCount(next.value.commit)
          bytes += byteCount(next.value.commit)
        }
        return batch
      })

      yield* takeBatch.pipe(
        Effect.flatMap((batch) => Effect.uninterruptible(commitBatch(batch))),
        Effect.forever,
        Effect.forkScoped
      )

      return GroupCommit.of({
        committed,
        submit: (make) =>
          Effect.gen(function*() {
            const done = yield* Deferred.make<void, CommitError>()
            yield* Effect.sync(() => Queue.offerUnsafe(queue, { commit: make(), done }))
            return yield* Deferred.await(done)
          }).pipe(room.withPermits(1))
      })
    })
  )

  /** The writer and every table it writes to. */
  static readonly layer = GroupCommit.layerNoDeps.pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        Heads.layer,
        EventLog.layer,
        Cursors.layer,
        SourceState.layer,
        DedupeMarks.layer,
        DueWork.layer,
        Deliveries.layer,
        Usage.layer
      )
    )
  )
}
