import type { AccountId } from "@headwater/domain/Id"
import { Effect } from "effect"
import { RunTurns } from "./RunTurns.ts"

/** A program's turns to run its own requests (`RunTurns`). */
export interface RequestTurn {
  /** Takes the turn to run requests. Answers false where it is not the program's turn, which it then waits for. */
  readonly take: (accountId: AccountId, count: number) => boolean
  /** Whether the program waits for its turn, and is going to be told. */
  readonly isAwaited: () => boolean
}

/** @param onTurn called when the turn comes that was waited for */
export const make = Effect.fnUntraced(function*(onTurn: () => void) {
  const turns = yield* RunTurns
  let hasTurn = false
  let stopWaiting: (() => void) | undefined
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      stopWaiting?.()
      stopWaiting = undefined
    })
  )

  const come = () => {
    stopWaiting = undefined
    hasTurn = true
    onTurn()
  }

  return {
    take: (accountId, count) => {
      if (stopWaiting !== undefined) return false
      const asked = hasTurn || turns.ask(accountId, come)
      if (asked === true) {
        hasTurn = false
        turns.noteMore(count - 1)
        return true
      }
      stopWaiting = asked
      return false
    },
    isAwaited: () => stopWaiting !== undefined
  } satisfies RequestTurn as RequestTurn
})
