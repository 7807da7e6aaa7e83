import { type ComponentResource, maxCodeBytes } from "@headwater/api/ComponentsApi"
import * as Problem from "@headwater/api/Problem"
import { CodeText, textUpTo } from "@headwater/api/Text"
import type { Component } from "@headwater/domain/Component"
import * as Id from "@headwater/domain/Id"
import { Components } from "@headwater/log/Components"
import { Sandbox } from "@headwater/sandbox/Sandbox"
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import { answerFailures } from "./FailureProblem.ts"

/** The key is indexed and slugs are made of the name: an entry of an index has to fit a third of a page. */
const maxLabelLength = 500

const isLabel = Schema.is(textUpTo(maxLabelLength))
const isCodeText = Schema.is(CodeText)

/** What a component's module is called in positions and stacks. */
export const moduleName = "component.mjs"

type SavingProblem =
  | Problem.ComponentInvalid
  | Problem.InvalidRequest
  | Problem.PayloadTooLarge
  | Problem.Unavailable
  | Problem.InternalError

/** Saves component code, after the sandbox has loaded it and said what it is. */
export class ComponentSaving extends Context.Service<ComponentSaving, {
  /** @param url where the code is hosted, kept as metadata */
  readonly save: (
    accountId: Id.AccountId,
    code: string,
    url: string | undefined
  ) => Effect.Effect<Component, SavingProblem>
}>()("@headwater/server/ComponentSaving") {
  static readonly layer: Layer.Layer<
    ComponentSaving,
    never,
    Components | Sandbox | Digest.Digest | SecureRandom.SecureRandom
  > = Layer.effect(
    ComponentSaving,
    Effect.gen(function*() {
      const components = yield* Components
      const sandbox = yield* Sandbox
      const digest = yield* Digest.Digest
      const random = yield* SecureRandom.SecureRandom
      return ComponentSaving.of({
        save: Effect.fnUntraced(function*(accountId, code, url) {
          const bytes = new TextEncoder().encode(code)
          if (bytes.length > maxCodeBytes) return yield* Problem.tooLarge("component_code", maxCodeBytes)
          const codeHash = yield* digest.digestHex(Digest.sha256, bytes)
          const description = yield* sandbox.inspect({ accountId, code, codeHash }).pipe(
            Effect.catchTag("ComponentInvalid", (fault) => Effect.fail(unusable(fault)))
          )
          const { key, name, type, version } = description
          for (const [field, text] of Object.entries({ key, name, type, version })) {
            if (text !== undefined && !isLabel(text)) {
              return yield* unusable({
                message: `${field} is longer than ${maxLabelLength} characters, or holds NUL or half a surrogate pair`
              })
            }
          }
          if (description.description !== undefined && !isCodeText(description.description)) {
            return yield* unusable({ message: "description holds NUL or half a surrogate pair" })
          }
          const now = Math.floor((yield* Clock.currentTimeMillis) / 1000)
          const component: Component = {
            id: Id.ComponentId.make(
              yield* Id.make("component").pipe(Effect.provideService(SecureRandom.SecureRandom, random))
            ),
            accountId,
            key: key ?? null,
            code,
            codeHash,
            name: name ?? key ?? "Component",
            version: version ?? "0.0.0",
            type: type ?? null,
            description: description.description ?? null,
            url: url ?? null,
            dedupe: description.dedupe ?? null,
            hooks: description.hooks,
            configurableProps: description.props,
            createdAt: now,
            updatedAt: now
          }
          yield* components.insert(component)
          return component
        }, answerFailures)
      })
    })
  )
}

/** A fault of the module as a whole, such as a missing default export, is told of its beginning. */
const unusable = (fault: typeof Problem.CodePosition.Type): Problem.ComponentInvalid =>
  new Problem.ComponentInvalid({
    detail: fault.message,
    error: fault.message,
    details: {
      message: fault.message,
      file: fault.file ?? moduleName,
      line: fault.line ?? 1,
      column: fault.column ?? 1
    }
  })

export const resourceOf = (component: Component): ComponentResource => ({
  id: component.id,
  code: component.code,
  code_hash: component.codeHash,
  name: component.name,
  version: component.version,
  configurable_props: component.configurableProps,
  created_at: component.createdAt,
  updated_at: component.updatedAt
})
