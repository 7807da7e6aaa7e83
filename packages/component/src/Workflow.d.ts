import type { Emit, FileStore, HttpResponse } from "./Interfaces.d.ts"
import type { CheckedProps, PropInputs, PropValues } from "./Props.d.ts"
import type { Batch, EventFor } from "./Source.d.ts"

/** What began a run. */
export interface Trigger<Event = any> {
  readonly event: Event
  readonly context: {
    /** The same in each try of each step, and if the event is run again. */
    readonly id: string
    readonly trace_id: string
    /** ISO 8601. */
    readonly ts: string
    readonly source_type: "EVENT" | "HTTP" | "EMAIL" | "TIMER" | "INVOCATION"
    readonly emitter_id: string
    readonly hops: number
    readonly workflow_id: string
    readonly workflow_name: string
    readonly deployment_id: string
    /** The project that the workflow belongs to; the account if to none. */
    readonly project_id: string
    readonly owner_id: string
    readonly platform_version: string
    readonly verified: boolean
    /** How often this run has come to this step, from 1. */
    readonly attempt: number
    /** The paths of the files that are attached to the workflow, by their names; absent if there are none. */
    readonly attachments?: Readonly<Record<string, string>>
    /** True if the event is run again. */
    readonly replay: boolean
    /** True in a trial, of which nothing is kept. */
    readonly test: boolean
  }
}

/** What a step has returned, and what it has exported. */
export interface StepResult {
  readonly $return_value?: any
  /** The request by which the run went on after this step, if it waited for one. */
  readonly $resume_data?: ResumeRequest
  readonly [exported: string]: any
}

/** What began the run, and what the steps before this one gave. */
export type Steps<Event = any, Results = { readonly [step: string]: StepResult }> =
  & { readonly trigger: Trigger<Event> }
  & Results

/** A request that the server sends when the step is committed, and sends again until it is taken. */
export interface OutgoingRequest {
  /** Without it `GET` if there is no `data`, else `POST`. */
  readonly method?: string | undefined
  readonly url: string
  readonly headers?: Readonly<Record<string, string | number | boolean | null | undefined>> | undefined
  /** What is not text is sent as JSON. */
  readonly data?: unknown
  /** Added to the query of the URL. */
  readonly params?: Readonly<Record<string, unknown>> | URLSearchParams | undefined
  /** Sent as `Authorization: Basic`. */
  readonly auth?: { readonly username: string; readonly password: string } | undefined
}

/** An e-mail to the owner of the account, which the server sends when the step is committed. */
export interface OutgoingMail {
  readonly subject?: string | undefined
  readonly text?: string | undefined
  readonly html?: string | undefined
}

/** A line of JSON for an object in a bucket. */
export interface OutgoingLine {
  readonly bucket: string
  /** Begins the names of the objects. */
  readonly prefix?: string | undefined
  readonly payload: unknown
}

/** The URLs of a run that waits. Each can be called once, by whoever knows it. */
export interface RunUrls {
  /** Has the run go on. */
  readonly resume_url: string
  /** Ends the run. */
  readonly cancel_url: string
}

/** The request by which a run that waited went on. */
export interface ResumeRequest {
  readonly id: string
  readonly method: string
  readonly path?: string
  readonly query: { readonly [name: string]: any }
  readonly headers: { readonly [name: string]: any }
  readonly body?: any
  readonly bodyRaw?: string
  readonly client_ip?: string
  readonly url?: string
}

/** What a step can do beside `this`. */
export interface StepServices {
  readonly context: Trigger["context"] & {
    /** The id of the run. */
    readonly id: string
    /** The step's name. */
    readonly step: string
    /** The time at which the step is ended, in Unix milliseconds. */
    readonly deadline: number
    readonly JIT: boolean
    /** Set in a run in shadow, which may ask anything of these hosts alone; absent in any other. */
    readonly shadow?: { readonly reads: ReadonlyArray<string> }
    readonly run: {
      /** How often this run has come to this step, from 1. */
      readonly runs: number
      /** What the step has passed to itself with `$.flow.rerun`. */
      readonly context: any
      /** The request to the `resume_url` of `$.flow.rerun`, if it came before the time. */
      readonly callback_request: ResumeRequest | null
    }
    /** The request by which the run last went on after it waited. */
    readonly resume: ResumeRequest | null
  }
  /** Gives later steps a value under `steps.<step>.<name>`. */
  export(name: string, value: unknown): void
  /** Answers the request that began the run. */
  respond(response: HttpResponse): Promise<void>
  readonly emit: Emit
  /** The files of the account. */
  readonly files: FileStore
  readonly send: {
    /** Emits to a stream. */
    emit(event: unknown, name?: string): Promise<void>
    http(request: OutgoingRequest): Promise<void>
    /** To the owner of the account. */
    email(message: OutgoingMail): Promise<void>
    /** Written, with what else comes within a minute, as a line of JSON into an object of the bucket. */
    s3(line: OutgoingLine): Promise<void>
    /** Emits to the stream that is named like the channel; its readers follow it by server-sent events. */
    sse(message: { readonly channel?: string; readonly payload: unknown }): Promise<void>
  }
  readonly flow: {
    /** Ends the run when this step has ended, successfully. The rest of the step runs: `return $.flow.exit()` ends at once. */
    exit(reason?: string): void
    /** Delays the next step, at most 366 days, or until one of the URLs is called. */
    delay(ms: number): RunUrls
    /**
     * Has the run wait when this step has ended, until one of the URLs is called or this time is over: 24 hours if missing,
     * at most 366 days.
     */
    suspend(ms?: number): RunUrls
    /**
     * Runs this step again after this time, or when one of the URLs is called, at most `max` times (10 if missing), instead
     * of the next one.
     */
    rerun(ms: number, context?: unknown, max?: number): RunUrls
    /** Runs another workflow of the account, by its id or slug, with an event, when this step has ended. */
    trigger(workflow: string, event?: unknown): Promise<void>
  }
}

/** A value, a text with expressions, or a function that answers the value. */
type Given<Value, Event> = Value | string | ((input: StepInput<Event>) => Value | Promise<Value>)

/** What any step may have, and what some have in place of `run`. */
interface BuiltInStep<Event> {
  /** True switches the step off: the workflow is as if it were not there. */
  readonly disabled?: boolean
  /** The run goes on if the value is true, or as good as true, and ends otherwise, with this reason. */
  readonly filter?: Given<unknown, Event>
  readonly reason?: string
  /** Delays the next step: milliseconds, or the time at which the run goes on. */
  readonly delay?: Given<number | string | Date, Event>
  /** Ends the run, for this reason. */
  readonly end?: Given<string | true, Event>

  /** Which steps are run: those of `then` if the value is true, or as good as true, else those of `else`. */
  readonly if?: Given<unknown, Event>
  readonly then?: InnerSteps<Event>
  readonly else?: InnerSteps<Event>
  /** Which steps are run: those of the case that is the value as text, or those of `default`. */
  readonly switch?: Given<unknown, Event>
  readonly cases?: { readonly [value: string]: InnerSteps<Event> }
  readonly default?: InnerSteps<Event>
  /** Branches of which the first is run whose condition holds, or every one. */
  readonly branches?: {
    readonly [branch: string]: { readonly when?: Given<unknown, Event>; readonly steps: InnerSteps<Event> }
  }
  /** `first` if missing. */
  readonly match?: "first" | "every"
  /** Branches that are all run. */
  readonly parallel?: { readonly [branch: string]: InnerSteps<Event> }
}

/** The steps of a branch. */
interface InnerSteps<Event> {
  readonly [step: string]:
    & BuiltInStep<Event>
    & {
      readonly props?: unknown
      readonly methods?: object
      additionalProps?(this: any, declared: any): unknown
      run?(input: StepInput<Event>): unknown
    }
    & ThisType<any>
}

/** What begins a run of a workflow: requests and ticks of its props, or what others emit and invoke it with. */
type TriggerEvent<Props, B> = 0 extends 1 & EventFor<Props, B> ? any
  : EventFor<Props, B> & { readonly [member: string]: any }

/** What a step's `run` gets. `Results` has what the steps before it gave, by their names. */
export interface StepInput<Event = any, Results = { readonly [step: string]: StepResult }> {
  readonly steps: Steps<Event, Results>
  readonly $: StepServices
}

type At<Record, Name> = Name extends keyof Record ? unknown extends Record[Name] ? {} : Record[Name] : {}

/** The compiler comes to know a step's own methods too late to type them for `run`: there they are `any`. */
type OwnMethods<Members> = "methods" extends keyof Members ? { readonly [method: string]: any } : {}

/** What a step sees as `this`: of the workflow and of the step, whose own members win. */
export type StepThis<Props, Methods, StepProps, StepMembers = {}> =
  & Omit<PropValues<Props> & Methods, keyof StepProps>
  & PropValues<StepProps>
  & OwnMethods<StepMembers>

/** A step in Python, such as the default export of a file that ends with `.py`. */
export interface PythonStep {
  readonly lang: "python"
  /** It defines `handler(pd)`. */
  readonly code: string
}

/** What `defineWorkflow` takes. */
export interface WorkflowDefinition<Props, Methods, B, StepProps, StepMembers> {
  readonly name?: string | undefined
  readonly key?: string | undefined
  readonly version?: string | undefined
  readonly type?: string | undefined
  readonly description?: string | undefined
  readonly props?: Props & CheckedProps<Props>
  readonly methods?: Methods & ThisType<PropValues<Props> & Methods>
  /** Answers further props by name, which depend on the values of those that are declared. Its `this` is not typed. */
  additionalProps?(this: any, declared: any): unknown
  /** Events of other emitters come as lists. */
  readonly batch?: B
  /** In the order in which they run. */
  readonly steps?:
    & {
      readonly [Name in keyof StepProps]:
        & BuiltInStep<TriggerEvent<Props, B>>
        & {
          readonly props?: StepProps[Name] & PropInputs & CheckedProps<StepProps[Name]>
          readonly methods?: object
          additionalProps?(this: any, declared: any): unknown
        }
        & (PythonStep | { run?(input: StepInput<TriggerEvent<Props, B>>): unknown })
        & ThisType<StepThis<Props, Methods, At<StepProps, Name>, At<StepMembers, Name>>>
    }
    & { readonly [Name in keyof StepMembers]: { readonly [Member in keyof StepMembers[Name]]: unknown } }
    // Where no step has members but its `run`, the compiler knows the names of none.
    & {
      readonly [step: string]:
        & BuiltInStep<TriggerEvent<Props, B>>
        & {
          readonly props?: unknown
          readonly methods?: object
          additionalProps?(this: any, declared: any): unknown
        }
        & (PythonStep | { run?(input: StepInput<TriggerEvent<Props, B>>): unknown })
        & ThisType<PropValues<Props> & Methods>
    }
  /** The only step, in place of `steps`. */
  run?(input: StepInput<TriggerEvent<Props, B>>): unknown
}
