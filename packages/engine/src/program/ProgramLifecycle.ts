import type { Component } from "@headwater/domain/Component"
import * as EventId from "@headwater/domain/EventId"
import * as Id from "@headwater/domain/Id"
import { type Program, slugOf } from "@headwater/domain/Program"
import * as Stream from "@headwater/domain/Stream"
import * as SubscriptionBatch from "@headwater/domain/SubscriptionBatch"
import type { WorkflowSettings } from "@headwater/domain/Workflow"
import * as CrashPoint from "@headwater/log/commit/CrashPoint"
import { Heads } from "@headwater/log/logs/Heads"
import { Components } from "@headwater/log/resources/Components"
import { Deployments } from "@headwater/log/resources/Deployments"
import { Programs } from "@headwater/log/resources/Programs"
import { Projects } from "@headwater/log/resources/Projects"
import { Subscriptions } from "@headwater/log/resources/Subscriptions"
import { Webhooks } from "@headwater/log/resources/Webhooks"
import type { SandboxUnavailable } from "@headwater/sandbox/SandboxPool"
import { Clock, Context, Effect, Layer, Option, RcMap, Schema, Semaphore } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { ActorCalls, type HookFailed, ProgramNotFound } from "../ground/ActorCalls.ts"
import { toUnavailable, type Unavailable } from "../ground/Unavailable.ts"
import { Router } from "../routing/Router.ts"
import { WebhookLifecycle } from "../webhook/WebhookLifecycle.ts"
import * as InitialState from "./InitialState.ts"
import * as ProgramErasure from "./ProgramErasure.ts"
import type { InvalidProps } from "./PropsChoice.ts"
import * as PropsChoice from "./PropsChoice.ts"

/** The component was deleted before there was a program of it. */
export class ComponentGone extends Schema.TaggedError<ComponentGone>()("ComponentGone", {
  id: Id.ComponentId
}) {}

/** The project was deleted before there was a program in it. */
export class ProjectGone extends Schema.TaggedError<ProjectGone>()("ProjectGone", {
  id: Id.ProjectId
}) {}

/** Random characters of an endpoint's URL: what keeps strangers from finding it. */
const endpointKeyLength = 24

const isWorkflowId = Schema.is(Id.WorkflowId)

/** Makes the ids and keys that programs get. */
const makeIds = Effect.map(SecureRandom.SecureRandom, (random) => {
  const newId = <K extends Id.Kind>(kind: K) => Effect.provideService(Id.make(kind), SecureRandom.SecureRandom, random)

  const newDeploymentId = Effect.map(newId("deployment"), (id) => Id.DeploymentId.make(id))

  const newEndpointKey = Id.randomText(endpointKeyLength).pipe(
    Effect.provideService(SecureRandom.SecureRandom, random)
  )

  return { newId, newDeploymentId, newEndpointKey }
})

/** Inserts the rows that a program has before any of its code runs, the subscriptions to it included. */
const makeInsert = Effect.gen(function*() {
  const components = yield* Components
  const deployments = yield* Deployments
  const heads = yield* Heads
  const programs = yield* Programs
  const projects = yield* Projects
  const router = yield* Router
  const sql = yield* SqlClient.SqlClient
  const subscriptions = yield* Subscriptions
  const webhooks = yield* Webhooks
  const writeState = yield* InitialState.makeWrite
  const turns = yield* RcMap.make({ lookup: (_name: string) => Semaphore.make(1) })

  /** Makes the webhook that sends a workflow's own requests and objects, which it hears of on the workflow's log. */
  const createSender = Effect.fnUntraced(function*(accountId: Id.AccountId, workflowId: Id.WorkflowId) {
    const input = { accountId, name: null, description: null, url: "", workflowId }
    const { id: listenerId } = yield* webhooks.insert(input)
    yield* subscriptions.create({ accountId, emitterId: workflowId, listenerId, eventName: Stream.sends })
    yield* subscriptions.create({ accountId, emitterId: workflowId, listenerId, eventName: Stream.objects }, {
      batch: SubscriptionBatch.ofObjects
    })
  })

  /**
   * Those of one name have their turn here: in the database, where the slug is locked, each that waits would hold a
   * connection, and many of them all that there are.
   */
  const inTurn = (accountId: Id.AccountId, slug: string) => <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.scoped(Effect.flatMap(RcMap.get(turns, `${accountId} ${slug}`), (turn) => turn.withPermit(effect)))

  return Effect.fnUntraced(function*(
    unnamed: Omit<Program, "nameSlug">,
    component: Component,
    state: InitialState.InitialState | undefined
  ) {
    const { accountId, componentId, id, name, projectId } = unnamed
    const slug = slugOf(name)
    const { isListenedTo, program } = yield* sql.withTransaction(Effect.gen(function*() {
      if (!(yield* components.hold(componentId))) return yield* new ComponentGone({ id: componentId })
      if (projectId !== null && !(yield* projects.hold(projectId))) return yield* new ProjectGone({ id: projectId })
      const program: Program = { ...unnamed, nameSlug: yield* programs.freeSlug(accountId, slug) }
      yield* programs.insert(program)
      yield* deployments.putOf(program)
      const isSending = isWorkflowId(id)
      if (isSending) yield* createSender(accountId, id)
      yield* heads.create(id, accountId)
      if (state !== undefined) yield* writeState(id, component, state)
      const isListenedTo = yield* subscriptions.createAutomatic(accountId, id)
      return { program, isListenedTo: isListenedTo || isSending }
    })).pipe(inTurn(accountId, slug))
    if (isListenedTo) yield* router.invalidate(accountId)
    return program
  })
})

/** Makes the subscription to a workflow's objects, which a workflow lacks that a node of an older version has created. */
const makeSubscribeObjects = Effect.gen(function*() {
  const router = yield* Router
  const subscriptions = yield* Subscriptions
  const webhooks = yield* Webhooks

  return Effect.fnUntraced(function*(accountId: Id.AccountId, workflowId: Id.WorkflowId) {
    const sender = yield* webhooks.ofWorkflow(workflowId)
    if (Option.isNone(sender)) return
    const listenerId = sender.value.id
    const heard = yield* subscriptions.forListener(listenerId)
    if (heard.some(({ eventName }) => eventName === Stream.objects)) return
    const key = { accountId, emitterId: workflowId, listenerId, eventName: Stream.objects }
    yield* subscriptions.create(key, { batch: SubscriptionBatch.ofObjects }, EventId.make(0, 0))
    yield* router.invalidate(accountId)
  })
})

/** Takes a program down and away. A deactivation that the sandbox can't run now does not keep it. */
const makeTakeDown = Effect.gen(function*() {
  const actors = yield* ActorCalls
  const erase = yield* ProgramErasure.make
  const programs = yield* Programs
  const router = yield* Router
  const webhookLifecycle = yield* WebhookLifecycle

  return Effect.fnUntraced(function*(program: Program) {
    yield* programs.setState(program.id, "deleting")
    CrashPoint.reached("remove-marked")
    yield* actors.retireProgram(program.id).pipe(Effect.catchTag("ProgramNotFound", () => Effect.void))
    if (isWorkflowId(program.id)) yield* webhookLifecycle.removeOfWorkflow(program.id)
    CrashPoint.reached("remove-retired")
    yield* erase(program, router.invalidate(program.accountId))
  })
})

/** Creates, changes and removes programs, and runs their hooks. */
export class ProgramLifecycle extends Context.Service<ProgramLifecycle, {
  readonly create: (input: {
    readonly accountId: Id.AccountId
    readonly component: Component
    readonly name: string | undefined
    readonly configuredProps: Readonly<Record<string, Schema.Json>>
    /** True if the events of the deploy hook count. */
    readonly emitOnDeploy?: boolean
    /** Default: true. */
    readonly active?: boolean
    /** Default: null, none. */
    readonly projectId?: Id.ProjectId | null
    /** Default: false. */
    readonly shadow?: boolean | undefined
    /** Makes a workflow of it, whose code the component is. */
    readonly workflow?: WorkflowSettings
    /** The state of a source that was at work elsewhere before. */
    readonly initialState?: InitialState.InitialState | undefined
  }) => Effect.Effect<
    Program,
    | ComponentGone
    | HookFailed
    | InitialState.InvalidInitialState
    | InvalidProps
    | ProjectGone
    | SandboxUnavailable
    | Unavailable
  >
  /** Props given replace by name and the others stay; without a component the program keeps its own. */
  readonly update: (program: Program, input: {
    readonly component: Component | undefined
    readonly name: string | undefined
    readonly configuredProps: Readonly<Record<string, Schema.Json>>
    readonly active: boolean
    /** Null for none; without it the program stays where it is. */
    readonly projectId?: Id.ProjectId | null
    /** Without it the program stays as it is. */
    readonly shadow?: boolean | undefined
    /** Of a workflow; without them it keeps its own. */
    readonly settings?: WorkflowSettings
  }) => Effect.Effect<Program, HookFailed | InvalidProps | SandboxUnavailable | ProgramNotFound | Unavailable>
  readonly remove: (program: Program) => Effect.Effect<void, ProgramNotFound | Unavailable>
  /**
   * The programs that a crash left half-way, to be removed: those whose removal had begun, and those whose creation began
   * before a time, in Unix seconds, and has not ended.
   */
  readonly abandoned: (createdBefore: number) => Effect.Effect<ReadonlyArray<Program>, Unavailable>
}>()("@headwater/engine/program/ProgramLifecycle") {
  static readonly layer = Layer.effect(
    ProgramLifecycle,
    Effect.gen(function*() {
      const actors = yield* ActorCalls
      const components = yield* Components
      const configure = yield* PropsChoice.make
      const insert = yield* makeInsert
      const programs = yield* Programs
      const subscribeObjects = yield* makeSubscribeObjects
      const takeDown = yield* makeTakeDown
      const { newDeploymentId, newEndpointKey, newId } = yield* makeIds

      const create: ProgramLifecycle["Service"]["create"] = Effect.fnUntraced(
        function*({
          accountId,
          active = true,
          component,
          configuredProps,
          emitOnDeploy = true,
          initialState,
          name: given,
          projectId = null,
          shadow = false,
          workflow: settings
        }) {
          const { additionalProps, hasEndpoint, props, timers } = yield* configure(
            accountId,
            component,
            configuredProps,
            undefined,
            { mayLack: settings !== undefined && !active }
          )
          if (initialState !== undefined) {
            yield* InitialState.check(initialState, component, { additionalProps, timers })
          }
          const name = given ?? slugOf(component.name)
          const now = Math.floor((yield* Clock.currentTimeMillis) / 1000)
          const program = yield* Effect.gen(function*() {
            return yield* insert(
              {
                id: settings === undefined
                  ? Id.SourceId.make(yield* newId("source"))
                  : Id.WorkflowId.make(yield* newId("workflow")),
                accountId,
                componentId: component.id,
                name,
                props,
                timers,
                additionalProps,
                active,
                state: "creating",
                endpointKey: hasEndpoint ? yield* newEndpointKey : null,
                workflow: settings === undefined ? null : { deploymentId: yield* newDeploymentId, settings },
                projectId,
                emitFrom: initialState?.emitFrom ?? null,
                shadow,
                createdAt: now,
                updatedAt: now
              },
              component,
              initialState
            )
          }).pipe(
            // Another program that was renamed took the slug in between: the next free one.
            Effect.retry({ while: (error) => error._tag === "SlugTaken", times: 20 }),
            Effect.catchTag("SlugTaken", Effect.die)
          )
          CrashPoint.reached("create-inserted")
          const polledAt = initialState?.polledAt
          yield* actors.deploy(program.id, {
            emits: emitOnDeploy,
            ...(polledAt === undefined ? {} : { polledAt })
          }).pipe(
            Effect.catchTag("ProgramNotFound", Effect.die),
            Effect.onError(() =>
              takeDown(program).pipe(
                Effect.catch((error) =>
                  Effect.logWarning(`Could not remove ${program.id} completely; the next start removes the rest`, error)
                )
              )
            )
          )
          return { ...program, state: "ready" as const }
        },
        Effect.catchTag("SqlError", toUnavailable)
      )

      const update: ProgramLifecycle["Service"]["update"] = Effect.fnUntraced(
        function*(
          program,
          {
            active,
            component: given,
            configuredProps,
            name,
            projectId = program.projectId,
            settings,
            shadow = program.shadow
          }
        ) {
          const component = given ?? (yield* Effect.flatMap(
            components.getById(program.componentId),
            Option.match({ onNone: () => Effect.fail(new ProgramNotFound()), onSome: Effect.succeed })
          ))
          const { additionalProps, hasEndpoint, props, timers } = yield* configure(
            program.accountId,
            component,
            configuredProps,
            program,
            { mayLack: program.workflow !== null && !active }
          )
          const isDeployed = given !== undefined || Object.keys(configuredProps).length > 0
          const renamed = name !== undefined && name !== program.name
          const next: Program = {
            ...program,
            componentId: component.id,
            name: name ?? program.name,
            nameSlug: renamed ? yield* programs.freeSlug(program.accountId, slugOf(name)) : program.nameSlug,
            props,
            timers,
            additionalProps,
            active,
            projectId,
            shadow,
            workflow: program.workflow === null ? null : {
              deploymentId: isDeployed ? yield* newDeploymentId : program.workflow.deploymentId,
              settings: settings ?? program.workflow.settings
            },
            endpointKey: hasEndpoint ? program.endpointKey ?? (yield* newEndpointKey) : null
          }
          if (isWorkflowId(program.id)) yield* subscribeObjects(program.accountId, program.id)
          yield* actors.update(next)
          return yield* Effect.flatMap(
            programs.getById(program.id),
            Option.match({ onNone: () => Effect.fail(new ProgramNotFound()), onSome: Effect.succeed })
          )
        },
        Effect.catchTag("SqlError", toUnavailable)
      )

      return ProgramLifecycle.of({
        create,
        update,
        remove: (program) => takeDown(program).pipe(Effect.catchTag("SqlError", toUnavailable)),
        abandoned: (createdBefore) => programs.unready(createdBefore).pipe(Effect.catchTag("SqlError", toUnavailable))
      })
    })
  )
}
