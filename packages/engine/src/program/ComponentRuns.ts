import * as AppAccount from "@headwater/domain/AppAccount"
import type { Component, ConfigurableProp, RunnableComponent } from "@headwater/domain/Component"
import type * as Id from "@headwater/domain/Id"
import { AppAccounts } from "@headwater/log/access/AppAccounts"
import { untilAnswered } from "@headwater/log/database/TransientSqlError"
import { Components } from "@headwater/log/resources/Components"
import type { RunRequest, SandboxModule } from "@headwater/sandbox/Run"
import { Effect, Option } from "effect"
import { Environments } from "./Environments.ts"

/** Code with the values that it runs with. */
export interface Executable {
  readonly component: RunnableComponent
  /** The props that there are values for. */
  readonly declared: ReadonlyArray<ConfigurableProp>
  /** Values of plain props and of timers, by name. */
  readonly values: Readonly<Record<string, unknown>>
  readonly additionalProps: ReadonlyArray<ConfigurableProp>
}

/** The part of a component that runs in the sandbox. */
export const moduleOf = ({ code, codeHash, linked }: Component): SandboxModule =>
  linked === null
    ? { code, hash: codeHash }
    : { code: linked.code, hash: linked.hash, map: Effect.succeed(linked.map) }

/** The same of a component whose source map is read when a run fails. */
export const makeStoredModuleOf = Effect.gen(function*() {
  const components = yield* Components
  return ({ id, module: { code, hash, hasMap } }: RunnableComponent): SandboxModule =>
    hasMap
      ? { code, hash, map: Effect.map(untilAnswered(components.map(id)), Option.getOrUndefined) }
      : { code, hash }
})

type Secrets = Required<Pick<RunRequest, "credentials" | "environment">>

/**
 * The credentials that the apps among the props get as `$auth`, which are read each time, so that a removed account is gone
 * at once; and the environment variables of a program, or of an account alone.
 */
export const makeSecretsOf = Effect.gen(function*() {
  const appAccounts = yield* AppAccounts
  const environments = yield* Environments
  return (
    owner: { readonly id: string; readonly accountId: Id.AccountId },
    declared: ReadonlyArray<ConfigurableProp>,
    props: Readonly<Record<string, unknown>>
  ): Effect.Effect<Secrets> => {
    const apps = AppAccount.appProps(declared, props)
    if (apps.length === 0) {
      return Effect.map(environments.of(owner), (environment) => ({ credentials: {}, environment }))
    }
    return Effect.gen(function*() {
      const known = yield* untilAnswered(appAccounts.credentials(owner.accountId, apps.map(({ id }) => id)))
      return {
        credentials: Object.fromEntries(apps.map(({ id, prop }) => [prop, known.get(id) ?? {}])),
        environment: yield* environments.of(owner)
      }
    })
  }
})
