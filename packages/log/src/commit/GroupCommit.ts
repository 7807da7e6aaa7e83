import { AccountLines } from "@headwater/domain/AccountLines"
import * as RealTime from "@headwater/domain/RealTime"
import { Sharers } from "@headwater/domain/Sharers"
import {
  Cause,
  Clock,
  Context,
  Deferred,
  Effect,
  Exit,
  Latch,
  Layer,
  Metric,
  PartitionedSemaphore,
  type PubSub,
  Random,
  Schema
} from "effect"
import { SqlError } from "effect/sql"
import { DatabaseSockets } from "../database/DatabaseClient.ts"
import { describe, isLocked, isTransient, retrySchedule } from "../database/TransientSqlError.ts"
import { DedupeMarks } from "../logs/DedupeMarks.ts"
import { EventLog } from "../logs/EventLog.ts"
import { type Fence, Fences } from "../logs/Fences.ts"
import { Heads } from "../logs/Heads.ts"
import * as Journals from "../logs/Journals.ts"
import { ProgramState } from "../logs/ProgramState.ts"
import { Attempts } from "../work/Attempts.ts"
import { BulkActions } from "../work/BulkActions.ts"
import { Cursors } from "../work/Cursors.ts"
import { Deliveries } from "../work/Deliveries.ts"
import { DueWork } from "../work/DueWork.ts"
import { WorkflowRuns } from "../work/WorkflowRuns.ts"
import { AccountPlaces } from "./AccountPlaces.ts"
import { BatchTransaction, mostBeside } from "./BatchTransaction.ts"
import { accountOf, byteCount, type Commit, fenceOf, ownerOf, rowCount } from "./Commit.ts"
import * as CommittedTopic from "./CommittedTopic.ts"
import { CommitWriter, Fenced } from "./CommitWriter.ts"
import * as CrashPoint from "./CrashPoint.ts"
import * as Figures from "./Figures.ts"
import * as LargeCommits from "./LargeCommits.ts"
import { Pipeline } from "./Pipeline.ts"
import * as Submission from "./Submission.ts"
import { Usage } from "./Usage.ts"
import { Writers } from "./Writers.ts"

/** The database refused this commit, and would again. Nothing of it was written. */
export class CommitRejected extends Schema.TaggedError<CommitRejected>()("CommitRejected", {
  cause: Schema.Defect()
}) {}

export type CommitError = Fenced | CommitRejected

const appendedTotal = Metric.counter("headwater_events_appended_total", {
  description: "Events appended to emitters' logs.",
  incremental: true
})

const appendDuration = Metric.histogram("headwater_append_duration_seconds", {
  description: "Time from taking a batch of commits until it is durable.",
  boundaries: Metric.boundariesFromIterable([0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 5, 30])
})

export type MakeCommit = (submission: Submission.Submission<CommitError>) => Commit

interface Waiting {
  readonly commit: Commit
  readonly rows: number
  readonly bytes: number
  readonly end: (exit: Exit.Exit<void, CommitError>) => void
}

/** Bounds of one transaction. */
const maxBatchRows = 2_000
const maxBatchBytes = 2 * 1024 * 1024
/** What may wait for the next, on the whole machine. */
const maxWaiting = { count: 10_000, bytes: 64 * 1024 * 1024 }

/** From so many rows or bytes on a commit is large: others would notice that they wait for it. */
const manyRows = 256
const manyBytes = 128 * 1024
const isLarge = ({ bytes, rows }: Waiting): boolean => rows >= manyRows || bytes >= manyBytes

/** How much of a batch is one account's before it is another's turn, in bytes. */
const turnBytes = 64 * 1024

/**
 * A batch that the database has not taken after so long, in milliseconds, may never be answered: the sockets that are silent
 * go, and what became of it is asked on another connection.
 */
export const batchDeadlineMs = 10_000
const lookEvery = "1 second"

/** How long an owner's commits are written by themselves after the database refused one, and after its rows were locked. */
const suspectedForMs = 60_000
const lockedForMs = 10_000
const maxSuspects = 10_000

/** Owners whose commits are tried, where somebody has locked something, before all are taken to be locked out. */
const mostProbes = 8

/** The database takes no commit of several owners: somebody has locked more than rows of theirs. */
class AllLocked extends Schema.TaggedError<AllLocked>()("AllLocked", {}) {}

/** The first commit of each owner in a batch. */
const nextOfOwners = (batch: ReadonlyArray<Waiting>): ReadonlyArray<Waiting> => {
  const next = new Map<string, Waiting>()
  for (const waiting of batch) {
    const owner = ownerOf(waiting.commit)
    if (!next.has(owner)) next.set(owner, waiting)
  }
  return [...next.values()]
}

/** A failed commit's cause in one line, for the log; a defect with its stack. */
export const explain = (cause: Cause.Cause<CommitError>): string => {
  const error = Cause.squash(cause)
  if (Schema.is(Fenced)(error)) return `fenced: ${error.what}`
  const reason = Schema.is(CommitRejected)(error) ? error.cause : error
  return SqlError.isSqlError(reason) ? describe(reason) : Cause.pretty(Cause.die(reason))
}

/**
 * The node's one writer: takes what is waiting while the previous commit is in flight and writes it as one transaction
 * of multi-row statements.
 */
export class GroupCommit extends Context.Service<GroupCommit, {
  /**
   * Takes the commit that `make` answers, whether there is room or not. It is in line at once, so an actor that assigns ids
   * in `make` has its commits in the order of their ids.
   *
   * While the database is away the commit waits and is tried again, and what is unclear is found out first, so who can't
   * wait that long does not learn the outcome.
   */
  readonly submitUnsafe: (make: MakeCommit) => Submission.Submission<CommitError>
  /** Whether there is no room in line for an account: it has much there already, or the database is far behind. */
  readonly isFull: (accountId: string) => boolean
  /** Returns when there is room, first to who waits longest of the account. */
  readonly room: (accountId: string) => Effect.Effect<void>
  /** Whether no commit is in line or under way. */
  readonly isIdle: Effect.Effect<boolean>
  /** How long the oldest transaction has been under way, in milliseconds; 0 where there is none. */
  readonly ageMs: () => number
  /** Returns the cause when the writer has died of a defect: nothing is written any more. */
  readonly died: Effect.Effect<Cause.Cause<unknown>>
  /** Events as they are committed, in log order per emitter. A hint: a reader that is too far behind misses some. */
  readonly committed: PubSub.PubSub<ReadonlyArray<CommittedTopic.CommittedEvents>>
  /** The emitters that were appended to since this was last called. */
  readonly takeAppendedTo: () => ReadonlySet<string>
}>()("@headwater/log/commit/GroupCommit") {
  static readonly layerNoTables = Layer.effect(
    GroupCommit,
    Effect.gen(function*() {
      const transaction = yield* BatchTransaction
      const clock = yield* Clock.Clock
      const scope = yield* Effect.scope
      const sockets = yield* DatabaseSockets
      const large = yield* LargeCommits.make
      const slots = yield* PartitionedSemaphore.make<string>({ permits: mostBeside })
      const journals = yield* Journals.Journals
      const figures = yield* Figures.Figures
      const died = yield* Deferred.make<Cause.Cause<unknown>>()
      const lines = new AccountLines<Waiting>(turnBytes, ({ bytes }) => bytes)
      const arrived = yield* Latch.make(false)
      const sharers = yield* Sharers
      /** Room that is held by commits that were taken and have not ended. */
      const places = new AccountPlaces({
        count: Math.ceil(maxWaiting.count / sharers),
        bytes: Math.ceil(maxWaiting.bytes / sharers)
      })
      const committed = yield* CommittedTopic.make
      let appendedTo = new Set<string>()
      /** Commits that were handed over and have not ended. */
      let waitingCount = 0

      /** Tried until the database takes or refuses it. What somebody else has locked is for the caller to deal with. */
      const transact = (attempt: Effect.Effect<ReadonlyArray<Commit>, Fenced | SqlError.SqlError>) =>
        attempt.pipe(
          Effect.tapError((error) =>
            SqlError.isSqlError(error) && isTransient(error) && !isLocked(error)
              ? Effect.logWarning("The database is not taking commits; trying again").pipe(
                Effect.annotateLogs({ error: describe(error) })
              )
              : Effect.void
          ),
          Effect.retry({
            schedule: retrySchedule,
            while: (error) => SqlError.isSqlError(error) && isTransient(error) && !isLocked(error)
          })
        )

      const now = () => RealTime.elapsedUnsafe(clock)
      /** Open while anything is being written. */
      const busy = yield* Latch.make(false)
      /** When what is being written began, the oldest first. */
      const underWay = new Set<{ readonly since: number }>()
      const ageMs = () => {
        for (const { since } of underWay) return now() - since
        return 0
      }

      /** Notes how long a transaction takes, with all that is done until its outcome is known. */
      const dated = <A>(write: Effect.Effect<A>) =>
        Effect.suspend(() => {
          const one = { since: now() }
          underWay.add(one)
          busy.openUnsafe()
          return Effect.ensuring(
            write,
            Effect.sync(() => {
              underWay.delete(one)
              if (underWay.size === 0) busy.closeUnsafe()
            })
          )
        })

      const orDied = <A>(work: Effect.Effect<A>) =>
        Effect.tapCause(work, (cause) => Cause.hasInterruptsOnly(cause) ? Effect.void : Deferred.succeed(died, cause))

      const end = ({ bytes, commit, end }: Waiting, exit: Exit.Exit<void, CommitError>) => {
        waitingCount -= 1
        end(exit)
        places.release(accountOf(commit), bytes)
      }

      const succeed = Effect.fnUntraced(function*(batch: ReadonlyArray<Waiting>, members: ReadonlyArray<Commit>) {
        CrashPoint.reached("commit-done")
        journals.note(members)
        figures.noteCommits(members)
        const appended: Array<CommittedTopic.CommittedEvents> = []
        let count = 0
        for (const { events, head } of members) {
          if (head === undefined || events === undefined || events.length === 0) continue
          appended.push({ accountId: head.accountId, events })
          count += events.length
          appendedTo.add(head.emitterId)
        }
        yield* Metric.update(appendedTotal, count)
        if (appended.length > 0) {
          committed.publishUnsafe(appended, batch.reduce((sum, { bytes }) => sum + bytes, 0))
        }
        const written = new Set(members)
        for (const waiting of batch) {
          const { commit } = waiting
          end(
            waiting,
            written.has(commit) ? Exit.void : Exit.fail(new Fenced({ what: ownerOf(commit) }))
          )
        }
      })

      /**
       * Fences under which a commit was refused. What the same owner hands over after it, however late, builds on ids and
       * places that were never written, so it is refused too, until the actor starts over under a new epoch. Known for as
       * long as anybody has that fence.
       */
      const refused = new WeakSet<Fence>()

      const isRefused = ({ commit }: Waiting): boolean => {
        const fence = fenceOf(commit)
        return fence !== undefined && refused.has(fence)
      }

      const refuse = (waiting: Waiting, error: CommitError) => {
        const fence = fenceOf(waiting.commit)
        if (fence !== undefined) refused.add(fence)
        end(waiting, Exit.fail(error))
      }

      const passOver = (waiting: Waiting) => refuse(waiting, new Fenced({ what: "a commit before this was refused" }))

      const errorOf = (cause: Cause.Cause<Fenced | SqlError.SqlError>): CommitError => {
        const error = Cause.squash(cause)
        if (Schema.is(Fenced)(error)) return error
        // Nothing is wrong with the commit: its owner reads what there is and does it again.
        return SqlError.isSqlError(error) && isLocked(error)
          ? new Fenced({ what: "rows that somebody else keeps locked" })
          : new CommitRejected({ cause: error })
      }

      /** What waits of each owner whose commits are written by themselves now, beside the batch. */
      const beside = new Map<string, Array<Waiting>>()
      /** Owners whose next commits are to be written by themselves, and until when, in Unix milliseconds. */
      const suspects = new Map<string, number>()

      const suspect = (owner: string, forMs: number) => {
        if (suspects.size >= maxSuspects) suspects.clear()
        suspects.set(owner, clock.currentTimeMillisUnsafe() + forMs)
      }

      const isSuspect = (owner: string): boolean => {
        const until = suspects.get(owner) ?? 0
        if (until > clock.currentTimeMillisUnsafe()) return true
        suspects.delete(owner)
        return false
      }

      const isLockedOut = (cause: Cause.Cause<Fenced | SqlError.SqlError>): boolean => {
        const error = Cause.squash(cause)
        return SqlError.isSqlError(error) && isLocked(error)
      }

      /** Whether a commit is written beside the batch, whoever makes it. */
      const goesApart = (waiting: Waiting): boolean => waiting.commit.also !== undefined || isLarge(waiting)

      /** The first of an owner's line, with those behind it that can share its transaction. */
      const takeRun = (owner: string, line: Array<Waiting>): ReadonlyArray<Waiting> => {
        const run = line.splice(0, 1)
        if (isSuspect(owner) || run.some(goesApart)) return run
        let [rows, bytes] = [0, 0]
        while (line.length > 0 && !goesApart(line[0]!) && rows < maxBatchRows && bytes < maxBatchBytes) {
          const next = line.shift()!
          run.push(next)
          rows += next.rows
          bytes += next.bytes
        }
        return run
      }

      const writeApart = (run: ReadonlyArray<Waiting>): Effect.Effect<void> => {
        const current: Array<Waiting> = []
        for (const waiting of run) {
          if (isRefused(waiting)) passOver(waiting)
          else current.push(waiting)
        }
        const [first] = current
        if (first === undefined) return Effect.void
        return Effect.matchCauseEffect(transact(transaction.beside(current.map(({ commit }) => commit))), {
          onSuccess: (members) => succeed(current, members),
          onFailure: (cause) => {
            if (current.length > 1) {
              return Effect.forEach(current, (waiting) => Effect.suspend(() => writeApart([waiting])), {
                discard: true
              })
            }
            const error = errorOf(cause)
            if (error._tag === "CommitRejected") suspect(ownerOf(first.commit), suspectedForMs)
            else if (isLockedOut(cause)) suspect(ownerOf(first.commit), lockedForMs)
            return Effect.sync(() => refuse(first, error))
          }
        })
      }

      /** Writes an owner's commits one after the other, on another connection, for as long as more of them come. */
      const setAside = (owner: string, line: Array<Waiting>) =>
        Effect.suspend(() => {
          const before = beside.get(owner)
          if (before !== undefined) {
            before.push(...line)
            return Effect.void
          }
          beside.set(owner, line)
          return Effect.gen(function*() {
            while (line.length > 0) {
              const run = takeRun(owner, line)
              const account = accountOf(run[0]!.commit)
              const write = slots.withPermit(account)(dated(writeApart(run)))
              yield* Effect.uninterruptible(run.some(isLarge) ? large.write(account, write) : write)
            }
            beside.delete(owner)
          }).pipe(orDied, Effect.forkIn(scope), Effect.asVoid)
        })

      /** Back in line, before what has come since. */
      const putBack = (waiting: ReadonlyArray<Waiting>) => {
        for (const one of waiting.toReversed()) lines.putFirst(accountOf(one.commit), one)
        arrived.openUnsafe()
      }

      /**
       * Writes together what can be. Other commits do not wait for one that takes long or may fail: a large one, and those of
       * an owner whose rows are locked, who has been refused, or who changes a resource by more than a statement, are written
       * by themselves, accounts in turn.
       */
      const commitBatch = <E>(
        batch: ReadonlyArray<Waiting>,
        commitTogether: (together: ReadonlyArray<Waiting>) => Effect.Effect<void, E>
      ): Effect.Effect<void, E> => {
        const together: Array<Waiting> = []
        const apart = new Map<string, Array<Waiting>>()
        for (const waiting of batch) {
          const owner = ownerOf(waiting.commit)
          const line = beside.get(owner) ?? apart.get(owner)
          if (line !== undefined) line.push(waiting)
          else if (isRefused(waiting)) passOver(waiting)
          else if (goesApart(waiting) || isSuspect(owner)) {
            apart.set(owner, [waiting])
          } else together.push(waiting)
        }
        // What an owner has in front of them is written first.
        return (together.length === 0 ? Effect.void : commitTogether(together)).pipe(
          Effect.tapError(() => Effect.sync(() => putBack([...together, ...[...apart.values()].flat()]))),
          Effect.andThen(Effect.forEach(apart, ([owner, line]) => setAside(owner, line), { discard: true }))
        )
      }

      /** What is refused is halved, until it is known which commit it was. */
      const commitPart = (batch: ReadonlyArray<Waiting>): Effect.Effect<void> =>
        Effect.matchCauseEffect(transact(transaction.together(batch.map(({ commit }) => commit))), {
          onSuccess: (members) => succeed(batch, members),
          onFailure: (cause) => halve(batch, cause)
        })

      const halve = (batch: ReadonlyArray<Waiting>, cause: Cause.Cause<Fenced | SqlError.SqlError>) => {
        if (batch.length > 1) {
          const middle = batch.length >> 1
          return Effect.andThen(
            commitBatch(batch.slice(0, middle), commitPart),
            Effect.suspend(() => commitBatch(batch.slice(middle), commitPart))
          )
        }
        const waiting = batch[0]!
        const owner = ownerOf(waiting.commit)
        if (isLockedOut(cause)) return setAside(owner, [waiting])
        const error = errorOf(cause)
        if (error._tag === "CommitRejected") suspect(owner, suspectedForMs)
        return Effect.sync(() => refuse(waiting, error))
      }

      /**
       * To halve a batch takes very long where somebody has locked a whole table: then the batch comes back into line. It is
       * halved only if any of its owners' commits can be written.
       */
      const commitWhole = (batch: ReadonlyArray<Waiting>): Effect.Effect<void, AllLocked> =>
        Effect.matchCauseEffect(transact(transaction.together(batch.map(({ commit }) => commit))), {
          onSuccess: (members) => succeed(batch, members),
          onFailure: (cause) => {
            const next = nextOfOwners(batch)
            return isLockedOut(cause) && next.length > mostProbes ? probe(batch, next) : halve(batch, cause)
          }
        })

      const probe = Effect.fnUntraced(function*(batch: ReadonlyArray<Waiting>, next: ReadonlyArray<Waiting>) {
        const left = new Set(batch)
        const locked: Array<Waiting> = []
        // By chance: what cannot be written may be many owners' of one account.
        for (const waiting of (yield* Random.shuffle(next)).slice(0, mostProbes)) {
          const exit = yield* Effect.exit(transact(transaction.together([waiting.commit])))
          if (Exit.isSuccess(exit)) {
            left.delete(waiting)
            yield* succeed([waiting], exit.value)
          } else if (isLockedOut(exit.cause)) {
            locked.push(waiting)
            continue
          }
          for (const waiting of locked) {
            left.delete(waiting)
            yield* setAside(ownerOf(waiting.commit), [waiting])
          }
          return yield* commitBatch([...left], commitPart)
        }
        return yield* new AllLocked()
      })

      const timed = Effect.fnUntraced(function*<E>(commit: Effect.Effect<void, E>) {
        const from = yield* RealTime.elapsed
        yield* commit
        yield* Metric.update(appendDuration, ((yield* RealTime.elapsed) - from) / 1_000)
      })

      const takeBatch = Effect.gen(function*() {
        // What is ready to run comes first: its commits join the batch.
        yield* Effect.yieldNow
        const batch: Array<Waiting> = []
        let rows = 0
        let bytes = 0
        while (rows < maxBatchRows && bytes < maxBatchBytes) {
          const next = lines.take()
          if (next === undefined) break
          batch.push(next)
          // What is written by itself takes nothing of the batch.
          if (isLarge(next)) continue
          rows += next.rows
          bytes += next.bytes
        }
        if (lines.size === 0) arrived.closeUnsafe()
        return batch
      })

      const writeNext = takeBatch.pipe(
        Effect.flatMap((batch) => timed(Effect.suspend(() => commitBatch(batch, commitWhole)))),
        Effect.uninterruptible,
        Effect.tapError(() =>
          Effect.logWarning(
            "No commit can be written, because of locks that somebody holds in the database; trying again"
          )
        ),
        Effect.retry(retrySchedule),
        Effect.orDie,
        dated
      )

      yield* arrived.await.pipe(
        Effect.andThen(writeNext),
        Effect.forever,
        orDied,
        Effect.forkScoped
      )

      yield* busy.await.pipe(
        Effect.andThen(Effect.sleep(lookEvery)),
        Effect.andThen(Effect.suspend(() => {
          const dropped = ageMs() < batchDeadlineMs ? 0 : sockets.dropSilent()
          return dropped === 0 ? Effect.void : Effect.logWarning(
            `The database has not answered for ${
              Math.round(ageMs() / 1_000)
            } s; ${dropped} silent connections are closed`
          )
        })),
        Effect.forever,
        Effect.forkScoped
      )

      return GroupCommit.of({
        committed: committed.batches,
        isIdle: Effect.sync(() => waitingCount === 0),
        ageMs,
        died: Deferred.await(died),
        isFull: (accountId) => places.isFull(accountId),
        room: (accountId) => places.free(accountId),
        takeAppendedTo: () => {
          const taken = appendedTo
          appendedTo = new Set()
          return taken
        },
        submitUnsafe: (make) => {
          const { end, submission } = Submission.make<CommitError>()
          const commit = make(submission)
          submission.bytes = byteCount(commit)
          const accountId = accountOf(commit)
          waitingCount += 1
          lines.put(accountId, { commit, rows: rowCount(commit), bytes: submission.bytes, end })
          arrived.openUnsafe()
          places.take(accountId, submission.bytes)
          return submission
        }
      })
    })
  )

  /** The writer and every table it writes to. */
  static readonly layer = GroupCommit.layerNoTables.pipe(
    Layer.provide(BatchTransaction.layer),
    Layer.provide([CommitWriter.layer, Pipeline.layer, Writers.layer]),
    Layer.provideMerge(Layer.merge(Journals.layerFolding, Figures.layerWriting)),
    Layer.provideMerge(
      Layer.mergeAll(
        Fences.layer,
        Heads.layer,
        Figures.Figures.layer,
        Journals.Journals.layer,
        EventLog.layer,
        Cursors.layer,
        ProgramState.layer,
        DedupeMarks.layer,
        DueWork.layer,
        Attempts.layer,
        Deliveries.layer,
        Usage.layer,
        WorkflowRuns.layer,
        BulkActions.layer
      )
    )
  )
}
