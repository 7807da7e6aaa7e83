import type * as Id from "@headwater/domain/Id"
import { OnBehalfOf } from "@headwater/domain/OnBehalfOf"
import { labelOf } from "@headwater/domain/Program"
import * as CrashPoint from "@headwater/log/commit/CrashPoint"
import { untilAnswered } from "@headwater/log/database/TransientSqlError"
import { EventLog } from "@headwater/log/logs/EventLog"
import { BulkActions } from "@headwater/log/work/BulkActions"
import type { WorkflowRun } from "@headwater/log/work/WorkflowRuns"
import type { SandboxUnavailable } from "@headwater/sandbox/SandboxPool"
import { Clock, Effect, Exit, FiberSet, Option } from "effect"
import { BulkRuns } from "../bulk/BulkRuns.ts"
import type {
  Cancellation,
  EventRange,
  ProgramNotFound,
  Resumption,
  ResumptionRequest,
  WaitPlace
} from "../ground/ActorCalls.ts"
import { Draining } from "../ground/Draining.ts"
import * as DueItems from "../ground/DueItems.ts"
import type { CommitParts } from "../ground/EmitterLog.ts"
import { Suspensions } from "../ground/Suspensions.ts"
import { Unavailable } from "../ground/Unavailable.ts"
import * as Wake from "../ground/Wake.ts"
import { type Work, WorkLoop } from "../ground/WorkLoop.ts"
import type { Feed, PassedItem } from "../routing/Feed.ts"
import * as BulkRepeats from "./BulkRepeats.ts"
import { CodeRuns } from "./CodeRuns.ts"
import type { Deletion, NextWork } from "./NextWork.ts"
import { ProgramChanges } from "./ProgramChanges.ts"
import type { ProgramInput } from "./ProgramInput.ts"
import { ProgramInputs } from "./ProgramInputs.ts"
import { answersItself, type ProgramMemory } from "./ProgramMemory.ts"
import { ProgramOwner } from "./ProgramOwner.ts"
import { ProgramRequests } from "./ProgramRequests.ts"
import { SourceRuns } from "./SourceRuns.ts"
import { Stepping } from "./Stepping.ts"
import { StepRuns } from "./StepRuns.ts"
import { WaitingRuns } from "./WaitingRuns.ts"
import { isOfEndpoint } from "./WorkflowProgress.ts"

/** The owner of one program: takes its requests, runs its code, and writes what that did. */
export interface ProgramActor {
  readonly ingest: ProgramRequests["ingest"]
  readonly awaitsReply: ProgramRequests["awaitsReply"]
  /** Takes a hint in, for the work under way or the next. */
  readonly hint: (wake: Wake.Wake) => void
  /** Works until there is nothing left to do. Returns at once where it is working already. */
  readonly wake: (wake: Wake.Wake) => Effect.Effect<void>
  /** True if it waits for its turn, and is going to be kicked then. */
  readonly awaitsTurn: () => boolean
  readonly deploy: ProgramChanges["deploy"]
  readonly update: ProgramChanges["update"]
  readonly retire: ProgramChanges["retire"]
  /** Has the program delete events of its log, none of them appended after this. Returns once that is durable. */
  readonly deleteEvents: (range: EventRange) => Effect.Effect<void, ProgramNotFound | Unavailable>
  /**
   * Ends a run of a workflow that has not ended, wherever it is. Returns once that is durable.
   *
   * @param after given where it is to be one that waits after this step
   */
  readonly cancelRun: (id: Id.RunId, after?: WaitPlace) => Effect.Effect<Cancellation, ProgramNotFound | Unavailable>
  /** Has a run of a workflow that waits go on. Returns once that is durable. */
  readonly resumeRun: (request: ResumptionRequest) => Effect.Effect<Resumption, ProgramNotFound | Unavailable>
  /** A subscription it listened through is gone. */
  readonly forget: (subscriptionId: string) => Effect.Effect<void>
  /** A subscription lets other events through. Once this returns, events that it has not passed are judged by the new filter. */
  readonly refilter: (subscriptionId: Id.SubscriptionId) => Effect.Effect<void>
}

type Inputs = Extract<NextWork, { readonly _tag: "Run" }>["inputs"]

/** The time after which an input that could not be run is tried again, in milliseconds. */
const retryMs = 1_000

const shuttingDown = new Unavailable({ message: "The server is shutting down.", retryAfterSeconds: 1 })

export const make = Effect.fnUntraced(function*(programId: Id.ProgramId, options: {
  /** Has the actor woken through its mailbox, which keeps it resident while it works. */
  readonly kick: () => void
}) {
  const events = yield* EventLog
  const draining = yield* Draining
  const suspensions = yield* Suspensions
  const inputs = yield* ProgramInputs.make(() => goOn())
  const owner = yield* ProgramOwner.make(programId, {
    onReload: () => inputs.restart(),
    onPutOff: (dueAt) => inputs.notePutOff(dueAt)
  })
  const code = yield* CodeRuns.make(owner)
  const runs = yield* SourceRuns.make(owner, code)
  const steps = yield* StepRuns.make(owner, code)
  const waiting = yield* WaitingRuns.make(owner)
  const changes = yield* ProgramChanges.make({ ...options, owner, programId, runs, onRetired: () => loop.signal() })
  const requests = yield* ProgramRequests.make({
    programId,
    owner,
    isOpen: () => !changes.isRetired,
    onDurable: (memory) => {
      if (!inputs.requestsWait(memory)) goOn()
    }
  })
  const bulkActions = yield* BulkActions
  const bulkFibers = yield* FiberSet.make<void>()
  const bulkRuns = new BulkRuns<BulkRepeats.RepeatedItem>({
    ownerId: programId,
    bulk: bulkActions,
    start: (work, onEnd) => startBulk(work, onEnd)
  })
  const loop = new WorkLoop()

  /** Has the work go on, or begin. */
  const goOn = () => {
    if (loop.isResting()) options.kick()
    else loop.signal()
  }

  /** Those of these inputs that are requests are no longer to be run. */
  const noteTaken = Effect.fnUntraced(function*(memory: ProgramMemory, inputs: ReadonlyArray<ProgramInput>) {
    if (inputs[0]?.request === undefined) return
    yield* runs.pruneRequests(memory, inputs.length)
    for (const { request } of inputs) memory.backlogBytes -= request?.bytes ?? 0
    memory.backlogBytes = Math.max(0, memory.backlogBytes)
  })

  const perform = Effect.fnUntraced(function*(memory: ProgramMemory, chosen: Inputs) {
    const [first] = chosen
    if (memory.program.workflow === null) {
      const taken = yield* runs.run(memory, chosen, (response) => requests.respond(first.id, response))
      if (first.request !== undefined && chosen.length === 1) yield* requests.noResponse(first.id)
      return yield* noteTaken(memory, chosen.slice(0, taken))
    }
    const together = steps.chooseTogether(memory, chosen)
    if (together.length > 0) {
      return yield* stepping.startTogether(memory, together, (taken) => noteTaken(memory, together.slice(0, taken)))
    }
    yield* steps.begin(memory, first)
    yield* noteTaken(memory, [first])
  })

  const startOver = Effect.andThen(owner.invalidate, Effect.sleep(retryMs))

  const putOff = (error: SandboxUnavailable) =>
    Effect.logWarning("The sandbox can't run an input now; trying again later", error).pipe(
      Effect.andThen(startOver)
    )

  const isStopping = () => draining.isDraining() || changes.isRetired || suspensions.holds(programId)

  const stepping = yield* Stepping.make({
    steps,
    requests,
    mayGoOn: (memory) => !isStopping() && !changes.isHooking && !memory.failed,
    oneOfMany: (step) => changes.beside(step),
    onUnavailable: putOff,
    onDefect: (defect) =>
      Effect.logError("Could not run a step; trying again later", defect).pipe(
        Effect.annotateLogs(labelOf(programId)),
        Effect.andThen(startOver)
      ),
    onEnd: () => loop.signal()
  })

  /**
   * Runs inputs by themselves, or begins a workflow's run over it, but for one that was chosen before a hook or a change
   * began or on memory that no longer holds.
   */
  const performInTurn = (memory: ProgramMemory, chosen: Inputs) =>
    Effect.suspend(() => {
      if (!changes.isHooking && !changes.isRetired && !memory.failed) return perform(memory, chosen)
      inputs.restart()
      return Effect.void
    }).pipe((run) => memory.program.workflow === null ? changes.alone(run) : changes.beside(run))

  /** Passes events that will not be run, answering those who wait for them. */
  const skip = Effect.fnUntraced(function*(memory: ProgramMemory, feed: Feed, item: PassedItem) {
    const move = feed.pass(item)
    if (feed !== memory.requests) {
      feed.isPassing = true
      const submission = yield* owner.commit(memory, [], { moves: [move] })
      submission.onEnd(() => {
        if (inputs.notePassed(memory, feed)) goOn()
      })
      return
    }
    yield* runs.passRequests(memory, move)
    yield* requests.refuseUpTo(move.to.id, "hops")
  })

  const removeSome = Effect.fnUntraced(function*(memory: ProgramMemory, deletion: Deletion) {
    const { range } = deletion
    const last = yield* untilAnswered(events.removeSome({ emitterId: programId, stream: range.stream }, range))
    if (Option.isSome(last)) {
      CrashPoint.reached("delete-bite")
      deletion.range = { ...range, from: last.value + 1n }
      return
    }
    CrashPoint.reached("delete-over")
    yield* owner.commit(memory, [], { dueDone: [deletion.item] })
    inputs.noteDeleted(deletion)
  })

  /** Does one thing; answers whether there was any. */
  const step = Effect.gen(function*() {
    if (isStopping() || owner.hasFailed) bulkRuns.halt()
    if (isStopping()) return false
    if (inputs.isFull) {
      yield* owner.settled
      yield* inputs.noteSettled
    }
    const memory = yield* owner.current
    const next = yield* inputs.next(memory, {
      besideHook: changes.isHooking,
      busy: stepping.busy,
      most: memory.program.workflow === null ? runs.most : steps.mostTogether(memory),
      mostTicks: runs.mostTicks
    })
    if (inputs.takeBulk()) yield* bulkRuns.look((part) => bulkOf(memory, part))
    if (Option.isNone(next)) return false
    const work = next.value
    switch (work._tag) {
      case "Run": {
        const beside = work.inputs[0].kind === "HTTP" && memory.program.workflow === null && answersItself(memory)
        yield* (beside ? perform : performInTurn)(memory, work.inputs).pipe(
          Effect.catchTag("SandboxUnavailable", putOff)
        )
        return true
      }
      case "Proceed":
        yield* stepping.start(memory, work.run)
        return true
      case "Resume":
        yield* waiting.takeUp(memory, work.item)
        return true
      case "Skip":
        yield* skip(memory, work.feed, work.item)
        return true
      case "Append":
        yield* runs.append(memory, work.item, () => goOn())
        return true
      case "Refuse":
        yield* runs.refuse(memory, work.input, work.reason)
        return true
      case "Wait":
        yield* owner.commit(memory, [], { duePut: [work.item] })
        return true
      case "Delete":
        yield* removeSome(memory, work.deletion)
        return true
      case "Forget":
        yield* owner.commit(memory, [], { dueDone: [work.item] })
        return true
    }
  }).pipe(Effect.catchTag("ProgramNotFound", () => Effect.succeed(false)))

  const work: Work = {
    step: Effect.suspend(() => Effect.provideService(step, OnBehalfOf, owner.ready?.accountId ?? "")),
    isBusy: () => stepping.busy.size > 0 || bulkRuns.isBusy,
    settle: Effect.gen(function*() {
      if (isStopping()) {
        bulkRuns.halt()
        yield* stepping.ended
        yield* FiberSet.awaitEmpty(bulkFibers)
        yield* requests.refuseAll
        return false
      }
      yield* owner.settled
      return (yield* inputs.noteSettled) || owner.hasFailed
    })
  }

  const noResponse = (run: WorkflowRun) => isOfEndpoint(run) ? requests.noResponse(run.trigger.id) : Effect.void

  /** @param parts to be written with the end of the run */
  const cancel = (id: Id.RunId, parts: CommitParts) =>
    waiting.cancel(id, {
      onCancelled: noResponse,
      parts,
      without: (cancelling) => stepping.without(id, cancelling)
    }).pipe(Effect.ensuring(Effect.sync(goOn)))

  const bulkOf = yield* BulkRepeats.make({ owner, requests, isStopping: () => isStopping(), cancel })

  const runBulk = yield* FiberSet.runtime(bulkFibers)<never>()

  /** Has a part of a bulk action at work beside everything else. */
  const startBulk = (work: Effect.Effect<void>, onEnd: () => void) => {
    const onDefect = (defect: unknown) =>
      Effect.andThen(
        Effect.logError("A bulk action's work failed; it goes on later", defect).pipe(
          Effect.annotateLogs(labelOf(programId))
        ),
        owner.invalidate
      )
    runBulk(
      work.pipe(
        Effect.catchDefect(onDefect),
        Effect.provideService(OnBehalfOf, owner.ready?.accountId ?? "")
      )
    ).addObserver(() => {
      onEnd()
      loop.signal()
    })
  }

  const hint = (wake: Wake.Wake) => {
    inputs.absorb(wake)
    loop.signal()
  }

  return {
    ingest: (request, onAnswered) =>
      draining.isDraining() ? onAnswered(Exit.fail(shuttingDown)) : requests.ingest(request, onAnswered),
    awaitsReply: (request) => requests.awaitsReply(request),
    hint,
    awaitsTurn: () => inputs.awaitsTurn,
    wake: (wake) =>
      Effect.suspend(() => {
        hint(wake)
        return loop.run(work)
      }),
    deploy: (options) => changes.deploy(options),
    update: (program) => changes.update(program),
    retire: changes.retire,
    deleteEvents: Effect.fnUntraced(function*(range) {
      const now = yield* Clock.currentTimeMillis
      yield* changes.commitDurably((memory) => () => {
        const { lastId } = memory.log.head
        return { duePut: [DueItems.deletion(programId, { ...range, to: range.to < lastId ? range.to : lastId }, now)] }
      })
      CrashPoint.reached("delete-asked")
      inputs.absorb(Wake.forDueWork)
      options.kick()
    }),
    cancelRun: (id, after) => after === undefined ? cancel(id, {}) : waiting.cancelAfter(id, after, noResponse),
    resumeRun: Effect.fnUntraced(function*(request) {
      const resumption = yield* waiting.resume(request)
      if (resumption === "resumed") {
        inputs.absorb(Wake.forDueWork)
        goOn()
      }
      return resumption
    }),
    refilter: Effect.fnUntraced(function*(subscriptionId) {
      const memory = yield* Effect.option(owner.current)
      if (Option.isNone(memory)) return
      yield* memory.value.inbox.refilter(subscriptionId)
      goOn()
    }),
    forget: (subscriptionId) =>
      Effect.map(Effect.option(owner.current), (memory) => {
        if (Option.isSome(memory)) memory.value.inbox.forget(subscriptionId)
      })
  } satisfies ProgramActor as ProgramActor
})
