import type { NewEvent } from "@headwater/domain/Event"
import type * as EventId from "@headwater/domain/EventId"
import type * as Id from "@headwater/domain/Id"
import * as Stream from "@headwater/domain/Stream"
import * as CrashPoint from "@headwater/log/commit/CrashPoint"
import type { CommitError } from "@headwater/log/commit/GroupCommit"
import type { Submission } from "@headwater/log/commit/Submission"
import { ordinalOf } from "@headwater/log/logs/Heads"
import type { RunResponse } from "@headwater/sandbox/Run"
import { Cause, Deferred, Effect, Exit, Latch, Schema } from "effect"
import type { IngestRequest } from "../ground/ActorCalls.ts"
import type { PartsOf } from "../ground/EmitterLog.ts"
import { EngineLimits } from "../ground/EngineLimits.ts"
import { BacklogFull, EndpointNotFound, type HttpReply, NotAnswered } from "../ground/HttpExchange.ts"
import { Unavailable } from "../ground/Unavailable.ts"
import * as Patience from "./Patience.ts"
import { answersItself, type ProgramMemory } from "./ProgramMemory.ts"
import type { ProgramOwner } from "./ProgramOwner.ts"
import { RunTurns } from "./RunTurns.ts"

/** Told what became of a request. */
export type OnTaken = (exit: Exit.Exit<HttpReply, BacklogFull | EndpointNotFound | Unavailable>) => void

/** A program's own requests on their way into its log, and the replies that its code gives to them. */
export interface ProgramRequests {
  /** Makes a request durable and answers it: at once, or with what the run says where the component answers itself. */
  readonly ingest: (
    request: IngestRequest
  ) => Effect.Effect<HttpReply, BacklogFull | EndpointNotFound | NotAnswered | Unavailable>
  /**
   * The same without a fiber, for most requests: one to a program that is ready and does not answer by itself. Answers
   * whether it was taken, in which case `onEnd` is called once.
   */
  readonly take: (request: IngestRequest, onEnd: OnTaken) => boolean
  /** Whether somebody waits for what the code responds to a request. */
  readonly isAwaited: (emitId: string) => boolean
  /** Hands what the code responds to who waits for it. */
  readonly respond: (emitId: string, response: RunResponse) => Effect.Effect<void>
  /** Tells who waits for a response that the code has ended without one. */
  readonly noResponse: (emitId: string) => Effect.Effect<void>
  /** Tells all who wait for a reply to a request up to this one that they get none. */
  readonly refuseUpTo: (id: EventId.EventId, reason: NotAnswered["reason"]) => Effect.Effect<void>
  /** Tells all who wait for a reply that none comes in time: their requests are run elsewhere, or not at all. */
  readonly refuseAll: Effect.Effect<void>
}

/** How long a caller waits for its request to be durable: less than most senders do. In milliseconds. */
const acceptTimeoutMs = 10_000

/** How long a caller waits for a run's answer, from receipt, in milliseconds. */
const responseTimeoutMs = 30_000

export const accepted: HttpReply = { status: 200, headers: {}, body: new Uint8Array() }

const unavailable = (message: string) => new Unavailable({ message, retryAfterSeconds: 1 })

export const changingOwners = unavailable("This source or workflow is moving to another node. Try again later.")

const notTaken = unavailable("The database did not store the request in time. Try again later.")

/** Returns when a commit is durable, for a caller who can try again. */
const durable = (submission: Submission<CommitError>): Effect.Effect<void, Unavailable> =>
  Effect.mapError(submission.durable, () => changingOwners)

/** Returns when a commit is durable, or is not waited for any longer. */
type UntilDurable = (submission: Submission<CommitError>) => Effect.Effect<void, Unavailable>

const awaitsReply = (memory: ProgramMemory, { endpointKey }: IngestRequest): boolean =>
  endpointKey !== null && answersItself(memory)

const replyOf = (response: RunResponse): HttpReply => ({
  status: response.status,
  headers: response.headers,
  body: typeof response.body === "string" ? new TextEncoder().encode(response.body) : response.body
})

interface Waiting {
  readonly id: EventId.EventId
  readonly reply: Deferred.Deferred<HttpReply, NotAnswered>
}

const refuse = (waiting: ReadonlyArray<Waiting>, reason: NotAnswered["reason"]) =>
  Effect.forEach(waiting, ({ reply }) => Deferred.fail(reply, new NotAnswered({ reason })), { discard: true })

export const make = Effect.fnUntraced(function*(options: {
  readonly programId: Id.ProgramId
  readonly owner: ProgramOwner
  readonly isOpen: () => boolean
  /** Called when there is one more request to run. */
  readonly onDurable: (memory: ProgramMemory) => void
}) {
  const { owner, programId } = options
  const { backlog } = yield* EngineLimits
  const turns = yield* RunTurns
  const patience = yield* Patience.make(acceptTimeoutMs)
  /** Who waits for a reply, by emit id. */
  const waiting = new Map<string, Waiting>()
  /** Requests under way into the log, for repeats of them. */
  const entering = new Map<string, Submission<CommitError>>()
  /** Requests that wait for room to be handed over, by emit id: a repeat waits for what becomes of the first. */
  const arriving = new Map<string, Latch.Latch>()

  /** Why a request is not taken. One that then waits to be handed over is not asked again: those are few, and no longer than `acceptTimeoutMs`. */
  const refusalOf = (memory: ProgramMemory, { emitId, endpointKey }: IngestRequest) => {
    const { active, endpointKey: key, state } = memory.program
    if (endpointKey !== null && endpointKey !== key) return new EndpointNotFound()
    if (!options.isOpen() || !active || state === "deleting") return new EndpointNotFound()
    const unrun = ordinalOf(memory.log.head(), Stream.requests) - memory.requests.passed
    if (unrun === 0) memory.backlogBytes = 0
    const isFull = unrun >= backlog.count || memory.backlogBytes >= backlog.bytes
    return isFull && !memory.recent.has(emitId) ? new BacklogFull({ programId }) : undefined
  }

  const eventsOf = ({ emitId, hops, kind, payload }: IngestRequest): ReadonlyArray<NewEvent> => [
    { emitId, hops, payload, stream: Stream.requests, meta: kind === undefined ? {} : { kind } }
  ]

  /** Notes that a request is on its way into the log. */
  const noteEntering = (memory: ProgramMemory, request: IngestRequest): PartsOf => (entered, submission) => {
    const { emitId, payload } = request
    const { id } = entered[0]!
    memory.recent.set(emitId, id)
    memory.backlogBytes += payload.length
    if (awaitsReply(memory, request)) waiting.set(emitId, { id, reply: Deferred.makeUnsafe() })
    entering.set(emitId, submission)
    turns.noteEntering()
    submission.onEnd((exit) => {
      entering.delete(emitId)
      turns.noteEntered()
      if (Exit.isFailure(exit)) return void memory.recent.delete(emitId)
      memory.requests.offer(entered)
      options.onDurable(memory)
    })
    return {}
  }

  /** Takes a request in and returns when it, or the one it repeats, is durable by the given wait. */
  const accept = (
    request: IngestRequest,
    untilDurable: UntilDurable
  ): Effect.Effect<ProgramMemory, BacklogFull | EndpointNotFound | Unavailable> =>
    Effect.matchEffect(owner.current, {
      onFailure: () => Effect.fail(new EndpointNotFound()),
      onSuccess: (memory) => {
        const refusal = refusalOf(memory, request)
        if (refusal !== undefined) return Effect.fail(refusal)
        if (!memory.recent.has(request.emitId)) {
          const first = arriving.get(request.emitId)
          if (first !== undefined) return Effect.andThen(first.await, accept(request, untilDurable))
          // At once, so that no repeat comes in between.
          const submission = owner.commitUnsafe(memory, eventsOf(request), noteEntering(memory, request))
          return submission === undefined
            ? arrive(memory, request, untilDurable)
            : Effect.as(untilDurable(submission), memory)
        }
        const repeated = entering.get(request.emitId)
        return repeated === undefined ? Effect.succeed(memory) : Effect.as(untilDurable(repeated), memory)
      }
    })

  /** Hands over a request that has to wait for room, unless a repeat of it came in between. */
  const arrive = (
    memory: ProgramMemory,
    request: IngestRequest,
    untilDurable: UntilDurable
  ): ReturnType<typeof accept> =>
    Effect.uninterruptibleMask((restore) => {
      const { emitId } = request
      if (memory.recent.has(emitId) || arriving.has(emitId)) return restore(accept(request, untilDurable))
      const arrival = Latch.makeUnsafe()
      arriving.set(emitId, arrival)
      return restore(owner.commit(memory, eventsOf(request), noteEntering(memory, request))).pipe(
        Effect.ensuring(Effect.sync(() => {
          arriving.delete(emitId)
          arrival.openUnsafe()
        })),
        Effect.flatMap((submission) => Effect.as(restore(untilDurable(submission)), memory))
      )
    })

  const durableInTime = (submission: Submission<CommitError>) =>
    Effect.mapError(
      patience.durable(submission, notTaken),
      (error) => error._tag === "Unavailable" ? error : changingOwners
    )

  /** Most requests wait for nothing but the commit that keeps them. */
  const acceptInTime = (request: IngestRequest) =>
    Effect.suspend(() =>
      owner.ready() !== undefined
        ? accept(request, durableInTime)
        : Effect.timeoutOrElse(accept(request, durable), {
          duration: acceptTimeoutMs,
          orElse: () => Effect.fail(notTaken)
        })
    )

  /** The reply of the code to a request, if it comes within so many milliseconds. */
  const replyTo = (emitId: string, patienceMs: number) => {
    const late = Effect.fail(new NotAnswered({ reason: "late" }))
    const asked = waiting.get(emitId)
    if (asked === undefined) return late
    return Deferred.await(asked.reply).pipe(
      Effect.timeoutOrElse({ duration: Math.max(0, patienceMs), orElse: () => late })
    )
  }

  /** The reply is made only where somebody waits, which is rare. */
  const answer = (emitId: string, reply: () => Exit.Exit<HttpReply, NotAnswered>) =>
    Effect.suspend(() => {
      const asked = waiting.get(emitId)
      return asked === undefined ? Effect.void : Effect.asVoid(Deferred.done(asked.reply, reply()))
    })

  return {
    take: (request, onEnd) => {
      const memory = owner.ready()
      if (memory === undefined || awaitsReply(memory, request)) return false
      if (memory.recent.has(request.emitId) || arriving.has(request.emitId)) return false
      const refusal = refusalOf(memory, request)
      if (refusal !== undefined) {
        onEnd(Exit.fail(refusal))
        return true
      }
      const submission = owner.commitUnsafe(memory, eventsOf(request), noteEntering(memory, request))
      if (submission === undefined) return false
      patience.await(submission, notTaken, (exit) => {
        if (Exit.isSuccess(exit)) {
          CrashPoint.reached("ingest-durable")
          return onEnd(Exit.succeed(accepted))
        }
        const error = Cause.squash(exit.cause)
        onEnd(Exit.fail(Schema.is(Unavailable)(error) ? error : changingOwners))
      })
      return true
    },
    ingest: (request) =>
      Effect.clockWith((clock) => {
        const receivedAt = clock.currentTimeMillisUnsafe()
        // Not taken in time, it goes on into the log all the same: whoever sends it again may have it run twice.
        return Effect.flatMap(acceptInTime(request), (memory) => {
          CrashPoint.reached("ingest-durable")
          return awaitsReply(memory, request)
            ? replyTo(request.emitId, receivedAt + responseTimeoutMs - clock.currentTimeMillisUnsafe())
            : Effect.succeed(accepted)
        })
      }).pipe(Effect.ensuring(Effect.sync(() => waiting.delete(request.emitId)))),
    isAwaited: (emitId) => waiting.has(emitId),
    respond: (emitId, response) => answer(emitId, () => Exit.succeed(replyOf(response))),
    noResponse: (emitId) => answer(emitId, () => Exit.fail(new NotAnswered({ reason: "ended" }))),
    refuseUpTo: (last, reason) => refuse([...waiting.values()].filter(({ id }) => id <= last), reason),
    refuseAll: Effect.suspend(() => refuse([...waiting.values()], "late"))
  } satisfies ProgramRequests as ProgramRequests
})
