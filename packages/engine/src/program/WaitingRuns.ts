import * as Id from "@headwater/domain/Id"
import type { Submission } from "@headwater/log/commit/Submission"
import { untilAnswered } from "@headwater/log/database/TransientSqlError"
import type { DueItem } from "@headwater/log/work/DueWork"
import { WorkflowFiles } from "@headwater/log/work/WorkflowFiles"
import { type RunWait, type StepRecord, type WorkflowRun, WorkflowRuns } from "@headwater/log/work/WorkflowRuns"
import { Clock, Effect, Exit, Option, Semaphore } from "effect"
import {
  type Cancellation,
  placeAfter,
  type ProgramNotFound,
  type Resumption,
  type ResumptionRequest,
  type WaitPlace
} from "../ground/ActorCalls.ts"
import type { CommitParts } from "../ground/EmitterLog.ts"
import { EngineLimits, type Limits } from "../ground/EngineLimits.ts"
import type { Unavailable } from "../ground/Unavailable.ts"
import type { ForkedRun } from "./ForkedRun.ts"
import type { ProgramMemory } from "./ProgramMemory.ts"
import type { ProgramOwner } from "./ProgramOwner.ts"
import { changingOwners } from "./ProgramRequests.ts"
import * as RunStanding from "./RunStanding.ts"
import * as StepEnd from "./StepEnd.ts"
import * as UnstoredRuns from "./UnstoredRuns.ts"
import { placeOf, type Turn, type WorkflowProgress } from "./WorkflowProgress.ts"

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

const cancelledAt = (endedAt: number): Partial<Turn> => ({
  status: "cancelled",
  dueAt: null,
  waitsFor: null,
  rerunContext: null,
  error: null,
  endedAt
})

/** A run, or a path of it, that waits. */
interface Waiting {
  readonly path: string | undefined
  readonly dueAt: number
  readonly waitsFor: RunWait | null
}

/** Those of a run that wait. */
const waitingOf = ({ paths, run }: RunStanding.RunStanding): ReadonlyArray<Waiting> =>
  (paths.size === 0 ? [{ ...run, path: undefined }] : [...paths.values()])
    .flatMap(({ dueAt, path, status, waitsFor }) =>
      status === "waiting" && dueAt !== null ? [{ dueAt, path, waitsFor }] : []
    )

/** The last of the steps of a run, or of a path of it. */
const lastOf = <A extends Pick<StepRecord, "path">>(steps: ReadonlyArray<A>, path: string | undefined): A | undefined =>
  path === undefined ? steps.at(-1) : steps.findLast((step) => step.path === path)

/** The number of that step among those of the run, or of the path. */
const numberOf = (
  steps: ReadonlyArray<Pick<StepRecord, "n" | "path">>,
  { path }: { readonly path?: string }
): number => path === undefined ? steps.at(-1)?.n ?? 0 : steps.filter((step) => step.path === path).length

/** Has nothing of a run go on. */
const drop = ({ underWay, unread }: ProgramMemory, id: Id.RunId): void => {
  for (let i = underWay.length - 1; i >= 0; i--) if (underWay[i]!.run.id === id) underWay.splice(i, 1)
  if (unread.includes(id)) unread.splice(unread.indexOf(id), 1)
}

/** Those that wait after a step, which handed out the keys of its run; all of them where no step is given. */
const waitingAfter = (
  standing: RunStanding.RunStanding,
  steps: ReadonlyArray<Pick<StepRecord, "n" | "path">>,
  after: WaitPlace | null
): ReadonlyArray<Waiting> => {
  const all = waitingOf(standing)
  if (after === null) return all
  if (numberOf(steps, after) !== after.n) return []
  return all.filter(({ path, waitsFor }) => path === after.path && waitsFor !== null && waitsFor !== "retry")
}

/**
 * The runs of a workflow that wait:
 *
 *     waiting ── its time ──▶ under way, or cancelled where it was suspended and is not to be resumed then
 *        ├────── resume ────▶ waiting for its turn ──▶ under way
 *        └────── cancel ────▶ cancelled ◀── cancel ── under way
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
    runs: WorkflowRuns["Service"],
    files: WorkflowFiles["Service"],
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
      yield* WorkflowRuns,
      yield* WorkflowFiles,
      yield* EngineLimits,
      yield* UnstoredRuns.makeErasureOf
    )
  })

  /** Has a run, or a path of it, go on for which it is time, or its turn. */
  takeUp(memory: ProgramMemory, item: DueItem): Effect.Effect<void> {
    const { path, run: id } = placeOf(item.key)
    const workflowId = workflowIdOf(memory)
    return this.deciding.withPermits(1)(memory.forks.using(workflowId, id, (forked) => {
      const decision = Effect.gen({ self: this }, function*() {
        const { owner } = this
        const now = yield* Clock.currentTimeMillis
        const parts: CommitParts = { dueDone: [item] }
        const standing = yield* this.standingOf(workflowId, id, forked)
        const waiting = Option.map(standing, waitingOf).pipe(Option.getOrElse(() => []))
          .find((waiting) => waiting.path === path)
        // It may have gone on and wait for another time since this was read, which has an item of its own.
        if (Option.isNone(standing) || waiting === undefined || waiting.dueAt > item.dueAt) {
          yield* owner.commit(memory, [], parts)
          return
        }
        const isCancelled = waiting.waitsFor === "suspend" &&
          StepEnd.settingsOf(memory).suspensionTimeout === "cancel"
        const after = isCancelled
          ? RunStanding.ended(standing.value, cancelledAt(now))
          : RunStanding.resumed(standing.value, path)
        if (!isCancelled) memory.underWay.push(yield* this.progressOf(memory, after, path, forked))
        yield* this.handOver(memory, forked, standing.value, after, parts)
      })
      return forked?.deciding(decision) ?? decision
    }))
  }

  /** Ends a run that waits after a step, for good. Returns once that is durable. */
  cancelAfter(
    id: Id.RunId,
    after: WaitPlace,
    onCancelled: (run: WorkflowRun) => Effect.Effect<void>
  ): Effect.Effect<Cancellation, ProgramNotFound | Unavailable> {
    return this.decide<Cancellation>(
      "cancelled",
      id,
      (current, standing, forked) =>
        Effect.gen({ self: this }, function*() {
          const { run } = standing
          const steps = yield* untilAnswered(this.runs.stepOutlinesOf(id))
          if (run.status === "cancelled" && numberOf(steps, after) === after.n) {
            yield* onCancelled(run)
            return yield* decided("cancelled" as const)
          }
          if (waitingAfter(standing, steps, after).length === 0) return yield* decided("not_waiting" as const)
          return yield* this.handOverCancelled(current, standing, forked, {}, onCancelled)
        })
    )
  }

  /**
   * Ends a run that has not ended, for good, wherever it is. Returns once that is durable.
   *
   * @param without cancels while no step of the run is under way
   * @param parts to be written with its end, if it is ended here
   */
  cancel(
    id: Id.RunId,
    { onCancelled, parts, without }: {
      readonly onCancelled: (run: WorkflowRun) => Effect.Effect<void>
      readonly parts: CommitParts
      readonly without: <E>(cancelling: Effect.Effect<Cancellation, E>) => Effect.Effect<Cancellation, E>
    }
  ): Effect.Effect<Cancellation, ProgramNotFound | Unavailable> {
    const cancelling = this.decide<Cancellation>(
      "cancelled",
      id,
      (current, standing, forked) =>
        Effect.gen({ self: this }, function*() {
          const { run } = standing
          if (run.status === "cancelled") {
            yield* onCancelled(run)
            return yield* decided("cancelled" as const)
          }
          if (run.endedAt !== null) return yield* decided("not_waiting" as const)
          drop(current, id)
          return yield* this.handOverCancelled(current, standing, forked, parts, onCancelled)
        }),
      without
    )
    // If the run is not cancelled, the work that was given up is still to be done.
    return Effect.onExit(cancelling, (exit) => Exit.isSuccess(exit) ? Effect.void : this.owner.invalidate)
  }

  private handOverCancelled(
    memory: ProgramMemory,
    standing: RunStanding.RunStanding,
    forked: ForkedRun | undefined,
    parts: CommitParts,
    onCancelled: (run: WorkflowRun) => Effect.Effect<void>
  ) {
    return Effect.gen({ self: this }, function*() {
      const { run } = standing
      const cancelled = RunStanding.ended(standing, cancelledAt(yield* Clock.currentTimeMillis))
      const { durable } = yield* this.handOver(memory, forked, standing, cancelled, parts)
      const removeFiles = untilAnswered(this.files.removeOf(run.id))
      return { durable: Effect.andThen(durable, Effect.andThen(removeFiles, onCancelled(run))) }
    })
  }

  /**
   * Has a run that waits, or those of its paths that do, go on before its time, when it is its turn. Returns once that is
   * durable.
   */
  resume(request: ResumptionRequest): Effect.Effect<Resumption, ProgramNotFound | Unavailable> {
    const { data, id } = request
    const after = placeAfter(request) ?? null
    return this.decide<Resumption>(
      "resumed",
      id,
      (current, standing, forked) =>
        Effect.gen({ self: this }, function*() {
          const { limits, runs } = this
          const steps = yield* untilAnswered(runs.stepsOf(id))
          if (data !== null && steps.some(({ resumeData }) => resumeData === data)) {
            return yield* decided("resumed" as const)
          }
          const waiting = waitingAfter(standing, steps, after).filter(({ waitsFor }) => waitsFor !== null)
          if (waiting.length === 0) return yield* decided("not_waiting" as const)
          const resumptions = waiting.flatMap(({ path, waitsFor }) => {
            const last = lastOf(steps, path)
            return data === null || last === undefined || waitsFor === "retry"
              ? []
              : [{ runId: id, n: last.n, resumeData: data }]
          })
          // A result has the request in it by which the run went on after its step.
          const held = steps.reduce(
            (sum, { result, resumeData }) => sum + ((result ?? resumeData)?.length ?? 0),
            resumptions.reduce((sum, { resumeData }) => sum + resumeData.length, 0)
          )
          if (resumptions.length > 0 && held > limits.resultsOfRun) return yield* decided("too_large" as const)
          const now = yield* Clock.currentTimeMillis
          const next = waiting.reduce(
            (standing, { dueAt, path }) => RunStanding.awaitingTurn(standing, path, Math.min(dueAt, now)),
            standing
          )
          return yield* this.handOver(current, forked, standing, next, { resumptions })
        })
    )
  }

  /** Hands over how a run stands, with other parts. */
  private handOver(
    memory: ProgramMemory,
    forked: ForkedRun | undefined,
    before: RunStanding.RunStanding,
    after: RunStanding.RunStanding,
    { dueDone = [], ...parts }: CommitParts = {}
  ): Effect.Effect<Submission> {
    return Effect.gen({ self: this }, function*() {
      const own = StepEnd.partsOf(this.runs, before, after)
      const alsoDone = own.dueDone.filter(({ key }) => dueDone.every((item) => item.key !== key))
      const erased = after.run.endedAt === null ? [] : this.erasureOf(memory.program.accountId, after.run)
      const submission = yield* this.owner.commit(memory, [], {
        ...parts,
        ...own,
        updates: [...own.updates, ...erased],
        dueDone: [...dueDone, ...alsoDone]
      })
      forked?.note(after, submission)
      return submission
    })
  }

  /** The progress by which a run, or a path of it, goes on. */
  private progressOf(
    memory: ProgramMemory,
    { run }: RunStanding.RunStanding,
    path: string | undefined,
    forked: ForkedRun | undefined
  ): Effect.Effect<WorkflowProgress> {
    if (forked === undefined || path === undefined) return memory.forks.readAlone(run)
    return Effect.map(untilAnswered(this.runs.stepsOf(run.id)), (done) => forked.withRequests(path, done))
  }

  private standingOf(
    workflowId: Id.WorkflowId,
    id: Id.RunId,
    forked: ForkedRun | undefined
  ): Effect.Effect<Option.Option<RunStanding.RunStanding>> {
    return forked === undefined
      ? Effect.map(untilAnswered(this.runs.get(workflowId, id)), Option.map(RunStanding.ofRun))
      : Effect.succeedSome(forked.standing)
  }

  private decide<A extends Cancellation | Resumption>(
    outcome: A,
    id: Id.RunId,
    handOver: (
      current: ProgramMemory,
      standing: RunStanding.RunStanding,
      forked: ForkedRun | undefined
    ) => Effect.Effect<Pick<Submission, "durable">, Decided<A | "unknown">>,
    without: <E>(deciding: Effect.Effect<A | "unknown", E>) => Effect.Effect<A | "unknown", E> = (deciding) => deciding
  ): Effect.Effect<A | "unknown", ProgramNotFound | Unavailable> {
    const { owner } = this
    const decideOn = (current: ProgramMemory) => {
      const workflowId = workflowIdOf(current)
      return current.forks.using(workflowId, id, (forked) => {
        const decision = Effect.flatMap(
          this.standingOf(workflowId, id, forked),
          Option.match({
            onNone: () => decided("unknown" as const),
            onSome: (standing) => handOver(current, standing, forked)
          })
        )
        // A path may have handed over the step that it waits after.
        return forked?.deciding(Effect.andThen(owner.settled, decision)) ?? decision
      })
    }
    // The commit that took the run up, or to where it waits, may be on its way to the database.
    return Effect.suspend(() => owner.settled).pipe(
      // Decided anew each time it is handed over: who owned the workflow in between may have taken the run up.
      Effect.andThen(owner.durably(decideOn)),
      Effect.as(outcome),
      Effect.catchTags({
        Decided: ({ outcome }) => Effect.succeed(outcome),
        Fenced: () => changingOwners,
        CommitRejected: () => changingOwners
      }),
      without,
      this.deciding.withPermits(1)
    )
  }
}
