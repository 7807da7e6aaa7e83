import * as AppAccount from "@headwater/domain/AppAccount"
import type { Component, ConfigurableProp } from "@headwater/domain/Component"
import type * as Id from "@headwater/domain/Id"
import { AppAccounts } from "@headwater/log/AppAccounts"
import type { RunRequest, SandboxModule } from "@headwater/sandbox/Run"
import { Effect } from "effect"
import { untilAnswered } from "../DatabaseRetry.ts"

/** What of a component runs in the sandbox. */
export const moduleOf = ({ code, codeHash, linked }: Component): SandboxModule => linked ?? { code, hash: codeHash }

const none: Effect.Effect<RunRequest["credentials"]> = Effect.succeed({})

/** What the apps among the props get as `$auth`, read each time: an account that was removed is removed at once. */
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
