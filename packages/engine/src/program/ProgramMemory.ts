import { type ConfigurableProp, interfaceTypes, type RunnableComponent } from "@headwater/domain/Component"
import * as DataStore from "@headwater/domain/DataStore"
import * as EventId from "@headwater/domain/EventId"
import * as HttpTrigger from "@headwater/domain/HttpTrigger"
import * as Id from "@headwater/domain/Id"
import { OnBehalfOf } from "@headwater/domain/OnBehalfOf"
import { declaredProps, type Program } from "@headwater/domain/Program"
import * as Stream from "@headwater/domain/Stream"
import type { SubscriptionBatch } from "@headwater/domain/SubscriptionBatch"
import { defaultSettings } from "@headwater/domain/Workflow"
import { EventLog } from "@headwater/log/logs/EventLog"
import { ordinalOf } from "@headwater/log/logs/Heads"
import { ProgramState } from "@headwater/log/logs/ProgramState"
import { Components } from "@headwater/log/resources/Components"
import { Programs } from "@headwater/log/resources/Programs"
import { beginning, Cursors, ownRequests } from "@headwater/log/work/Cursors"
import { WorkflowFiles } from "@headwater/log/work/WorkflowFiles"
import { WorkflowRuns } from "@headwater/log/work/WorkflowRuns"
import type { InterfaceProp, RunRequest } from "@headwater/sandbox/Run"
import { Clock, Effect, Option } from "effect"
import { EmitterLog } from "../ground/EmitterLog.ts"
import { endpointUrl, type EngineConfig, mailAddress } from "../ground/EngineConfig.ts"
import { Feed, FeedReader } from "../routing/Feed.ts"
import { Inbox } from "../routing/Inbox.ts"
import type { Executable } from "./ComponentRuns.ts"
import { ForkedRuns } from "./ForkedRun.ts"
import type { WorkflowProgress } from "./WorkflowProgress.ts"

/** The time for which an owner answers a repeated request with its first outcome, in milliseconds. */
export const repeatWindowMs = 60_000

/** The memory of a program's owner: a cache of what the database says, dropped whole when a commit fails. */
export interface ProgramMemory {
  readonly accountId: string
  readonly log: EmitterLog
  readonly program: Program
  readonly component: RunnableComponent
  /** The props that the program has values for. */
  readonly declared: ReadonlyArray<ConfigurableProp>
  /** The way in which it takes requests at its endpoint; undefined without an HTTP interface. */
  readonly http: HttpTrigger.HttpTrigger | undefined
  /** True if it answers requests at its endpoint, and if it takes e-mail at its address. */
  readonly takes: { readonly http: boolean; readonly email: boolean }
  /** True if runs read from the database what those before them wrote, so that each begins when the one before is durable. */
  readonly hasDataStores: boolean
  /** `$.service.db`, with what commits under way have set. */
  readonly db: Record<string, string>
  /** Dedupe marks of commits under way. */
  readonly marks: Map<string, string>
  readonly requests: Feed
  /** The events that it listens to. */
  readonly inbox: Inbox
  /** Requests of the last minute by their emit id, for repeats. */
  readonly recent: Map<string, EventId.EventId>
  /** Bytes of requests acknowledged and not run. */
  backlogBytes: number
  /** A workflow's runs that wait for nothing, the next one first, but for those that are at a step now. */
  readonly underWay: Array<WorkflowProgress>
  /** Those on several paths at once. */
  readonly forks: ForkedRuns
  /** More of these under way, the next one first: what they have come to is yet to be read. */
  readonly unread: Array<Id.RunId>
  /** The beginnings of the runs that its rate limit still counts, in Unix milliseconds, the oldest first. */
  readonly begun: Array<number>
  /** Set when a commit failed: nothing here can be relied on. */
  failed: boolean
}

export const answersItself = ({ http }: ProgramMemory): boolean => HttpTrigger.answersItself(http)

/** The limits of a program's runs that are its own. */
export const limitsOf = ({ workflow }: Program): NonNullable<RunRequest["limits"]> => {
  const { memoryMb, timeoutSeconds } = workflow?.settings ?? defaultSettings
  return {
    ...(memoryMb === null ? {} : { heapMebibytes: memoryMb }),
    ...(timeoutSeconds === null ? {} : { wallMillis: timeoutSeconds * 1_000 })
  }
}

/** The interface and service props of a program as its code has them. */
export const interfacesOf = (
  program: Program,
  declared: ReadonlyArray<ConfigurableProp>,
  { mailDomain, publicUrl }: EngineConfig["Service"]
): Record<string, InterfaceProp> => {
  const endpoint = endpointUrl(publicUrl, program.endpointKey ?? "")
  const interfaceOf = (type: string): InterfaceProp | undefined => {
    if (type === interfaceTypes.http) return { _tag: "Http", endpoint }
    if (type === interfaceTypes.apphook) return { _tag: "Apphook", endpoint }
    if (type === interfaceTypes.email) {
      const { endpointKey } = program
      const isTaken = mailDomain !== undefined && endpointKey !== null
      return { _tag: "Email", address: isTaken ? mailAddress(mailDomain, endpointKey) : null }
    }
    if (type === interfaceTypes.timer) return { _tag: "Timer" }
    return type === interfaceTypes.db ? { _tag: "Db" } : undefined
  }
  return Object.fromEntries(declared.flatMap(({ name, type }) => {
    const found = interfaceOf(type)
    return found === undefined ? [] : [[name, found]]
  }))
}

/** The plain values and timer settings that appear on the component's `this`. */
export const valuesOf = ({ props, timers }: Pick<Program, "props" | "timers">): Record<string, unknown> => ({
  ...props,
  ...timers
})

/** The state of a program's own requests. */
const readRequests = Effect.fnUntraced(function*(programId: Id.ProgramId, now: number) {
  const address = { emitterId: programId, stream: Stream.requests }
  const cursors = yield* Cursors
  const events = yield* EventLog
  const position = yield* cursors.requestsPosition(programId)
  return {
    position,
    recent: yield* events.emitIdsSince(address, EventId.make(now - repeatWindowMs, 0)),
    backlogBytes: yield* events.bytesAfter(address, position.id)
  }
})

/** The state of a workflow's runs. */
const readRuns = Effect.fnUntraced(function*({ id, workflow }: Program, now: number) {
  if (workflow === null) return { begun: [], unread: [] }
  const workflowId = Id.WorkflowId.make(id)
  const { rateLimit } = workflow.settings
  const runs = yield* WorkflowRuns
  return {
    begun: rateLimit === null
      ? []
      : [...yield* runs.begunAfter(workflowId, now - rateLimit.intervalSeconds * 1_000)],
    unread: [...yield* runs.underWay(workflowId)]
  }
})

const noRequests = { position: beginning, recent: [], backlogBytes: 0 }

/** Becomes the owner of a program's log and reads what it needs; none if there is no such program. */
export const load = Effect.fnUntraced(function*(programId: Id.ProgramId) {
  const log = yield* EmitterLog.acquire(programId)
  if (Option.isNone(log)) return Option.none<ProgramMemory>()
  const program = yield* (yield* Programs).getById(programId)
  return Option.isNone(program)
    ? Option.none<ProgramMemory>()
    : yield* Effect.provideService(loadOwned(program.value, log.value), OnBehalfOf, program.value.accountId)
})

const loadOwned = Effect.fnUntraced(function*(program: Program, log: EmitterLog) {
  const programId = program.id
  const now = yield* Clock.currentTimeMillis
  const reader = yield* FeedReader
  const component = yield* (yield* Components).runnable(program.componentId)
  if (Option.isNone(component)) return Option.none<ProgramMemory>()
  const lastRequest = ordinalOf(log.head, Stream.requests)
  const { backlogBytes, position, recent } = lastRequest > 0 ? yield* readRequests(programId, now) : noRequests
  const requests = new Feed(
    { subscriptionId: ownRequests, emitterId: programId },
    { emitterId: programId, stream: Stream.requests },
    position,
    reader.room
  )
  if (position.n === lastRequest) requests.noteAtHead()
  // Events go together only if the code asks for lists, and then always.
  const { batch } = component.value
  const batchOf = (asked: SubscriptionBatch | undefined) => batch === null ? undefined : asked ?? batch
  const declared = declaredProps(component.value, program)
  const hasStore = declared.some(({ type }) => type === interfaceTypes.db)
  const db = hasStore ? yield* (yield* ProgramState).load(programId) : {}
  const { begun, unread } = yield* readRuns(program, now)
  const underWay: Array<WorkflowProgress> = []
  return Option.some<ProgramMemory>({
    accountId: program.accountId,
    log: log,
    program: program,
    component: component.value,
    declared,
    http: HttpTrigger.of(declared, program.props),
    takes: {
      http: declared.some(({ type }) => type === interfaceTypes.http || type === interfaceTypes.apphook),
      email: declared.some(({ type }) => type === interfaceTypes.email)
    },
    hasDataStores: Object.keys(DataStore.referencesOf(declared, program.props)).length > 0,
    db,
    marks: new Map(),
    requests,
    inbox: yield* Inbox.make({ id: programId, accountId: program.accountId, batchOf }, true),
    recent: new Map(recent),
    backlogBytes,
    underWay,
    forks: new ForkedRuns({ files: yield* WorkflowFiles, runs: yield* WorkflowRuns }, { underWay, unread }),
    unread,
    begun,
    failed: false
  })
})

export const executableOf = ({ component, declared, program }: ProgramMemory): Executable => ({
  component,
  declared,
  values: valuesOf(program),
  additionalProps: program.additionalProps
})
