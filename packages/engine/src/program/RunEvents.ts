import type { Dedupe as Strategy } from "@headwater/domain/Component"
import { type EventMeta, maxHops, type NewEvent } from "@headwater/domain/Event"
import * as ExactJson from "@headwater/domain/ExactJson"
import { isDeeper, maxComponentDepth } from "@headwater/domain/JsonDepth"
import { isJson } from "@headwater/domain/JsonReading"
import * as RequestEventBody from "@headwater/domain/RequestEventBody"
import * as Stream from "@headwater/domain/Stream"
import { version } from "@headwater/domain/Version"
import type { DedupeMark } from "@headwater/log/logs/DedupeMarks"
import type { DueItem } from "@headwater/log/work/DueWork"
import type { RunEmit, RunResult } from "@headwater/sandbox/Run"
import { DateTime, Option, Schema } from "effect"
import * as DueItems from "../ground/DueItems.ts"
import * as OutgoingLine from "../webhook/OutgoingLine.ts"
import * as OutgoingMail from "../webhook/OutgoingMail.ts"
import * as OutgoingRequest from "../webhook/OutgoingRequest.ts"
import * as Dedupe from "./Dedupe.ts"
import * as InitialState from "./InitialState.ts"
import type { ProgramInput } from "./ProgramInput.ts"

/** A longer payload is read in steps, which takes longer as a whole. */
const longPayload = 32 * 1024

/** True if a payload can be read again: a process with untrusted code may say anything, and deep JSON exhausts the stack. */
function* isReadable(payload: string): Generator<void, boolean> {
  if (payload.length > longPayload) return yield* isJson(payload, maxComponentDepth)
  if (isDeeper(payload, maxComponentDepth)) return false
  try {
    JSON.parse(payload)
    return true
  } catch {
    return false
  }
}

/** The events that a run leaves in its emitter's log. */
export interface RunEvents {
  readonly events: ReadonlyArray<NewEvent>
  /** Emits that asked to be delivered later. */
  readonly delayed: ReadonlyArray<DueItem>
  readonly marks: ReadonlyArray<DedupeMark>
  /** The number of emits that the component's strategy has left out. */
  readonly duplicates: number
}

/** The origin of a run: its program, code and input. */
export interface RunOrigin {
  readonly accountId: string
  readonly programId: string
  /** The component of a source, the deployment of a workflow. */
  readonly deploymentId: string
  /** The source itself, the step of a workflow. */
  readonly cellId: string
  readonly input: Pick<ProgramInput, "kind" | "eventJson" | "isShaped" | "isShadow" | "id" | "at" | "hops" | "cause">
  /** Set where errors are kept and go no further, since they are of code that handles errors. */
  readonly isHandler?: boolean
}

/** The failure that ended a run early, or spoiled part of it. */
export interface RunFailure {
  readonly name: string
  readonly message: string
  readonly stack?: string
}

/** True unless the stream is one of those on which `$.send` leaves what is to be sent, and this is none of it. */
const isToBeSent = (stream: Stream.StreamName, payload: string): boolean => {
  if (stream === Stream.objects) return Option.isSome(OutgoingLine.parse(payload))
  if (stream !== Stream.sends) return true
  return Option.isSome(OutgoingMail.parse(payload)) || Option.isSome(OutgoingRequest.parse(payload))
}

const isStreamName = Schema.is(Stream.StreamNameInput)

/** A time beyond this many counts milliseconds, below it seconds: the year 5138 in one, March 1973 in the other. */
const secondsLimit = 1e11

/** An emit's `ts` as Unix milliseconds: given so, in seconds, or as an ISO 8601 text. */
const emitTime = (ts: number | string | undefined): number | undefined => {
  if (ts === undefined) return undefined
  const value = typeof ts === "number" ? ts : ts.trim() === "" ? Number.NaN : Number(ts)
  if (Number.isFinite(value)) return Math.abs(value) < secondsLimit ? value * 1_000 : value
  return Option.getOrUndefined(Option.map(DateTime.make(String(ts)), DateTime.toEpochMillis))
}

/**
 * True if an event is of the time in which the source was elsewhere. One that has no time of its own is, if it comes with a
 * hook or with the first poll here.
 */
const isOfBefore = (
  { ts }: RunEmit,
  beginning: InitialState.Beginning | undefined,
  { kind }: RunOrigin["input"]
): boolean => {
  if (beginning === undefined) return false
  const at = emitTime(ts)
  return at === undefined ? !beginning.hasBegun && (kind === "TIMER" || kind === "HOOK") : at < beginning.emitFrom
}

/** The last time there is in JavaScript, Unix milliseconds. */
const latest = 8.64e15

/** Emits that carry a time go oldest first among the places they have; the others stay where they are. */
const ordered = (emits: ReadonlyArray<RunEmit>): ReadonlyArray<RunEmit> => {
  const timed = emits
    .flatMap((emit) => {
      const at = emitTime(emit.ts)
      return at === undefined ? [] : [{ emit, at }]
    })
    .toSorted((a, b) => a.at - b.at)
  let next = 0
  return emits.map((emit) => emitTime(emit.ts) === undefined ? emit : timed[next++]!.emit)
}

const metaOfEmit = ({ id, summary, ts }: RunEmit): EventMeta => ({
  ...(id === undefined ? {} : { id }),
  ...(summary === undefined ? {} : { summary }),
  ...(ts === undefined || emitTime(ts) === undefined ? {} : { ts })
})

const originalEvent = ({ eventJson, isShaped = false, kind }: RunOrigin["input"]): unknown => {
  const event = ExactJson.parse(eventJson)
  return kind === "HTTP" && !isShaped ? RequestEventBody.expand(event, ExactJson.parse) : event
}

/** The payload of an event on `$errors` (rest-api.md, "Event summary"; decisions.md, "Workflows"). */
export const errorPayload = (
  origin: RunOrigin,
  now: number,
  error: RunFailure
): string =>
  JSON.stringify({
    original_event: originalEvent(origin.input) ?? {},
    original_context: {
      id: origin.input.id,
      ts: new Date(origin.input.at).toISOString(),
      workflow_id: origin.programId,
      deployment_id: origin.deploymentId,
      source_type: origin.input.kind,
      verified: false,
      owner_id: origin.accountId,
      platform_version: version
    },
    error: {
      code: error.name,
      cellId: origin.cellId,
      ts: new Date(now).toISOString(),
      stack: error.stack ?? `${error.name}: ${error.message}`,
      message: error.message
    }
  })

const limitMessages = {
  wall: "the run exceeded its time limit (limit: wall)",
  cpu: "the run exceeded its CPU time limit (limit: cpu)",
  memory:
    "the run exceeded its memory limit (limit: memory); a workflow's memory_mb, or else HEADWATER_RUN_HEAP, sets it",
  output: "the run exceeded its limit of emits and logs (limit: output)"
} as const

/** The metadata of an event of a run, beside what an emit gave. */
export const metaOf = ({ input }: Pick<RunOrigin, "input">): EventMeta =>
  input.isShadow === true ? { shadow: true } : {}

export const errorHops = ({ input, isHandler }: RunOrigin): number => isHandler === true ? maxHops : input.hops + 1

/** Told where something has come round so often that it goes no further. */
export const hopLimit = (hops: number): RunFailure => ({
  name: "HopLimit",
  message: `events that have passed through ${hops} emitters are stored but not delivered, to end loops`
})

/** The failure that ended a run early, as an error of its own. */
export const failureOf = (result: RunResult): RunFailure | undefined => {
  if (result.outcome === "limit") {
    return { name: "LimitExceeded", message: limitMessages[result.limit ?? "wall"] }
  }
  return result.outcome === "error" ? result.error ?? { name: "Error", message: "the run failed" } : undefined
}

/**
 * Makes the events of a run, a step for each, in the order they go into the log: emits, then console lines, then the error
 * that ended it. `known` holds the dedupe marks that decide, `emitIds` gives a fresh id for each event.
 */
export function* make(options: {
  readonly origin: RunOrigin
  readonly result: RunResult
  readonly strategy: Strategy | null
  readonly known: ReadonlyMap<string, string>
  /** The place at which a source goes on that was elsewhere before. */
  readonly beginning?: InitialState.Beginning | undefined
  /** The streams the emitter has. Those that the run begins are added. */
  readonly streams: Set<string>
  readonly now: number
  readonly emitId: () => string
  /** True if a failure of the run goes to `$errors`. */
  readonly isReported?: boolean
}): Generator<void, RunEvents> {
  const { beginning, emitId, isReported = true, now, origin, result, strategy, streams } = options
  const hops = origin.input.hops + 1
  const { cause } = origin.input
  const meta = metaOf(origin)
  const emits = ordered(result.emits)
  const decision: Dedupe.Decision = strategy === null
    ? { passes: emits.map(() => true), marks: new Map() }
    : Dedupe.decide(strategy, emits.map((emit) => emit.id), options.known)

  const isAllowed = (stream: string): boolean =>
    isStreamName(stream) && (streams.has(stream) || streams.size < Stream.maxPerEmitter)

  const events: Array<NewEvent> = []
  const misnamed: Array<string> = []
  const delayed: Array<DueItem> = []
  let duplicates = 0
  let ofBefore = 0
  let unreadable = 0
  for (const [index, emit] of emits.entries()) {
    if (!decision.passes[index]) {
      duplicates++
      continue
    }
    if (isOfBefore(emit, beginning, origin.input)) {
      ofBefore++
      continue
    }
    yield
    const stream = Stream.normalize(emit.name ?? Stream.defaultStream)
    if (!isAllowed(stream)) {
      misnamed.push(stream)
      continue
    }
    const isPayload = yield* isReadable(emit.payload)
    if (!isPayload || !isToBeSent(stream, emit.payload)) {
      unreadable++
      continue
    }
    streams.add(stream)
    const event: NewEvent = {
      stream,
      emitId: emitId(),
      hops,
      meta: { ...metaOfEmit(emit), ...meta },
      cause,
      payload: emit.payload
    }
    const dueAt = Math.round(Math.min(emit.deliveryTs ?? now, latest))
    if (dueAt > now) {
      delayed.push(DueItems.emit(origin.programId, event, dueAt))
    } else {
      events.push(event)
    }
  }
  const notes = ofBefore === 0 || beginning === undefined
    ? []
    : [{ ts: now, level: "info", message: InitialState.noteOf(ofBefore, beginning) }]
  for (const line of [...result.logs, ...notes]) {
    yield
    events.push({ stream: Stream.logs, emitId: emitId(), hops, meta, cause, payload: JSON.stringify(line) })
  }
  const fail = (error: RunFailure) =>
    events.push({
      stream: Stream.errors,
      emitId: emitId(),
      hops: errorHops(origin),
      meta,
      cause,
      payload: errorPayload(origin, now, error)
    })
  if (hops >= maxHops && events.length > 0) {
    fail(hopLimit(hops))
  }
  if (misnamed.length > 0) {
    fail({
      name: "InvalidStreamName",
      message:
        `${misnamed.length} events were not emitted: a stream's name can have at most ${Stream.maxLength} characters and ` +
        `must not be $requests, and a source can have at most ${Stream.maxPerEmitter} streams; the first was ` +
        JSON.stringify(misnamed[0]!.slice(0, Stream.maxLength))
    })
  }
  if (unreadable > 0) {
    fail({
      name: "InvalidPayload",
      message:
        `${unreadable} events were not emitted: a payload must be JSON of at most ${maxComponentDepth} levels, ` +
        `and on $sends a request to be sent: {method, url, headers, body}, or {email: {subject, text, html}}, ` +
        "and on $s3 a line for an object: {s3: {bucket, prefix, payload}}"
    })
  }
  if (result.unreadable !== undefined) {
    const { count, first } = result.unreadable
    fail({
      name: "UnreadableMessage",
      message: `${count} messages of the run can't be read and are lost; the first was ${first}`
    })
  }
  const failure = failureOf(result)
  const isPoll = failure === undefined && origin.input.kind === "TIMER"
  if (failure !== undefined && isReported) fail(failure)

  return {
    events,
    delayed,
    duplicates,
    marks: [...decision.marks, ...InitialState.markOf(beginning, isPoll)].map(([mark, value]) => ({
      emitterId: origin.programId,
      mark,
      value,
      seenAt: now
    }))
  }
}
