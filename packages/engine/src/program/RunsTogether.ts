import { type RunCall, type RunResult, runsOf } from "@headwater/sandbox/Run"
import type { SandboxUnavailable } from "@headwater/sandbox/SandboxPool"
import { Effect } from "effect"
import { EngineLimits } from "../ground/EngineLimits.ts"
import type { CodeRuns } from "./CodeRuns.ts"
import type { Executable } from "./ComponentRuns.ts"
import type { ProgramMemory } from "./ProgramMemory.ts"

/** A program's runs over several inputs, one after the other in one message to the sandbox. Their results share commits. */
export interface RunsTogether {
  /** The number of inputs to run together: more while runs are short. */
  readonly most: () => number
  /** Notes how long a run took that was by itself. */
  readonly noteAlone: (wallMs: number) => void
  /**
   * Runs a call, and has results handed over soon after the runs have ended. Answers how many were: the other runs are
   * still to be done, and so are those that the sandbox can't do.
   */
  readonly run: (
    memory: ProgramMemory,
    executable: Executable,
    call: RunCall,
    /** Hands over results that share a commit, the first of which is that of this run. */
    handOver: (results: ReadonlyArray<RunResult>, first: number) => Effect.Effect<void>,
    options?: {
      /** Characters that a run's commit has beside what the run left behind. */
      readonly besideOf?: (run: number) => number
      /** True if the runs after one are given up, and to be done again. */
      readonly isLast?: (result: RunResult) => boolean
    }
  ) => Effect.Effect<number, SandboxUnavailable>
}

/** Only runs that take no longer are done together, in milliseconds. */
const shortMs = 10

const sizeOf = ({ answerJson = "", db, emits, logs }: RunResult): number => {
  let size = answerJson.length
  for (const { payload } of emits) size += payload.length
  for (const { message } of logs) size += message.length
  for (const key in db) size += db[key]?.length ?? 0
  return size
}

export const make = Effect.fnUntraced(function*(code: CodeRuns) {
  const { charactersLeft, count: mostInputs } = (yield* EngineLimits).runsTogether
  let most = 1

  const note = (wallMs: number) => {
    most = wallMs < shortMs ? Math.min(mostInputs, 2 * most) : Math.max(1, Math.floor(most / 2))
  }

  return {
    most: () => most,
    noteAlone: note,
    run: Effect.fnUntraced(
      function*(memory, executable, call, handOver, { besideOf = () => 0, isLast = () => false } = {}) {
        const count = runsOf(call)
        const batch = yield* code.executeBatch(memory, executable, call)
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
        if (taken < count) most = Math.max(1, taken)
        else note(wallMs / taken)
        return taken
      }
    )
  } satisfies RunsTogether as RunsTogether
})
