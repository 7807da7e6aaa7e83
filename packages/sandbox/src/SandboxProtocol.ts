/**
 * The messages of a sandbox process and its host. Nothing that the process says is trusted: a run hears of a message
 * of its own that does not decode, one about a run that the process does not have is dropped, and sizes are counted
 * against that run's limits.
 */
import { type DataStoreEntry, type DataStorePage, EntryChange } from "@headwater/domain/DataStore"
import { ParsedJson } from "@headwater/domain/ParsedJson"
import * as Storable from "@headwater/domain/Storable"
import type { FileOutline } from "@headwater/domain/StoredFile"
import type { State } from "@headwater/domain/VirtualClock"
import { type Effect, Predicate, Result, Schema } from "effect"
import { ComponentDescription, componentFault } from "./ComponentDescription.ts"
import type { Templates } from "./Expression.ts"
import type { InterfaceProp, LiveToken, RunCall } from "./Run.ts"

const run = Schema.String
const cpuMs = Schema.Finite

/** The last time that a `Date` can have, in Unix milliseconds. */
const latestTime = 8.64e15

const Failure = Schema.Struct({
  name: Schema.String,
  message: Schema.String,
  stack: Schema.String,
  line: Schema.optionalKey(Schema.Int),
  column: Schema.optionalKey(Schema.Int),
  code: Schema.optionalKey(Schema.String)
})

const Emitted = Schema.TaggedStruct("Emitted", {
  run,
  payload: Schema.String,
  id: Schema.optionalKey(Schema.Union([Schema.String, Schema.Finite])),
  name: Schema.optionalKey(Schema.String),
  summary: Schema.optionalKey(Schema.String),
  ts: Schema.optionalKey(Schema.Union([Schema.String, Schema.Finite])),
  deliveryTs: Schema.optionalKey(Schema.Finite)
})

const Logged = Schema.TaggedStruct("Logged", {
  run,
  level: Schema.Literals(["debug", "info", "warn", "error"]),
  message: Schema.String
})

const Stored = Schema.TaggedStruct("Stored", { run, key: Schema.String, value: Schema.NullOr(Schema.String) })

/** A change to a data store; without one all of it is removed. */
const StoreChanged = Schema.TaggedStruct("StoreChanged", {
  run,
  store: Schema.String,
  change: Schema.optionalKey(EntryChange)
})

/** The files that a step leaves; `content` is what it has put, by number, or what was kept before, by name. */
const FilesKept = Schema.TaggedStruct("FilesKept", {
  run,
  put: Schema.Array(Schema.Struct({
    path: Schema.String,
    mode: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 0o177777 })),
    modifiedAt: Schema.Int.check(Schema.isBetween({ minimum: -latestTime, maximum: latestTime })),
    size: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 31 - 1 })),
    content: Schema.NullOr(Schema.Union([Schema.String, Schema.Int])),
    target: Schema.NullOr(Schema.String)
  })),
  removed: Schema.Array(Schema.String)
})

const Responded = Schema.TaggedStruct("Responded", {
  run,
  status: Schema.Int.check(Schema.isBetween({ minimum: 100, maximum: 599 })),
  headers: Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Array(Schema.String)])),
  text: Schema.optionalKey(Schema.String),
  base64: Schema.optionalKey(Schema.String)
})

/** A request of a trial over HTTP that was answered or has failed. */
const Requested = Schema.TaggedStruct("Requested", {
  run,
  method: Schema.String,
  url: Schema.String,
  status: Schema.optionalKey(Schema.Int),
  error: Schema.optionalKey(Schema.String),
  wallMs: Schema.Finite
})

/** An API has answered 401 to a request of a run with a token of an account. */
const TokenRefused = Schema.TaggedStruct("TokenRefused", { run, account: Schema.String, generation: Schema.Int })

/** The values that a step's own props have, told as it begins. */
const Configured = Schema.TaggedStruct("Configured", { run, props: Schema.Record(Schema.String, ParsedJson) })

const Answered = Schema.TaggedStruct("Answered", { run, json: Schema.String })

/** A run has ended. Of several, the messages after it are of the next. */
const Ended = Schema.TaggedStruct("Ended", { run, cpuMs, ownMs: Schema.Finite, error: Schema.optionalKey(Failure) })

/** The runs of a batch behind the last one that ended were not begun. */
const Stopped = Schema.TaggedStruct("Stopped", { run })

const Described = Schema.TaggedStruct("Described", { run, cpuMs, description: ComponentDescription })

const Refused = Schema.TaggedStruct("Refused", { run, cpuMs, ...componentFault })

/** Something that happened in a run or an inspection. */
export const RunMessage = Schema.Union([
  Emitted,
  Logged,
  Stored,
  StoreChanged,
  FilesKept,
  Responded,
  Requested,
  TokenRefused,
  Configured,
  Answered,
  Ended,
  Stopped,
  Described,
  Refused
])
export type RunMessage = typeof RunMessage.Type

const ask = Schema.Int

/** A question to the egress guard. */
export const EgressQuestion = Schema.Union([
  Schema.TaggedStruct("Connect", { run, ask, host: Schema.String, port: Schema.Int }),
  Schema.TaggedStruct("Resolve", { run, ask, host: Schema.String })
])
export type EgressQuestion = typeof EgressQuestion.Type

const store = Schema.String

const storable = Schema.String.check(Schema.makeFilter(Storable.isText, { expected: "text that a database takes" }))
const natural = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 31 - 1 }))
const upload = Schema.Int

/** A question of a run about the files of its account. An upload has a number, and its bytes come in their order. */
export const FileStoreQuestion = Schema.Union([
  Schema.TaggedStruct("StoredStat", { run, ask, path: storable }),
  /** Files behind a path, in the order of their paths' UTF-8. */
  Schema.TaggedStruct("StoredPage", { run, ask, prefix: storable, after: storable }),
  Schema.TaggedStruct("StoredRead", { run, ask, content: storable, place: natural }),
  Schema.TaggedStruct("StoredWrite", { run, ask, upload, place: natural, base64: Schema.String }),
  Schema.TaggedStruct("StoredFinish", {
    run,
    ask,
    upload,
    path: storable,
    size: natural,
    contentType: Schema.NullOr(Schema.String)
  }),
  Schema.TaggedStruct("StoredRemove", { run, ask, path: storable }),
  Schema.TaggedStruct("StoredUrl", { run, ask, path: storable })
])
export type FileStoreQuestion = typeof FileStoreQuestion.Type

/** The answer to a question about the files of the account. */
export interface FileStoreAnswer {
  readonly answer?: null | string | FileOutline | ReadonlyArray<FileOutline>
  readonly error?: { readonly code: string; readonly message: string }
}

/** Answers questions of a run about the files of its account. */
export type RunFileStore = (question: FileStoreQuestion) => Effect.Effect<FileStoreAnswer>

/** A question of a run about its data stores and files. The runtime asks one at a time. */
export const RunQuestion = Schema.Union([
  ...FileStoreQuestion.members,
  /** The value of a key of a data store. */
  Schema.TaggedStruct("StoreGet", { run, ask, store, key: Schema.String }),
  /** Keys behind one, or from the first, in the order of their UTF-8, and their values if they are asked for. */
  Schema.TaggedStruct("StorePage", {
    run,
    ask,
    store,
    after: Schema.NullOr(Schema.String),
    hasValues: Schema.Boolean
  }),
  /** The number of keys. */
  Schema.TaggedStruct("StoreSize", { run, ask, store }),
  /** A part of the bytes that are kept under a name. */
  Schema.TaggedStruct("FileGet", { run, ask, content: Schema.String, place: Schema.Int }),
  /** The next part of the bytes of a file, which has a number. */
  Schema.TaggedStruct("FilePut", {
    run,
    ask,
    content: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)),
    place: Schema.Int,
    base64: Schema.String
  })
])
export type RunQuestion = typeof RunQuestion.Type

/** The answer to `StoreGet`, `StorePage` or `StoreSize`, or the bytes that `FileGet` asks for, as base64. */
export type RunAnswer = DataStoreEntry | DataStorePage | number | NonNullable<FileStoreAnswer["answer"]> | null

const Ready = Schema.TaggedStruct("Ready", {})
const Pong = Schema.TaggedStruct("Pong", {})

export const SandboxMessage = Schema.Union([
  RunMessage,
  EgressQuestion,
  RunQuestion,
  Ready,
  Pong
])
export type SandboxMessage = typeof SandboxMessage.Type

/** A message that does not decode, with what of it can be read. */
export interface UnreadableMessage {
  readonly _tag: "Unreadable"
  /** The tag it has, or an empty text. */
  readonly of: string
  readonly run?: string
  readonly ask?: number
  readonly why: string
}

const decoders = new Map(
  [...RunMessage.members, ...EgressQuestion.members, ...RunQuestion.members, Ready, Pong].map((member) =>
    [
      member.fields._tag.schema.literal as string,
      Schema.decodeUnknownResult(member as Schema.Decoder<SandboxMessage>)
    ] as const
  )
)

/** Reads one line. The member is chosen by its tag: trying one after the other would take most of the time of a run. */
export const decodeSandboxMessage = (line: string): SandboxMessage | UnreadableMessage => {
  let json: unknown
  try {
    json = JSON.parse(line)
  } catch {
    return unreadable({}, "it is not JSON")
  }
  const tag = Predicate.hasProperty(json, "_tag") ? json._tag : undefined
  const decoded = typeof tag === "string" ? decoders.get(tag)?.(json) : undefined
  if (decoded === undefined) return unreadable(json, "it has no known tag")
  return Result.isSuccess(decoded) ? decoded.success : unreadable(json, decoded.failure.message)
}

/** An unexpected message may be long. */
const longestReason = 500

const unreadable = (json: unknown, why: string): UnreadableMessage => {
  const { _tag, ask, run } = (json ?? {}) as Readonly<Record<string, unknown>>
  return {
    _tag: "Unreadable",
    of: typeof _tag === "string" ? _tag.slice(0, longestReason) : "",
    ...(typeof run === "string" ? { run } : {}),
    ...(typeof ask === "number" ? { ask } : {}),
    why: why.slice(0, longestReason).replaceAll(/\s+/g, " ")
  }
}

/** A message of the host to a process; in JSON a run's call holds the event itself. */
export type HostMessage =
  | { readonly _tag: "Start"; readonly maxFileBytes: number }
  | { readonly _tag: "Ping" }
  | { readonly _tag: "Code"; readonly hash: string; readonly code: string }
  | {
    readonly _tag: "Inspect"
    readonly run: string
    readonly hash: string
    readonly kind: "source" | "workflow"
    readonly time?: State
  }
  | {
    readonly _tag: "Run"
    readonly run: string
    readonly hash: string
    readonly programId: string
    readonly call: RunCall
    /** The clock that component code sees, if that is not the system's. */
    readonly time?: State
    readonly bindings: {
      readonly additionalProps: Readonly<Record<string, { readonly type: string }>>
      readonly props: Readonly<Record<string, unknown>>
      /** The expressions among the props of steps. */
      readonly templates?: Templates | undefined
      readonly interfaces: Readonly<Record<string, InterfaceProp>>
      readonly credentials: Readonly<Record<string, Readonly<Record<string, unknown>>>>
      /** The tokens of accounts, by prop. */
      readonly tokens: Readonly<Record<string, LiveToken>>
      readonly env: Readonly<Record<string, string>>
      readonly db: Readonly<Record<string, string>>
      readonly maxDbBytes: number
      /** The ids of data stores, by prop. */
      readonly stores: Readonly<Record<string, string>>
      readonly maxStoreValueBytes: number
      readonly wallMs: number
      readonly maxResponseBytes: number
      readonly maxHeaderBytes: number
      /** True if it is to tell of its requests. */
      readonly tellsRequests: boolean
    }
  }
  /** The new token of an account that a run has. */
  | { readonly _tag: "Token" } & LiveToken
  | {
    readonly _tag: "Answer"
    readonly ask: number
    readonly ticket?: string
    readonly addresses?: ReadonlyArray<string>
    /** The answer to a question of a run. */
    readonly answer?: RunAnswer
    readonly error?: { readonly code: string; readonly message: string }
  }

/**
 * A message as one line. An event, and what steps gave, is put in as the text it is: to read and write it again would
 * be the longest part.
 */
export const encodeHostMessage = (message: HostMessage): string => {
  if (message._tag !== "Run") return JSON.stringify(message)
  const { call, ...rest } = message
  const withCall = (plain: object, name: string, json: string) =>
    `${JSON.stringify(rest).slice(0, -1)},"call":${JSON.stringify(plain).slice(0, -1)},"${name}":${onOneLine(json)}}}`
  switch (call._tag) {
    case "Run": {
      const { eventsJson, ...plain } = call
      return withCall(plain, "events", `[${eventsJson.join()}]`)
    }
    case "Step": {
      const { runs, ...plain } = call
      const each = runs.map(({ context, files, n, path, stepsJson }) =>
        `${JSON.stringify({ n, path, context, files: files.entries }).slice(0, -1)},"steps":${stepsJson}}`
      )
      return withCall(plain, "runs", `[${each.join()}]`)
    }
    default:
      return JSON.stringify(message)
  }
}

/** Line feeds in JSON are blanks between its tokens, but here they end the message. */
const onOneLine = (json: string): string => json.includes("\n") ? json.replaceAll("\n", " ") : json
