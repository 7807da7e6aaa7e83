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

type OnRespond = (response: RunResponse) => Effect.Effect<void>

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

const callOver = (inputs: ReadonlyArray<ProgramInput>): RunCall => ({
  _tag: "Run",
  eventsJson: inputs.map(({ eventJson }) => eventJson),
  isRequest: inputs[0]?.kind === "HTTP" && inputs[0].isShaped !== true,
  // Those behind the first tick are run before the clock comes to them.
  ...(inputs[0]?.ticks === undefined ? {} : { times: inputs.map(({ at }) => at) })
})

const endedRun = (memory: ProgramMemory, input: ProgramInput, result: RunResult): EndedRun => ({
  origin: originOf(memory, input),
  component: memory.component,
  result,
  parts: input.take()
})

/** A run over a tick that shares a commit, at the time of the tick. */
const endedTick = (
  memory: ProgramMemory,
  input: ProgramInput,
  result: RunResult,
  parts: CommitParts
): EndedRun => ({
  origin: originOf(memory, input),
  component: memory.component,
  result: { ...result, logs: result.logs.map((line) => ({ ...line, ts: input.at })) },
  at: input.at,
  parts
})

interface Parts {
  readonly code: CodeRuns
  readonly cursors: Cursors["Service"]
  readonly log: EventLog["Service"]
  readonly owner: ProgramOwner
  readonly together: RunsTogether
}

/**
 * Runs a source's code over its inputs, and its hooks; and passes what is not run.
 *
 * - S1. An input is taken by the commit of its run, and by no other: if that is refused each time, by an error in its place.
 * - S2. A hook is durable when it returns. One that fails writes nothing.
 * - S3. Ticks are run before they are due only after runs over ticks that kept to themselves.
 * - S4. A request is removed only once its run is durable and it no longer answers repeats.
 */
export class SourceRuns {
  private readonly parts: Parts
  private unpruned = 0
  /** True if the runs over ticks that ended last kept to themselves. */
  private keepsToItself = false

  private constructor(parts: Parts) {
    this.parts = parts
  }

  static readonly make = Effect.fnUntraced(function*(owner: ProgramOwner, code: CodeRuns) {
    return new SourceRuns({
      code,
      cursors: yield* Cursors,
      log: yield* EventLog,
      owner,
      together: yield* RunsTogether.make(code)
    })
  })

  /** The number of inputs to run together: more while runs are short. */
  get most(): number {
    return this.parts.together.most
  }

  /**
   * The number of ticks of a timer to run together, before they are due. It is one if the code has reached out or put events
   * off: those outside, and events that come in between, would meet another time than with single ticks.
   */
  get mostTicks(): number {
    return this.keepsToItself ? this.most : 1
  }

  /**
   * Runs inputs, one after the other, and answers how many were: the others are still to be run, and so are those that the
   * sandbox can't run. Only of a single one a response is heard.
   */
  run(memory: ProgramMemory, inputs: ProgramInputs, onRespond: OnRespond): Effect.Effect<number, SandboxUnavailable> {
    return Effect.suspend(() => {
      const [first] = inputs
      const { code } = this.parts
      const refusal = code.refusalOf(first.id)
      if (refusal !== undefined) {
        return Effect.as(this.fail(memory, first, unstorable("the results of the run", refusal)), 1)
      }
      CrashPoint.reached("run-chosen")
      const suspect = inputs.findIndex(({ id }) => code.isSuspect(id))
      const count = memory.hasDataStores ? 1 : suspect < 0 ? inputs.length : Math.max(1, suspect)
      const chosen = inputs.slice(0, count)
      return chosen.length === 1 ? this.runOne(memory, first, onRespond) : this.runTogether(memory, chosen)
    })
  }

  /** Removes, now and then, old requests whose runs are durable; those of the last minute still answer repeats. */
  pruneRequests(memory: ProgramMemory, passed: number): Effect.Effect<void> {
    return Effect.gen({ self: this }, function*() {
      this.unpruned += passed
      if (this.unpruned < pruneEvery) return
      this.unpruned = 0
      const { cursors, log } = this.parts
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
  refuse(memory: ProgramMemory, input: ProgramInput, { _tag, message }: QuotaExceeded): Effect.Effect<void> {
    return this.fail(memory, input, { name: _tag, message })
  }

  /** Runs a hook to its commit. One that fails writes nothing; what it emits may be left out. */
  hook(memory: ProgramMemory, hook: Hook, emits = true): Effect.Effect<void, HookFailed | SandboxUnavailable> {
    return Effect.gen({ self: this }, function*() {
      if (!memory.component.hooks.includes(hook)) return
      const { code, owner } = this.parts
      const at = yield* Clock.currentTimeMillis
      const result = yield* code.execute(memory, executableOf(memory), { _tag: "Hook", hook })
      const failure = RunEvents.failureOf(result)
      if (failure !== undefined) {
        const { message, stack } = failure
        const { column, line } = result.error ?? {}
        return yield* new HookFailed({ hook, message, stack, line, column })
      }
      const input = hookInput(hook, at)
      yield* owner.durably((memory) =>
        code.handOver(memory, [endedRun(memory, input, emits ? result : { ...result, emits: [] })])
      ).pipe(
        Effect.mapError((error) =>
          new HookFailed({ hook, message: `its results could not be saved: ${error.message}` })
        )
      )
    })
  }

  /** Passes requests that had come too far round to be run, and says so. */
  passRequests(memory: ProgramMemory, move: CursorMove): Effect.Effect<void> {
    const input = { kind: "HTTP", id: EventId.format(move.to.id), hops: maxHops } as const
    return this.failUnrun(memory, input, { moves: [move] }, RunEvents.hopLimit(maxHops))
  }

  /** Appends a delayed emit whose time has come. */
  append(memory: ProgramMemory, item: DueItem, onRequests: () => void): Effect.Effect<void> {
    return Effect.gen({ self: this }, function*() {
      CrashPoint.reached("emit-due")
      const { code, owner } = this.parts
      const id = `${item.kind} ${item.key}`
      const refusal = code.refusalOf(id)
      const parts = { dueDone: [item] }
      if (refusal === undefined) {
        const submission = yield* owner.commit(memory, yield* DueItems.emitted([item]), parts)
        code.noteRefusal(submission, [id])
        const requests = (submission.commit.events ?? []).filter(({ stream }) => stream === Stream.requests)
        if (requests.length === 0) return
        submission.onEnd((exit) => {
          if (Exit.isFailure(exit)) return
          memory.requests.offer(requests)
          for (const { payload } of requests) memory.backlogBytes += payload.length
          onRequests()
        })
        return
      }
      yield* this.failUnrun(memory, { kind: "TIMER", id, hops: 0 }, parts, unstorable("a delayed event", refusal))
    })
  }

  /** Puts the failure of a hook on `$errors`. */
  report(memory: ProgramMemory, hook: Hook, { _tag, message, stack }: HookFailed): Effect.Effect<void> {
    const failure = { name: _tag, message, ...(stack === undefined ? {} : { stack }) }
    return Effect.flatMap(Clock.currentTimeMillis, (at) => this.fail(memory, hookInput(hook, at), failure))
  }

  /** Puts a failure on `$errors`, taking the input with it. */
  private fail(memory: ProgramMemory, input: ProgramInput, failure: RunEvents.RunFailure): Effect.Effect<void> {
    return Effect.asVoid(this.parts.code.fail(memory, originOf(memory, input), failure, input.take()))
  }

  /** Puts a failure on `$errors` about what never was an event of a run. */
  private failUnrun(
    memory: ProgramMemory,
    input: Pick<ProgramInput, "kind" | "id" | "hops">,
    parts: CommitParts,
    failure: RunEvents.RunFailure
  ): Effect.Effect<void> {
    return Effect.flatMap(
      Clock.currentTimeMillis,
      (at) => this.fail(memory, { ...input, eventJson: "{}", at, take: () => parts }, failure)
    )
  }

  private runOne(
    memory: ProgramMemory,
    input: ProgramInput,
    onRespond: OnRespond
  ): Effect.Effect<number, SandboxUnavailable> {
    return Effect.gen({ self: this }, function*() {
      const { code, together } = this.parts
      const result = yield* code.execute(memory, executableOf(memory), callOver([input]), onRespond)
      CrashPoint.reached("run-ended")
      const submission = yield* code.handOver(memory, [endedRun(memory, input, result)])
      code.noteRefusal(submission, [input.id])
      if (memory.hasDataStores) yield* Effect.exit(submission.durable)
      if (input.kind === "TIMER") this.noteTick(result)
      together.note(result.ownMs)
      return 1
    })
  }

  private runTogether(
    memory: ProgramMemory,
    inputs: ReadonlyArray<ProgramInput>
  ): Effect.Effect<number, SandboxUnavailable> {
    const areTicks = inputs[0]?.ticks !== undefined
    return this.parts.together.run({
      memory,
      executable: executableOf(memory),
      call: callOver(inputs),
      handOver: (results, first) =>
        Effect.suspend(() => {
          CrashPoint.reached("run-ended")
          const some = inputs.slice(first, first + results.length)
          return areTicks
            ? this.handOverTicks(memory, some, results)
            : this.commit(memory, some, some.map((input, index) => endedRun(memory, input, results[index]!)))
        }),
      // An event that is put off may be due before the next tick, which is run again then.
      ...(areTicks ? { isLast: putsOff } : {})
    })
  }

  private handOverTicks(
    memory: ProgramMemory,
    inputs: ReadonlyArray<ProgramInput>,
    results: ReadonlyArray<RunResult>
  ): Effect.Effect<void> {
    const ticks = inputs.at(-1)!.ticks!
    const ahead = inputs.filter((input) => input.ticks?.isDue === false).length
    const last = inputs.length - 1
    const runs = inputs.map((input, index) =>
      endedTick(memory, input, results[index]!, index < last ? {} : ticks.take(ahead))
    )
    for (const result of results) if (this.keepsToItself) this.noteTick(result)
    return this.commit(memory, inputs, runs, () => ticks.onDurable(ahead))
  }

  private commit(
    memory: ProgramMemory,
    inputs: ReadonlyArray<ProgramInput>,
    runs: ReadonlyArray<EndedRun>,
    onDurable?: () => void
  ): Effect.Effect<void> {
    const { code } = this.parts
    const [first, ...more] = runs
    return Effect.map(code.handOver(memory, [first!, ...more]), (submission) => {
      if (onDurable !== undefined) submission.onEnd((exit) => Exit.isSuccess(exit) && onDurable())
      code.noteRefusal(submission, inputs.map(({ id }) => id))
    })
  }

  private noteTick(result: RunResult): void {
    this.keepsToItself = result.connections === 0 && !putsOff(result)
  }
}
