import { CurrentAccount } from "@headwater/api/Authorization"
import * as Problem from "@headwater/api/Problem"
import type { CodelessComponent, Component } from "@headwater/domain/Component"
import * as ConfiguredProps from "@headwater/domain/ConfiguredProps"
import { declaredProps, type Program, type ProgramState } from "@headwater/domain/Program"
import { HookFailed } from "@headwater/engine/ActorCalls"
import { endpointUrl, EngineConfig, mailAddress } from "@headwater/engine/EngineConfig"
import { Figures } from "@headwater/log/commit/Figures"
import { Components } from "@headwater/log/resources/Components"
import { Programs } from "@headwater/log/resources/Programs"
import { Clock, Effect, Fiber, Option, Schema } from "effect"
import { inCode } from "../../CodeFault.ts"
import type { SavedComponent } from "../../CodeReading.ts"
import { HttpSettings } from "../conventions/HttpSettings.ts"
import { hookProblem } from "./HookProblem.ts"

/** A component to use, and whether it was saved for this request alone. */
export interface ChosenComponent extends SavedComponent {
  readonly fresh: boolean
}

/** The time that a request waits for a program to be changed or removed: its hooks may take minutes. */
const changePatience = "30 seconds"

/** The pause before a client looks whether a change that took too long has come about. */
const retryAfterSeconds = 30

interface ListQuery {
  readonly q?: string
  readonly active?: boolean
  readonly state?: ProgramState
}

/** The common parts of the handlers of sources and workflows. */
export const make = Effect.gen(function*() {
  const components = yield* Components
  const figures = yield* Figures
  const programs = yield* Programs
  const { mailDomain, publicUrl } = yield* EngineConfig
  const { changePatience: patience = changePatience, maxProp } = yield* HttpSettings
  const scope = yield* Effect.scope

  /** Removes a component saved for a program that did not come about. One that a program has by then stays. */
  const discard = (component: Component) =>
    components.delete(component.id).pipe(
      Effect.catchReason("SqlError", "ConstraintError", () => Effect.void),
      Effect.catchTag("SqlError", (error) =>
        Effect.logWarning(`Could not remove component ${component.id}, which has no source`, error))
    )

  return {
    checkSizes: (given: Record<string, Schema.Json>) => {
      const name = ConfiguredProps.oversized(given, maxProp)
      return name === undefined
        ? Effect.void
        : Effect.fail(Problem.tooLarge(`configured_props.${name}`, maxProp, "HEADWATER_MAX_PROP"))
    },
    /** A program's row refers to its component's, so the component is there. */
    componentOf: (program: Program) =>
      Effect.flatMap(components.getById(program.componentId), Effect.fromOption).pipe(
        Effect.catchTag("NoSuchElementError", Effect.die)
      ),
    /** The same without the code. */
    codelessOf: (program: Program) =>
      Effect.flatMap(components.codeless(program.componentId), Effect.fromOption).pipe(
        Effect.catchTag("NoSuchElementError", Effect.die)
      ),
    configuredProps: (program: Program, component: CodelessComponent) =>
      ConfiguredProps.render(
        declaredProps(component, program),
        program,
        program.endpointKey === null ? undefined : endpointUrl(publicUrl, program.endpointKey),
        program.endpointKey === null || mailDomain === undefined ? null : mailAddress(mailDomain, program.endpointKey)
      ),
    /** The conditions of a list of sources or workflows. */
    filterOf: Effect.fnUntraced(function*({ active, q: text, state }: ListQuery) {
      const accountId = yield* CurrentAccount
      const failing = state === undefined
        ? new Set<string>()
        : yield* figures.failing(accountId, yield* programs.idsOfAccount(accountId), yield* Clock.currentTimeMillis)
      return { active, failing, state, text }
    }),
    /** Waits for a change or removal of a program, which goes on if it takes too long. */
    inTime: <A, E, R>(change: Effect.Effect<A, E, R>) =>
      Effect.flatMap(Effect.forkIn(change, scope), Fiber.join).pipe(
        Effect.timeoutOrElse({
          duration: patience,
          orElse: () =>
            Effect.fail(Problem.unavailable("This takes longer than usual, and goes on.", retryAfterSeconds))
        })
      ),
    /** If the change does not come about, the component saved for it goes too, unless the program has it by then. */
    using: <A, E, R>(chosen: Option.Option<ChosenComponent>, change: Effect.Effect<A, E | HookFailed, R>) => {
      const fresh = Option.filter(chosen, (_) => _.fresh)
      const place = Option.match(chosen, { onNone: () => inCode, onSome: (_) => _.place })
      return Effect.tapError(change, () => Option.isSome(fresh) ? discard(fresh.value.component) : Effect.void).pipe(
        Effect.catchIf(Schema.is(HookFailed), (failure) => Effect.fail(hookProblem(place, failure)))
      )
    }
  }
})
