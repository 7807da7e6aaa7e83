import * as AppAccount from "@headwater/domain/AppAccount"
import type { Component, ConfigurableProp } from "@headwater/domain/Component"
import * as ConfiguredProps from "@headwater/domain/ConfiguredProps"
import * as Id from "@headwater/domain/Id"
import { declaredProps, slugOf, type Source } from "@headwater/domain/Source"
import type { WorkflowSettings } from "@headwater/domain/Workflow"
import { AppAccounts } from "@headwater/log/AppAccounts"
import { Components } from "@headwater/log/Components"
import * as CrashPoint from "@headwater/log/CrashPoint"
import { Cursors } from "@headwater/log/Cursors"
import { DedupeMarks } from "@headwater/log/DedupeMarks"
import { Deployments } from "@headwater/log/Deployments"
import { DueWork } from "@headwater/log/DueWork"
import { EventLog } from "@headwater/log/EventLog"
import { Heads } from "@headwater/log/Heads"
import { Sources } from "@headwater/log/Sources"
import { SourceState } from "@headwater/log/SourceState"
import { Subscriptions } from "@headwater/log/Subscriptions"
import { WorkflowRuns } from "@headwater/log/WorkflowRuns"
import type { SandboxUnavailable } from "@headwater/sandbox/SandboxPool"
import { Clock, Context, Effect, Equal, Layer, Option, Result, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { Actors } from "./Actors.ts"
import { ComponentConfiguration } from "./ComponentConfiguration.ts"
import { toUnavailable } from "./DatabaseRetry.ts"
import type { HookFailed } from "./HookFailed.ts"
import { Router } from "./Router.ts"
import { SourceNotFound } from "./SourceNotFound.ts"
import type { Unavailable } from "./Unavailable.ts"

/** Configured props that do not fit the component's declared ones. */
export class InvalidProps extends Schema.TaggedError<InvalidProps>()("InvalidProps", {
  issues: Schema.Array(Schema.Struct({ path: Schema.String, message: Schema.String }))
}) {}

/** Random characters of an endpoint's URL: what keeps strangers from finding it. */
const endpointKeyLength = 24

const resolveProps = (
  declared: ReadonlyArray<ConfigurableProp>,
  existing: Source | undefined,
  given: Readonly<Record<string, Schema.Json>>
): Effect.Effect<ConfiguredProps.ConfiguredProps, InvalidProps> => {
  const resolved = ConfiguredProps.resolve(declared, existing, given)
  return Result.isFailure(resolved)
    ? Effect.fail(new InvalidProps({ issues: resolved.failure }))
    : Effect.succeed(resolved.success)
}

/** Added props may lead to further ones; some that never come to an end are taken as they are then. */
const additionRounds = 8

/** Creates, changes and removes sources and workflows, running their hooks in the order decisions.md gives. */
export class SourceLifecycle extends Context.Service<SourceLifecycle, {
  readonly create: (input: {
    readonly accountId: Id.AccountId
    readonly component: Component
    readonly name: string | undefined
    readonly configuredProps: Readonly<Record<string, Schema.Json>>
    /** Whether what the deploy hook emits counts. */
    readonly emitOnDeploy?: boolean
    /** Makes a workflow of it, whose code the component is. */
    readonly workflow?: WorkflowSettings
  }) => Effect.Effect<Source, HookFailed | InvalidProps | SandboxUnavailable | Unavailable>
  /** Props given replace by name and the others stay; without a component the source keeps its own. */
  readonly update: (source: Source, input: {
    readonly component: Component | undefined
    readonly name: string | undefined
    readonly configuredProps: Readonly<Record<string, Schema.Json>>
    readonly active: boolean
    /** Of a workflow; without them it keeps its own. */
    readonly settings?: WorkflowSettings
  }) => Effect.Effect<Source, HookFailed | InvalidProps | SandboxUnavailable | SourceNotFound | Unavailable>
  readonly remove: (source: Source) => Effect.Effect<void, SourceNotFound | Unavailable>
  /**
   * What a crash left half-way and is to be removed: sources that were going, and those whose creation began before a
   * time, in Unix seconds, and has not ended.
   */
  readonly abandoned: (createdBefore: number) => Effect.Effect<ReadonlyArray<Source>, Unavailable>
}>()("@headwater/engine/SourceLifecycle") {
  static readonly layer = Layer.effect(
    SourceLifecycle,
    Effect.gen(function*() {
      const actors = yield* Actors
      const appAccounts = yield* AppAccounts
      const components = yield* Components
      const configuration = yield* ComponentConfiguration
      const cursors = yield* Cursors
      const dueWork = yield* DueWork
      const events = yield* EventLog
      const heads = yield* Heads
      const marks = yield* DedupeMarks
      const random = yield* SecureRandom.SecureRandom
      const router = yield* Router
      const sources = yield* Sources
      const sql = yield* SqlClient.SqlClient
      const state = yield* SourceState
      const subscriptions = yield* Subscriptions
      const deployments = yield* Deployments
      const runs = yield* WorkflowRuns

      /**
       * Whether the accounts that apps are given are there, and are accounts with these apps. What a source has from before
       * for the same component is let be: an account that was removed since keeps it from no change.
       */
      const checkAppAccounts = Effect.fnUntraced(function*(
        accountId: Id.AccountId,
        componentId: Id.ComponentId,
        declared: ReadonlyArray<ConfigurableProp>,
        props: Source["props"],
        before?: Source
      ) {
        const kept = before?.componentId === componentId ? AppAccount.appProps(declared, before.props) : []
        const isKept = ({ id, prop }: AppAccount.AppProp) => kept.some((one) => one.prop === prop && one.id === id)
        const chosen = AppAccount.appProps(declared, props).filter((one) => !isKept(one))
        if (chosen.length === 0) return
        const found = yield* appAccounts.find(accountId, chosen.map(({ id }) => id))
        const issues = chosen.flatMap(({ app, id, prop }): ReadonlyArray<ConfiguredProps.Issue> => {
          const path = `configured_props.${prop}.authProvisionId`
          const account = found.get(id)
          if (account === undefined) return [{ path, message: "there is no account with this id" }]
          return app === undefined || account.app === app
            ? []
            : [{ path, message: `is an account with ${account.app}, not with ${app}` }]
        })
        if (issues.length > 0) return yield* new InvalidProps({ issues })
      })

      /** The values of a source's props, with those that the component's code adds for these values. */
      const configure = Effect.fnUntraced(function*(
        accountId: Id.AccountId,
        component: Component,
        given: Readonly<Record<string, Schema.Json>>,
        before?: Source
      ) {
        const { configurableProps } = component
        // What they depend on stays, so they do too: a vendor that does not answer holds up no other change.
        const isUntouched = before?.componentId === component.id && Object.keys(given).length === 0
        let additionalProps = isUntouched ? before.additionalProps : []
        if (component.hasAdditionalProps && !isUntouched) {
          yield* checkAppAccounts(accountId, component.id, configurableProps, given, before)
          const known = { ...before?.props, ...before?.timers, ...given }
          for (let round = 0; round < additionRounds; round++) {
            const declared = declaredProps(component, { additionalProps })
            const values = { ...ConfiguredProps.defaultsOf(declared), ...ConfiguredProps.ofDeclared(declared, known) }
            const added = yield* configuration.additionalProps({ accountId, component, values })
            const isSame = Equal.equals(added.map(({ name }) => name), additionalProps.map(({ name }) => name))
            additionalProps = added
            if (isSame) break
          }
        }
        const declared = declaredProps(component, { additionalProps })
        const resolved = yield* resolveProps(declared, before, given)
        yield* checkAppAccounts(accountId, component.id, declared, resolved.props, before)
        return { ...resolved, additionalProps }
      })

      const newId = <K extends Id.Kind>(kind: K) =>
        Effect.provideService(Id.make(kind), SecureRandom.SecureRandom, random)

      const newDeploymentId = Effect.map(newId("deployment"), (id) => Id.DeploymentId.make(id))

      const newEndpointKey = Id.randomText(endpointKeyLength).pipe(
        Effect.provideService(SecureRandom.SecureRandom, random)
      )

      /**
       * Everything a source leaves behind. What others lock too goes first and quickly, and with the head its owner's
       * epoch; then its log, in bites; its own row last, so that a start after a crash goes on from there.
       */
      const erase = Effect.fnUntraced(function*({ accountId, id }: Source) {
        yield* sql.withTransaction(Effect.gen(function*() {
          yield* heads.remove(id)
          yield* subscriptions.removeParty(accountId, id)
          yield* cursors.removeOfEmitter(id)
        }))
        CrashPoint.reached("remove-detached")
        yield* router.invalidate(accountId)
        yield* dueWork.removeAll(id)
        yield* state.removeAll(id)
        yield* marks.removeAll(id)
        yield* events.removeAll(id)
        if (Schema.is(Id.WorkflowId)(id)) {
          yield* runs.removeAll(id)
          yield* deployments.removeAll(id)
        }
        CrashPoint.reached("remove-emptied")
        yield* sources.delete(id)
      })

      /** Takes a source down and away. A deactivation that the sandbox can't run now does not keep it. */
      const takeDown = Effect.fnUntraced(function*(source: Source) {
        yield* sources.setState(source.id, "deleting")
        CrashPoint.reached("remove-marked")
        yield* actors.retireSource(source.id).pipe(Effect.catchTag("SourceNotFound", () => Effect.void))
        CrashPoint.reached("remove-retired")
        yield* erase(source)
      })

      /** What there is of a source before any of its code runs, the subscriptions to it included. */
      const insert = Effect.fnUntraced(function*(unnamed: Omit<Source, "nameSlug">) {
        const { accountId, id, name } = unnamed
        const { isListenedTo, source } = yield* sql.withTransaction(Effect.gen(function*() {
          const source: Source = { ...unnamed, nameSlug: yield* sources.freeSlug(accountId, slugOf(name)) }
          yield* sources.insert(source)
          yield* deployments.putOf(source)
          yield* heads.create(id, accountId)
          return { source, isListenedTo: yield* subscriptions.createAutomatic(accountId, id) }
        }))
        if (isListenedTo) yield* router.invalidate(accountId)
        return source
      })

      const create: SourceLifecycle["Service"]["create"] = Effect.fnUntraced(
        function*({ accountId, component, configuredProps, emitOnDeploy = true, name: given, workflow: settings }) {
          const { additionalProps, hasHttp, props, timers } = yield* configure(accountId, component, configuredProps)
          const name = given ?? slugOf(component.name)
          const now = Math.floor((yield* Clock.currentTimeMillis) / 1000)
          const source = yield* Effect.gen(function*() {
            return yield* insert({
              id: settings === undefined
                ? Id.SourceId.make(yield* newId("source"))
                : Id.WorkflowId.make(yield* newId("workflow")),
              accountId,
              componentId: component.id,
              name,
              props,
              timers,
              additionalProps,
              active: true,
              state: "creating",
              endpointKey: hasHttp ? yield* newEndpointKey : null,
              workflow: settings === undefined ? null : { deploymentId: yield* newDeploymentId, settings },
              createdAt: now,
              updatedAt: now
            })
          }).pipe(
            // Another source that was renamed took the slug in between: the next free one.
            Effect.retry({ while: (error) => error._tag === "SlugTaken", times: 20 }),
            Effect.catchTag("SlugTaken", Effect.die)
          )
          CrashPoint.reached("create-inserted")
          yield* actors.deploy(source.id, { emits: emitOnDeploy }).pipe(
            Effect.catchTag("SourceNotFound", Effect.die),
            Effect.onError(() =>
              takeDown(source).pipe(
                Effect.catch((error) =>
                  Effect.logWarning(`What is left of source ${source.id} goes at the next start`, error)
                )
              )
            )
          )
          return { ...source, state: "ready" as const }
        },
        Effect.catchTag("SqlError", toUnavailable)
      )

      const update: SourceLifecycle["Service"]["update"] = Effect.fnUntraced(
        function*(source, { active, component: given, configuredProps, name, settings }) {
          const component = given ?? (yield* Effect.flatMap(
            components.getById(source.componentId),
            Option.match({ onNone: () => Effect.fail(new SourceNotFound()), onSome: Effect.succeed })
          ))
          const { additionalProps, hasHttp, props, timers } = yield* configure(
            source.accountId,
            component,
            configuredProps,
            source
          )
          const isDeployed = given !== undefined || Object.keys(configuredProps).length > 0
          const renamed = name !== undefined && name !== source.name
          const next: Source = {
            ...source,
            componentId: component.id,
            name: name ?? source.name,
            nameSlug: renamed ? yield* sources.freeSlug(source.accountId, slugOf(name)) : source.nameSlug,
            props,
            timers,
            additionalProps,
            active,
            workflow: source.workflow === null ? null : {
              deploymentId: isDeployed ? yield* newDeploymentId : source.workflow.deploymentId,
              settings: settings ?? source.workflow.settings
            },
            endpointKey: hasHttp ? source.endpointKey ?? (yield* newEndpointKey) : null
          }
          yield* actors.update(next)
          return yield* Effect.flatMap(
            sources.getById(source.id),
            Option.match({ onNone: () => Effect.fail(new SourceNotFound()), onSome: Effect.succeed })
          )
        },
        Effect.catchTag("SqlError", toUnavailable)
      )

      return SourceLifecycle.of({
        create,
        update,
        remove: (source) => takeDown(source).pipe(Effect.catchTag("SqlError", toUnavailable)),
        abandoned: (createdBefore) => sources.unready(createdBefore).pipe(Effect.catchTag("SqlError", toUnavailable))
      })
    })
  )
}
