import type * as Id from "@headwater/domain/Id"
import { OnBehalfOf } from "@headwater/domain/OnBehalfOf"
import { labelOf, type Program, slugOf } from "@headwater/domain/Program"
import * as Timer from "@headwater/domain/Timer"
import * as CrashPoint from "@headwater/log/commit/CrashPoint"
import { untilAnswered } from "@headwater/log/database/TransientSqlError"
import { EventLog } from "@headwater/log/logs/EventLog"
import { Deployments } from "@headwater/log/resources/Deployments"
import { Programs } from "@headwater/log/resources/Programs"
import type { DueItem } from "@headwater/log/work/DueWork"
import type { SandboxUnavailable } from "@headwater/sandbox/SandboxPool"
import { Clock, Effect, Exit, Option, Semaphore } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { Cancellation, EventRange, HookFailed, ProgramNotFound } from "../ground/ActorCalls.ts"
import { Draining } from "../ground/Draining.ts"
import * as DueItems from "../ground/DueItems.ts"
import type { CommitParts, PartsOf } from "../ground/EmitterLog.ts"
import { Suspensions } from "../ground/Suspensions.ts"
import { Unavailable } from "../ground/Unavailable.ts"
import * as Wake from "../ground/Wake.ts"
import { type Work, WorkLoop } from "../ground/WorkLoop.ts"
import type { Feed, PassedItem } from "../routing/Feed.ts"
import * as CodeRuns from "./CodeRuns.ts"
import type { Deletion, NextWork } from "./NextWork.ts"
import type { ProgramInput } from "./ProgramInput.ts"
import { ProgramInputs } from "./ProgramInputs.ts"
import { answersItself, type ProgramMemory } from "./ProgramMemory.ts"
import { ProgramOwner } from "./ProgramOwner.ts"
import { changingOwners, ProgramRequests } from "./ProgramRequests.ts"
import { type Hook, SourceRuns } from "./SourceRuns.ts"
import * as Stepping from "./Stepping.ts"
import { StepRuns } from "./StepRuns.ts"
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
  /**
   * Runs the hooks of a new program and puts it in service. The emits of a hook commit with the hook; `emits` says whether
   * those of `deploy` count.
   */
  readonly deploy: (
    options?: { readonly emits: boolean }
  ) => Effect.Effect<void, HookFailed | ProgramNotFound | Unavailable>
  /** Takes the program down, changes it to what is given, and brings it up again if it is active. */
  readonly update: (program: Program) => Effect.Effect<void, HookFailed | ProgramNotFound | Unavailable>
  /** Takes the program out of service for good: nothing of it starts any more. */
  readonly retire: Effect.Effect<void, ProgramNotFound | Unavailable>
  /** Has the program delete events of its log, none of them appended after this. Returns once that is durable. */
  readonly deleteEvents: (range: EventRange) => Effect.Effect<void, ProgramNotFound | Unavailable>
  /** Ends a run of a workflow that waits. Returns once that is durable. */
  readonly cancelRun: (id: Id.RunId) => Effect.Effect<Cancellation, ProgramNotFound | Unavailable>
  /** A subscription it listened through is gone. */
  readonly forget: (subscriptionId: string) => Effect.Effect<void>
  /** A subscription lets other events through. Once this returns, events that it has not passed are judged by the new filter. */
  readonly refilter: (subscriptionId: Id.SubscriptionId) => Effect.Effect<void>
}

type Inputs = Extract<NextWork, { readonly _tag: "Run" }>["inputs"]

/** The time after which an input that could not be run is tried again, in milliseconds. */
const retryMs = 1_000

/** More than there may ever be at a time: a hook has all of them. */
const allRuns = 1_000

const shuttingDown = new Unavailable({ message: "The server is shutting down.", retryAfterSeconds: 1 })

/** The time that a program that is to go waits for a run that is under way. */
const retirePatience = "10 seconds"

const unavailable = (message: string) => new Unavailable({ message, retryAfterSeconds: 1 })

const tick = (program: Program, key: string, dueAt: number): DueItem => ({
  ownerId: program.id,
  kind: "timer",
  key,
  dueAt,
  payload: "{}"
})

/** The program's timers whenever they are due. */
const timersOf = (program: Program): ReadonlyArray<DueItem> =>
  Object.keys(program.timers).map((key) => tick(program, key, Number.MAX_SAFE_INTEGER))

const firstTicks = (program: Program, now: number): Effect.Effect<ReadonlyArray<DueItem>> =>
  Effect.forEach(
    Object.entries(program.timers),
    ([key, timer]) => Effect.map(Effect.orDie(Timer.nextDue(timer, now, now)), (dueAt) => tick(program, key, dueAt))
  )

export const make = Effect.fnUntraced(function*(programId: Id.ProgramId, options: {
  /** Has the actor woken through its mailbox, which keeps it resident while it works. */
  readonly kick: () => void
}) {
  const events = yield* EventLog
  const programs = yield* Programs
  const deployments = yield* Deployments
  const sql = yield* SqlClient.SqlClient
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
  const requests = yield* ProgramRequests.make({
    programId,
    owner,
    isOpen: () => !retired,
    onDurable: (memory) => {
      if (!inputs.requestsWait(memory)) goOn()
    }
  })
  /** One change of the program's life at a time. */
  const changing = yield* Semaphore.make(1)
  /** One run or hook at a time, but for runs that answer a request beside a hook, and a workflow's steps. */
  const running = yield* Semaphore.make(allRuns)
  let hooking = false
  /** True once this owner has put the program in service. */
  let deployed = false
  let retired = false

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
    const together = steps.oneStep.choose(memory, chosen)
    if (together.length > 0) {
      return yield* stepping.startTogether(memory, together, (taken) => noteTaken(memory, together.slice(0, taken)))
    }
    yield* steps.starts.begin(memory, first)
    yield* noteTaken(memory, [first])
  })

  const startOver = Effect.andThen(owner.invalidate, Effect.sleep(retryMs))

  const putOff = (error: SandboxUnavailable) =>
    Effect.logWarning("The sandbox can't run an input now; trying again later", error).pipe(
      Effect.andThen(startOver)
    )

  const isStopping = () => draining.isDraining() || retired || suspensions.holds(programId)

  const stepping = yield* Stepping.make({
    steps,
    requests,
    mayGoOn: (memory) => !isStopping() && !hooking && !memory.failed,
    oneOfMany: running.withPermits(1),
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
    running.withPermits(memory.program.workflow === null ? allRuns : 1)(Effect.suspend(() => {
      if (!hooking && !retired && !memory.failed) return perform(memory, chosen)
      inputs.restart()
      return Effect.void
    }))

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
    if (isStopping()) return false
    if (inputs.isFull) {
      yield* owner.settled
      yield* inputs.noteSettled
    }
    const memory = yield* owner.current
    const next = yield* inputs.next(memory, {
      besideHook: hooking,
      busy: stepping.busy,
      most: memory.program.workflow === null ? runs.most : steps.oneStep.most(memory),
      mostTicks: runs.mostTicks
    })
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
        yield* steps.resume(memory, work.item)
        return true
      case "Skip":
        yield* skip(memory, work.feed, work.item)
        return true
      case "Append":
        yield* runs.append(memory, work.item)
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
    isBusy: () => stepping.busy.size > 0,
    settle: Effect.gen(function*() {
      if (isStopping()) {
        yield* stepping.ended
        yield* requests.refuseAll
        return false
      }
      yield* owner.settled
      return (yield* inputs.noteSettled) || owner.hasFailed
    })
  }

  const runHook = (memory: ProgramMemory, hook: Hook, emits?: boolean) =>
    running.withPermits(allRuns)(runs.hook(memory, hook, emits)).pipe(
      Effect.catchTag("SandboxUnavailable", (error) => unavailable(error.message))
    )

  /** A program that is going down or away goes, whatever its code says; what it said is on `$errors`. */
  const deactivate = Effect.fnUntraced(function*(memory: ProgramMemory) {
    yield* runHook(memory, "deactivate").pipe(
      Effect.catchTags({
        HookFailed: (failure) => runs.report(memory, "deactivate", failure),
        Unavailable: (error) => Effect.logWarning("Could not run a deactivate hook", error)
      })
    )
  })

  /** A change of the program's life, its hooks alone with it. */
  const change = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.suspend(() => {
      hooking = true
      return effect
    }).pipe(
      Effect.ensuring(Effect.sync(() => {
        hooking = false
      })),
      Effect.ensuring(Effect.sync(options.kick)),
      changing.withPermits(1)
    )

  const writeRow = Effect.fnUntraced(function*(program: Program) {
    yield* programs.update(program)
    if (program.workflow === null) return
    yield* deployments.putOf(program)
    yield* deployments.removeUnused(program.id, program.workflow.deploymentId)
  })

  /** Writes the program's row; under the next free slug where another program has taken this one meanwhile. */
  const updateRow = (program: Program): Effect.Effect<void, SqlError.SqlError> =>
    sql.withTransaction(writeRow(program)).pipe(
      Effect.catchTag("SlugTaken", () =>
        Effect.flatMap(
          programs.freeSlug(program.accountId, slugOf(program.name)),
          (nameSlug) => updateRow({ ...program, nameSlug })
        )),
      Effect.asVoid
    )

  const commitDurably = (parts: (memory: ProgramMemory) => PartsOf) =>
    owner.durably((memory) => owner.commit(memory, [], parts(memory))).pipe(
      Effect.catchTags({
        Fenced: () => changingOwners,
        CommitRejected: () => changingOwners
      })
    )

  const save = Effect.fnUntraced(function*(parts: CommitParts) {
    yield* commitDurably(() => parts)
    yield* owner.invalidate
    return yield* owner.current
  })

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
    deploy: ({ emits } = { emits: true }) =>
      change(Effect.gen(function*() {
        const memory = yield* owner.current
        if (deployed) return
        // The call comes again where its way to an owner was cut off, which may have run the hooks.
        if (memory.log.head.fence.epoch > 1n) return yield* unavailable("Its creation was cut off. Try again.")
        yield* runHook(memory, "deploy", emits)
        CrashPoint.reached("create-deployed")
        yield* runHook(memory, "activate")
        CrashPoint.reached("create-activated")
        const now = yield* Clock.currentTimeMillis
        yield* save({
          duePut: memory.program.active ? yield* firstTicks(memory.program, now) : [],
          also: Effect.asVoid(programs.setState(programId, "ready"))
        })
        deployed = true
      })),
    update: (next) =>
      change(Effect.gen(function*() {
        const before = yield* owner.current
        // For a workflow too, paused or not: the steps that are under way end before anything changes.
        if (before.program.active || before.program.workflow !== null) yield* deactivate(before)
        CrashPoint.reached("update-deactivated")
        // With the change itself: cut off by a crash, an active program still has its ticks.
        const ticks = next.active ? yield* firstTicks(next, yield* Clock.currentTimeMillis) : []
        const memory = yield* save({
          dueDone: timersOf(before.program),
          duePut: ticks,
          also: updateRow(next)
        })
        CrashPoint.reached("update-saved")
        if (!next.active) return
        yield* runHook(memory, "activate").pipe(
          Effect.tapErrorTag("HookFailed", () => save({ dueDone: ticks, also: updateRow({ ...next, active: false }) }))
        )
      })),
    retire: change(Effect.gen(function*() {
      const memory = yield* owner.current
      const isIdle = Option.isSome(
        yield* Effect.timeoutOption(running.withPermits(allRuns)(Effect.void), retirePatience)
      )
      if (memory.program.active && isIdle) yield* deactivate(memory)
      retired = true
      loop.signal()
      if (isIdle) return yield* running.withPermits(allRuns)(owner.settled)
      // The run comes to nothing: the epoch under which it would be committed goes with the program.
      yield* Effect.logWarning("Deleted a source or workflow during a run of it").pipe(
        Effect.annotateLogs(labelOf(programId))
      )
    })),
    deleteEvents: Effect.fnUntraced(function*(range) {
      const now = yield* Clock.currentTimeMillis
      yield* commitDurably((memory) => () => {
        const { lastId } = memory.log.head
        return { duePut: [DueItems.deletion(programId, { ...range, to: range.to < lastId ? range.to : lastId }, now)] }
      })
      CrashPoint.reached("delete-asked")
      inputs.absorb(Wake.forDueWork)
      options.kick()
    }),
    cancelRun: Effect.fnUntraced(function*(id) {
      const memory = yield* owner.current
      return yield* steps.cancel(
        memory,
        id,
        (run) => isOfEndpoint(run) ? requests.noResponse(run.trigger.id) : Effect.void
      )
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
