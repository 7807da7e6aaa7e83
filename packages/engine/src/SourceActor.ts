import type * as Id from "@headwater/domain/Id"
import { slugOf, type Source } from "@headwater/domain/Source"
import * as Timer from "@headwater/domain/Timer"
import * as CrashPoint from "@headwater/log/CrashPoint"
import { Deployments } from "@headwater/log/Deployments"
import type { DueItem } from "@headwater/log/DueWork"
import { EventLog } from "@headwater/log/EventLog"
import { Sources } from "@headwater/log/Sources"
import type { SandboxUnavailable } from "@headwater/sandbox/SandboxPool"
import { Clock, Effect, Latch, Option, Semaphore } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import * as CodeRuns from "./CodeRuns.ts"
import { untilAnswered } from "./DatabaseRetry.ts"
import { Draining } from "./Draining.ts"
import * as DueDeletions from "./DueDeletions.ts"
import type { EventRange } from "./DueDeletions.ts"
import type { CommitParts } from "./EmitterLog.ts"
import type { Feed, FeedItem } from "./Feed.ts"
import type { HookFailed } from "./HookFailed.ts"
import type { SourceInput } from "./SourceInput.ts"
import * as SourceInputs from "./SourceInputs.ts"
import { answersItself, type SourceMemory } from "./SourceMemory.ts"
import type { SourceNotFound } from "./SourceNotFound.ts"
import * as SourceOwner from "./SourceOwner.ts"
import * as SourceRequests from "./SourceRequests.ts"
import * as SourceRuns from "./SourceRuns.ts"
import * as Stepping from "./Stepping.ts"
import * as StepRuns from "./StepRuns.ts"
import { Unavailable } from "./Unavailable.ts"
import * as Wake from "./Wake.ts"

/** The owner of one source: takes its requests, runs its code, and writes what that did. */
export interface SourceActor {
  readonly ingest: SourceRequests.SourceRequests["ingest"]
  /** Takes a hint in, for the work under way or the next. */
  readonly hint: (wake: Wake.Wake) => void
  /** Works until there is nothing left to do. Returns at once where it is working already. */
  readonly wake: (wake: Wake.Wake) => Effect.Effect<void>
  /**
   * Runs the hooks of a new source and puts it in service. What a hook emits commits with the hook; whether what `deploy`
   * emits counts is said in `emits`.
   */
  readonly deploy: (
    options?: { readonly emits: boolean }
  ) => Effect.Effect<void, HookFailed | SourceNotFound | Unavailable>
  /** Takes the source down, changes it to what is given, and brings it up again if it is active. */
  readonly update: (source: Source) => Effect.Effect<void, HookFailed | SourceNotFound | Unavailable>
  /** Takes the source out of service for good: nothing of it starts any more. */
  readonly retire: Effect.Effect<void, SourceNotFound | Unavailable>
  /** Has the source delete events of its log, none of them appended after this. Returns once that is durable. */
  readonly deleteEvents: (range: EventRange) => Effect.Effect<void, SourceNotFound | Unavailable>
  /** A subscription it listened through is gone. */
  readonly forget: (subscriptionId: string) => Effect.Effect<void>
}

/** How long it takes until what the sandbox, or we ourselves, could not run is tried again, in milliseconds. */
const retryMs = 1_000

/** More than there may ever be at a time: a hook has all of them. */
const allRuns = 1_000

/** How long a source that is to go waits for a run that is under way. */
const retirePatience = "10 seconds"

const unavailable = (message: string) => new Unavailable({ message, retryAfterSeconds: 1 })

const tick = (source: Source, key: string, dueAt: number): DueItem => ({
  ownerId: source.id,
  kind: "timer",
  key,
  dueAt,
  payload: "{}"
})

/** The source's timers whenever they are due. */
const timersOf = (source: Source): ReadonlyArray<DueItem> =>
  Object.keys(source.timers).map((key) => tick(source, key, Number.MAX_SAFE_INTEGER))

const firstTicks = (source: Source, now: number): Effect.Effect<ReadonlyArray<DueItem>> =>
  Effect.forEach(
    Object.entries(source.timers),
    ([key, timer]) => Effect.map(Effect.orDie(Timer.nextDue(timer, now, now)), (dueAt) => tick(source, key, dueAt))
  )

export const make = Effect.fnUntraced(function*(sourceId: Id.ProgramId, options: {
  /** Has the actor woken through its mailbox, which keeps it resident while it works. */
  readonly kick: () => void
}) {
  const events = yield* EventLog
  const sources = yield* Sources
  const deployments = yield* Deployments
  const sql = yield* SqlClient.SqlClient
  const draining = yield* Draining
  const inputs = yield* SourceInputs.make
  const owner = yield* SourceOwner.make(sourceId, { onReload: inputs.restart })
  const code = yield* CodeRuns.make(owner)
  const runs = yield* SourceRuns.make(owner, code)
  const steps = yield* StepRuns.make(owner, code)
  const requests = SourceRequests.make({
    sourceId,
    owner,
    isOpen: () => !retired,
    onDurable: () => {
      // Who is at work looks again before it rests.
      if (working) stir()
      else options.kick()
    }
  })
  /** One change of the source's life at a time. */
  const changing = yield* Semaphore.make(1)
  /** One run or hook at a time, but for runs that answer a request beside a hook, and a workflow's steps. */
  const running = yield* Semaphore.make(allRuns)
  /** Opens when there may be something to do. */
  const stirred = yield* Latch.make(false)
  let hooking = false
  let retired = false
  let working = false
  let hinted = false

  const stir = () => {
    hinted = true
    stirred.openUnsafe()
  }

  const perform = Effect.fnUntraced(function*(memory: SourceMemory, input: SourceInput) {
    const { request } = input
    if (memory.source.workflow === null) {
      yield* runs.run(memory, input, (response) => requests.respond(input.id, response))
      if (request !== undefined) yield* requests.noResponse(input.id)
    } else {
      yield* steps.begin(memory, input)
    }
    if (request === undefined) return
    yield* runs.pruneRequests(memory, request.id)
    memory.backlogBytes = Math.max(0, memory.backlogBytes - request.bytes)
  })

  const startOver = Effect.andThen(owner.invalidate, Effect.sleep(retryMs))

  const putOff = (error: SandboxUnavailable) =>
    Effect.logWarning("The sandbox can't run an input now; it will be tried again", error).pipe(
      Effect.andThen(startOver)
    )

  const isStopping = () => draining.isDraining() || retired

  const stepping = yield* Stepping.make({
    steps,
    requests,
    mayGoOn: (memory) => !isStopping() && !hooking && !memory.failed,
    oneOfMany: running.withPermits(1),
    onUnavailable: putOff,
    onDefect: (defect) =>
      Effect.logError("A step could not be run; it will be tried again", defect).pipe(
        Effect.annotateLogs({ source_id: sourceId }),
        Effect.andThen(startOver)
      ),
    onEnd: stir
  })

  /**
   * Runs an input by itself, or begins a workflow's run over it, but for one that was chosen before a hook or a change
   * began or on memory that no longer holds.
   */
  const performInTurn = (memory: SourceMemory, input: SourceInput) =>
    running.withPermits(memory.source.workflow === null ? allRuns : 1)(Effect.suspend(() => {
      if (!hooking && !retired && !memory.failed) return perform(memory, input)
      inputs.restart()
      return Effect.void
    }))

  /** Passes events that will not be run, answering those who wait for them. */
  const skip = Effect.fnUntraced(function*(memory: SourceMemory, feed: Feed, item: FeedItem) {
    const move = feed.pass(item)
    if (feed !== memory.requests) {
      yield* owner.commit(memory, [], { moves: [move] })
      return
    }
    yield* runs.passRequests(memory, move)
    yield* requests.refuseUpTo(move.to.id, "hops")
  })

  const removeSome = Effect.fnUntraced(function*(memory: SourceMemory, deletion: SourceInputs.Deletion) {
    const { range } = deletion
    const last = yield* untilAnswered(events.removeSome({ emitterId: sourceId, stream: range.stream }, range))
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
    const memory = yield* owner.current
    const next = yield* inputs.next(memory, { besideHook: hooking, busy: stepping.busy })
    if (Option.isNone(next)) return false
    const work = next.value
    switch (work._tag) {
      case "Run": {
        const beside = work.input.kind === "HTTP" && memory.source.workflow === null && answersItself(memory)
        yield* (beside ? perform : performInTurn)(memory, work.input).pipe(
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
  }).pipe(Effect.catchTag("SourceNotFound", () => Effect.succeed(false)))

  const work = Effect.gen(function*() {
    while (!isStopping()) {
      hinted = false
      stirred.closeUnsafe()
      if ((yield* step) || hinted) continue
      if (stepping.busy.size > 0) {
        yield* stirred.await
        continue
      }
      yield* owner.settled
      if (!inputs.noteSettled() && !hinted && !owner.hasFailed()) break
    }
    if (isStopping()) {
      yield* stepping.ended
      yield* requests.refuseAll
    }
    working = false
  })

  const runHook = (memory: SourceMemory, hook: SourceRuns.Hook, emits?: boolean) =>
    running.withPermits(allRuns)(runs.hook(memory, hook, emits)).pipe(
      Effect.catchTag("SandboxUnavailable", (error) => unavailable(error.message))
    )

  /** A source that is going down or away goes, whatever its code says; what it said is on `$errors`. */
  const deactivate = Effect.fnUntraced(function*(memory: SourceMemory) {
    yield* runHook(memory, "deactivate").pipe(
      Effect.catchTags({
        HookFailed: (failure) => runs.report(memory, "deactivate", failure),
        Unavailable: (error) => Effect.logWarning("A deactivate hook could not be run", error)
      })
    )
  })

  /** A change of the source's life, its hooks alone with it. */
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

  const writeRow = Effect.fnUntraced(function*(source: Source) {
    yield* sources.update(source)
    if (source.workflow === null) return
    yield* deployments.putOf(source)
    yield* deployments.removeUnused(source.id, source.workflow.deploymentId)
  })

  /** Writes the source's row; under the next free slug where another source has taken this one meanwhile. */
  const updateRow = (source: Source): Effect.Effect<void, SqlError.SqlError> =>
    sql.withTransaction(writeRow(source)).pipe(
      Effect.catchTag("SlugTaken", () =>
        Effect.flatMap(
          sources.freeSlug(source.accountId, slugOf(source.name)),
          (nameSlug) => updateRow({ ...source, nameSlug })
        )),
      Effect.asVoid
    )

  const save = Effect.fnUntraced(function*(memory: SourceMemory, parts: CommitParts) {
    yield* SourceRequests.durable(yield* owner.commit(memory, [], parts))
    yield* owner.invalidate
    return yield* owner.current
  })

  const hint = (wake: Wake.Wake) => {
    inputs.absorb(wake)
    stir()
  }

  return {
    ingest: (request) =>
      draining.isDraining()
        ? Effect.fail(new Unavailable({ message: "The server is shutting down.", retryAfterSeconds: 1 }))
        : requests.ingest(request),
    hint,
    wake: (wake) =>
      Effect.suspend(() => {
        hint(wake)
        if (working) return Effect.void
        working = true
        return Effect.onError(work, () =>
          Effect.sync(() => {
            working = false
          }))
      }),
    deploy: ({ emits } = { emits: true }) =>
      change(Effect.gen(function*() {
        const memory = yield* owner.current
        yield* runHook(memory, "deploy", emits)
        CrashPoint.reached("create-deployed")
        yield* runHook(memory, "activate")
        CrashPoint.reached("create-activated")
        const now = yield* Clock.currentTimeMillis
        yield* save(memory, {
          duePut: memory.source.active ? yield* firstTicks(memory.source, now) : [],
          also: Effect.asVoid(sources.setState(sourceId, "ready"))
        })
      })),
    update: (next) =>
      change(Effect.gen(function*() {
        const before = yield* owner.current
        // For a workflow too, paused or not: the steps that are under way end before anything changes.
        if (before.source.active || before.source.workflow !== null) yield* deactivate(before)
        CrashPoint.reached("update-deactivated")
        // With the change itself: cut off by a crash, an active source still has its ticks.
        const ticks = next.active ? yield* firstTicks(next, yield* Clock.currentTimeMillis) : []
        const memory = yield* save(before, {
          dueDone: timersOf(before.source),
          duePut: ticks,
          also: updateRow(next)
        })
        CrashPoint.reached("update-saved")
        if (!next.active) return
        yield* runHook(memory, "activate").pipe(
          Effect.tapErrorTag("HookFailed", () =>
            save(memory, { dueDone: ticks, also: updateRow({ ...next, active: false }) }))
        )
      })),
    retire: change(Effect.gen(function*() {
      const memory = yield* owner.current
      const isIdle = Option.isSome(
        yield* Effect.timeoutOption(running.withPermits(allRuns)(Effect.void), retirePatience)
      )
      if (memory.source.active && isIdle) yield* deactivate(memory)
      retired = true
      stir()
      if (isIdle) return yield* running.withPermits(allRuns)(owner.settled)
      // What it does comes to nothing: with the source goes the epoch under which it would be committed.
      yield* Effect.logWarning("A source goes while a run of it goes on").pipe(
        Effect.annotateLogs({ source_id: sourceId })
      )
    })),
    deleteEvents: Effect.fnUntraced(function*(range) {
      const memory = yield* owner.current
      const now = yield* Clock.currentTimeMillis
      const submission = yield* owner.commit(memory, [], () => {
        const { lastId } = memory.log.head()
        return { duePut: [DueDeletions.item(sourceId, { ...range, to: range.to < lastId ? range.to : lastId }, now)] }
      })
      yield* SourceRequests.durable(submission)
      CrashPoint.reached("delete-asked")
      inputs.absorb(Wake.forDueWork)
      options.kick()
    }),
    forget: (subscriptionId) =>
      Effect.map(Effect.option(owner.current), (memory) => {
        if (Option.isSome(memory)) inputs.forget(memory.value, subscriptionId)
      })
  } satisfies SourceActor as SourceActor
})
