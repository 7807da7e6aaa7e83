import { maxHops } from "@headwater/domain/Event"
import * as EventId from "@headwater/domain/EventId"
import * as Stream from "@headwater/domain/Stream"
import * as CrashPoint from "@headwater/log/CrashPoint"
import { type CursorMove, Cursors } from "@headwater/log/Cursors"
import type { DueItem } from "@headwater/log/DueWork"
import { EventLog } from "@headwater/log/EventLog"
import type { RunResponse } from "@headwater/sandbox/Run"
import type { SandboxUnavailable } from "@headwater/sandbox/SandboxPool"
import { Clock, Effect } from "effect"
import { type CodeRuns, originOf, unstorable } from "./CodeRuns.ts"
import { untilAnswered } from "./DatabaseRetry.ts"
import * as DueEmits from "./DueEmits.ts"
import { HookFailed } from "./HookFailed.ts"
import type { ProgramInput } from "./ProgramInput.ts"
import { executableOf, type ProgramMemory, repeatWindowMs } from "./ProgramMemory.ts"
import type { ProgramOwner } from "./ProgramOwner.ts"
import type { QuotaExceeded } from "./Quotas.ts"
import * as RunEvents from "./RunEvents.ts"

export type Hook = "deploy" | "activate" | "deactivate"

/** Runs a source's code over its inputs, and its hooks; and passes what is not run. */
export interface SourceRuns {
  /** Runs an input. Where the sandbox can't, nothing is taken and the input is still to be run. */
  readonly run: (
    memory: ProgramMemory,
    input: ProgramInput,
    onRespond: (response: RunResponse) => Effect.Effect<void>
  ) => Effect.Effect<void, SandboxUnavailable>
  /** Removes, now and then, old requests that the cursor has passed. */
  readonly pruneRequests: (memory: ProgramMemory) => Effect.Effect<void>
  /** Takes an input without running it, and says why. */
  readonly refuse: (memory: ProgramMemory, input: ProgramInput, reason: QuotaExceeded) => Effect.Effect<void>
  /** Runs a hook to its commit. One that fails writes nothing; what it emits may be left out. */
  readonly hook: (
    memory: ProgramMemory,
    hook: Hook,
    emits?: boolean
  ) => Effect.Effect<void, HookFailed | SandboxUnavailable>
  /** Passes requests that had come too far round to be run, and says so. */
  readonly passRequests: (memory: ProgramMemory, move: CursorMove) => Effect.Effect<void>
  /** Appends a delayed emit whose time has come. */
  readonly append: (memory: ProgramMemory, item: DueItem) => Effect.Effect<void>
  /** Puts the failure of a hook on `$errors`. */
  readonly report: (memory: ProgramMemory, hook: Hook, failure: HookFailed) => Effect.Effect<void>
}

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

export const make = Effect.fnUntraced(function*(owner: ProgramOwner, code: CodeRuns) {
  const cursors = yield* Cursors
  const log = yield* EventLog
  let unpruned = 0

  /** Old requests whose runs are durable; those of the last minute still answer repeats. */
  const pruneRequests = Effect.fnUntraced(function*(memory: ProgramMemory) {
    if (++unpruned < pruneEvery) return
    unpruned = 0
    const old = EventId.make((yield* Clock.currentTimeMillis) - repeatWindowMs, 0)
    for (const [emitId, id] of memory.recent) {
      if (id > old) break
      memory.recent.delete(emitId)
    }
    // What has run is not passed before its commit is there: another owner may have to run it again.
    const passed = (yield* untilAnswered(cursors.requestsPosition(memory.program.id))).id
    const until = old < passed ? old : passed
    yield* untilAnswered(log.prune({ emitterId: memory.program.id, stream: Stream.requests }, until))
  })

  /** Puts a failure on `$errors`, taking the input with it. */
  const fail = (memory: ProgramMemory, input: ProgramInput, failure: RunEvents.RunFailure) =>
    code.fail(memory, originOf(memory, input), failure, input.take())

  return {
    run: Effect.fnUntraced(function*(memory, input, onRespond) {
      const refusal = code.refusalOf(input.id)
      if (refusal !== undefined) {
        yield* fail(memory, input, unstorable("the results of the run", refusal))
        return
      }
      CrashPoint.reached("run-chosen")
      const result = yield* code.execute(
        memory,
        executableOf(memory),
        { _tag: "Run", eventJson: input.eventJson, isRequest: input.kind === "HTTP" },
        onRespond
      )
      CrashPoint.reached("run-ended")
      code.noteRefusal(
        yield* code.handOver(memory, {
          origin: originOf(memory, input),
          component: memory.component,
          result,
          parts: input.take()
        }),
        input.id
      )
    }),
    pruneRequests,
    refuse: (memory, input, reason) => fail(memory, input, { name: reason._tag, message: reason.message }),
    hook: Effect.fnUntraced(function*(memory, hook, emits = true) {
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
        code.handOver(memory, {
          origin: originOf(memory, input),
          component: memory.component,
          result: emits ? result : { ...result, emits: [] },
          parts: input.take()
        })
      ).pipe(
        Effect.mapError((error) =>
          new HookFailed({ hook, message: `its results could not be saved: ${error.message}` })
        )
      )
    }),
    passRequests: Effect.fnUntraced(function*(memory, move) {
      const at = yield* Clock.currentTimeMillis
      yield* fail(memory, {
        kind: "HTTP",
        eventJson: "{}",
        id: EventId.format(move.to.id),
        at,
        hops: maxHops,
        take: () => ({ moves: [move] })
      }, RunEvents.hopLimit(maxHops))
    }),
    append: Effect.fnUntraced(function*(memory, item) {
      CrashPoint.reached("emit-due")
      const id = `${item.kind} ${item.key}`
      const refusal = code.refusalOf(id)
      if (refusal === undefined) {
        const events = yield* DueEmits.decode([item])
        code.noteRefusal(yield* owner.commit(memory, events, { dueDone: [item] }), id)
        return
      }
      const at = yield* Clock.currentTimeMillis
      yield* fail(memory, {
        kind: "TIMER",
        eventJson: "{}",
        id,
        at,
        hops: 0,
        take: () => ({ dueDone: [item] })
      }, unstorable("a delayed event", refusal))
    }),
    report: Effect.fnUntraced(function*(memory, hook, failure) {
      const at = yield* Clock.currentTimeMillis
      yield* fail(memory, hookInput(hook, at), {
        name: failure._tag,
        message: failure.message,
        ...(failure.stack === undefined ? {} : { stack: failure.stack })
      })
    })
  } satisfies SourceRuns as SourceRuns
})
