import type { Emit, HttpEvent, MailEvent, TimerEvent } from "./Interfaces.d.ts"
import type { CheckedProps, InterfacesOf, PropValues } from "./Props.d.ts"

/** How a component takes events as lists. */
export type Batch = boolean | {
  /** From 1 to 1,000; 100 if missing. */
  readonly maxEvents?: number
  /** From 0 to 3,600,000; 1,000 if missing. */
  readonly maxWaitMs?: number
  /** From 1,024 to 4,194,304; 1,048,576 if missing. */
  readonly maxBytes?: number
}

interface EventOfInterface {
  readonly "$.interface.http": HttpEvent
  readonly "$.interface.email": MailEvent
  readonly "$.interface.timer": TimerEvent
  readonly "$.interface.apphook": any
}

type InterfaceEvent<Interfaces> = Interfaces extends keyof EventOfInterface ? EventOfInterface[Interfaces] : never

/** What a run gets: requests and ticks where the props have such interfaces, else what other emitters emit. */
export type EventFor<Props, B = undefined> = [Extract<Props[keyof Props], PartOfRequest>] extends [never]
  ? WholeEventFor<Props, B>
  : any

/** A prop whose event is a part of the request: its type is the sender's. */
type PartOfRequest =
  & { readonly [Key in "default" | "static"]?: { readonly event: "body" | "raw" } }
  & (
    | { readonly default: object }
    | { readonly static: object }
  )

type WholeEventFor<Props, B> = [B] extends [undefined | false]
  ? [InterfacesOf<Props>] extends [never] ? any : InterfaceEvent<InterfacesOf<Props>>
  : ReadonlyArray<any> | InterfaceEvent<InterfacesOf<Props>>

/** Props that the code adds have types that only it knows. */
type Added<Adding> = [Adding] extends [undefined] ? {} : { readonly [prop: string]: any }

/** What a source's code sees as `this`. */
export type SourceThis<Props, Methods, Adding = undefined> =
  & PropValues<Props>
  & Methods
  & Added<Adding>
  & { readonly $emit: Emit }

/** What `defineSource` takes. */
export interface SourceDefinition<Props, Methods, B, Adding> {
  /** A source is named after it, unless the request names it. */
  readonly name?: string | undefined
  /** Finds the newest version of a component. */
  readonly key?: string | undefined
  readonly version?: string | undefined
  readonly type?: string | undefined
  readonly description?: string | undefined
  readonly props?: Props & CheckedProps<Props>
  /** Members of `this`, bound to it. */
  readonly methods?: Methods
  readonly hooks?: {
    readonly deploy?: Function | undefined
    readonly activate?: Function | undefined
    readonly deactivate?: Function | undefined
  } | undefined
  /** Which ids of emitted events pass. */
  readonly dedupe?: "unique" | "greatest" | "last" | undefined
  /** Events of other sources come as lists. */
  readonly batch?: B
  /**
   * Numbers in events that JavaScript has no number for, such as ids of 64 bits, come as the objects of `JSON.rawJSON`, which
   * are emitted and written by `JSON.stringify` as they were.
   */
  readonly exactNumbers?: boolean | undefined
  /** Answers further props by name, which depend on the values of those that are declared. Its `this` is not typed. */
  additionalProps?(this: any, declared: any): Adding
  /** Called with each event; a source without it emits each event as it comes. */
  run?(event: EventFor<Props, B>): unknown
  /** An event such as it emits, for people. */
  readonly sampleEmit?: unknown
}
