import type { App, AppDefinition, AppInstance } from "./App.d.ts"
import type { PropInputs, PropValues } from "./Props.d.ts"
import type { Batch, SourceDefinition, SourceThis } from "./Source.d.ts"
import type { WorkflowDefinition } from "./Workflow.d.ts"

export type { App, AppInstance, AppName, AuthOf } from "./App.d.ts"
export type {
  Apphook,
  DataStore,
  Emit,
  EmitMetadata,
  FileStore,
  HttpEvent,
  HttpInterface,
  HttpRequest,
  HttpRequestAnswer,
  HttpResponse,
  HttpSettings,
  MailAddresses,
  MailEvent,
  MailInterface,
  Store,
  StoredEntry,
  StoredFile,
  Timer,
  TimerEvent,
  ZonedTime
} from "./Interfaces.d.ts"
export type { Db, OptionsRequest, PropInput, PropInputs, PropType, PropValue, PropValues } from "./Props.d.ts"
export type { Batch, EventFor, SourceDefinition, SourceThis } from "./Source.d.ts"
export type {
  OutgoingLine,
  OutgoingMail,
  OutgoingRequest,
  StepInput,
  StepResult,
  Steps,
  StepServices,
  StepThis,
  Trigger,
  WorkflowDefinition
} from "./Workflow.d.ts"

declare global {
  /** Returns what it is given: sources, actions and steps of other hosts begin with it. */
  function defineComponent<const Definition extends object>(definition: Definition & ThisType<any>): Definition
}

/** A source component, whose props and methods type `this`, and whose interfaces type the event of `run`. */
export declare function defineSource<
  const Props extends PropInputs = {},
  Methods extends object = {},
  const B extends Batch | undefined = undefined,
  Adding = undefined
>(
  source:
    & SourceDefinition<Props, Methods, B, Adding>
    & ThisType<SourceThis<Props, Methods, Adding>>
    & ({ readonly props: unknown } | { readonly run: unknown })
): SourceDefinition<Props, Methods, B, Adding>

/** A workflow, whose props and methods type `this` of its steps, and whose interfaces type the event that begins a run. */
export declare function defineWorkflow<
  const Props extends PropInputs = {},
  Methods extends object = {},
  const B extends Batch | undefined = undefined,
  const StepProps extends Record<string, unknown> = {},
  StepMembers extends Record<string, unknown> = {}
>(
  workflow:
    & WorkflowDefinition<Props, Methods, B, StepProps, StepMembers>
    & ThisType<PropValues<Props> & Methods>
    & ({ readonly steps: unknown } | { readonly run: unknown })
): WorkflowDefinition<Props, Methods, B, StepProps, StepMembers>

/** An app: what components call, and props that they take from it. */
export declare function defineApp<
  const Name extends string,
  const PropDefinitions extends PropInputs = {},
  Methods extends object = {}
>(
  app:
    & AppDefinition<Name, PropDefinitions, Methods>
    & ThisType<AppInstance<{ readonly app: Name; readonly methods: Methods }>>
): App<Name, PropDefinitions, Methods>
