import { maxHops } from "@headwater/domain/Event"
import * as EventId from "@headwater/domain/EventId"
import * as Stream from "@headwater/domain/Stream"
import * as CrashPoint from "@headwater/log/commit/CrashPoint"
import { untilAnswered } from "@headwater/log/database/TransientSqlError"
import { EventLog } from "@headwater/log/logs/EventLog"
import { type CursorMove, Cursors } from "@headwater/log/work/Cursors"
import type { DueItem } from "@headwater/log/work/DueWork"
import type { RunCall, RunResponse, RunResult } from "@headwater/sandbox/Run"
import type { SandboxUnavailable } from "@headwater/sandbox/SandboxPool"
import { Clock, Effect, Exit } from "effect"
import { HookFailed } from "../ground/ActorCalls.ts"
import * as DueItems from "../ground/DueItems.ts"
import type { CommitParts } from "../ground/EmitterLog.ts"
import { type CodeRuns, type EndedRun, originOf, unstorable } from "./CodeRuns.ts"
import type { ProgramInput } from "./ProgramInput.ts"
import { executableOf, type ProgramMemory, repeatWindowMs } from "./ProgramMemory.ts"
import type { ProgramOwner } from "./ProgramOwner.ts"
import type { QuotaExceeded } from "./Quotas.ts"
import * as RunEvents from "./RunEvents.ts"
import { RunsTogether } from "./RunsTogether.ts"

export type Hook = "deploy" | "activate" | "deactivate"

/** Inputs of the same kind, of one stream, in its order. */
type ProgramInputs = readonly [ProgramInput, ...ReadonlyArray<ProgramInput>]

/** True if any is to come into the log later. */
const putsOff = ({ emits }: RunResult): boolean => emits.some(({ deliveryTs }) => deliveryTs !== undefined)

/** Requests are pruned behind the cursor in bites of this many: with every run it would cost most of the append rate. */
const pruneEvery = 200

const hookInput = (hook: Hook, at: number): ProgramInput => ({
  kind: "HOOK",
  eventJson: JSON.stringify({ hook }),
  id: `${hook}-${at}`,
  at,
  hops: 0,
  take: () => ({})
})

const ended = (memory: ProgramMemory, input: ProgramInput, result: RunResult): EndedRun => ({
  origin: originOf(memory, input),
  component: memory.component,
  result,
  parts: input.take()
})

/** A run over a tick that shares a commit, at the time of the tick. */
const endedTick = (memory: ProgramMemory, input: ProgramInput, result: RunResult, parts: CommitParts): EndedRun => ({
  origin: originOf(memory, input),
  component: memory.component,
  result: { ...result, logs: result.logs.map((line) => ({ ...line, ts: input.at })) },
  at: input.at,
  parts
})

const callOver = (inputs: ReadonlyArray<ProgramInput>): RunCall => ({
  _tag: "Run",
  eventsJson: inputs.map(({ eventJson }) => eventJson),
  isRequest: inputs[0]?.kind === "HTTP",
  // Those behind the first tick are run before the clock comes to them.
  ...(inputs[0]?.ticks === undefined ? {} : { times: inputs.map(({ at }) => at) })
})

interface Parts {
  readonly owner: ProgramOwner
  readonly code: CodeRuns
  readonly cursors: Cursors["Service"]
  readonly log: EventLog["Service"]
  readonly together: RunsTogether
}

/**
 * A source's runs over its inputs, and its hooks; and what is passed without a run.
 *
 * - S1. What a run did and the passing of its input are one commit. A commit that the database refuses each time is told
 *   once on `$errors`, and its input is passed.
 * - S2. Inputs that shared a refused commit run by themselves from then on.
 */
export class SourceRuns {
  #unpruned = 0
  /** True if the runs over ticks that ended last kept to themselves. */
  #keepsToItself = false
  readonly #parts: Parts

  private constructor(parts: Parts) {
    this.#parts = parts
  }

  static readonly make = Effect.fnUntraced(function*(owner: ProgramOwner, code: CodeRuns) {
    return new SourceRuns({
      owner,
      code,
      cursors: yield* Cursors,
      log: yield* EventLog,
      together: yield* RunsTogether.make(code)
    })
  })

  /** The number of inputs to run together: more while runs are short. */
  get most(): number {
    return this.#parts.together.most
  }

  /**
   * The number of ticks of a timer to run together, before they are due. It is one if the code has reached out or put events
   * off: those outside, and events that come in between, would meet another time than with single ticks.
   */
  get mostTicks(): number {
    return this.#keepsToItself ? this.most : 1
  }

  /**
   * Runs inputs, one after the other, and answers how many were: the others are still to be run, and so are those that the
   * sandbox can't run. Only of a single one a response is heard.
   */
  run(
    memory: ProgramMemory,
    inputs: ProgramInputs,
    onRespond: (response: RunResponse) => Effect.Effect<void>
  ): Effect.Effect<number, SandboxUnavailable> {
    return Effect.gen({ self: this }, function*() {
      const { code } = this.#parts
      const [first] = inputs
      const refusal = code.refusalOf(first.id)
      if (refusal !== undefined) {
        yield* this.#fail(memory, first, unstorable("the results of the run", refusal))
        return 1
      }
      CrashPoint.reached("run-chosen")
      const suspect = inputs.findIndex(({ id }) => code.isSuspect(id))
      const chosen = suspect < 0 ? inputs : inputs.slice(0, Math.max(1, suspect))
      return chosen.length === 1
        ? yield* this.#runOne(memory, first, onRespond)
        : yield* (first.ticks === undefined ? this.#runSome(memory, chosen) : this.#runTicks(memory, chosen))
    })
  }

  /** Removes, now and then, old requests whose runs are durable; those of the last minute still answer repeats. */
  pruneRequests(memory: ProgramMemory, passed: number): Effect.Effect<void> {
    return Effect.gen({ self: this }, function*() {
      const { cursors, log } = this.#parts
      this.#unpruned += passed
      if (this.#unpruned < pruneEvery) return
      this.#unpruned = 0
      const old = EventId.make((yield* Clock.currentTimeMillis) - repeatWindowMs, 0)
      for (const [emitId, id] of memory.recent) {
        if (id > old) break
        memory.recent.delete(emitId)
      }
      // A request that has run is not passed before its commit is there: another owner may have to run it again.
      const position = (yield* untilAnswered(cursors.requestsPosition(memory.program.id))).id
      const until = old < position ? old : position
      yield* untilAnswered(log.prune({ emitterId: memory.program.id, stream: Stream.requests }, until))
    })
  }

  /** Takes an input without running it, and says why. */
  refuse(memory: ProgramMemory, input: ProgramInput, reason: QuotaExceeded): Effect.Effect<void> {
    return Effect.asVoid(this.#fail(memory, input, { name: reason._tag, message: reason.message }))
  }

  /** Runs a hook to its commit. One that fails writes nothing; what it emits may be left out. */
  hook(memory: ProgramMemory, hook: Hook, emits = true): Effect.Effect<void, HookFailed | SandboxUnavailable> {
    return Effect.gen({ self: this }, function*() {
      const { code, owner } = this.#parts
      if (!memory.component.hooks.includes(hook)) return
      const at = yield* Clock.currentTimeMillis
      const result = yield* code.execute(memory, executableOf(memory), { _tag: "Hook", hook })
      const failure = RunEvents.failureOf(result)
      if (failure !== undefined) {
        const { column, line } = result.error ?? {}
        return yield* new HookFailed({
          hook,
          message: failure.message,
          stack: failure.stack,
          line,
          column
        })
      }
      const input = hookInput(hook, at)
      yield* owner.durably((memory) =>
        code.handOver(memory, [ended(memory, input, emits ? result : { ...result, emits: [] })])
      ).pipe(
        Effect.mapError((error) =>
          new HookFailed({ hook, message: `its results could not be saved: ${error.message}` })
        )
      )
    })
  }

  /** Passes requests that had come too far round to be run, and says so. */
  passRequests(memory: ProgramMemory, move: CursorMove): Effect.Effect<void> {
    return Effect.gen({ self: this }, function*() {
      const at = yield* Clock.currentTimeMillis
      yield* this.#fail(memory, {
        kind: "HTTP",
        eventJson: "{}",
        id: EventId.format(move.to.id),
        at,
        hops: maxHops,
        take: () => ({ moves: [move] })
      }, RunEvents.hopLimit(maxHops))
    })
  }

  /** Appends a delayed emit whose time has come. */
  append(memory: ProgramMemory, item: DueItem): Effect.Effect<void> {
    return Effect.gen({ self: this }, function*() {
      const { code, owner } = this.#parts
      CrashPoint.reached("emit-due")
      const id = `${item.kind} ${item.key}`
      const refusal = code.refusalOf(id)
      if (refusal === undefined) {
        const events = yield* DueItems.emitted([item])
        code.noteRefusal(yield* owner.commit(memory, events, { dueDone: [item] }), [id])
        return
      }
      const at = yield* Clock.currentTimeMillis
      yield* this.#fail(memory, {
        kind: "TIMER",
        eventJson: "{}",
        id,
        at,
        hops: 0,
        take: () => ({ dueDone: [item] })
      }, unstorable("a delayed event", refusal))
    })
  }

  /** Puts the failure of a hook on `$errors`. */
  report(memory: ProgramMemory, hook: Hook, failure: HookFailed): Effect.Effect<void> {
    return Effect.gen({ self: this }, function*() {
      const at = yield* Clock.currentTimeMillis
      yield* this.#fail(memory, hookInput(hook, at), {
        name: failure._tag,
        message: failure.message,
        ...(failure.stack === undefined ? {} : { stack: failure.stack })
      })
    })
  }

  #noteTick(result: RunResult): void {
    this.#keepsToItself = result.connections === 0 && !putsOff(result)
  }

  /** Puts a failure on `$errors`, taking the input with it. */
  #fail(memory: ProgramMemory, input: ProgramInput, failure: RunEvents.RunFailure) {
    return this.#parts.code.fail(memory, originOf(memory, input), failure, input.take())
  }

  #runOne(
    memory: ProgramMemory,
    input: ProgramInput,
    onRespond: (response: RunResponse) => Effect.Effect<void>
  ): Effect.Effect<number, SandboxUnavailable> {
    return Effect.gen({ self: this }, function*() {
      const { code, together } = this.#parts
      const result = yield* code.execute(memory, executableOf(memory), callOver([input]), onRespond)
      CrashPoint.reached("run-ended")
      code.noteRefusal(yield* code.handOver(memory, [ended(memory, input, result)]), [input.id])
      if (input.kind === "TIMER") this.#noteTick(result)
      together.note(result.wallMs)
      return 1
    })
  }

  #runSome(memory: ProgramMemory, inputs: ReadonlyArray<ProgramInput>): Effect.Effect<number, SandboxUnavailable> {
    const { code, together } = this.#parts
    return together.run(memory, executableOf(memory), callOver(inputs), (results, from) =>
      Effect.suspend(() => {
        CrashPoint.reached("run-ended")
        const some = inputs.slice(from, from + results.length)
        const [first, ...more] = some.map((input, index) => ended(memory, input, results[index]!))
        return Effect.map(
          code.handOver(memory, [first!, ...more]),
          (submission) => code.noteRefusal(submission, some.map(({ id }) => id))
        )
      }))
  }

  #runTicks(memory: ProgramMemory, inputs: ReadonlyArray<ProgramInput>): Effect.Effect<number, SandboxUnavailable> {
    const { code, together } = this.#parts
    return together.run(
      memory,
      executableOf(memory),
      callOver(inputs),
      (results, from) =>
        Effect.suspend(() => {
          CrashPoint.reached("run-ended")
          const some = inputs.slice(from, from + results.length)
          const { ticks } = some.at(-1)!
          const ahead = some.filter((input) => input.ticks?.isDue === false).length
          const [first, ...more] = some.map((input, index) =>
            endedTick(memory, input, results[index]!, index + 1 < some.length ? {} : ticks!.take(ahead))
          )
          for (const result of results) if (this.#keepsToItself) this.#noteTick(result)
          return Effect.map(code.handOver(memory, [first!, ...more]), (submission) => {
            submission.onEnd((exit) => {
              if (Exit.isSuccess(exit)) ticks!.onDurable(ahead)
            })
            code.noteRefusal(submission, some.map(({ id }) => id))
          })
        }),
      // An event that is put off may be due before the next tick, which is run again then.
      { isLast: putsOff }
    )
  }
}
