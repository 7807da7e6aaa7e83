import * as AppAccount from "@headwater/domain/AppAccount"
import type { Component, ConfigurableProp, RunnableComponent } from "@headwater/domain/Component"
import * as DataStore from "@headwater/domain/DataStore"
import type * as Id from "@headwater/domain/Id"
import { AppAccounts } from "@headwater/log/access/AppAccounts"
import { untilAnswered } from "@headwater/log/database/TransientSqlError"
import { Components } from "@headwater/log/resources/Components"
import { DataStoreEntries } from "@headwater/log/resources/DataStoreEntries"
import { DataStores } from "@headwater/log/resources/DataStores"
import type { LiveToken, RunRequest, SandboxModule } from "@headwater/sandbox/Run"
import { Clock, Effect, Option } from "effect"
import type { SqlError } from "effect/sql"
import { type EnvironmentOf, Environments } from "../ground/Environments.ts"
import { AccountTokens } from "../oauth/AccountTokens.ts"
import * as FileStore from "./FileStore.ts"

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

/** The entries of a page that a run reads, and the keys of one without values. */
const entriesOfPage = 100
const keysOfPage = 1_000

/** @param clock the clock of the program, by which values expire: the sandbox that asks has another in tests */
const readsOf = (entries: DataStoreEntries["Service"], clock: Clock.Clock): DataStore.DataStoreReads => {
  const read = <A>(reading: (now: number) => Effect.Effect<A, SqlError.SqlError>) =>
    Effect.suspend(() => untilAnswered(reading(clock.currentTimeMillisUnsafe())))
  return {
    entry: (storeId, key) => read((now) => entries.entry(storeId, key, now)),
    entries: (storeId, after, hasValues) =>
      read((now) => entries.entries(storeId, { after, hasValues, limit: hasValues ? entriesOfPage : keysOfPage }, now)),
    size: (storeId) => read((now) => entries.size(storeId, now))
  }
}

type Given =
  & Required<Pick<RunRequest, "credentials" | "environment" | "fileStore">>
  & Pick<RunRequest, "stores" | "tokens">

/**
 * All that a run is given beside its props. The credentials that the apps among the props get as `$auth` are read each time,
 * so that a removed account is gone at once; so are data stores. The environment variables are those of a program, or of
 * an account alone.
 */
export const makeGivenOf = Effect.gen(function*() {
  const accountTokens = yield* AccountTokens
  const appAccounts = yield* AppAccounts
  const dataStores = yield* DataStores
  const storeEntries = yield* DataStoreEntries
  const environments = yield* Environments
  const fileStoreOf = yield* FileStore.make

  const credentialsOf = Effect.fnUntraced(function*(accountId: Id.AccountId, apps: ReadonlyArray<AppAccount.AppProp>) {
    const known = yield* untilAnswered(appAccounts.credentials(accountId, apps.map(({ id }) => id)))
    const live = yield* accountTokens.of(accountId, known)
    const credentials = Object.fromEntries(
      apps.map(({ id, prop }) => [prop, live.get(id)?.auth ?? known.get(id) ?? {}])
    )
    const ofProps: Record<string, LiveToken> = {}
    for (const { id, prop } of apps) {
      const token = live.get(id)?.token
      if (token !== undefined) ofProps[prop] = token
    }
    const tokens = Object.values(ofProps)
    if (tokens.length === 0) return { credentials }
    const { refused, watch } = accountTokens
    return {
      credentials,
      tokens: { ofProps, refused, watch: (onRenewed: (token: LiveToken) => void) => watch(tokens, onRenewed) }
    }
  })

  const storesOf = Effect.fnUntraced(function*(accountId: Id.AccountId, references: Readonly<Record<string, string>>) {
    const existing = yield* untilAnswered(dataStores.existing(accountId, Object.values(references)))
    const known = Object.entries(references).map(([prop, id]) => [prop, existing.has(id) ? id : ""])
    const reads = readsOf(storeEntries, yield* Clock.Clock)
    return { stores: { ids: Object.fromEntries(known) as Record<string, string>, reads } }
  })

  return (
    owner: EnvironmentOf & { readonly accountId: Id.AccountId },
    declared: ReadonlyArray<ConfigurableProp>,
    props: Readonly<Record<string, unknown>>,
    isTrial = false
  ): Effect.Effect<Given> => {
    const apps = AppAccount.appProps(declared, props)
    const references = DataStore.referencesOf(declared, props)
    const hasStores = Object.keys(references).length > 0
    const environment = environments.of(owner)
    const fileStore = fileStoreOf(owner.accountId, isTrial)
    if (apps.length === 0 && !hasStores) {
      return Effect.map(environment, (environment) => ({ credentials: {}, environment, fileStore }))
    }
    return Effect.gen(function*() {
      return {
        ...(apps.length === 0 ? { credentials: {} } : yield* credentialsOf(owner.accountId, apps)),
        environment: yield* environment,
        fileStore,
        ...(hasStores ? yield* storesOf(owner.accountId, references) : {})
      }
    })
  }
})
