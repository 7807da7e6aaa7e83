import type { DataStoreChanges, DataStoreReads } from "@headwater/domain/DataStore"
import type { RunFile, RunFileChanges } from "@headwater/domain/RunFile"
import type { Effect } from "effect"
import type { SandboxLimits } from "./SandboxLimits.ts"
import type { SandboxUnavailable } from "./SandboxPool.ts"
import type { RunFileStore } from "./SandboxProtocol.ts"

/** A prop that is an interface or a service, as it appears on `this`. */
export type InterfaceProp =
  | { readonly _tag: "Http"; readonly endpoint: string }
  | { readonly _tag: "Timer" }
  | { readonly _tag: "Db" }
  | { readonly _tag: "Apphook"; readonly endpoint: string }
  | { readonly _tag: "Email"; readonly address: string | null }

/** The argument of a component's `options`; keys beyond these are its own. */
export interface OptionsRequest {
  /** Counted from 0. */
  readonly page: number
  /** The context that the component gave with the page before; an empty object for the first. */
  readonly prevContext: unknown
  /** The text that the user has typed, for props with `useQuery`. */
  readonly query?: string
}

/** The input of a step in one run. */
export interface StepInput {
  /** JSON text of an object: the trigger, and what the steps before this one gave, by name. */
  readonly stepsJson: string
  /** The step's `$.context`. */
  readonly context: StepContext
  /** The path that it is on, where the run is on several at once. */
  readonly path?: string
  /** Its number among the steps of the run, or of that path, that were run, counted from 1. */
  readonly n: number
  readonly files: RunFiles
}

/** The keys of runs as a step makes them (`RunKey`). */
export interface StepKeys {
  /** The beginning of the URLs that end in a key. */
  readonly url: string
  readonly secret: string
}

/** The files that a run has from its steps before, and the place for those that this one leaves. */
export interface RunFiles {
  readonly entries: ReadonlyArray<RunFile>
  /** A part of the bytes of a name. */
  readonly read: (content: string, place: number) => Effect.Effect<Uint8Array>
  /** Puts a part in its place. Answers false if there is no room for it. */
  readonly write: (content: string, place: number, bytes: Uint8Array) => Effect.Effect<boolean>
}

/** The place of a step in its run. */
export interface StepContext {
  readonly id: string
  readonly workflow_id: string
  readonly deployment_id: string
  readonly step: string
  /** Set in a run in shadow, whose requests to others are held unless they only read. */
  readonly shadow?: {
    /** The hosts that it may ask anything of. */
    readonly reads: ReadonlyArray<string>
  }
  readonly run: {
    /** The number of times that the step has begun in this run, this one included. */
    readonly runs: number
    /** The context that it asked to be handed when it asked to be run again. */
    readonly context: unknown
    /** The request by which it was run again before its time. */
    readonly callback_request?: unknown
  }
  /** The request by which the run last went on after it waited. */
  readonly resume?: unknown
}

export type RunCall =
  /** With the JSON texts of events: a run for each, one after the other. */
  | {
    readonly _tag: "Run"
    readonly eventsJson: ReadonlyArray<string>
    readonly isRequest?: boolean
    /** The time for the code in each of the runs, in Unix milliseconds, if that is not now. */
    readonly times?: ReadonlyArray<number>
  }
  | { readonly _tag: "Hook"; readonly hook: "deploy" | "activate" | "deactivate" }
  /** Answers `{options, context}`. */
  | { readonly _tag: "Options"; readonly prop: string; readonly request: OptionsRequest }
  /** Answers the definitions of the props that the code adds. */
  | { readonly _tag: "AdditionalProps" }
  /** The same step of several runs, one after the other. Each answers a `StepAnswer`. */
  | {
    readonly _tag: "Step"
    readonly step: string
    /** The language that it is written in, if that is not JavaScript. */
    readonly lang?: "python" | undefined
    readonly runs: ReadonlyArray<StepInput>
    readonly keys: StepKeys
  }

/** The number of runs that a call asks for. */
export const runsOf = (call: RunCall): number =>
  call._tag === "Run" ? call.eventsJson.length : call._tag === "Step" ? call.runs.length : 1

/** The argument of `this.http.respond`. */
export interface RunResponse {
  readonly status: number
  /** Lower-case names, with a list where a header is sent several times. */
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string>>>
  readonly body: string | Uint8Array
}

/** A component's module. */
export interface SandboxModule {
  readonly code: string
  /** Names the code: the same hash always comes with the same code. */
  readonly hash: string
  /**
   * Gives a source map as JSON from the code to where it was written, which stacks are told in; none where it can't be
   * had. It can be larger than the code, and is asked for only where a run fails.
   */
  readonly map?: Effect.Effect<string | undefined>
}

/** The environment variables of a run. */
export interface RunEnvironment {
  /** The variables that code finds in `process.env`, by name. */
  readonly values: Readonly<Record<string, string>>
  /** Texts for which logs, errors and props have a mask, longest first. */
  readonly masked: ReadonlyArray<string>
}

/** The data stores of a run. */
export interface RunStores {
  /** Their ids by prop; empty of one that was removed. */
  readonly ids: Readonly<Record<string, string>>
  readonly reads: DataStoreReads
}

/** A token of an account with an app. */
export interface LiveToken {
  /** The id of the account. */
  readonly account: string
  /** Counts the tokens that the account has had. */
  readonly generation: number
  readonly token: string
}

/** The tokens of a run, which may be renewed while it goes on. */
export interface RunTokens {
  /** By prop: the app's `$auth.oauth_access_token`. */
  readonly ofProps: Readonly<Record<string, LiveToken>>
  /** Calls back with each new token until it is told to stop. */
  readonly watch: (onRenewed: (token: LiveToken) => void) => () => void
  /** An API has refused a token of the run. */
  readonly refused: (token: Pick<LiveToken, "account" | "generation">) => void
}

export interface RunRequest {
  readonly accountId: string
  /** `process.env.PD_COMPONENT` in the component. */
  readonly programId: string
  readonly module: SandboxModule
  readonly call: RunCall
  /** Definitions by name of the props that the code has added since for this program. */
  readonly additionalProps?: Readonly<Record<string, { readonly type: string }>>
  /** Plain values by prop name, a timer's included. */
  readonly props: Readonly<Record<string, unknown>>
  readonly interfaces: Readonly<Record<string, InterfaceProp>>
  /** The `$auth` of the apps among the props, by prop. */
  readonly credentials: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** The tokens among them that are renewed. */
  readonly tokens?: RunTokens
  /** Its environment variables. */
  readonly environment?: RunEnvironment
  /** `$.service.db` at the start of the run: JSON text by key. */
  readonly db: Readonly<Record<string, string>>
  /** The data stores among the props. Their changes are in the result. */
  readonly stores?: RunStores
  /** The files of the account. */
  readonly fileStore?: RunFileStore
  /** Called at once with the first answer, and not again, also when the run is repeated. */
  readonly onRespond?: (response: RunResponse) => Effect.Effect<void>
  readonly limits?: Partial<
    Pick<SandboxLimits, "wallMillis" | "cpuMillis" | "heapMebibytes" | "outputBytes" | "dbBytes" | "storeValueBytes">
  >
  /**
   * Has the run in a process that nothing ran in before and nothing runs in after, so that it leaves no trace in other
   * runs and finds none of theirs, and tells what it asked of others. Of one event only.
   */
  readonly trial?: Trial
}

export interface Trial {
  /** True if the run may open connections and have names resolved. */
  readonly mayConnect: boolean
}

/** A request that a run made over HTTP, as its process tells of it. */
export interface RunHttpRequest {
  readonly method: string
  readonly url: string
  /** Unix milliseconds, by the host's clock: when the answer or the failure was heard of. */
  readonly ts: number
  readonly status?: number
  /** The reason why there was no answer. */
  readonly error?: string
  /** Until the answer began, in milliseconds. */
  readonly wallMs: number
}

/** A connection that a run asked for, as the host saw it. */
export interface RunConnection {
  readonly host: string
  readonly port: number
  /** The reason why there is none. */
  readonly error?: string
}

/** The requests that a tried run made to others, in its order. */
export interface RunTraffic {
  readonly requests: ReadonlyArray<RunHttpRequest>
  readonly connections: ReadonlyArray<RunConnection>
}

export interface RunEmit {
  /** JSON text exactly as the sandbox wrote it. */
  readonly payload: string
  readonly id?: string | number
  readonly name?: string
  readonly summary?: string
  /** As the component gave it: milliseconds, seconds, or a date string. */
  readonly ts?: string | number
  /** Unix milliseconds. */
  readonly deliveryTs?: number
}

export interface RunLog {
  /** Unix milliseconds, by the host's clock. */
  readonly ts: number
  readonly level: "debug" | "info" | "warn" | "error"
  readonly message: string
}

export interface RunError {
  readonly name: string
  readonly message: string
  /** In the lines that somebody wrote, the component's own module being `component.mjs`. */
  readonly stack: string
  readonly line?: number
  readonly column?: number
  readonly code?: string
}

export type RunLimit = "wall" | "cpu" | "memory" | "output"

/** All that a run did, up to its return, its throw, or the limit that ended it. */
export interface RunResult {
  readonly outcome: "success" | "error" | "limit"
  readonly error?: RunError
  readonly limit?: RunLimit
  /** In the order of the calls. */
  readonly emits: ReadonlyArray<RunEmit>
  readonly logs: ReadonlyArray<RunLog>
  /** The keys that were set: JSON text, or null where a key was removed. */
  readonly db: Readonly<Record<string, string | null>>
  /** The changes to data stores. */
  readonly stores: ReadonlyArray<DataStoreChanges>
  /** The changes to the files that its next step finds. */
  readonly files?: RunFileChanges
  /** JSON text of the values that a step's own props had as it began, by name. */
  readonly configuredPropsJson?: string
  /** JSON text of what a call that asks for something gave. */
  readonly answerJson?: string
  /** The number of messages about the run, such as emits, that could not be read, and the first of them. */
  readonly unreadable?: { readonly count: number; readonly first: string }
  readonly responded: boolean
  /** Of a trial. */
  readonly traffic?: RunTraffic
  /** The number of connections that it opened. */
  readonly connections: number
  /** From when the host had it begin until the host heard of its end, in milliseconds. */
  readonly wallMs: number
  /** The part of it that was the run's own, by what the process says: without the time that it waited for others. */
  readonly ownMs: number
  readonly cpuMs: number
}

/** Runs of one program over several inputs, one after the other in one process. */
export interface RunBatch {
  /**
   * The results of runs that have ended, in the order of their inputs, once there are any: soon, also where the run after
   * them takes long. Empty when there are no more to come. Inputs without a result are to be run again.
   */
  readonly next: Effect.Effect<ReadonlyArray<RunResult>, SandboxUnavailable>
  /** Nobody waits for more: a run under way is given up. */
  readonly giveUp: Effect.Effect<void>
}
