import * as EmitId from "@headwater/domain/EmitId"
import { maxHops } from "@headwater/domain/Event"
import * as EventId from "@headwater/domain/EventId"
import * as ExactJson from "@headwater/domain/ExactJson"
import * as Id from "@headwater/domain/Id"
import * as Stream from "@headwater/domain/Stream"
import type { Commit } from "@headwater/log/commit/Commit"
import * as CrashPoint from "@headwater/log/commit/CrashPoint"
import { untilAnswered } from "@headwater/log/database/TransientSqlError"
import { EventLog } from "@headwater/log/logs/EventLog"
import type { BulkMark, BulkPart } from "@headwater/log/work/BulkActions"
import { type RunFault, type RunOutline, type RunStatus, WorkflowRuns } from "@headwater/log/work/WorkflowRuns"
import { Clock, Effect, Option, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import type { BulkItem, BulkItemPage, BulkRun, BulkStanding, BulkWork } from "../bulk/BulkRun.ts"
import type { Cancellation, ProgramNotFound } from "../ground/ActorCalls.ts"
import type { CommitParts } from "../ground/EmitterLog.ts"
import type { Unavailable } from "../ground/Unavailable.ts"
import type { ProgramMemory } from "./ProgramMemory.ts"
import type { ProgramOwner } from "./ProgramOwner.ts"
import type { ProgramRequests, RepeatedRequest } from "./ProgramRequests.ts"
import { exceededOf, Quotas } from "./Quotas.ts"
import { Rerun } from "./StepRuns.ts"

/** A part for which there is no room looks again after so long, and one whose source or workflow is paused, in milliseconds. */
const shortlyMs = 1_000
const pausedMs = 60_000

/** The bytes of errors about runs of a source that are read at once. */
const pageBytes = 8 * 1024 * 1024

/** A run of a workflow, or the event on `$errors` about one of a source. */
export type RepeatedItem =
  & BulkItem
  & (
    | { readonly _tag: "Run"; readonly run: RunOutline }
    | { readonly _tag: "Failure"; readonly emitId: string; readonly failure: Failure; readonly hops: number }
  )

const Failure = Schema.Struct({
  original_event: Schema.Unknown,
  original_context: Schema.Struct({ source_type: Schema.String }),
  error: Schema.Struct({ code: Schema.String, message: Schema.String })
})
type Failure = typeof Failure.Type

const decodeFailure = Schema.decodeUnknownOption(Failure)
const encodeRerun = Schema.encodeEffect(Schema.fromJsonString(Rerun))

/** Told of runs that came to their end, but for some of what they emitted: they would do the rest a second time. */
const ofWholeRuns = new Set(["HopLimit", "InvalidPayload", "InvalidStreamName", "UnreadableMessage"])

const isKind = Schema.is(Schema.Literals(["HTTP", "EMAIL", "TIMER", "EVENT"]))

/** Ids of events as text that sorts as they do. */
const keyOfEvent = (id: EventId.EventId): string => id.toString().padStart(20, "0")

const holds = (error: string | undefined, { message, name }: Pick<RunFault, "message" | "name">): boolean =>
  error === undefined || `${name}: ${message}`.includes(error)

/** The place of a run's event in the log of its emitter. */
const placeOf = (item: RepeatedItem): bigint =>
  item._tag === "Failure"
    ? BigInt(item.key)
    : Option.getOrElse(Option.flatMap(Option.fromUndefinedOr(item.run.trigger.eventId), EventId.parse), () => 0n)

const inLogOrder = (one: RepeatedItem, other: RepeatedItem): number => {
  const [first, second] = [placeOf(one), placeOf(other)]
  return first < second ? -1 : first > second ? 1 : 0
}

const services = Effect.all({
  clock: Clock.Clock,
  events: EventLog,
  quotas: Quotas,
  random: SecureRandom.SecureRandom,
  runs: WorkflowRuns
})

interface Options {
  readonly owner: ProgramOwner
  readonly requests: ProgramRequests
  readonly isStopping: () => boolean
  /** Ends a run, with parts of the same commit. */
  readonly cancel: (id: Id.RunId, parts: CommitParts) => Effect.Effect<Cancellation, ProgramNotFound | Unavailable>
}

type Parts = Options & Effect.Success<typeof services>

/** Makes the program's side of a part of a bulk action: the runs that match, which are run again or cancelled. */
export const make = (options: Options) =>
  Effect.map(services, (found) => (memory: ProgramMemory, part: BulkPart) => {
    const parts = { ...options, ...found }
    return new BulkRepeats(parts, memory, part)
  })

class BulkRepeats implements BulkWork<RepeatedItem> {
  readonly dealAtOnce = undefined
  private readonly parts: Parts
  private readonly memory: ProgramMemory
  private readonly part: BulkPart

  constructor(parts: Parts, memory: ProgramMemory, part: BulkPart) {
    this.parts = parts
    this.memory = memory
    this.part = part
  }

  readonly isStopping = (): boolean => this.parts.isStopping() || this.memory.failed

  readonly now = (): number => this.parts.clock.currentTimeMillisUnsafe()

  /** A program that is paused takes nothing to run. */
  readonly standing = (now: number): BulkStanding =>
    this.part.action.action === "rerun" && !this.memory.program.active
      ? { _tag: "Closed", until: now + pausedMs }
      : { _tag: "Open" }

  get settled(): Effect.Effect<void> {
    return this.parts.owner.settled
  }

  readonly commit = (commit: Pick<Commit, "bulkMarks" | "dueDone" | "duePut" | "updates">): Effect.Effect<void> =>
    Effect.asVoid(this.parts.owner.commit(this.memory, [], commit))

  readonly page = (place: string, limit: number): Effect.Effect<BulkItemPage<RepeatedItem>> =>
    this.memory.program.workflow === null ? this.failuresOf(place, limit) : this.runsOf(place, limit)

  readonly linesOf = (items: ReadonlyArray<RepeatedItem>): ReadonlyArray<ReadonlyArray<RepeatedItem>> => // Runs that began in the same millisecond are listed in any order.
  [items.toSorted((one, other) => one.at - other.at || inLogOrder(one, other))]

  readonly deal = (run: BulkRun<RepeatedItem>, item: RepeatedItem): Effect.Effect<void> =>
    Effect.gen({ self: this }, function*() {
      if (yield* run.isHalted) return
      CrashPoint.reached("bulk-chosen")
      if (this.part.action.action === "rerun") return yield* this.repeat(run, item)
      if (item._tag !== "Run") return
      const cancelled = yield* Effect.option(this.parts.cancel(item.run.id, run.markOf(item, "done")))
      if (Option.isNone(cancelled)) return run.close(this.now() + shortlyMs)
      // One that was marked as done stays so.
      yield* this.commit(run.markOf(item, "skipped"))
    })

  private get until(): number {
    const { createdAt, filter: { until = Infinity } } = this.part.action
    return Math.min(until, createdAt + 1)
  }

  private runsOf(place: string, limit: number): Effect.Effect<BulkItemPage<RepeatedItem>> {
    const { action, filter: { error, runStatus, since = 0, text } } = this.part.action
    const usual: ReadonlyArray<RunStatus> = action === "rerun" ? ["error"] : ["running", "waiting"]
    const first = Id.firstAt("run", since)
    return Effect.map(
      untilAnswered(this.parts.runs.following(Id.WorkflowId.make(this.memory.program.id), {
        after: place > first ? place : first,
        until: Id.firstAt("run", this.until),
        statuses: runStatus === undefined ? usual : [runStatus],
        text,
        limit
      })),
      ({ goesOnAt, runs }) => ({
        items: runs
          .filter((run) => error === undefined || run.error !== null && holds(error, run.error))
          .map((run) => ({ _tag: "Run", key: run.id, at: run.startedAt, run })),
        goesOnAt
      })
    )
  }

  /** Only what failed of a source is kept. */
  private failuresOf(place: string, limit: number): Effect.Effect<BulkItemPage<RepeatedItem>> {
    const { error, runStatus = "error", since = 0, text } = this.part.action.filter
    if (runStatus !== "error") return Effect.succeed({ items: [], goesOnAt: undefined })
    const first = EventId.make(since, 0) - 1n
    const after = place === "" ? first : BigInt(place)
    const last = EventId.make(this.until, 0)
    const address = { emitterId: this.memory.program.id, stream: Stream.errors }
    return Effect.map(
      untilAnswered(this.parts.events.after(address, after > first ? after : first, limit, pageBytes)),
      (events) => {
        const items: Array<RepeatedItem> = []
        for (const { emitId, hops, id, payload } of events) {
          if (id >= last) return { items, goesOnAt: undefined }
          const failure = Option.getOrUndefined(decodeFailure(ExactJson.parse(payload)))
          if (failure === undefined) continue
          const { code: name, message } = failure.error
          const isSought = text === undefined || JSON.stringify(failure.original_event).includes(text)
          if (!holds(error, { name, message }) || !isSought) continue
          items.push({ _tag: "Failure", key: keyOfEvent(id), at: EventId.milliseconds(id), emitId, failure, hops })
        }
        const place = events.at(-1)
        return { items, goesOnAt: place === undefined ? undefined : keyOfEvent(place.id) }
      }
    )
  }

  /** Puts what begins a run again in line, and marks the run, in one commit. */
  private repeat(run: BulkRun<RepeatedItem>, item: RepeatedItem): Effect.Effect<void> {
    return Effect.gen({ self: this }, function*() {
      const { memory, parts: { quotas, requests } } = this
      const request = yield* this.requestOf(item)
      if (request === undefined) return yield* this.commit(run.markOf(item, "skipped"))
      const now = yield* Clock.currentTimeMillis
      const exceeded = yield* exceededOf(quotas, memory.program.accountId)
      if (Option.isSome(exceeded)) return run.close(Math.min(exceeded.value.until, now + pausedMs))
      const marks: { readonly bulkMarks: ReadonlyArray<BulkMark> } = run.markOf(item, "done")
      const refusal = yield* requests.enterWith(memory, request, marks)
      if (refusal !== undefined) run.close(now + shortlyMs)
    })
  }

  /** The request that begins a run again; undefined if there is nothing to run. */
  private requestOf(item: RepeatedItem): Effect.Effect<RepeatedRequest | undefined> {
    return Effect.gen({ self: this }, function*() {
      if (item._tag === "Run") {
        const { endedAt, id, trigger } = item.run
        if (endedAt !== null && trigger.unstored !== undefined) return undefined
        const { code = "current", from = "start" } = this.part.action.rerun ?? {}
        const emitId = yield* Effect.provideService(Id.make("run"), SecureRandom.SecureRandom, this.parts.random)
        const payload = yield* Effect.orDie(encodeRerun({ run: id, step: null, from, code }))
        return { endpointKey: null, kind: "rerun", emitId, payload, hops: 0 } satisfies RepeatedRequest
      }
      const { emitId: rerunOf, failure: { error, original_context: { source_type: as }, original_event }, hops } = item
      if (!isKind(as) || ofWholeRuns.has(error.code) || hops >= maxHops) return undefined
      return {
        as,
        rerunOf,
        endpointKey: null,
        kind: "rerun",
        emitId: EmitId.make(),
        payload: JSON.stringify(original_event),
        hops: hops - 1
      } satisfies RepeatedRequest
    })
  }
}
