import type * as Id from "@headwater/domain/Id"
import { labelOf, type Program, slugOf } from "@headwater/domain/Program"
import * as Timer from "@headwater/domain/Timer"
import * as CrashPoint from "@headwater/log/commit/CrashPoint"
import { Deployments } from "@headwater/log/resources/Deployments"
import { Programs } from "@headwater/log/resources/Programs"
import type { DueItem } from "@headwater/log/work/DueWork"
import { Clock, Effect, Equal, Option, Semaphore } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { HookFailed, ProgramNotFound } from "../ground/ActorCalls.ts"
import type { CommitParts, PartsOf } from "../ground/EmitterLog.ts"
import { Unavailable } from "../ground/Unavailable.ts"
import type { ProgramMemory } from "./ProgramMemory.ts"
import type { ProgramOwner } from "./ProgramOwner.ts"
import { changingOwners } from "./ProgramRequests.ts"
import type { Hook, SourceRuns } from "./SourceRuns.ts"

/** More than there may ever be at a time: a hook has all of them. */
const allRuns = 1_000

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

/** The first ticks after a time, in Unix milliseconds. */
const firstTicks = (program: Program, after: number): Effect.Effect<ReadonlyArray<DueItem>> =>
  Effect.forEach(
    Object.entries(program.timers),
    ([key, timer]) => Effect.map(Effect.orDie(Timer.nextDue(timer, after, after)), (dueAt) => tick(program, key, dueAt))
  )

/** True if a program enters or leaves shadow, and nothing else of it changes. */
const isShadowAlone = (before: Program, { shadow, updatedAt: _updatedAt, ...next }: Program): boolean =>
  shadow !== before.shadow && Equal.equals({ ...before, ...next }, before)

const services = Effect.all({ deployments: Deployments, programs: Programs, sql: SqlClient.SqlClient })

interface Options {
  readonly programId: Id.ProgramId
  readonly owner: ProgramOwner
  readonly runs: SourceRuns
  /** Has the actor woken through its mailbox, which keeps it resident while it works. */
  readonly kick: () => void
  readonly onRetired: () => void
}

type Parts = Options & Effect.Success<typeof services>

/**
 * The changes of a program's life, with its hooks:
 *
 *     deploy: deploy hook ─▶ activate hook, if it is active ─▶ in service
 *     update: deactivate hook ─▶ saved ─▶ activate hook
 *     retire: deactivate hook ─▶ nothing starts any more
 *
 * - L1. One change at a time. No input is chosen meanwhile, but requests that the code answers itself.
 * - L2. A hook begins once no run that was chosen before is under way, and is alone but for runs over such requests.
 * - L3. A program changes in one commit with its timers, so an active one that a crash cuts off still has its ticks.
 * - L4. A program that is going down or away goes, whatever its code says.
 */
export class ProgramChanges {
  isHooking = false
  /** True once nothing of it may start any more. */
  isRetired = false
  /** True once this owner has put the program in service. */
  private isDeployed = false
  private readonly changing = Semaphore.makeUnsafe(1)
  /** One run or hook at a time, but for runs that answer a request beside a hook, and a workflow's steps. */
  private readonly running = Semaphore.makeUnsafe(allRuns)
  private readonly parts: Parts

  private constructor(parts: Parts) {
    this.parts = parts
  }

  static readonly make = (options: Options) =>
    Effect.map(services, (services) => new ProgramChanges({ ...options, ...services }))

  /** Has a run done when no other and no hook is under way. */
  alone<A, E, R>(run: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return this.running.withPermits(allRuns)(run)
  }

  /** Has one of a workflow's runs go on when no hook is under way. */
  beside<A, E, R>(run: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return this.running.withPermits(1)(run)
  }

  /**
   * Runs the hooks of a new program and puts it in service. The emits of a hook commit with the hook; `emits` says whether
   * those of `deploy` count. Its timers go on from the last poll elsewhere, if there was one.
   */
  deploy(
    { emits, polledAt }: { readonly emits: boolean; readonly polledAt?: number } = { emits: true }
  ): Effect.Effect<void, HookFailed | ProgramNotFound | Unavailable> {
    return this.change(Effect.gen({ self: this }, function*() {
      const { owner, programId, programs } = this.parts
      const memory = yield* owner.current
      if (this.isDeployed) return
      // The call comes again where its way to an owner was cut off, which may have run the hooks.
      if (memory.log.head.fence.epoch > 1n) return yield* unavailable("Its creation was cut off. Try again.")
      yield* this.runHook(memory, "deploy", emits)
      CrashPoint.reached("create-deployed")
      if (memory.program.active) yield* this.runHook(memory, "activate")
      CrashPoint.reached("create-activated")
      const now = yield* Clock.currentTimeMillis
      yield* this.save({
        duePut: memory.program.active ? yield* firstTicks(memory.program, polledAt ?? now) : [],
        also: Effect.asVoid(programs.setState(programId, "ready"))
      })
      this.isDeployed = true
    }))
  }

  /** Takes the program down, changes it to what is given, and brings it up again if it is active. */
  update(next: Program): Effect.Effect<void, HookFailed | ProgramNotFound | Unavailable> {
    return this.change(Effect.gen({ self: this }, function*() {
      const before = yield* this.parts.owner.current
      if (isShadowAlone(before.program, next)) {
        // It goes on: a vendor would tell it nothing between its hooks.
        yield* this.alone(Effect.void)
        yield* this.save({ also: this.updateRow(next) })
        return
      }
      // For a workflow too, paused or not: the steps that are under way end before anything changes.
      if (before.program.active || before.program.workflow !== null) yield* this.deactivate(before)
      CrashPoint.reached("update-deactivated")
      const ticks = next.active ? yield* firstTicks(next, yield* Clock.currentTimeMillis) : []
      const memory = yield* this.save({
        dueDone: timersOf(before.program),
        duePut: ticks,
        also: this.updateRow(next)
      })
      CrashPoint.reached("update-saved")
      if (!next.active) return
      yield* this.runHook(memory, "activate").pipe(
        Effect.tapErrorTag(
          "HookFailed",
          () => this.save({ dueDone: ticks, also: this.updateRow({ ...next, active: false }) })
        )
      )
    }))
  }

  /** Takes the program out of service for good: nothing of it starts any more. */
  get retire(): Effect.Effect<void, ProgramNotFound | Unavailable> {
    return this.change(Effect.gen({ self: this }, function*() {
      const { onRetired, owner, programId } = this.parts
      const memory = yield* owner.current
      const isIdle = Option.isSome(yield* Effect.timeoutOption(this.alone(Effect.void), retirePatience))
      if (memory.program.active && isIdle) yield* this.deactivate(memory)
      this.isRetired = true
      onRetired()
      if (isIdle) return yield* this.alone(owner.settled)
      // The run comes to nothing: the epoch under which it would be committed goes with the program.
      yield* Effect.logWarning("Deleted a source or workflow during a run of it").pipe(
        Effect.annotateLogs(labelOf(programId))
      )
    }))
  }

  /** Returns when these parts are durable. */
  commitDurably(parts: (memory: ProgramMemory) => PartsOf): Effect.Effect<void, ProgramNotFound | Unavailable> {
    const { owner } = this.parts
    return owner.durably((memory) => owner.commit(memory, [], parts(memory))).pipe(
      Effect.catchTags({
        Fenced: () => changingOwners,
        CommitRejected: () => changingOwners
      })
    )
  }

  private change<A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> {
    return Effect.suspend(() => {
      this.isHooking = true
      return effect
    }).pipe(
      Effect.ensuring(Effect.sync(() => {
        this.isHooking = false
        this.parts.kick()
      })),
      this.changing.withPermits(1)
    )
  }

  private runHook(memory: ProgramMemory, hook: Hook, emits?: boolean): Effect.Effect<void, HookFailed | Unavailable> {
    return this.alone(this.parts.runs.hook(memory, hook, emits)).pipe(
      Effect.catchTag("SandboxUnavailable", (error) => unavailable(error.message))
    )
  }

  /** Runs the hook of a program that is going down or away; what that said is on `$errors`. */
  private deactivate(memory: ProgramMemory): Effect.Effect<void> {
    return this.runHook(memory, "deactivate").pipe(
      Effect.catchTags({
        HookFailed: (failure) => this.parts.runs.report(memory, "deactivate", failure),
        Unavailable: (error) => Effect.logWarning("Could not run a deactivate hook", error)
      })
    )
  }

  /** Makes a change durable, and answers the memory after it. */
  private save(parts: CommitParts): Effect.Effect<ProgramMemory, ProgramNotFound | Unavailable> {
    const { owner } = this.parts
    return this.commitDurably(() => parts).pipe(
      Effect.andThen(owner.invalidate),
      Effect.andThen(owner.current)
    )
  }

  /** Writes the program's row; under the next free slug where another program has taken this one meanwhile. */
  private updateRow(program: Program): Effect.Effect<void, SqlError.SqlError> {
    const { programs, sql } = this.parts
    return sql.withTransaction(this.writeRow(program)).pipe(
      Effect.catchTag("SlugTaken", () =>
        Effect.flatMap(
          programs.freeSlug(program.accountId, slugOf(program.name)),
          (nameSlug) => this.updateRow({ ...program, nameSlug })
        )),
      Effect.asVoid
    )
  }

  private writeRow(program: Program) {
    return Effect.gen({ self: this }, function*() {
      const { deployments, programs } = this.parts
      yield* programs.update(program)
      if (program.workflow === null) return
      yield* deployments.putOf(program)
      yield* deployments.removeUnused(program.id, program.workflow.deploymentId)
    })
  }
}
