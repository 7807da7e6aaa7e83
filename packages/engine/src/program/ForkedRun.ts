import type { RunId, WorkflowId } from "@headwater/domain/Id"
import type { Submission } from "@headwater/log/commit/Submission"
import { untilAnswered } from "@headwater/log/database/TransientSqlError"
import type { WorkflowFiles } from "@headwater/log/work/WorkflowFiles"
import type { RunPath, WorkflowRun, WorkflowRuns } from "@headwater/log/work/WorkflowRuns"
import { Effect, Option, Semaphore } from "effect"
import type { ProgramMemory } from "./ProgramMemory.ts"
import { isRunning, ofRun, type RunStanding, withPaths } from "./RunStanding.ts"
import { type DoneStep, WorkflowProgress } from "./WorkflowProgress.ts"

/**
 * A run on several paths at once, as its workflow's owner holds it. Each path is a progress of its own over the same results.
 *
 * - F1. One turn is decided and handed over at a time, under `deciding`: the last path to end joins its block.
 * - F2. Commits are made in the order in which they are handed over, so that the step after a block begins when all of the
 *   block's branches are durable.
 * - F3. Once the run is over, no path begins a step, and the steps that paths are at are recorded without a turn.
 */
export class ForkedRun {
  private readonly decisions = Semaphore.makeUnsafe(1)
  private readonly onRest: () => void
  private readonly paths = new Map<string, WorkflowProgress>()
  private current: RunStanding
  /** The number of decisions and commits under way. */
  private uses = 0
  /** The run itself, as it came to the block. */
  readonly trunk: WorkflowProgress

  /**
   * @param done the recorded steps of its paths
   * @param onRest called when no path is running and nothing of it is under way
   */
  constructor(
    trunk: WorkflowProgress,
    standing: RunStanding,
    onRest: () => void,
    done: ReadonlyArray<DoneStep> = []
  ) {
    this.trunk = trunk
    this.current = standing
    this.onRest = onRest
    this.follow(done)
  }

  get standing(): RunStanding {
    return this.current
  }

  get isOver(): boolean {
    return this.current.run.endedAt !== null
  }

  /** The progress of a path, or of the run itself. */
  progressOf(path: string | undefined): WorkflowProgress {
    return path === undefined ? this.trunk : this.paths.get(path)!
  }

  /** Those of its paths that go on now. */
  get running(): ReadonlyArray<WorkflowProgress> {
    return [...this.current.paths.values()]
      .filter(({ status }) => status === "running")
      .map(({ path }) => this.progressOf(path))
  }

  /** Decides on a turn, and hands it over, while nobody else does. */
  deciding<A, E>(decide: Effect.Effect<A, E>): Effect.Effect<A, E> {
    return this.decisions.withPermits(1)(decide)
  }

  /** Is not at rest until it is released. */
  hold(): void {
    this.uses += 1
  }

  release(): void {
    this.uses -= 1
    if (this.uses === 0 && (this.current.paths.size === 0 || !isRunning(this.current))) this.onRest()
  }

  /** Notes how the run stands once a commit that is handed over is durable. */
  note(standing: RunStanding, submission: Submission): void {
    this.current = standing
    this.follow([])
    this.hold()
    submission.onEnd(() => this.release())
  }

  /** The progress of a path, with the requests by which it goes on, which are recorded with its steps. */
  withRequests(path: string, done: ReadonlyArray<DoneStep>): WorkflowProgress {
    const progress = this.progressOf(path)
    progress.steps.note(done)
    progress.noteRequests(done)
    return progress
  }

  /** Has the progresses say what the standing says. */
  private follow(done: ReadonlyArray<DoneStep>): void {
    const { paths, run } = this.current
    this.trunk.run = run
    for (const name of this.paths.keys()) if (!paths.has(name)) this.paths.delete(name)
    for (const path of paths.values()) {
      const progress = this.paths.get(path.path) ?? this.begin(path, done)
      progress.run = runOn(run, path)
    }
  }

  private begin(path: RunPath, done: ReadonlyArray<DoneStep>): WorkflowProgress {
    const { path: name } = path
    const from = this.progressOf(path.parent ?? undefined)
    const recorded = done.filter((step) => step.path === name).length
    const progress = new WorkflowProgress(from.run, { path: { forked: this, name, recorded }, steps: from.steps })
    progress.resumed = from.resumed
    progress.noteRequests(done)
    this.paths.set(name, progress)
    return progress
  }
}

/** A run with the progress of one of its paths. */
const runOn = (run: WorkflowRun, path: RunPath): WorkflowRun => ({
  ...run,
  status: path.status === "running" ? "running" : "waiting",
  step: path.step,
  tries: path.tries,
  failures: path.failures,
  rerunContext: path.rerunContext,
  dueAt: path.dueAt,
  waitsFor: path.waitsFor,
  error: path.error
})

/**
 * The runs of a workflow that are on several paths at once, of those that its owner has taken up.
 *
 * - K1. A run is kept for as long as any of its paths is running, or anything of it is under way. The database has it as it is
 *   when it is read anew.
 */
export class ForkedRuns {
  private readonly kept = new Map<string, ForkedRun>()
  private readonly files: WorkflowFiles["Service"]
  private readonly runs: WorkflowRuns["Service"]
  private readonly reading = Semaphore.makeUnsafe(1)
  private readonly queue: Pick<ProgramMemory, "underWay" | "unread">

  /** @param queue gets the paths of a run that go on, when it was read for one that waits */
  constructor(
    { files, runs }: { readonly files: WorkflowFiles["Service"]; readonly runs: WorkflowRuns["Service"] },
    queue: Pick<ProgramMemory, "underWay" | "unread">
  ) {
    this.files = files
    this.runs = runs
    this.queue = queue
  }

  /** True if the owner has none. */
  get isEmpty(): boolean {
    return this.kept.size === 0
  }

  /** True if a path of a run is running: another one needs no room for a run. */
  isUnderWay(id: RunId): boolean {
    const forked = this.kept.get(id)
    return forked !== undefined && isRunning(forked.standing)
  }

  /** Keeps a run that goes on in several branches at once when a commit is durable. */
  begin(trunk: WorkflowProgress, standing: RunStanding, submission: Submission): ForkedRun {
    const forked = this.keep(trunk, standing, [])
    forked.note(standing, submission)
    return forked
  }

  /** Reads a run that was under way: all of it that goes on now. Nothing if it has ended, or is known already. */
  takeUp(workflowId: WorkflowId, id: RunId): Effect.Effect<ReadonlyArray<WorkflowProgress>> {
    return this.reading.withPermits(1)(Effect.gen({ self: this }, function*() {
      const found = yield* untilAnswered(this.runs.get(workflowId, id))
      if (this.kept.has(id) || Option.isNone(found) || found.value.status !== "running") return []
      const read = yield* this.read(found.value)
      return read instanceof ForkedRun ? read.running : [read]
    }))
  }

  /** Uses a run, if it is on several paths at once. */
  using<A, E>(
    workflowId: WorkflowId,
    id: RunId,
    use: (forked: ForkedRun | undefined) => Effect.Effect<A, E>
  ): Effect.Effect<A, E> {
    const find = Effect.suspend(() => {
      const known = this.kept.get(id)
      return known === undefined ? this.readForked(workflowId, id) : Effect.succeed(known)
    })
    // Reading ends when it is interrupted: it lasts for as long as the database is away.
    return Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(
        this.reading.withPermits(1)(Effect.tap(restore(find), (forked) => Effect.sync(() => forked?.hold()))),
        (forked) => Effect.ensuring(restore(use(forked)), Effect.sync(() => forked?.release()))
      )
    )
  }

  /** Reads what a run has come to that is on no paths. */
  readAlone(run: WorkflowRun): Effect.Effect<WorkflowProgress> {
    return Effect.map(this.readSteps(run), ({ progress }) => progress)
  }

  private readSteps({ id, ...run }: WorkflowRun) {
    return Effect.zipWith(
      untilAnswered(this.runs.stepsOf(id)),
      untilAnswered(this.files.of(id)),
      (steps, files) => {
        const progress = WorkflowProgress.after({ id, ...run }, steps)
        progress.steps.files = files
        return { progress, steps }
      },
      { concurrent: true }
    )
  }

  private read(run: WorkflowRun): Effect.Effect<ForkedRun | WorkflowProgress> {
    return Effect.gen({ self: this }, function*() {
      const { progress, steps } = yield* this.readSteps(run)
      const paths = yield* untilAnswered(this.runs.pathsOf(run.id))
      if (paths.length === 0) return progress
      const standing = withPaths(ofRun(run), new Map(paths.map((path) => [path.path, path])))
      return this.keep(progress, standing, steps)
    })
  }

  private readForked(workflowId: WorkflowId, id: RunId): Effect.Effect<ForkedRun | undefined> {
    return Effect.gen({ self: this }, function*() {
      const { runs } = this
      if ((yield* untilAnswered(runs.pathsOf(id))).length === 0) return undefined
      const found = yield* untilAnswered(runs.get(workflowId, id))
      const read = Option.isNone(found) ? undefined : yield* this.read(found.value)
      if (!(read instanceof ForkedRun)) return undefined
      const { underWay, unread } = this.queue
      underWay.push(...read.running)
      if (unread.includes(id)) unread.splice(unread.indexOf(id), 1)
      return read
    })
  }

  private keep(trunk: WorkflowProgress, standing: RunStanding, done: ReadonlyArray<DoneStep>): ForkedRun {
    const { id } = standing.run
    const forked = new ForkedRun(trunk, standing, () => this.kept.delete(id), done)
    this.kept.set(id, forked)
    return forked
  }
}
