import { type Component, type ConfigurableProp, interfaceTypes, withoutOddLabels } from "@headwater/domain/Component"
import * as ConfiguredProps from "@headwater/domain/ConfiguredProps"
import type * as Id from "@headwater/domain/Id"
import { isDeeper, maxComponentDepth } from "@headwater/domain/JsonDepth"
import { ParsedJson } from "@headwater/domain/ParsedJson"
import type { OptionsRequest, RunCall, Trial } from "@headwater/sandbox/Run"
import { Sandbox } from "@headwater/sandbox/Sandbox"
import type { SandboxUnavailable } from "@headwater/sandbox/SandboxPool"
import { Context, Effect, Layer, Schema } from "effect"
import { HookFailed } from "../ground/ActorCalls.ts"
import { makeGivenOf, moduleOf } from "./ComponentRuns.ts"
import * as RunEvents from "./RunEvents.ts"

/** A page of the values that a prop may have. */
export const PropOptions = Schema.Struct({
  options: ParsedJson.pipe(Schema.refine((value): value is Schema.JsonArray => Array.isArray(value))),
  /** To be given back for the next page. */
  context: Schema.optionalKey(ParsedJson)
})
export type PropOptions = typeof PropOptions.Type

/** The component, who asks, and the values so far, which need not be whole. */
export interface Configured {
  readonly accountId: Id.AccountId
  readonly component: Component
  readonly values: Readonly<Record<string, unknown>>
  /** The code's permissions: it may connect, unless said otherwise. */
  readonly trial?: Trial | undefined
}

/** Options and added props call vendors, and somebody waits for them; in milliseconds. */
const wallMillis = 30_000

/** More props than any form can show. */
const maxAdditionalProps = 200

/**
 * Asks a component's code about its props, while somebody is about to configure them. Nothing that it does is kept. The code
 * need not be deployed, so it runs apart from what the account's sources left in their processes, and leaves nothing there.
 */
export class ComponentConfiguration extends Context.Service<ComponentConfiguration, {
  readonly options: (
    configured: Configured,
    prop: string,
    request: OptionsRequest
  ) => Effect.Effect<PropOptions, HookFailed | SandboxUnavailable>
  /** The props that the code adds to those it declares. */
  readonly additionalProps: (
    configured: Configured
  ) => Effect.Effect<ReadonlyArray<ConfigurableProp>, HookFailed | SandboxUnavailable>
}>()("@headwater/engine/program/ComponentConfiguration") {
  static readonly layer = Layer.effect(
    ComponentConfiguration,
    Effect.gen(function*() {
      const sandbox = yield* Sandbox
      const givenOf = yield* makeGivenOf

      const ask = Effect.fnUntraced(function*<A>(
        { accountId, component, trial = { mayConnect: true }, values }: Configured,
        call: RunCall,
        name: string,
        answer: Schema.Decoder<A>
      ) {
        const { configurableProps } = component
        // An answer could tell environment variables, and a key that may ask about props need not be allowed to see them.
        const { credentials, tokens } = yield* givenOf(
          { id: accountId, accountId, projectId: null },
          configurableProps,
          values
        )
        const result = yield* sandbox.run({
          accountId,
          programId: component.id,
          module: moduleOf(component),
          call,
          props: { ...ConfiguredProps.defaultsOf(configurableProps), ...values },
          interfaces: Object.fromEntries(
            configurableProps.filter(({ type }) => type === interfaceTypes.db)
              .map(({ name }) => [name, { _tag: "Db" } as const])
          ),
          credentials,
          ...(tokens === undefined ? {} : { tokens }),
          db: {},
          limits: { wallMillis },
          trial
        })
        const failure = RunEvents.failureOf(result)
        if (failure !== undefined) {
          const { column, line } = result.error ?? {}
          return yield* new HookFailed({ hook: name, message: failure.message, stack: failure.stack, line, column })
        }
        const unusable = (why: string) => new HookFailed({ hook: name, message: `its result can't be used: ${why}` })
        const { answerJson } = result
        if (answerJson !== undefined && isDeeper(answerJson, maxComponentDepth)) {
          return yield* unusable(`it is nested deeper than ${maxComponentDepth} levels`)
        }
        return yield* Schema.decodeUnknownEffect(Schema.fromJsonString(answer))(answerJson).pipe(
          Effect.mapError(({ message }) => unusable(message))
        )
      })

      return ComponentConfiguration.of({
        options: (configured, prop, request) =>
          ask(configured, { _tag: "Options", prop, request }, `options of ${prop}`, PropOptions),
        additionalProps: (configured) =>
          ask(configured, { _tag: "AdditionalProps" }, "additionalProps", AdditionalProps).pipe(
            Effect.map((props) => props.map(withoutOddLabels))
          )
      })
    })
  )
}

export const AdditionalProps = Schema.Array(
  Schema.StructWithRest(Schema.Struct({ name: Schema.String, type: Schema.String }), [
    Schema.Record(Schema.String, ParsedJson)
  ])
).check(Schema.isMaxLength(maxAdditionalProps))
