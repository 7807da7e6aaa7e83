import { Effect } from "effect"
import type { BenchFailed } from "./BenchFailed.ts"
import type { Loaded } from "./LoadCall.ts"
import * as MonotonicClock from "./MonotonicClock.ts"
import type { Program } from "./Program.ts"
import { sink } from "./SinkCall.ts"
import type { Settled } from "./Workbench.ts"

/** What is still missing after nothing came for this long is lost, in milliseconds. */
const patienceMs = 20_000

/** How often the sink is asked. */
const interval = "20 millis"

/**
 * Compares what was acknowledged with what came to the targets of each event. What came without an acknowledgement is
 * fine: its caller does not know. Bodies that are not what was sent count as lost.
 *
 * @param targetsOf the targets that an event has to come to, by its place in the piece
 * @param receivedAt by target, when each event came
 */
export const reconcile = (
  loaded: Pick<Loaded, "sentAt" | "ackedAt">,
  targetsOf: (index: number) => ReadonlyArray<string>,
  receivedAt: Readonly<Record<string, { readonly receivedAt: Float64Array; readonly repeated: number }>>
): Settled => {
  const receipts: Array<number> = []
  const fromPost: Array<number> = []
  let lost = 0
  let endedAt = 0
  for (const [index, ackedAt] of loaded.ackedAt.entries()) {
    if (ackedAt === 0) continue
    for (const target of targetsOf(index)) {
      const at = receivedAt[target]?.receivedAt[index] ?? 0
      if (at === 0) {
        lost += 1
        continue
      }
      receipts.push(at - ackedAt)
      fromPost.push(at - loaded.sentAt[index]!)
      endedAt = Math.max(endedAt, at)
    }
  }
  const duplicates = Object.values(receivedAt).reduce((sum, { repeated }) => sum + repeated, 0)
  return { lost, duplicates, endedAt, receipts, fromPost }
}

/**
 * Waits until each event that was acknowledged has come to its targets, or nothing more comes.
 *
 * @param isOwed whether the server still means to send something later, which is no loss
 */
export const settle = Effect.fnUntraced(function*(
  program: Program,
  targets: ReadonlyArray<string>,
  targetsOf: (index: number) => ReadonlyArray<string>,
  loaded: Loaded,
  isOwed: Effect.Effect<boolean, BenchFailed> = Effect.succeed(false)
): Effect.fn.Return<Settled, BenchFailed> {
  const expected = loaded.ackedAt.reduce((sum, at, index) => at === 0 ? sum : sum + targetsOf(index).length, 0)
  let seen = -1
  let seenAt = MonotonicClock.now()
  while (true) {
    const { distinct } = yield* program.ask(sink, { _tag: "Count", targets })
    if (distinct !== seen) {
      seen = distinct
      seenAt = MonotonicClock.now()
    }
    const isOver = MonotonicClock.now() - seenAt > patienceMs && !(yield* isOwed)
    if (distinct >= expected || isOver) {
      const taken = yield* program.ask(sink, { _tag: "Take", targets })
      const settled = reconcile(loaded, targetsOf, taken.targets)
      if (settled.lost === 0 || isOver) return settled
    }
    yield* Effect.sleep(interval)
  }
})
