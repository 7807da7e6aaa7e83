import * as Id from "@headwater/domain/Id"
import type { Submission } from "@headwater/log/commit/Submission"
import { untilAnswered } from "@headwater/log/database/TransientSqlError"
import type { DueItem } from "@headwater/log/work/DueWork"
import { WorkflowFiles } from "@headwater/log/work/WorkflowFiles"
import { type StepRecord, type WorkflowRun, WorkflowRuns } from "@headwater/log/work/WorkflowRuns"
import { Clock, Effect, Option, Semaphore } from "effect"
import type { Cancellation, ProgramNotFound, Resumption, ResumptionRequest } from "../ground/ActorCalls.ts"
import type { CommitParts } from "../ground/EmitterLog.ts"
import { EngineLimits, type Limits } from "../ground/EngineLimits.ts"
import type { Unavailable } from "../ground/Unavailable.ts"
import type { ProgramMemory } from "./ProgramMemory.ts"
import type { ProgramOwner } from "./ProgramOwner.ts"
import { changingOwners } from "./ProgramRequests.ts"
import * as StepEnd from "./StepEnd.ts"
import * as UnstoredRuns from "./UnstoredRuns.ts"
import { read as readProgress } from "./WorkflowProgress.ts"

/** Nothing is to be written: the wish has come to this without it. */
class Decided<A> {
  readonly _tag = "Decided"
  readonly outcome: A

  constructor(outcome: A) {
    this.outcome = outcome
  }
}

const decided = <A>(outcome: A): Effect.Effect<never, Decided<A>> => Effect.fail(new Decided(outcome))

const workflowIdOf = ({ program }: ProgramMemory) => Id.WorkflowId.make(program.id)

const cancelledAt = (run: WorkflowRun, endedAt: number): WorkflowRun => ({
  ...run,
  status: "cancelled",
  dueAt: null,
  waitsFor: null,
  rerunContext: null,
  error: null,
  endedAt
})

/** True if the run waits after this step, which handed out the keys of its run. */
const isAfter = ({ waitsFor }: WorkflowRun, last: Pick<StepRecord, "n"> | undefined, n: number): boolean =>
  waitsFor !== null && waitsFor !== "retry" && last?.n === n

/**
 * The runs of a workflow that wait:
 *
 *     waiting ── its time ──▶ under way, or cancelled where it was suspended and is not to be resumed then
 *        ├────── resume ────▶ waiting for its turn ──▶ under way
 *        └────── cancel ────▶ cancelled
 *
 * - W1. Decisions on a run are made while `deciding` is held: one is not taken up and cancelled at once.
 * - W2. A run goes on once for each time that it waits, also where the wish to resume it comes twice.
 */
export class WaitingRuns {
  private readonly deciding = Semaphore.makeUnsafe(1)
  private readonly erasureOf: UnstoredRuns.ErasureOf
  private readonly files: WorkflowFiles["Service"]
  private readonly limits: Limits
  private readonly owner: ProgramOwner
  private readonly runs: WorkflowRuns["Service"]

  private constructor(
    owner: ProgramOwner,
    files: WorkflowFiles["Service"],
    runs: WorkflowRuns["Service"],
    limits: Limits,
    erasureOf: UnstoredRuns.ErasureOf
  ) {
    this.erasureOf = erasureOf
    this.files = files
    this.owner = owner
    this.runs = runs
    this.limits = limits
  }

  static readonly make = Effect.fnUntraced(function*(owner: ProgramOwner) {
    return new WaitingRuns(
      owner,
      yield* WorkflowFiles,
      yield* WorkflowRuns,
      yield* EngineLimits,
      yield* UnstoredRuns.makeErasureOf
    )
  })

  /** Has a run go on for which it is time, or its turn. */
  takeUp(memory: ProgramMemory, item: DueItem): Effect.Effect<void> {
    return this.deciding.withPermits(1)(Effect.gen({ self: this }, function*() {
      const { files, owner, runs } = this
      const now = yield* Clock.currentTimeMillis
      const found = yield* untilAnswered(runs.get(workflowIdOf(memory), Id.RunId.make(item.key)))
      const run = Option.getOrUndefined(found)
      const parts: CommitParts = { dueDone: [item] }
      // It may have gone on and wait for another time since this was read, which has an item of its own.
      if (run?.status !== "waiting" || run.dueAt === null || run.dueAt > item.dueAt) {
        yield* owner.commit(memory, [], parts)
        return
      }
      if (run.waitsFor === "suspend" && StepEnd.settingsOf(memory).suspensionTimeout === "cancel") {
        const { accountId } = memory.program
        yield* owner.commit(memory, [], {
          ...parts,
          runChanges: [cancelledAt(run, now)],
          ...this.erasureOf(accountId, run)
        })
        return
      }
      const resumed = { ...run, status: "running" as const, dueAt: null, waitsFor: null }
      memory.underWay.push(yield* readProgress({ files, runs }, resumed))
      yield* owner.commit(memory, [], { ...parts, runChanges: [resumed] })
    }))
  }

  /**
   * Ends a run that waits, for good. Returns once that is durable.
   *
   * @param n given where it is to be one that waits after this step
   * @param onCancelled tells who waits for its response
   */
  cancel(
    memory: ProgramMemory,
    id: Id.RunId,
    n: number | undefined,
    onCancelled: (run: WorkflowRun) => Effect.Effect<void>
  ): Effect.Effect<Cancellation, ProgramNotFound | Unavailable> {
    return this.decide<Cancellation>("cancelled", (current) =>
      Effect.gen({ self: this }, function*() {
        const { owner, runs } = this
        const run = yield* this.find(memory, id)
        const last = n === undefined ? undefined : (yield* untilAnswered(runs.stepOutlinesOf(id))).at(-1)
        const { dueAt, status } = run
        if (status === "cancelled" && (n === undefined || last?.n === n)) {
          yield* onCancelled(run)
          return yield* decided("cancelled" as const)
        }
        if (status !== "waiting" || dueAt === null || n !== undefined && !isAfter(run, last, n)) {
          return yield* decided("not_waiting" as const)
        }
        const { durable } = yield* owner.commit(current, [], {
          runChanges: [cancelledAt(run, yield* Clock.currentTimeMillis)],
          dueDone: [StepEnd.resumption(run.workflowId, id, dueAt)],
          ...this.erasureOf(current.program.accountId, run)
        })
        return { durable: Effect.andThen(durable, onCancelled(run)) }
      }))
  }

  /** Has a run that waits go on before its time, when it is its turn. Returns once that is durable. */
  resume(memory: ProgramMemory, request: ResumptionRequest): Effect.Effect<Resumption, ProgramNotFound | Unavailable> {
    return this.decide<Resumption>("resumed", (current) =>
      Effect.gen({ self: this }, function*() {
        const { limits, owner, runs } = this
        const { data, id, n } = request
        const run = yield* this.find(memory, id)
        const steps = yield* untilAnswered(runs.stepsOf(id))
        const last = steps.at(-1)
        if (data !== null && last?.resumeData === data) return yield* decided("resumed" as const)
        const { dueAt, status, waitsFor } = run
        if (status !== "waiting" || dueAt === null || waitsFor === null || n !== null && !isAfter(run, last, n)) {
          return yield* decided("not_waiting" as const)
        }
        const isKept = data !== null && last !== undefined && waitsFor !== "retry"
        // A result has the request in it by which the run went on after its step.
        const held = steps.reduce(
          (sum, { result, resumeData }) => sum + ((result ?? resumeData)?.length ?? 0),
          data?.length ?? 0
        )
        if (isKept && held > limits.resultsOfRun) return yield* decided("too_large" as const)
        const goesOnAt = Math.min(dueAt, yield* Clock.currentTimeMillis)
        return yield* owner.commit(current, [], {
          runChanges: [{ ...run, waitsFor: null, dueAt: goesOnAt }],
          duePut: [StepEnd.resumption(run.workflowId, id, goesOnAt)],
          resumptions: isKept ? [{ runId: id, n: last.n, resumeData: data }] : []
        })
      }))
  }

  private find(memory: ProgramMemory, id: Id.RunId): Effect.Effect<WorkflowRun, Decided<"unknown">> {
    return Effect.flatMap(
      untilAnswered(this.runs.get(workflowIdOf(memory), id)),
      Option.match({
        onNone: () => decided("unknown" as const),
        onSome: Effect.succeed
      })
    )
  }

  private decide<A extends Cancellation | Resumption>(
    outcome: A,
    handOver: (current: ProgramMemory) => Effect.Effect<Pick<Submission, "durable">, Decided<A>>
  ): Effect.Effect<A, ProgramNotFound | Unavailable> {
    const { owner } = this
    // The commit that took the run up, or to where it waits, may be on its way to the database.
    return Effect.suspend(() => owner.settled).pipe(
      // Decided anew each time it is handed over: who owned the workflow in between may have taken the run up.
      Effect.andThen(owner.durably(handOver)),
      Effect.as(outcome),
      Effect.catchTags({
        Decided: ({ outcome }) => Effect.succeed(outcome),
        Fenced: () => changingOwners,
        CommitRejected: () => changingOwners
      }),
      this.deciding.withPermits(1)
    )
  }
}
