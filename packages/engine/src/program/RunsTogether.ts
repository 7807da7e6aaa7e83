import { type RunCall, type RunResult, runsOf } from "@headwater/sandbox/Run"
import type { SandboxUnavailable } from "@headwater/sandbox/SandboxPool"
import { Effect } from "effect"
import { EngineLimits, type Limits } from "../ground/EngineLimits.ts"
import type { CodeRuns } from "./CodeRuns.ts"
import type { Executable } from "./ComponentRuns.ts"
import type { ProgramMemory } from "./ProgramMemory.ts"

/** Only runs that take no longer are done together, in milliseconds. */
const shortMs = 10

const sizeOf = ({ answerJson = "", db, emits, logs }: RunResult): number => {
  let size = answerJson.length
  for (const { payload } of emits) size += payload.length
  for (const { message } of logs) size += message.length
  for (const key in db) size += db[key]?.length ?? 0
  return size
}

/**
 * A program's runs over several inputs, one after the other in one message to the sandbox. Their results share commits.
 *
 * - T1. Results are handed over in the order of their inputs, soon after the runs have ended, and a commit has no more
 *   characters than its bound, but for a single result.
 * - T2. The number of inputs doubles while runs are short, and is halved while they are not. Where runs were left over, it is
 *   the number of those that were not.
 */
export class RunsTogether {
  #most = 1
  readonly #code: CodeRuns
  readonly #limits: Limits["runsTogether"]

  private constructor(code: CodeRuns, limits: Limits["runsTogether"]) {
    this.#code = code
    this.#limits = limits
  }

  static readonly make = (code: CodeRuns): Effect.Effect<RunsTogether> =>
    Effect.map(EngineLimits, ({ runsTogether }) => new RunsTogether(code, runsTogether))

  /** The number of inputs to run together: more while runs are short. */
  get most(): number {
    return this.#most
  }

  /** Notes how long a run took that was by itself, or several did on average. */
  note(wallMs: number): void {
    this.#most = wallMs < shortMs
      ? Math.min(this.#limits.count, 2 * this.#most)
      : Math.max(1, Math.floor(this.#most / 2))
  }

  /**
   * Runs a call, and has results handed over soon after the runs have ended. Answers how many were: the other runs are
   * still to be done, and so are those that the sandbox can't do.
   *
   * @param handOver hands over results that share a commit, the first of which is that of this run
   */
  run(
    memory: ProgramMemory,
    executable: Executable,
    call: RunCall,
    handOver: (results: ReadonlyArray<RunResult>, first: number) => Effect.Effect<void>,
    { besideOf = () => 0, isLast = () => false }: {
      /** Characters that a run's commit has beside what the run left behind. */
      readonly besideOf?: (run: number) => number
      /** True if the runs after one are given up, and to be done again. */
      readonly isLast?: (result: RunResult) => boolean
    } = {}
  ): Effect.Effect<number, SandboxUnavailable> {
    return Effect.gen({ self: this }, function*() {
      const { charactersLeft } = this.#limits
      const batch = yield* this.#code.executeBatch(memory, executable, call)
      let taken = 0
      let wallMs = 0

      const handOverAll = Effect.fnUntraced(function*(results: ReadonlyArray<RunResult>) {
        for (let from = 0; from < results.length;) {
          let to = from
          let characters = 0
          while (to < results.length) {
            characters += sizeOf(results[to]!) + besideOf(taken + to - from)
            if (to > from && characters > charactersLeft) break
            wallMs += results[to]!.wallMs
            to += 1
          }
          yield* handOver(results.slice(from, to), taken)
          taken += to - from
          from = to
        }
      })

      yield* Effect.gen(function*() {
        let results = yield* batch.next
        while (results.length > 0) {
          const last = results.findIndex(isLast)
          yield* handOverAll(last < 0 ? results : results.slice(0, last + 1))
          if (last >= 0) return
          results = yield* batch.next
        }
      }).pipe(Effect.ensuring(batch.giveUp))
      if (taken < runsOf(call)) this.#most = Math.max(1, taken)
      else this.note(wallMs / taken)
      return taken
    })
  }
}
