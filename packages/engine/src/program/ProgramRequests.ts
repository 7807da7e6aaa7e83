import type { EventMeta, NewEvent } from "@headwater/domain/Event"
import * as EventId from "@headwater/domain/EventId"
import type * as Id from "@headwater/domain/Id"
import * as Stream from "@headwater/domain/Stream"
import * as CrashPoint from "@headwater/log/commit/CrashPoint"
import type { Submission } from "@headwater/log/commit/Submission"
import { ordinalOf } from "@headwater/log/logs/Heads"
import type { RunResponse } from "@headwater/sandbox/Run"
import { Clock, Deferred, Effect, Exit, type Fiber, Option, Schema } from "effect"
import { createHash, timingSafeEqual } from "node:crypto"
import type { IngestRequest, OnAnswered, ProgramNotFound } from "../ground/ActorCalls.ts"
import type { CommitParts } from "../ground/EmitterLog.ts"
import { EngineLimits, type Limits } from "../ground/EngineLimits.ts"
import { BacklogFull, EndpointNotFound, type HttpReply, NotAnswered, TokenRefused } from "../ground/HttpExchange.ts"
import { Unavailable } from "../ground/Unavailable.ts"
import { CommitDeadlines } from "./CommitDeadlines.ts"
import { answersItself, type ProgramMemory } from "./ProgramMemory.ts"
import type { ProgramOwner } from "./ProgramOwner.ts"
import { RunTurns } from "./RunTurns.ts"

/** Told once that a request is durable, with the memory that it is in, or why it is not. */
type OnAccepted = (exit: Exit.Exit<ProgramMemory, NotAccepted>) => void

/** The reasons for which a request is not taken. */
type NotAccepted = BacklogFull | EndpointNotFound | TokenRefused | Unavailable

/** The time that a caller waits for its request to be durable: less than most senders do. In milliseconds. */
const acceptTimeoutMs = 10_000

/** The time that a caller waits for a run's answer, from receipt, in milliseconds. */
const responseTimeoutMs = 30_000

export const accepted: HttpReply = { status: 200, headers: {}, body: new Uint8Array() }

const unavailable = (message: string) => new Unavailable({ message, retryAfterSeconds: 1 })

export const changingOwners = unavailable("This source or workflow is moving to another node. Try again later.")

const notTaken = unavailable("The database did not store the request in time. Try again later.")

/** True for a request over HTTP. */
const isHttp = ({ endpointKey, kind }: IngestRequest): boolean => endpointKey !== null && kind === undefined

const awaitsReply = (memory: ProgramMemory, request: IngestRequest): boolean => isHttp(request) && answersItself(memory)

const replyOf = (response: RunResponse): HttpReply => ({
  status: response.status,
  headers: response.headers,
  body: typeof response.body === "string" ? new TextEncoder().encode(response.body) : response.body
})

/** The engine's own answer to a request that it has taken. */
const answerOf = ({ http }: ProgramMemory, request: IngestRequest): HttpReply => {
  const response = isHttp(request) ? http?.response : undefined
  if (typeof response !== "object") return accepted
  const { body, headers = {}, status = 200 } = response
  const text = body === undefined || typeof body === "string" ? body ?? "" : JSON.stringify(body)
  const isTyped = body === undefined || typeof body === "string" ||
    Object.keys(headers).some((name) => name.toLowerCase() === "content-type")
  return {
    status,
    headers: isTyped ? headers : { ...headers, "content-type": "application/json" },
    body: new TextEncoder().encode(text)
  }
}

/** True if a request names the token that the program asks for, if it asks for one. */
const isAuthorized = ({ http }: ProgramMemory, request: IngestRequest): boolean => {
  if (!isHttp(request) || http?.token === undefined) return true
  const [, given = ""] = /^bearer +(\S+)$/i.exec(request.authorization?.trim() ?? "") ?? []
  const digest = (text: string) => createHash("sha256").update(text).digest()
  return timingSafeEqual(digest(given), digest(http.token))
}

interface Waiting {
  readonly id: EventId.EventId
  readonly reply: Deferred.Deferred<HttpReply, NotAnswered>
}

/** A request that begins a run again: that of a source comes as it was. */
export type RepeatedRequest = IngestRequest & Pick<EventMeta, "as">

const eventsOf = (
  { as, emitId, hops, kind, payload, rerunOf, unstored }: RepeatedRequest
): ReadonlyArray<NewEvent> => [{
  emitId,
  hops,
  payload,
  stream: Stream.requests,
  meta: {
    ...(kind === undefined ? {} : { kind }),
    ...(unstored === undefined ? {} : { unstored }),
    ...(rerunOf === undefined ? {} : { rerunOf }),
    ...(as === undefined ? {} : { as })
  }
}]

interface Options {
  readonly programId: Id.ProgramId
  readonly owner: ProgramOwner
  readonly isOpen: () => boolean
  /** Called when there is one more request to run. */
  readonly onDurable: (memory: ProgramMemory) => void
}

interface Parts extends Options {
  readonly backlog: Limits["backlog"]
  readonly clock: Clock.Clock
  readonly deadlines: CommitDeadlines<Unavailable>
  readonly run: <A, E>(effect: Effect.Effect<A, E>) => Fiber.Fiber<A, E>
  readonly turns: RunTurns["Service"]
}

/**
 * A program's own requests on their way into its log, and the replies that its code gives to them.
 *
 * - Q1. A request is answered once it is durable, and a repeat of it as it was.
 * - Q2. Only a request that the code is to answer has somebody wait after that, until the reply, the run's end or the deadline.
 * - Q3. A request that waits for nothing but its commit makes no fiber.
 */
export class ProgramRequests {
  /** The callers that wait for a reply, by emit id. */
  private readonly waiting = new Map<string, Waiting>()
  /** Requests under way into the log, for repeats of them. */
  private readonly entering = new Map<string, Submission>()
  private readonly parts: Parts

  private constructor(parts: Parts) {
    this.parts = parts
  }

  static readonly make = Effect.fnUntraced(function*(options: Options) {
    return new ProgramRequests({
      ...options,
      backlog: (yield* EngineLimits).backlog,
      clock: yield* Clock.Clock,
      deadlines: yield* CommitDeadlines.make(acceptTimeoutMs, notTaken),
      run: Effect.runForkWith(yield* Effect.context<never>()),
      turns: yield* RunTurns
    })
  })

  /** Makes a request durable and answers it: at once, or with what the run says where the component answers itself. */
  ingest(request: IngestRequest, onAnswered: OnAnswered): void {
    const { clock, run } = this.parts
    const receivedAt = clock.currentTimeMillisUnsafe()
    const answered: OnAnswered = (exit) => {
      this.waiting.delete(request.emitId)
      onAnswered(exit)
    }
    this.accept(request, (exit) => {
      if (Exit.isFailure(exit)) return answered(Exit.failCause(exit.cause))
      CrashPoint.reached("ingest-durable")
      if (!awaitsReply(exit.value, request)) return answered(Exit.succeed(answerOf(exit.value, request)))
      if (request.isTest === true) return answered(Exit.fail(new NotAnswered({ reason: "ended" })))
      run(this.replyTo(request.emitId, receivedAt + responseTimeoutMs - clock.currentTimeMillisUnsafe()))
        .addObserver(answered)
    })
  }

  /** Puts a request in line with parts of the same commit. Answers why it is not, if it is not. */
  enterWith(
    memory: ProgramMemory,
    request: RepeatedRequest,
    parts: CommitParts
  ): Effect.Effect<BacklogFull | EndpointNotFound | TokenRefused | undefined> {
    return Effect.suspend(() => {
      const refusal = this.refusalOf(memory, request)
      if (refusal !== undefined || this.enter(memory, request, parts) !== undefined) return Effect.succeed(refusal)
      return Effect.andThen(this.parts.owner.room(memory), this.enterWith(memory, request, parts))
    })
  }

  /** True if a request is answered with more than that it is taken, as far as that is known now. */
  awaitsReply(request: IngestRequest): boolean {
    const memory = this.parts.owner.ready
    return memory !== undefined && (awaitsReply(memory, request) || answerOf(memory, request) !== accepted)
  }

  /** True if somebody waits for the code's response to a request. */
  isAwaited(emitId: string): boolean {
    return this.waiting.has(emitId)
  }

  /** Hands what the code responds to who waits for it. */
  respond(emitId: string, response: RunResponse): Effect.Effect<void> {
    return this.answer(emitId, () => Exit.succeed(replyOf(response)))
  }

  /** Tells who waits for a response that the code has ended without one. */
  noResponse(emitId: string): Effect.Effect<void> {
    return this.answer(emitId, () => Exit.fail(new NotAnswered({ reason: "ended" })))
  }

  /** Tells all who wait for a reply to a request up to this one that they get none. */
  refuseUpTo(last: EventId.EventId, reason: NotAnswered["reason"]): Effect.Effect<void> {
    return Effect.forEach(
      [...this.waiting.values()].filter(({ id }) => id <= last),
      ({ reply }) => Deferred.fail(reply, new NotAnswered({ reason })),
      { discard: true }
    )
  }

  /** Tells all who wait for a reply that none comes in time: their requests are run elsewhere, or not at all. */
  readonly refuseAll: Effect.Effect<void> = Effect.suspend(() => this.refuseUpTo(EventId.last, "late"))

  /** Has a request durable, or the one that it repeats. Most wait for nothing but the commit that keeps them. */
  private accept(request: IngestRequest, onAccepted: OnAccepted): void {
    const { deadlines, owner } = this.parts
    const memory = owner.ready
    if (memory === undefined) return this.acceptAfter(owner.current, request, onAccepted)
    const refusal = this.refusalOf(memory, request)
    if (refusal !== undefined) return onAccepted(Exit.fail(refusal))
    if (request.isTest === true) return onAccepted(Exit.succeed(memory))
    const first = this.entering.get(request.emitId)
    if (first === undefined && memory.recent.has(request.emitId)) return onAccepted(Exit.succeed(memory))
    const submission = first ?? this.enter(memory, request)
    if (submission === undefined) return this.acceptAfter(owner.room(memory), request, onAccepted)
    deadlines.await(submission, (exit) => {
      if (Exit.isSuccess(exit)) return onAccepted(Exit.succeed(memory))
      const isLate = Exit.findErrorOption(exit).pipe(Option.exists(Schema.is(Unavailable)))
      onAccepted(Exit.fail(isLate ? notTaken : changingOwners))
    })
  }

  /**
   * Accepts a request once it can: a repeat that comes meanwhile may go before it, and is then the first. Not accepted in time,
   * it goes on into the log all the same: whoever sends it again may have it run twice.
   */
  private acceptAfter(
    ready: Effect.Effect<unknown, ProgramNotFound>,
    request: IngestRequest,
    onAccepted: OnAccepted
  ): void {
    this.parts.run(
      ready.pipe(
        Effect.mapError(() => new EndpointNotFound()),
        Effect.andThen(
          Effect.callback<ProgramMemory, NotAccepted>((resume) => this.accept(request, resume))
        ),
        Effect.timeoutOrElse({ duration: acceptTimeoutMs, orElse: () => Effect.fail(notTaken) })
      )
    ).addObserver(onAccepted)
  }

  /** The reason for which a request is not taken. */
  private refusalOf(memory: ProgramMemory, request: IngestRequest) {
    const { emitId, endpointKey } = request
    const { backlog, isOpen, programId } = this.parts
    const { active, endpointKey: key, state } = memory.program
    if (endpointKey !== null && endpointKey !== key) return new EndpointNotFound()
    const { email, http } = memory.takes
    if (endpointKey !== null && !(isHttp(request) ? http : email)) return new EndpointNotFound()
    if (!isOpen() || !active || state === "deleting") return new EndpointNotFound()
    if (!isAuthorized(memory, request)) return new TokenRefused()
    const unrun = ordinalOf(memory.log.head, Stream.requests) - memory.requests.passed
    if (unrun === 0) memory.backlogBytes = 0
    const isFull = unrun >= backlog.count || memory.backlogBytes >= backlog.bytes
    return isFull && !memory.recent.has(emitId) ? new BacklogFull({ programId }) : undefined
  }

  /** Puts a request in line; undefined where it has to wait for room. */
  private enter(memory: ProgramMemory, request: RepeatedRequest, parts: CommitParts = {}): Submission | undefined {
    const { onDurable, owner, turns } = this.parts
    const submission = owner.submit(memory, eventsOf(request), parts)
    if (submission === undefined) return undefined
    const { emitId, payload } = request
    const entered = submission.commit.events!
    const { id } = entered[0]!
    memory.recent.set(emitId, id)
    memory.backlogBytes += payload.length
    if (awaitsReply(memory, request)) this.waiting.set(emitId, { id, reply: Deferred.makeUnsafe() })
    this.entering.set(emitId, submission)
    turns.noteEntering()
    submission.onEnd((exit) => {
      this.entering.delete(emitId)
      turns.noteEntered()
      if (Exit.isFailure(exit)) return void memory.recent.delete(emitId)
      memory.requests.offer(entered)
      onDurable(memory)
    })
    return submission
  }

  /** The reply of the code to a request, if it comes within so many milliseconds. */
  private replyTo(emitId: string, patienceMs: number): Effect.Effect<HttpReply, NotAnswered> {
    const late = Effect.fail(new NotAnswered({ reason: "late" }))
    const asked = this.waiting.get(emitId)
    if (asked === undefined) return late
    return Deferred.await(asked.reply).pipe(
      Effect.timeoutOrElse({ duration: Math.max(0, patienceMs), orElse: () => late })
    )
  }

  /** The reply is made only where somebody waits, which is rare. */
  private answer(emitId: string, reply: () => Exit.Exit<HttpReply, NotAnswered>): Effect.Effect<void> {
    return Effect.suspend(() => {
      const asked = this.waiting.get(emitId)
      return asked === undefined ? Effect.void : Effect.asVoid(Deferred.done(asked.reply, reply()))
    })
  }
}
