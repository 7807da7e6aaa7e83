import { BoundedMap } from "@headwater/domain/BoundedMap"
import { Cause, Effect, Exit, Random, Schema } from "effect"
import { SqlError } from "effect/sql"
import { isLocked } from "../database/TransientSqlError.ts"
import type { Fence } from "../logs/Fences.ts"
import { type Commit, fenceOf, ownerOf } from "./Commit.ts"
import { type CommitLine, isLarge, maxBatchBytes, maxBatchRows } from "./CommitLine.ts"
import { Fenced } from "./CommitWriter.ts"
import { type CommitError, CommitRejected, type Submission } from "./Submission.ts"

type Batch = ReadonlyArray<Submission>
type WriteError = Fenced | SqlError.SqlError

/**
 * The ways in which the commits of a batch are written. Each answers those that were written, which leaves out what was
 * fenced.
 */
export interface BatchWrites {
  /** Writes commits of many owners in one transaction, tried until the database takes or refuses it. */
  readonly together: (commits: ReadonlyArray<Commit>) => Effect.Effect<ReadonlyArray<Commit>, WriteError>
  /** Writes commits of one owner on another connection. */
  readonly beside: (commits: ReadonlyArray<Commit>) => Effect.Effect<ReadonlyArray<Commit>, WriteError>
  /** Ends a batch of which these commits were written. */
  readonly succeed: (batch: Batch, written: ReadonlyArray<Commit>) => void
  /** Runs what is written beside the batches: commits of one owner, when it is the account's turn. */
  readonly turn: (run: Batch, write: Effect.Effect<void>) => Effect.Effect<void>
  /** Forks what goes on while further batches are written. */
  readonly fork: (work: Effect.Effect<void>) => Effect.Effect<void>
  /** Unix milliseconds. */
  readonly now: () => number
}

/**
 * The times for which an owner's commits are written by themselves after the database refused one, and after its rows
 * were locked.
 */
const suspectedForMs = 60_000
const lockedForMs = 10_000
const maxSuspects = 10_000

/** Owners whose commits are tried, where somebody has locked something, before all are taken to be locked out. */
const mostProbes = 8

/** The database takes no commit of several owners: somebody has locked more than rows of theirs. */
export class AllLocked extends Schema.TaggedError<AllLocked>()("AllLocked", {}) {}

const isLockedOut = (cause: Cause.Cause<WriteError>): boolean => {
  const error = Cause.squash(cause)
  return SqlError.isSqlError(error) && isLocked(error)
}

const errorOf = (cause: Cause.Cause<WriteError>): CommitError => {
  const error = Cause.squash(cause)
  if (Schema.is(Fenced)(error)) return error
  // Nothing is wrong with the commit: its owner reads what there is and does it again.
  return isLockedOut(cause)
    ? new Fenced({ what: "rows that somebody else keeps locked" })
    : new CommitRejected({ cause: error })
}

/** The first commit of each owner in a batch. */
const firstOfOwners = (batch: Batch): Batch => {
  const first = new Map<string, Submission>()
  for (const submission of batch) {
    const owner = ownerOf(submission.commit)
    if (!first.has(owner)) first.set(owner, submission)
  }
  return [...first.values()]
}

/** True if a commit is written beside the batch, whoever makes it. */
const goesApart = (submission: Submission): boolean => submission.commit.also !== undefined || isLarge(submission)

/**
 * Finds the commit that keeps a batch from being written, so that nobody else's waits for it:
 *
 *     batch ─┬─ together ── written
 *            │     └─ refused ── halved, until one commit is left ── fails alone
 *            │     └─ locked ── a few owners are probed ── all are locked: the batch goes back in line
 *            │                                        └─ some are: halved
 *            └─ apart, an owner's line on another connection: large, with `also`, of a suspect, or locked
 *
 * - F1. An owner's commits are written in the order in which they were put: while a line of its is beside, all that comes
 *   after goes there.
 * - F2. After a commit was refused, all later ones under its fence are refused too, since they build on ids and places that
 *   were never written.
 * - F3. If a batch fails as a whole (`AllLocked`), each of its commits is either ended or in line again.
 */
export class FaultSearch {
  private readonly line: CommitLine
  private readonly writes: BatchWrites
  /** Fences under which a commit was refused. Known for as long as anybody has that fence. */
  private readonly refused = new WeakSet<Fence>()
  /** Owners whose next commits are to be written by themselves, and until when, in Unix milliseconds. */
  private readonly suspects = new BoundedMap<string, number>(maxSuspects)
  /** The line of each owner whose commits are written beside the batches now. */
  private readonly beside = new Map<string, Array<Submission>>()

  constructor(line: CommitLine, writes: BatchWrites) {
    this.line = line
    this.writes = writes
  }

  /**
   * Writes a batch. To halve one takes very long where somebody has locked a whole table: then it comes back into line.
   * It is halved only if any of its owners' commits can be written.
   */
  write(batch: Batch): Effect.Effect<void, AllLocked> {
    return this.divide(batch, (together) =>
      this.writeTogether(together, (cause) => {
        const first = firstOfOwners(together)
        return isLockedOut(cause) && first.length > mostProbes
          ? this.probe(together, first)
          : this.halve(together, cause)
      }))
  }

  private writeTogether<E>(
    batch: Batch,
    onFailure: (cause: Cause.Cause<WriteError>) => Effect.Effect<void, E>
  ): Effect.Effect<void, E> {
    return Effect.matchCauseEffect(this.writes.together(batch.map(({ commit }) => commit)), {
      onSuccess: (written) => Effect.sync(() => this.writes.succeed(batch, written)),
      onFailure
    })
  }

  /** Divides a batch into what is written together and what goes apart, which accounts then do in turn. */
  private divide<E>(batch: Batch, writeTogether: (together: Batch) => Effect.Effect<void, E>): Effect.Effect<void, E> {
    const together: Array<Submission> = []
    const apart = new Map<string, Array<Submission>>()
    for (const submission of batch) {
      const owner = ownerOf(submission.commit)
      const line = this.beside.get(owner) ?? apart.get(owner)
      if (line !== undefined) line.push(submission)
      else if (this.isRefused(submission)) this.refuseLater(submission)
      else if (goesApart(submission) || this.isSuspect(owner)) apart.set(owner, [submission])
      else together.push(submission)
    }
    // The commits that an owner has in front of them are written first.
    const written = together.length === 0 ? Effect.void : Effect.tapError(
      writeTogether(together),
      () => Effect.sync(() => this.line.putBack([...together, ...[...apart.values()].flat()]))
    )
    if (apart.size === 0) return written
    return Effect.andThen(
      written,
      Effect.forEach(apart, ([owner, line]) => this.setAside(owner, line), { discard: true })
    )
  }

  /** Writes a part of a batch, which is halved if it is refused. */
  private writePart(part: Batch): Effect.Effect<void> {
    return Effect.suspend(() =>
      this.divide(part, (together) => this.writeTogether(together, (cause) => this.halve(together, cause)))
    )
  }

  /** Halves what was refused, until it is known which commit it was. */
  private halve(batch: Batch, cause: Cause.Cause<WriteError>): Effect.Effect<void> {
    const [only, ...others] = batch
    if (only !== undefined && others.length === 0) return this.fail(only, cause)
    const middle = batch.length >> 1
    return Effect.andThen(this.writePart(batch.slice(0, middle)), this.writePart(batch.slice(middle)))
  }

  private fail(submission: Submission, cause: Cause.Cause<WriteError>): Effect.Effect<void> {
    const owner = ownerOf(submission.commit)
    if (isLockedOut(cause)) return this.setAside(owner, [submission])
    const error = errorOf(cause)
    if (error._tag === "CommitRejected") this.suspect(owner, suspectedForMs)
    return Effect.sync(() => this.refuse(submission, error))
  }

  /** Tries single commits of a few owners, by chance: what can't be written may be many owners' of one account. */
  private probe(batch: Batch, first: Batch): Effect.Effect<void, AllLocked> {
    return Effect.gen({ self: this }, function*() {
      const left = new Set(batch)
      const locked: Array<Submission> = []
      for (const submission of (yield* Random.shuffle(first)).slice(0, mostProbes)) {
        const exit = yield* Effect.exit(this.writes.together([submission.commit]))
        if (Exit.isSuccess(exit)) {
          left.delete(submission)
          this.writes.succeed([submission], exit.value)
        } else if (isLockedOut(exit.cause)) {
          locked.push(submission)
          continue
        }
        for (const submission of locked) {
          left.delete(submission)
          yield* this.setAside(ownerOf(submission.commit), [submission])
        }
        return yield* this.writePart([...left])
      }
      return yield* new AllLocked()
    })
  }

  /** Writes an owner's commits one after the other, on another connection, for as long as more of them come. */
  private setAside(owner: string, line: Array<Submission>): Effect.Effect<void> {
    return Effect.suspend(() => {
      const before = this.beside.get(owner)
      if (before !== undefined) {
        before.push(...line)
        return Effect.void
      }
      this.beside.set(owner, line)
      const writeNext = Effect.suspend(() => {
        const run = this.takeRun(owner, line)
        return Effect.uninterruptible(this.writes.turn(run, this.writeApart(run)))
      })
      return this.writes.fork(
        Effect.andThen(
          Effect.whileLoop({ while: () => line.length > 0, body: () => writeNext, step: () => {} }),
          Effect.sync(() => this.beside.delete(owner))
        )
      )
    })
  }

  /** The first of an owner's line, with those behind it that can share its transaction. */
  private takeRun(owner: string, line: Array<Submission>): Batch {
    const run = line.splice(0, 1)
    if (this.isSuspect(owner) || run.some(goesApart)) return run
    let [rows, bytes] = [0, 0]
    while (line.length > 0 && !goesApart(line[0]!) && rows < maxBatchRows && bytes < maxBatchBytes) {
      const next = line.shift()!
      run.push(next)
      rows += next.rows
      bytes += next.bytes
    }
    return run
  }

  private writeApart(run: Batch): Effect.Effect<void> {
    return Effect.suspend(() => {
      const current: Array<Submission> = []
      for (const submission of run) {
        if (this.isRefused(submission)) this.refuseLater(submission)
        else current.push(submission)
      }
      const [first, ...others] = current
      if (first === undefined) return Effect.void
      return Effect.matchCauseEffect(this.writes.beside(current.map(({ commit }) => commit)), {
        onSuccess: (written) => Effect.sync(() => this.writes.succeed(current, written)),
        onFailure: (cause) => {
          if (others.length > 0) {
            return Effect.forEach(current, (submission) => this.writeApart([submission]), { discard: true })
          }
          const error = errorOf(cause)
          if (error._tag === "CommitRejected") this.suspect(ownerOf(first.commit), suspectedForMs)
          else if (isLockedOut(cause)) this.suspect(ownerOf(first.commit), lockedForMs)
          return Effect.sync(() => this.refuse(first, error))
        }
      })
    })
  }

  private isRefused({ commit }: Submission): boolean {
    const fence = fenceOf(commit)
    return fence !== undefined && this.refused.has(fence)
  }

  private refuse(submission: Submission, error: CommitError): void {
    const fence = fenceOf(submission.commit)
    if (fence !== undefined) this.refused.add(fence)
    this.line.end(submission, Exit.fail(error))
  }

  private refuseLater(submission: Submission): void {
    this.refuse(submission, new Fenced({ what: "a commit before this was refused" }))
  }

  private suspect(owner: string, forMs: number): void {
    this.suspects.set(owner, this.writes.now() + forMs)
  }

  private isSuspect(owner: string): boolean {
    const until = this.suspects.get(owner) ?? 0
    if (until > this.writes.now()) return true
    this.suspects.delete(owner)
    return false
  }
}
