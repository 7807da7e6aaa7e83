import * as AppAccount from "@headwater/domain/AppAccount"
import type { Component, ConfigurableProp, RunnableComponent } from "@headwater/domain/Component"
import type * as Id from "@headwater/domain/Id"
import { AppAccounts } from "@headwater/log/access/AppAccounts"
import { untilAnswered } from "@headwater/log/database/TransientSqlError"
import { Components } from "@headwater/log/resources/Components"
import type { RunRequest, SandboxModule } from "@headwater/sandbox/Run"
import { Effect, Option } from "effect"

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

const none: Effect.Effect<RunRequest["credentials"]> = Effect.succeed({})

/** The credentials that the apps among the props get as `$auth`. They are read each time, so a removed account is gone at once. */
export const makeCredentialsOf = Effect.gen(function*() {
  const appAccounts = yield* AppAccounts
  return (
    accountId: Id.AccountId,
    declared: ReadonlyArray<ConfigurableProp>,
    props: Readonly<Record<string, unknown>>
  ): Effect.Effect<RunRequest["credentials"]> => {
    const apps = AppAccount.appProps(declared, props)
    if (apps.length === 0) return none
    return Effect.map(
      untilAnswered(appAccounts.credentials(accountId, apps.map(({ id }) => id))),
      (known) => Object.fromEntries(apps.map(({ id, prop }) => [prop, known.get(id) ?? {}]))
    )
  }
})
