import { type RunCall, type RunResult, runsOf } from "@headwater/sandbox/Run"
import type { SandboxUnavailable } from "@headwater/sandbox/SandboxPool"
import { Effect } from "effect"
import { EngineLimits, type Limits } from "../ground/EngineLimits.ts"
import type { CodeRuns } from "./CodeRuns.ts"
import type { Executable } from "./ComponentRuns.ts"
import type { ProgramMemory } from "./ProgramMemory.ts"

/** Only runs that take no longer are done together, in milliseconds. A process begins no more of a message's runs after that. */
const shortMs = 100

const sizeOf = ({ answerJson = "", configuredPropsJson = "", db, emits, logs }: RunResult): number => {
  let size = answerJson.length + configuredPropsJson.length
  for (const { payload } of emits) size += payload.length
  for (const { message } of logs) size += message.length
  for (const key in db) size += db[key]?.length ?? 0
  return size
}

/** Runs to do together, and what becomes of them. */
interface Together {
  readonly memory: ProgramMemory
  readonly executable: Executable
  readonly call: RunCall
  /** Hands over results that share a commit, the first of which is that of this run. */
  readonly handOver: (results: ReadonlyArray<RunResult>, first: number) => Effect.Effect<void>
  /** Characters that a run's commit has beside what the run left behind. */
  readonly besideOf?: (run: number) => number
  /** True if the runs after one are given up, and to be done again. */
  readonly isLast?: (result: RunResult) => boolean
  /** Those that have not ended are given up when this returns. */
  readonly givenUp?: Effect.Effect<void>
}

/**
 * A program's runs over several inputs, one after the other in one message to the sandbox. Their results share commits.
 *
 * - T1. Results are handed over in the order of their runs, soon after the runs have ended, and none after one that is the last.
 * - T2. A commit has as many results as fit into `charactersLeft`, and at least one.
 * - T3. The number of runs that go together doubles while runs are short, and halves while they are not. If some are left over,
 *   it is the number of those that were done.
 */
export class RunsTogether {
  private fitting = 1
  private readonly code: CodeRuns
  private readonly limits: Limits["runsTogether"]

  private constructor(code: CodeRuns, limits: Limits["runsTogether"]) {
    this.code = code
    this.limits = limits
  }

  static readonly make = (code: CodeRuns) =>
    Effect.map(EngineLimits, ({ runsTogether }) => new RunsTogether(code, runsTogether))

  /** The number of inputs to run together: more while runs are short. */
  get most(): number {
    return this.fitting
  }

  /** Notes how long a run took by itself, in milliseconds: the busier everything is, the more are to go together. */
  note(ownMs: number): void {
    this.fitting = ownMs < shortMs
      ? Math.min(this.limits.count, 2 * this.fitting)
      : Math.max(1, Math.floor(this.fitting / 2))
  }

  /** Answers how many runs were done: the others are still to be done, and so are those that the sandbox can't do. */
  run(together: Together): Effect.Effect<number, SandboxUnavailable> {
    const { call, executable, givenUp, isLast = () => false, memory } = together
    return Effect.gen({ self: this }, function*() {
      const batch = yield* this.code.executeBatch(memory, executable, call)
      const next = givenUp === undefined ? batch.next : Effect.raceFirst(batch.next, Effect.as(givenUp, []))
      let taken = 0
      let ownMs = 0
      yield* Effect.gen({ self: this }, function*() {
        let results = yield* next
        while (results.length > 0) {
          const last = results.findIndex(isLast)
          const kept = last < 0 ? results : results.slice(0, last + 1)
          yield* this.handOver(together, kept, taken)
          taken += kept.length
          for (const result of kept) ownMs += result.ownMs
          if (last >= 0) return
          results = yield* next
        }
      }).pipe(Effect.ensuring(batch.giveUp))
      if (taken < runsOf(call)) this.fitting = Math.max(1, taken)
      else this.note(ownMs / taken)
      return taken
    })
  }

  private handOver(
    { besideOf = () => 0, handOver }: Together,
    results: ReadonlyArray<RunResult>,
    first: number
  ): Effect.Effect<void> {
    return Effect.gen({ self: this }, function*() {
      for (let from = 0; from < results.length;) {
        let to = from
        let characters = 0
        while (to < results.length) {
          characters += sizeOf(results[to]!) + besideOf(first + to)
          if (to > from && characters > this.limits.charactersLeft) break
          to += 1
        }
        yield* handOver(results.slice(from, to), first + from)
        from = to
      }
    })
  }
}
