import { type ComponentResource, maxCodeBytes } from "@headwater/api/ComponentsApi"
import * as Problem from "@headwater/api/Problem"
import type { Component } from "@headwater/domain/Component"
import * as Id from "@headwater/domain/Id"
import { Components } from "@headwater/log/Components"
import { Sandbox } from "@headwater/sandbox/Sandbox"
import { Clock, Context, Effect, Layer } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import { answerFailures } from "./FailureProblem.ts"

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
          if (code.includes("\u0000")) {
            return yield* Problem.invalid([{ path: "component_code", message: "holds the NUL character" }])
          }
          const bytes = new TextEncoder().encode(code)
          if (bytes.length > maxCodeBytes) return yield* Problem.tooLarge("component_code", maxCodeBytes)
          const codeHash = yield* digest.digestHex(Digest.sha256, bytes)
          const description = yield* sandbox.inspect({ accountId, code, codeHash }).pipe(
            Effect.catchTag("ComponentInvalid", (fault) => Effect.fail(unusable(fault)))
          )
          const texts = [
            description.name,
            description.key,
            description.version,
            description.type,
            description.description
          ]
          if (texts.some((text) => text?.includes("\u0000"))) {
            return yield* unusable({ message: "name, key, version, type or description holds the NUL character" })
          }
          const now = Math.floor((yield* Clock.currentTimeMillis) / 1000)
          const component: Component = {
            id: Id.ComponentId.make(
              yield* Id.make("component").pipe(Effect.provideService(SecureRandom.SecureRandom, random))
            ),
            accountId,
            key: description.key ?? null,
            code,
            codeHash,
            name: description.name ?? description.key ?? "Component",
            version: description.version ?? "0.0.0",
            type: description.type ?? null,
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

const unusable = (fault: typeof Problem.CodePosition.Type): Problem.ComponentInvalid =>
  new Problem.ComponentInvalid({
    detail: fault.message,
    error: fault.message,
    details: {
      message: fault.message,
      ...(fault.file === undefined ? {} : { file: fault.file }),
      ...(fault.line === undefined ? {} : { line: fault.line }),
      ...(fault.column === undefined ? {} : { column: fault.column })
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
