import { CurrentAccount } from "@headwater/api/Authorization"
import type { CheckedCode, DeployedCode } from "@headwater/api/CodeApi"
import { HeadwaterApi } from "@headwater/api/HeadwaterApi"
import * as Problem from "@headwater/api/Problem"
import * as ConfiguredProps from "@headwater/domain/ConfiguredProps"
import * as Id from "@headwater/domain/Id"
import { declaredProps, type Program } from "@headwater/domain/Program"
import * as TypedText from "@headwater/domain/TypedText"
import { ComponentConfiguration } from "@headwater/engine/ComponentConfiguration"
import type { TrialTrigger } from "@headwater/engine/TrialRuns"
import { type TrialRequest, TrialRuns } from "@headwater/engine/TrialRuns"
import { EventLog } from "@headwater/log/logs/EventLog"
import { Components } from "@headwater/log/resources/Components"
import type { ProgramKind } from "@headwater/log/resources/Programs"
import { Effect, Option, Result, Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { CodeFault, componentInvalid, inCode, type Place } from "../../CodeFault.ts"
import type { LoadedComponent, SavedComponent } from "../../CodeReading.ts"
import { ComponentSaving, sourceFault } from "../../ComponentSaving.ts"
import { boundOf } from "../answers/EventSummaries.ts"
import * as TrialAnswer from "../answers/TrialAnswer.ts"
import { answerFailures } from "../conventions/FailureProblem.ts"
import * as CodeAdvice from "./CodeAdvice.ts"
import { makeFindAny } from "./EmitterIdOf.ts"
import * as GivenJson from "./GivenJson.ts"
import { hookProblem } from "./HookProblem.ts"
import { quotaExceeded, retryLater } from "./IntakeProblem.ts"
import { makeFind } from "./OwnProgram.ts"
import * as ProgramHandling from "./ProgramHandling.ts"

interface GivenCode {
  readonly component_code?: string
  readonly component_url?: string
  readonly workflow_code?: string
  readonly workflow_url?: string
}

interface Sample {
  readonly trigger?: TrialTrigger
  readonly event?: Schema.Json
  readonly emitter_id?: string
  readonly event_id?: string
  readonly at_ms?: number
  readonly requests?: "send" | "refuse"
}

type Props = Readonly<Record<string, Schema.Json>>

const kindOf = ({ workflow_code, workflow_url }: GivenCode): ProgramKind =>
  workflow_code !== undefined || workflow_url !== undefined ? "workflow" : "source"

const nothing = {
  key: null,
  name: null,
  version: null,
  type: null,
  description: null,
  dedupe: null,
  configurable_props: [],
  has_additional_props: false,
  hooks: [],
  methods: [],
  steps: [],
  errors: []
} satisfies Partial<CheckedCode>

const invalid = (path: string, message: string) => Problem.invalid([{ path, message }])

const shown = ({ component, methods }: LoadedComponent): Omit<CheckedCode, "errors" | "kind" | "valid"> => ({
  key: component.key,
  name: component.name,
  version: component.version,
  type: component.type,
  description: component.description,
  dedupe: component.dedupe,
  configurable_props: component.configurableProps,
  has_additional_props: component.hasAdditionalProps,
  hooks: component.hooks,
  methods,
  steps: (component.steps ?? []).map(({ name }) => name)
})

const errorOf = (fault: Pick<CodeFault, "message" | "file" | "line" | "column">, advice: string) => ({
  message: fault.message,
  file: fault.file ?? inCode(1, 1).file,
  line: fault.line ?? 1,
  column: fault.column ?? 1,
  advice
})

const answerWith = (data: string) => HttpServerResponse.text(`{"data":${data}}`, { contentType: "application/json" })

const services = Effect.all({
  components: Components,
  configuration: ComponentConfiguration,
  events: EventLog,
  find: makeFind,
  programs: ProgramHandling.make,
  findEmitter: makeFindAny,
  saving: ComponentSaving,
  trials: TrialRuns
})

/** Code of deployed programs, and code that is checked and tried. */
class CodeRequests {
  private readonly services: Effect.Success<typeof services>

  private constructor(given: Effect.Success<typeof services>) {
    this.services = given
  }

  static readonly make = Effect.map(services, (given) => new CodeRequests(given))

  deployed(kind: ProgramKind, idOrSlug: string) {
    return Effect.gen({ self: this }, function*() {
      const program = yield* this.services.find(kind, idOrSlug)
      const component = yield* this.services.programs.componentOf(program)
      const { code, codeHash, key, name, url, version } = component
      const data: DeployedCode = {
        code,
        code_hash: codeHash,
        key,
        name,
        version,
        url,
        configurable_props: declaredProps(component, program)
      }
      return { data }
    }).pipe(answerFailures)
  }

  /** The code that a request gives, loaded and not saved; none where it gives none. */
  private load(given: GivenCode, previous?: Program) {
    return Effect.gen({ self: this }, function*() {
      const accountId = yield* CurrentAccount
      const { component_code, component_url, workflow_code, workflow_url } = given
      const kind = kindOf(given)
      if (kind === "workflow" && (component_code !== undefined || component_url !== undefined)) {
        return yield* invalid("workflow_code", "give either code of a source or code of a workflow")
      }
      const code = component_code ?? workflow_code
      const url = component_url ?? workflow_url
      const details = { kind, previous: previous && (yield* this.services.programs.componentOf(previous)) }
      return code !== undefined
        ? Option.some(yield* this.services.saving.load(accountId, code, { ...details, url }))
        : url !== undefined
        ? Option.some(yield* this.services.saving.loadFrom(accountId, url, details))
        : Option.none<LoadedComponent>()
    })
  }

  /** The props of code with those that it adds for these values, or why it does not say. */
  private additional({ component, place }: LoadedComponent, given: Props) {
    return Effect.gen({ self: this }, function*() {
      const { accountId: _, configurableProps } = component
      // A key that may check code need not be allowed to use the accounts of apps.
      const values = Object.fromEntries(
        Object.entries({ ...ConfiguredProps.defaultsOf(configurableProps), ...given })
          .filter(([name]) => !configurableProps.some((prop) => prop.name === name && prop.type === "app"))
      )
      const accountId = yield* CurrentAccount
      const asked = yield* Effect.result(
        this.services.configuration.additionalProps({ accountId, component, values }).pipe(
          Effect.mapError((error) => error._tag === "HookFailed" ? hookProblem(place, error).details : error)
        )
      )
      if (Result.isSuccess(asked)) {
        return { configurable_props: declaredProps(component, { additionalProps: asked.success }) }
      }
      if ("_tag" in asked.failure) return yield* asked.failure
      return { errors: [errorOf(asked.failure, "Correct what additionalProps does for these values.")] }
    })
  }

  check(given: GivenCode & { readonly configured_props?: Props }) {
    return Effect.gen({ self: this }, function*() {
      const values = given.configured_props
      if (values !== undefined) yield* this.services.programs.checkSizes(values)
      const loaded = yield* Effect.result(this.load(given))
      const kind = kindOf(given)
      if (Result.isFailure(loaded)) {
        const { failure } = loaded
        if (failure._tag !== "CodeFault") return yield* failure
        return { ...nothing, kind, valid: false, errors: [errorOf(failure, CodeAdvice.of(failure))] }
      }
      if (Option.isNone(loaded.success)) {
        return yield* invalid(
          "component_code",
          "one of component_code, component_url, workflow_code and workflow_url is required"
        )
      }
      const { value } = loaded.success
      const fault = kind === "source" ? sourceFault(value) : Option.none()
      if (Option.isSome(fault)) {
        const errors = [errorOf(fault.value, CodeAdvice.of(fault.value))]
        return { ...nothing, ...shown(value), kind, valid: false, errors }
      }
      const added = value.component.hasAdditionalProps && values !== undefined
        ? yield* this.additional(value, values)
        : {}
      return { ...nothing, ...shown(value), kind, valid: true, ...added }
    })
  }

  private storedEvent(accountId: Id.AccountId, { emitter_id, event_id }: Sample) {
    return Effect.gen({ self: this }, function*() {
      if (emitter_id === undefined && event_id === undefined) return undefined
      if (emitter_id === undefined) return yield* invalid("emitter_id", "is required with event_id")
      if (event_id === undefined) return yield* invalid("event_id", "is required with emitter_id")
      const id = boundOf(event_id)!
      const place = yield* this.services.events.findInAny(yield* this.services.findEmitter(accountId, emitter_id), id)
      const found = Option.isNone(place) ? place : yield* this.services.events.find(place.value, id)
      return Option.isNone(found) ? yield* Problem.notFound("event", event_id) : found.value
    })
  }

  private attempt(
    what: Pick<TrialRequest, "component" | "configuredProps" | "keepsStores" | "program">,
    place: Place,
    sample: Sample
  ) {
    return Effect.gen({ self: this }, function*() {
      const accountId = yield* CurrentAccount
      return yield* this.services.trials.run({
        accountId,
        ...what,
        trigger: sample.trigger,
        event: sample.event === undefined ? undefined : yield* GivenJson.exactly("event", sample.event),
        stored: yield* this.storedEvent(accountId, sample),
        at: sample.at_ms,
        mayConnect: sample.requests !== "refuse"
      }).pipe(
        Effect.catchTags({
          HookFailed: (failure) => Effect.fail(hookProblem(place, failure)),
          InvalidProps: ({ issues }) => Effect.fail(Problem.invalid(issues)),
          QuotaExceeded: (error) => Effect.flatMap(quotaExceeded(error), retryLater),
          TrialRefused: ({ message, path }) => Effect.fail(invalid(path, message))
        })
      )
    })
  }

  runAction(
    given: Pick<GivenCode, "component_code" | "component_url"> & {
      readonly component_id?: string
      readonly configured_props?: Props
    }
  ) {
    return Effect.gen({ self: this }, function*() {
      const { component_code, component_id, component_url, configured_props: configuredProps = {} } = given
      yield* this.services.programs.checkSizes(configuredProps)
      const workflow_code = component_code ??
        (component_id === undefined ? undefined : (yield* this.saved(component_id)).code)
      // A step that is a whole workflow.
      const loaded = yield* this.load({
        ...(workflow_code === undefined ? {} : { workflow_code }),
        ...(component_url === undefined ? {} : { workflow_url: component_url })
      })
      if (Option.isNone(loaded)) {
        return yield* invalid("component_code", "one of component_code, component_url and component_id is required")
      }
      const { component, place } = loaded.value
      if (component.type !== "action") {
        return yield* invalid("component_code", "its code is no action: it has no `type: \"action\"`")
      }
      const typed = Object.fromEntries(
        Object.entries(configuredProps).map(([name, value]) => {
          const type = component.configurableProps.find((prop) => prop.name === name)?.type
          return [name, type === undefined ? value : TypedText.read(type, value) as Schema.Json]
        })
      )
      const trial = yield* this.attempt(
        { component, configuredProps: typed, keepsStores: true, program: undefined },
        place,
        {}
      )
      return answerWith(TrialAnswer.ofAction(trial, place))
    }).pipe(
      Effect.catchIf(Schema.is(CodeFault), (fault) => Effect.fail(componentInvalid(fault))),
      answerFailures
    )
  }

  tryDeployed(kind: ProgramKind, idOrSlug: string, sample: Sample | null) {
    return Effect.gen({ self: this }, function*() {
      const program = yield* this.services.find(kind, idOrSlug)
      const component = yield* this.services.programs.componentOf(program)
      const trial = yield* this.attempt({ component, program, configuredProps: {} }, inCode, sample ?? {}).pipe(
        // Its code is asked for no props: it has those that it is deployed with.
        Effect.catchTag("HookFailedProblem", Effect.die)
      )
      return answerWith(TrialAnswer.make(trial, inCode))
    }).pipe(answerFailures)
  }

  private saved(idOrKey: string) {
    return Effect.gen({ self: this }, function*() {
      const accountId = yield* CurrentAccount
      const own = Schema.is(Id.ComponentId)(idOrKey)
        ? yield* this.services.components.get(accountId, idOrKey)
        : yield* this.services.components.newestByKey(accountId, idOrKey)
      const found = Option.isSome(own) ? own : yield* this.services.components.newestPublished(idOrKey)
      return Option.isNone(found) ? yield* Problem.notFound("component", idOrKey) : found.value
    })
  }

  tryCode(
    given: GivenCode & Sample & {
      readonly component_id?: string
      readonly source_id?: string
      readonly workflow_id?: string
      readonly configured_props?: Props
    }
  ) {
    return Effect.gen({ self: this }, function*() {
      const { component_id, configured_props: configuredProps = {}, source_id, workflow_id } = given
      yield* this.services.programs.checkSizes(configuredProps)
      if (source_id !== undefined && workflow_id !== undefined) {
        return yield* invalid("workflow_id", "give either source_id or workflow_id")
      }
      const program = source_id !== undefined
        ? yield* this.services.find("source", source_id)
        : workflow_id === undefined
        ? undefined
        : yield* this.services.find("workflow", workflow_id)
      const loaded: Option.Option<SavedComponent> = yield* this.load(given, program)
      const chosen = Option.isSome(loaded)
        ? loaded.value
        : component_id !== undefined
        ? { component: yield* this.saved(component_id), place: inCode }
        : program === undefined
        ? yield* invalid(
          "component_code",
          "one of component_code, component_url, workflow_code, workflow_url, component_id, source_id and workflow_id is required"
        )
        : { component: yield* this.services.programs.componentOf(program), place: inCode }
      const { component, place } = chosen
      if (program !== undefined && (component.steps === null) !== (program.workflow === null)) {
        return component.steps === null
          ? yield* invalid("workflow_id", "is a workflow, and the code is that of a source")
          : yield* invalid("source_id", "is a source, and the code is that of a workflow")
      }
      return answerWith(
        TrialAnswer.make(yield* this.attempt({ component, program, configuredProps }, place, given), place)
      )
    }).pipe((effect) =>
      effect.pipe(
        Effect.catchIf(Schema.is(CodeFault), (fault) => Effect.fail(componentInvalid(fault))),
        answerFailures
      )
    )
  }
}

export const layer = HttpApiBuilder.group(
  HeadwaterApi,
  "code",
  Effect.fnUntraced(function*(handlers) {
    const code = yield* CodeRequests.make
    return handlers.handleAll({
      sourceCode: ({ params }) => code.deployed("source", params.id),
      workflowCode: ({ params }) => code.deployed("workflow", params.id),
      check: ({ payload }) => Effect.map(answerFailures(code.check(payload)), (data) => ({ data })),
      tryCode: ({ payload }) => code.tryCode(payload),
      runAction: ({ payload }) => code.runAction(payload),
      trySource: ({ params, payload }) => code.tryDeployed("source", params.id, payload),
      tryWorkflow: ({ params, payload }) => code.tryDeployed("workflow", params.id, payload)
    })
  })
)
