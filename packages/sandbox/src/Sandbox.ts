import * as RealTime from "@headwater/domain/RealTime"
import type { EgressBroker } from "@headwater/egress/EgressBroker"
import type { EgressGuard } from "@headwater/egress/EgressGuard"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import { randomUUID } from "node:crypto"
import { type ComponentDescription, ComponentInvalid } from "./ComponentDescription.ts"
import * as Expression from "./Expression.ts"
import { KnownPlaces } from "./KnownPlaces.ts"
import { type RunBatch, type RunLimit, type RunRequest, type RunResult, runsOf, type SandboxModule } from "./Run.ts"
import { maxHeaderBytes, RunRecord, StoreSizes } from "./RunRecord.ts"
import { SandboxConfig } from "./SandboxConfig.ts"
import type { SandboxFilesUnusable } from "./SandboxFiles.ts"
import type { SandboxLimits } from "./SandboxLimits.ts"
import { SandboxPool, SandboxUnavailable, type Work } from "./SandboxPool.ts"
import type { Assignment, ProcessLoss, SandboxProcess } from "./SandboxProcess.ts"
import type { HostMessage } from "./SandboxProtocol.ts"
import * as SourcePlaces from "./SourcePlaces.ts"

export interface InspectRequest {
  readonly accountId: string
  /** The kind of component that the code is to be: one of sources unless said otherwise. */
  readonly kind?: "source" | "workflow"
  readonly module: Pick<SandboxModule, "code" | "hash">
  /** The server's own code, which may run in one process with other such code. */
  readonly isOwn?: boolean
}

/** Runs component code in Deno processes that reach nothing (`components.md`). */
export class Sandbox extends Context.Service<Sandbox, {
  /**
   * Loads the module and says what it is, in a process that nothing ran in before and nothing runs in after, unless it
   * is the server's own.
   */
  inspect(request: InspectRequest): Effect.Effect<ComponentDescription, ComponentInvalid | SandboxUnavailable>
  /** Runs a hook or an input to its end. The result has everything that component code does, however bad. */
  run(request: RunRequest): Effect.Effect<RunResult, SandboxUnavailable>
  /** Begins runs over inputs, one after the other, as many of them as take no longer than a moment. */
  runBatch(request: RunRequest): Effect.Effect<RunBatch>
  /** Ends what is under way, and takes nothing more. */
  readonly stop: Effect.Effect<void>
}>()("@headwater/sandbox/Sandbox") {
  static readonly layerNoPool: Layer.Layer<Sandbox, never, SandboxPool | SandboxConfig> = Layer.effect(
    Sandbox,
    Effect.suspend(() => make())
  )

  static readonly layer: Layer.Layer<
    Sandbox,
    SandboxFilesUnusable,
    SandboxConfig | EgressBroker | EgressGuard
  > = Sandbox.layerNoPool.pipe(Layer.provide(SandboxPool.layer))
}

/** A component's description as JSON, in characters: it is stored and shown whole. */
const maxDescriptionLength = 256 * 1024

/** The process ended before the work did, and not certainly by its fault: it is to be done again. */
class Again {
  /** It was cut off for another account's sake, and needs no process to itself. */
  readonly displaced: boolean

  constructor(loss: ProcessLoss) {
    this.displaced = loss.reason === "displaced"
  }
}

/** Hears of runs while they go on. */
interface Hear {
  readonly ended: (result: RunResult) => void
  /** Called a few times a second. */
  readonly look: () => void
}

type Ending<A, E> = Exit.Exit<A | Again, E | SandboxUnavailable>

const make = Effect.fnUntraced(function*() {
  const config = yield* SandboxConfig
  const pool = yield* SandboxPool
  const clock = yield* Clock.Clock
  const real = RealTime.of(clock)
  const fork = yield* FiberSet.makeRuntime()
  const known = new KnownPlaces()

  const componentNow = (): number => {
    const state = config.componentTime?.()
    if (state === undefined) return clock.currentTimeMillisUnsafe()
    return state.mode === "standing" ? state.at : real.currentTimeMillisUnsafe() + state.aheadMs
  }

  /** The time as a message tells it to a process; nothing if it is the system's. */
  const timeTold = () => config.componentTime === undefined ? {} : { time: config.componentTime() }

  /**
   * Has one process do one piece of work. An interrupted one leaves its process, which then takes no more work and is
   * ended with the last of the others.
   */
  const attempt = <A, E>(
    work: Pick<Work, "accountId" | "displaced" | "isolation"> & {
      readonly code: InspectRequest["module"]
      /** Nothing is to run in the process after it. */
      readonly isLast?: boolean
    },
    begin: (id: string, process: SandboxProcess, finish: (ending: Ending<A, E>) => void) => {
      readonly assignment: Assignment
      readonly message: HostMessage
    }
  ): Effect.Effect<A | Again, E | SandboxUnavailable> =>
    Effect.callback((resume) => {
      let at: { readonly process: SandboxProcess; readonly assignment: Assignment } | undefined
      const cancel = pool.submit({
        ...work,
        unavailable: (error) => resume(Effect.fail(error)),
        start: (process) => {
          const { assignment, message } = begin(randomUUID(), process, (ending) => {
            if (work.isLast === true) process.closed = true
            process.dismiss(assignment)
            resume(ending)
            pool.settled(process)
          })
          at = { process, assignment }
          process.assign(assignment, work.code, message)
        }
      })
      return Effect.sync(() => {
        cancel()
        if (at === undefined) return
        at.process.cutOff(at.assignment)
        pool.settled(at.process)
      })
    })

  /** Runs what is asked, and has each result heard as soon as its run has ended. Returns when no more are to come. */
  const perform = (request: RunRequest, hear: Hear): Effect.Effect<void, SandboxUnavailable> => {
    const limits: SandboxLimits = { ...config.limits, ...request.limits }
    const count = runsOf(request.call)
    const { trial } = request
    const responding = Deferred.makeUnsafe<void>()
    let responded = false
    /** By attempts that came to nothing. */
    let spentCpuMs = 0

    const once = ({ displaced, isolation, isRepeated }: Attempt) =>
      attempt<void, never>(
        { accountId: request.accountId, displaced, isolation, code: request.module, isLast: trial !== undefined },
        (id, process, finish) => {
          const store = new StoreSizes(request.db)
          const startedAt = real.currentTimeMillisUnsafe()
          const first = process.served === 0
          /**
           * Of the run under way: its number, what it did, when it began, and what those before it were charged, which
           * may not have been measured yet.
           */
          let index = 0
          let record = new RunRecord(limits, store)
          let runAt = startedAt
          let runNanos = clock.monotonicTimeNanosUnsafe()
          let before = { cpuMs: 0, aloneCpuMs: 0 }
          const end = () => {
            const told = assignment.shared ? 0 : Math.min(record.reportedCpuMs, limits.cpuMillis)
            const cpuMs = Math.max(assignment.shareCpuMs - before.cpuMs, told)
            assignment.cpuMs = before.cpuMs + cpuMs
            hear.ended(record.result({
              wallMs: Number(clock.monotonicTimeNanosUnsafe() - runNanos) / 1e6,
              cpuMs: spentCpuMs + cpuMs,
              responded,
              connections: assignment.connections
            }, trial !== undefined))
            spentCpuMs = 0
          }
          const beginNext = () => {
            index += 1
            record = new RunRecord(limits, store)
            runAt = real.currentTimeMillisUnsafe()
            runNanos = clock.monotonicTimeNanosUnsafe()
            assignment.connections = 0
            const { aloneCpuMs, cpuMs, shareCpuMs } = assignment
            before = { cpuMs, aloneCpuMs: aloneCpuMs + cpuMs - shareCpuMs }
          }
          const done = () => {
            end()
            finish(Exit.void)
          }
          const repeat = (loss: ProcessLoss) => {
            spentCpuMs += assignment.shareCpuMs
            finish(Exit.succeed(new Again(loss)))
          }
          const exceed = (limit: RunLimit) => {
            record.exceed(limit)
            done()
          }
          const assignment: Assignment = {
            id,
            programId: request.programId,
            startedAt,
            displaced,
            shared: false,
            aloneCpuMs: 0,
            shareCpuMs: 0,
            cpuMs: 0,
            connections: 0,
            mayConnect: trial?.mayConnect ?? true,
            connected: (connection) => record.noteConnection(connection),
            receive: (message) => {
              if (message._tag === "Stopped") return index > 0 ? finish(Exit.void) : undefined
              record.hear(message, componentNow(), (response) => {
                if (responded || request.onRespond === undefined) return
                responded = true
                fork(
                  Effect.exit(request.onRespond(response)).pipe(
                    Effect.flatMap((exit) => Deferred.done(responding, exit))
                  )
                )
              })
              if (!record.ended) return
              // A flood does not stop by itself, and its neighbours are better off elsewhere.
              if (record.limit === "output") {
                process.kill({ reason: "output", message: "A run exceeded its output limit" })
              }
              if (record.limit !== undefined || index + 1 === count) return done()
              if (message._tag !== "Ended") {
                // It says what no component can, and may not have ended: what it says next is not known to be the next
                // run's.
                process.cutOff(assignment)
                return done()
              }
              end()
              beginNext()
            },
            watch: (now) => {
              hear.look()
              if (now - runAt >= limits.wallMillis) {
                process.cutOff(assignment)
                return exceed("wall")
              }
              if (assignment.aloneCpuMs - before.aloneCpuMs >= limits.cpuMillis) {
                process.kill({ reason: "cpu", message: "A run exceeded its processor time limit" })
                return exceed("cpu")
              }
              // The run that used the shared time is known once it is the only one left.
              const shareMs = assignment.shareCpuMs - before.cpuMs
              if (assignment.shared && shareMs >= limits.cpuMillis) process.closed = true
            },
            lost: (loss) => {
              if (loss.reason === "shutdown") {
                return finish(Exit.fail(new SandboxUnavailable({ reason: "stopping", message: loss.message })))
              }
              // Results of runs that have ended stay. Those before it in the process may be the reason, so the run
              // under way is done again.
              if (index > 0) return finish(Exit.void)
              // Something outside may have ended it as well; a component that does so does it again.
              const uncertain = loss.reason === "ended" && !isRepeated
              if (loss.reason === "displaced" || !first || assignment.shared || uncertain) return repeat(loss)
              if (loss.reason === "memory" || loss.reason === "output") return exceed(loss.reason)
              record.fail({ name: "SandboxEnded", message: loss.message, stack: "" })
              done()
            }
          }
          const { additionalProps = {}, props, interfaces, credentials, db, call, programId, module } = request
          const bindings = {
            additionalProps,
            props,
            ...(call._tag === "Step" ? { templates: Expression.templatesOf(props) } : {}),
            interfaces,
            credentials,
            db,
            maxDbBytes: limits.dbBytes,
            wallMs: limits.wallMillis,
            maxResponseBytes: limits.responseBytes,
            maxHeaderBytes,
            tellsRequests: trial !== undefined
          }
          const message: HostMessage = { _tag: "Run", run: id, hash: module.hash, programId, call, bindings }
          return { assignment, message: { ...message, ...timeTold() } }
        }
      )

    const responseHandled = Effect.suspend(() => responded ? Deferred.await(responding) : Effect.void)
    const isolation = trial === undefined ? "shared" : "fresh"
    return Effect.andThen(repeatedIfLost(once, isolation), responseHandled)
  }

  const run = (request: RunRequest): Effect.Effect<RunResult, SandboxUnavailable> =>
    Effect.suspend(() => {
      let result: RunResult | undefined
      const ended = (ended: RunResult) => {
        result ??= ended
      }
      return Effect.flatMap(
        perform(request, { ended, look: () => {} }),
        () => inSource(result!, request.module, known)
      )
    })

  const runBatch = (request: RunRequest): Effect.Effect<RunBatch> =>
    Effect.sync(() => {
      let ended: Array<RunResult> = []
      let over: Exit.Exit<void, SandboxUnavailable> | undefined
      let notify: (() => void) | undefined
      const take = () => {
        const taken = ended
        ended = []
        return taken
      }
      const performing = fork(perform(request, {
        ended: (result) => void ended.push(result),
        look: () => {
          if (ended.length > 0) notify?.()
        }
      }))
      performing.addObserver((exit) => {
        over = exit
        notify?.()
      })
      return {
        giveUp: Effect.sync(() => performing.interruptUnsafe()),
        next: Effect.callback((resume) => {
          const answer = () => {
            notify = undefined
            resume(
              ended.length > 0 || over === undefined || Exit.isSuccess(over)
                ? Effect.forEach(take(), (result) => inSource(result, request.module, known))
                : Effect.as(over, [])
            )
          }
          if (over !== undefined) answer()
          else notify = answer
        })
      }
    })

  const inspect = Effect.fnUntraced(
    function*(
      request: InspectRequest
    ): Effect.fn.Return<ComponentDescription, ComponentInvalid | SandboxUnavailable> {
      const { inspectCpuMillis, inspectWallMillis, outputBytes } = config.limits

      const once = ({ displaced, isolation, isRepeated }: Attempt) =>
        attempt<ComponentDescription, ComponentInvalid>(
          {
            accountId: request.accountId,
            displaced,
            isolation,
            code: request.module,
            isLast: request.isOwn !== true
          },
          (id, process, finish) => {
            const startedAt = real.currentTimeMillisUnsafe()
            const first = process.served === 0
            const invalid = (reason: ComponentInvalid["reason"], message: string) =>
              finish(Exit.fail(new ComponentInvalid({ reason, message })))
            let heard = 0
            const assignment: Assignment = {
              id,
              programId: undefined,
              startedAt,
              displaced,
              shared: false,
              aloneCpuMs: 0,
              shareCpuMs: 0,
              cpuMs: 0,
              connections: 0,
              mayConnect: true,
              receive: (message) => {
                if (message._tag === "Described") {
                  return JSON.stringify(message.description).length > maxDescriptionLength
                    ? invalid(
                      "definition",
                      `The component's description of itself has more than ${maxDescriptionLength} characters`
                    )
                    : finish(Exit.succeed(message.description))
                }
                if (message._tag === "Refused") {
                  const { _tag, run: _run, cpuMs: _cpuMs, ...fault } = message
                  return finish(Exit.fail(new ComponentInvalid(fault)))
                }
                if (message._tag === "Unreadable") {
                  return invalid("definition", `The component's description of itself can't be read: ${message.why}`)
                }
                heard += message._tag === "Logged" ? message.message.length + 32 : 32
                if (message._tag === "Ended") {
                  return invalid("load", message.error?.message ?? "The module ended its own inspection")
                }
                if (heard <= outputBytes) return
                process.kill({ reason: "output", message: "The module exceeded its output limit" })
                invalid("output", "The module's top level exceeded its output limit")
              },
              watch: (now) => {
                const over = assignment.aloneCpuMs >= inspectCpuMillis
                  ? `${inspectCpuMillis} ms of processor time`
                  : now - startedAt >= inspectWallMillis
                  ? `${inspectWallMillis} ms`
                  : undefined
                if (over === undefined) return
                process.kill({ reason: "wall", message: "The module did not load in time" })
                invalid("timeout", `The module did not load within ${over}`)
              },
              lost: (loss: ProcessLoss) => {
                if (loss.reason === "shutdown") {
                  return finish(Exit.fail(new SandboxUnavailable({ reason: "stopping", message: loss.message })))
                }
                // Something outside may have ended it as well; a module that does so does it again.
                const uncertain = loss.reason === "ended" && !isRepeated
                if (loss.reason === "displaced" || !first || uncertain) return finish(Exit.succeed(new Again(loss)))
                if (loss.reason === "memory") invalid("memory", "The module's top level exceeded its memory limit")
                else invalid("ended", loss.message)
              }
            }
            return {
              assignment,
              message: {
                _tag: "Inspect",
                run: id,
                hash: request.module.hash,
                kind: request.kind ?? "source",
                ...timeTold()
              }
            }
          }
        )

      return yield* repeatedIfLost(once, request.isOwn === true ? "shared" : "fresh")
    }
  )

  return Sandbox.of({ inspect, run, runBatch, stop: pool.stop })
})

/** A result whose error is told in the lines that somebody wrote, at the first of them that is the component's own. */
const inSource = (result: RunResult, { hash, map }: SandboxModule, known: KnownPlaces): Effect.Effect<RunResult> => {
  const { error } = result
  if (error === undefined || map === undefined) return Effect.succeed(result)
  return Effect.map(known.of(hash, map), (places) => {
    if (places === undefined) return result
    const { column: _column, line: _line, ...rest } = error
    const stack = SourcePlaces.ofStack(places, error.stack)
    return { ...result, error: { ...rest, stack, ...SourcePlaces.firstIn(stack) } }
  })
}

interface Attempt extends Pick<Work, "isolation" | "displaced"> {
  /** It failed before, and not for another account's sake. */
  readonly isRepeated: boolean
}

/**
 * Does the work again if its process was lost: in one of its own where another's work in it may have been the reason, and
 * as before where it was taken away for another account.
 */
const repeatedIfLost = <A, E>(
  once: (attempt: Attempt) => Effect.Effect<A | Again, E | SandboxUnavailable>,
  isolation: Work["isolation"]
): Effect.Effect<A, E | SandboxUnavailable> => {
  const go = (attempt: Attempt, times: number): Effect.Effect<A, E | SandboxUnavailable> =>
    Effect.flatMap(once(attempt), (result): Effect.Effect<A, E | SandboxUnavailable> => {
      if (!(result instanceof Again)) return Effect.succeed(result)
      if (result.displaced) return go({ ...attempt, displaced: true }, times)
      return times > 1
        ? go({ ...attempt, isolation: "fresh", isRepeated: true }, times - 1)
        : Effect.fail(
          new SandboxUnavailable({ reason: "start_failed", message: "Its process ended unexpectedly three times" })
        )
    })
  return go({ isolation, displaced: false, isRepeated: false }, 3)
}
