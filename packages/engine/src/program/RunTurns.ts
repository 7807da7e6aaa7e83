import type { AccountId } from "@headwater/domain/Id"
import * as RealTime from "@headwater/domain/RealTime"
import { Recurring } from "@headwater/domain/Recurring"
import { Clock, Context, Effect, Latch, Layer, Scope } from "effect"
import { performance } from "node:perf_hooks"

/** The length of a period, in milliseconds. */
const periodMs = 10

/** From so many requests on that wait to be durable, on average over a period, and so busy a thread, fewer runs begin. */
const manyRequests = 8
const busy = 0.5

/** For so many requests that come in at least one run begins. */
const requestsPerRun = 8

/** The factors by which the runs that may begin in a period grow without pressure, and shrink under it. */
const growth = 1.5
const shrinking = 0.5

/** The longest time that runs give way, in milliseconds. A load that goes on for longer is no burst, and gets its runs. */
const longestMs = 10_000

/** Begins to measure; answers what share of the time from then on this node's thread has worked, from 0 to 1. */
const measureThread = (): () => number => {
  const from = performance.eventLoopUtilization()
  return () => performance.eventLoopUtilization(from).utilization
}

/**
 * Decides what goes first if there is more to do than this node's thread can: requests that are yet to be durable go before
 * runs of those that are. A burst is taken in about as fast as it can be made durable, and worked off after it. While it
 * lasts, as many runs begin as leave the acknowledgements quick, but no fewer than a share of the requests that come in, one
 * account's after another's.
 */
export class RunTurns extends Context.Service<RunTurns, {
  /** A request is on its way into the log; and it is there, or not going to be. */
  readonly noteEntering: () => void
  readonly noteEntered: () => void
  /**
   * True if a request of the account's may be run now. If not, `onTurn` is called when one may, unless the answered
   * function is called before.
   */
  readonly ask: (accountId: AccountId, onTurn: () => void) => true | (() => void)
  /** Notes that a turn covers more runs than the one it was asked for. */
  readonly noteMore: (count: number) => void
}>()("@headwater/engine/program/RunTurns") {
  /** @param measureThread begins to measure; answers what share of the time from then on the thread has worked */
  static readonly layerOf = (measureThread: () => () => number): Layer.Layer<RunTurns> =>
    Layer.effect(
      RunTurns,
      Effect.gen(function*() {
        const clock = yield* Clock.Clock
        const arrived = yield* Latch.make(false)
        /** The waiters for a turn, the account first that had none for longest. */
        const waiting = new Map<AccountId, Set<() => void>>()
        /** The number of runs that may begin in a period, and that did in this one. */
        let allowed = Infinity
        let begun = 0
        /** Requests that came in during this period, and those that are on their way. */
        let came = 0
        let entering = 0
        /** Milliseconds that requests have waited in this period, all together, and until when they are counted. */
        let waited = 0
        let countedAt = 0
        /** For how long requests have waited, less how long they have not, as far as it matters. */
        let pressedMs = 0
        let isSpent = false
        /** False while so few requests wait that runs need no looking after. */
        let isLooking = false

        const count = (change: -1 | 0 | 1) => {
          const now = RealTime.elapsedUnsafe(clock)
          waited += entering * (now - countedAt)
          countedAt = now
          entering += change
        }

        const leave = (accountId: AccountId, onTurn: () => void) => {
          const others = waiting.get(accountId)
          if (others?.delete(onTurn) === true && others.size === 0) waiting.delete(accountId)
        }

        const letGo = () => {
          while (begun < allowed) {
            const [first] = waiting
            if (first === undefined) return
            const [accountId, runs] = first
            const [onTurn] = runs
            waiting.delete(accountId)
            if (runs.size > 1) waiting.set(accountId, runs)
            runs.delete(onTurn!)
            begun += 1
            onTurn!()
          }
        }

        const notePressure = (isPressed: boolean, ms: number) => {
          pressedMs = Math.min(longestMs, Math.max(0, pressedMs + (isPressed ? ms : -ms)))
          if (pressedMs === longestMs) isSpent = true
          if (pressedMs === 0) isSpent = false
        }

        const allowedNext = (isPressed: boolean): number => {
          if (isSpent) return Infinity
          const next = isPressed ? Math.floor(Math.min(allowed, begun) * shrinking) : Math.ceil(allowed * growth)
          return Math.max(1, Math.ceil(came / requestsPerRun), next)
        }

        /** Answers whether to look again. */
        const look = Effect.gen(function*() {
          count(0)
          waited = 0
          const threadUse = measureThread()
          const from = countedAt
          yield* Effect.sleep(periodMs)
          count(0)
          const isIdle = waited === 0
          const isPressed = !isIdle && waited >= manyRequests * (countedAt - from) && threadUse() >= busy
          notePressure(isPressed, countedAt - from)
          allowed = isIdle ? Infinity : allowedNext(isPressed)
          came = 0
          begun = 0
          letGo()
          isLooking = allowed < Infinity || pressedMs > 0 || entering >= manyRequests
          return isLooking
        })

        yield* arrived.await.pipe(
          Effect.andThen(Effect.sync(() => arrived.closeUnsafe())),
          Effect.andThen(Effect.repeat(look, { while: (goesOn) => goesOn })),
          Effect.forever,
          Effect.provideService(Recurring, true),
          Effect.forkScoped
        )

        return RunTurns.of({
          noteEntering: () => {
            count(1)
            came += 1
            if (isLooking || entering < manyRequests) return
            isLooking = true
            came = entering
            begun = 0
            arrived.openUnsafe()
          },
          noteEntered: () => count(-1),
          noteMore: (count) => {
            begun += count
          },
          ask: (accountId, onTurn) => {
            if (begun < allowed) {
              begun += 1
              return true
            }
            const others = waiting.get(accountId)
            if (others === undefined) waiting.set(accountId, new Set([onTurn]))
            else others.add(onTurn)
            return () => leave(accountId, onTurn)
          }
        })
      })
    )

  static readonly layer: Layer.Layer<RunTurns> = RunTurns.layerOf(measureThread)
}

/**
 * A program's turns to run its own requests: *none*, until it asks for one; *awaited*, until it is told; *due*, until it takes
 * the turn.
 */
export class RequestTurn {
  private readonly turns: RunTurns["Service"]
  private readonly onTurn: () => void
  private state: { readonly is: "none" | "due" } | { readonly is: "awaited"; readonly stop: () => void } = {
    is: "none"
  }

  private constructor(turns: RunTurns["Service"], onTurn: () => void) {
    this.turns = turns
    this.onTurn = onTurn
  }

  /** @param onTurn called when the turn comes that was waited for */
  static readonly make = Effect.fnUntraced(function*(onTurn: () => void) {
    const turn = new RequestTurn(yield* RunTurns, onTurn)
    yield* Scope.addFinalizer(yield* Effect.scope, Effect.sync(() => turn.leave()))
    return turn
  })

  /** True if the program waits for its turn, and is going to be told. */
  get isAwaited(): boolean {
    return this.state.is === "awaited"
  }

  /** Takes the turn to run requests. False if it is not the program's turn, which it then waits for. */
  take(accountId: AccountId, count: number): boolean {
    if (this.state.is === "awaited") return false
    const asked = this.state.is === "due" || this.turns.ask(accountId, () => this.come())
    if (asked === true) {
      this.state = { is: "none" }
      this.turns.noteMore(count - 1)
      return true
    }
    this.state = { is: "awaited", stop: asked }
    return false
  }

  private come(): void {
    this.state = { is: "due" }
    this.onTurn()
  }

  private leave(): void {
    if (this.state.is === "awaited") this.state.stop()
    this.state = { is: "none" }
  }
}
