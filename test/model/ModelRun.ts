import type { BulkAction } from "@headwater/domain/BulkAction"
import * as Id from "@headwater/domain/Id"
import type { Program } from "@headwater/domain/Program"
import { SubscriptionFilter } from "@headwater/domain/SubscriptionFilter"
import type { Ordering } from "@headwater/domain/WebhookSettings"
import { defaultSettings } from "@headwater/domain/Workflow"
import { AccountLifecycle } from "@headwater/engine/AccountLifecycle"
import { timed } from "@headwater/engine/AccountTokens"
import { ActorCalls, answerTo } from "@headwater/engine/ActorCalls"
import { BulkControl } from "@headwater/engine/BulkControl"
import { ConsumerLifecycle } from "@headwater/engine/ConsumerLifecycle"
import { Ingest, type RequestError } from "@headwater/engine/Ingest"
import { Invocations } from "@headwater/engine/Invocations"
import { ProgramLifecycle } from "@headwater/engine/ProgramLifecycle"
import { SubscriptionLifecycle } from "@headwater/engine/SubscriptionLifecycle"
import { WebhookLifecycle } from "@headwater/engine/WebhookLifecycle"
import { OAuthAccounts } from "@headwater/log/access/OAuthAccounts"
import { Consumers } from "@headwater/log/resources/Consumers"
import { DataStores } from "@headwater/log/resources/DataStores"
import { Programs } from "@headwater/log/resources/Programs"
import { Webhooks } from "@headwater/log/resources/Webhooks"
import { Clock, Effect, Option, Result } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Invariants } from "../Invariants.ts"
import * as Snapshot from "../Snapshot.ts"
import type { Command, Kind } from "./Command.ts"
import * as EngineUnderTest from "./EngineUnderTest.ts"
import { Model, type ModelEvent, type ModelSource, type ModelWebhook, sends } from "./Model.ts"
import * as ModelBatch from "./ModelBatch.ts"
import { broken, ModelBroken } from "./ModelBroken.ts"
import { check } from "./ModelCheck.ts"
import * as ModelComponents from "./ModelComponents.ts"
import * as ModelConsumer from "./ModelConsumer.ts"
import { passes } from "./ModelFate.ts"
import { type FilterName, filterOf } from "./ModelFilter.ts"
import * as ModelSink from "./ModelSink.ts"
import * as ModelTokens from "./ModelTokens.ts"
import * as ModelWorkflow from "./ModelWorkflow.ts"
import * as Observation from "./Observation.ts"

/** How far behind its latest time the clock is set at most: what sleeps wakes when it has caught up, in real time. */
const furthestBackMs = 60_000

/** When the clock begins. */
const beginning = Date.parse("2026-11-21T09:00:00Z")

/**
 * How long all may take to become quiet, in milliseconds: of real time, and of the engine's once its clock has caught up,
 * which takes longer in real time the busier the machine is.
 */
const patienceMs = 20_000

const pollMs = 4

/** After so many polls the clock goes on a little: what scans find is found by time passing. */
const pollsPerTick = 8
const tickMs = 250

/** An event may still be sent for so long after its deletion; where the clock was set back, for as much longer. */
const deletedMs = 6_000

/** How long a run or a send takes, in real time and in milliseconds. */
const partingMs = 1_000

/** A clock that is moved this far, in seconds, while something is sent or asked for makes it late: nobody can tell what came of it. */
const shortestTimeoutSeconds = 10

const enoughSources = 9
const enoughWebhooks = 4
const enoughConsumers = 3

/** How long a reader waits for what is there, in milliseconds: the hint at it may come late. */
const readMs = 30_000

/**
 * Two listeners that hear each other go round until their hops are used up; three would fill the log, and so would two of
 * which one hears twice, since each round doubles the events.
 */
const enoughOf: Partial<Record<Kind, number>> = { listener: 1, lister: 1, workflow: 2, keeper: 1 }

const fail = (message: string) => new ModelBroken({ message })

/** Does what the commands say to an engine of its own on an empty database, and breaks where the model says otherwise. */
export const run = Effect.fnUntraced(
  function*(commands: ReadonlyArray<Command>) {
    yield* TestClock.setTime(beginning)
    const engine = yield* EngineUnderTest.make
    const sink = yield* ModelSink.make
    const model = new Model()
    const invariants = new Invariants((_, what, details) => broken(what, details), () => true)
    let received = 0
    let made = 0

    const { account } = yield* engine.use(
      Effect.flatMap(AccountLifecycle, ({ create }) => create({ username: "m", email: "m@example.com", plan: "free" }))
    )
    const accountId = account.id
    const tokens = yield* ModelTokens.make
    model.tokens = tokens
    const shop = yield* engine.use(Effect.flatMap(OAuthAccounts, ({ create }) =>
      create({
        account: { accountId, app: "shop", name: "", credentials: {} },
        client: {
          provider: null,
          clientId: "model",
          scopes: [],
          authorizationUrl: null,
          tokenUrl: tokens.url,
          deviceUrl: null,
          clientAuthentication: null,
          parameters: {}
        },
        clientSecret: null,
        token: timed(
          { accessToken: ModelTokens.textOf(0), refreshToken: "r", told: {} },
          beginning,
          beginning + 1_000 * ModelTokens.lifeSeconds
        )
      })))
    const store = yield* engine.use(Effect.flatMap(DataStores, ({ create }) => create(accountId, "shared")))

    const settle = Effect.gen(function*() {
      const until = Date.now() + patienceMs
      const caughtUpUntil = model.furthest + patienceMs
      for (let polls = 1; true; polls++) {
        const now = yield* Clock.currentTimeMillis
        model.noteTime(now)
        const seen = yield* Observation.read
        const owing = model.owing(seen, now)
        if (owing === undefined) {
          const news = sink.received.slice(received)
          received += news.length
          const snapshot = yield* Snapshot.read(invariants.positions())
          return yield* Effect.try({
            try: () => {
              invariants.take(snapshot)
              invariants.takeQuiet(snapshot)
              check(model, seen, news, now)
            },
            catch: (error) => error instanceof ModelBroken ? error : fail(String(error))
          })
        }
        if (Date.now() > until && now > caughtUpUntil) {
          return yield* fail(`after ${patienceMs} ms something is still to be done: ${owing}`)
        }
        yield* TestClock.withLive(Effect.sleep(pollMs))
        if (polls % pollsPerTick === 0) yield* TestClock.adjust(tickMs)
      }
    })

    const propsOf = (kind: Kind) => ({
      ...(kind === "timer" || kind === "workflow" ? { timer: { intervalSeconds: ModelComponents.tickSeconds } } : {}),
      ...(kind === "workflow" ? { place: sink.url("sends", "flaky") } : {}),
      ...(kind === "storing" || kind === "keeper" ? { store: store.id } : {}),
      ...(kind === "holder" ? { shop: { authProvisionId: shop.id } } : {})
    })

    /** What sends a workflow's own requests is a webhook like any other, but that no client has to do with it. */
    const noteSender = Effect.fnUntraced(function*(workflowId: string) {
      const sql = yield* SqlClient.SqlClient
      const [webhook] = yield* sql<{ id: string }>`SELECT id FROM webhooks WHERE workflow_id = ${workflowId}`
      const listenerId = webhook!.id
      const [subscription] = yield* sql<{ id: string }>`
        SELECT id FROM subscriptions WHERE listener_id = ${listenerId} AND stream = ${sends}`
      model.webhooks.set(listenerId, { id: listenerId, workflowId, manner: "flaky", active: true, ordering: "ordered" })
      model.subscribe({
        id: subscription!.id,
        emitterId: workflowId,
        listenerId,
        stream: sends,
        filter: null,
        batch: null
      })
    })

    /** Those that clients made. */
    const ownWebhooks = () => [...model.webhooks.values()].filter(({ workflowId }) => workflowId === null)

    const ownSubscriptions = () =>
      [...model.subscriptions.values()].filter(({ listenerId, stream }) =>
        stream !== sends && !model.consumers.has(listenerId)
      )

    const createSource = Effect.fnUntraced(function*(kind: Kind) {
      const known = [...model.sources.values()].filter((source) => source.kind === kind).length
      if (model.sources.size >= enoughSources || known >= (enoughOf[kind] ?? enoughSources)) return
      const { endpointKey, id } = yield* engine.use(Effect.gen(function*() {
        const component = yield* ModelComponents.insert(accountId, kind)
        return yield* (yield* ProgramLifecycle).create({
          accountId,
          component,
          name: undefined,
          configuredProps: propsOf(kind),
          ...(ModelComponents.isWorkflow(kind)
            ? {
              workflow: {
                ...defaultSettings,
                retryDelays: [ModelWorkflow.retrySeconds],
                suspensionTimeout: kind === "keeper" ? "resume" : "cancel"
              }
            }
            : {})
        })
      }))
      model.createSource({ id, kind, endpointKey })
      if (ModelComponents.isWorkflow(kind)) yield* noteSender(id)
    })

    const createWebhook = Effect.fnUntraced(function*(manner: ModelSink.Manner, ordering: Ordering) {
      if (ownWebhooks().length >= enoughWebhooks) return
      const url = sink.url(`webhook-${++made}`, manner)
      const { id } = yield* engine.use(
        Effect.flatMap(
          Webhooks,
          ({ insert }) => insert({ accountId, name: null, description: null, url, settings: { ordering } })
        )
      )
      model.webhooks.set(id, { id, workflowId: null, manner, active: true, ordering })
    })

    const sourceOf = (source: ModelSource): Effect.Effect<Program, unknown, Programs> =>
      Effect.flatMap(Programs, ({ getById }) => Effect.map(getById(source.id), Option.getOrThrow))

    const post = Effect.fnUntraced(function*(source: ModelSource, { fail: fails, id, later, times }: Posting) {
      const { endpointKey } = source
      if (endpointKey === null) return
      for (let i = 0; i < times; i++) {
        const key = `r${++made}`
        const laterAt = later === 0 ? undefined : (yield* Clock.currentTimeMillis) + 1_000 * later + made
        const body = { key, id, fail: fails === i, ...(laterAt === undefined ? {} : { laterAt }) }
        const request = {
          method: "POST",
          path: "/",
          query: {},
          headers: {},
          body,
          client_ip: "127.0.0.1",
          url: "http://127.0.0.1:1/"
        }
        const answer = yield* Effect.result(engine.use(Effect.gen(function*() {
          const ingest = yield* Ingest
          const endpoint = yield* ingest.find(endpointKey)
          return yield* answerTo<RequestError>((onAnswered) =>
            ingest.take(endpoint, { eventJson: JSON.stringify(request), hops: 0 }, onAnswered)
          )
        })))
        const isTaken = answer._tag === "Success"
        if (isTaken !== source.active) return yield* fail(`a request to a source was ${isTaken ? "" : "not "}taken`)
        if (!isTaken) continue
        if (source.kind === "workflow") model.invoke(source, JSON.stringify(request))
        else model.post(source, { key, id, fail: fails === i, laterAt })
      }
    })

    const invoke = Effect.fnUntraced(function*(workflow: ModelSource, times: number) {
      for (let i = 0; i < times; i++) {
        const event = JSON.stringify({ key: `r${++made}`, n: made })
        const answer = yield* Effect.result(engine.use(Effect.gen(function*() {
          return yield* (yield* Invocations).invoke(yield* sourceOf(workflow), event)
        })))
        const isTaken = answer._tag === "Success"
        if (isTaken !== workflow.active) return yield* fail(`an invocation was ${isTaken ? "" : "not "}taken`)
        if (isTaken) model.invoke(workflow, event)
      }
    })

    const resumeRun = Effect.fnUntraced(function*(workflow: ModelSource, which: number) {
      const waiting = [...workflow.workflowRuns].filter(([, { status }]) => status === "waiting")
      const [id, run] = nth(waiting, which) ?? []
      if (id === undefined || run === undefined) return
      const resumption = yield* engine.use(Effect.gen(function*() {
        return yield* (yield* Invocations).resume(yield* sourceOf(workflow), Id.RunId.make(id), JSON.stringify({ id }))
      }))
      if (resumption === "resumed") ModelWorkflow.resumed(run)
    })

    const cancelRun = Effect.fnUntraced(function*(workflow: ModelSource, which: number) {
      const waiting = [...workflow.workflowRuns].filter(([, { fate, status }]) =>
        status === "waiting" && fate !== "goes"
      )
      const [id, run] = nth(waiting, which) ?? []
      if (id === undefined || run === undefined) return
      const cancellation = yield* engine.use(Effect.gen(function*() {
        return yield* (yield* Invocations).cancel(yield* sourceOf(workflow), Id.RunId.make(id))
      }))
      if (cancellation === "cancelled") run.isCancelled = true
    })

    const subscriptionOf = (parameters: { emitterId: string | null; listenerId: string; stream: string }) => ({
      accountId,
      emitterId: parameters.emitterId ?? "dc_*",
      listenerId: parameters.listenerId,
      eventName: parameters.stream
    })

    const readFilter = (name: FilterName | null) =>
      name === null ? undefined : Result.getOrThrow(SubscriptionFilter.parse(filterOf(name)))

    const readBatch = (name: ModelBatch.BatchName | null) => name === null ? undefined : ModelBatch.batchOf(name)

    /** Lists that are under way together come in any order, and after a cut divided otherwise: nobody could tell which is which. */
    const hasBatches = ({ id }: ModelWebhook): boolean =>
      [...model.subscriptions.values()].some(({ batch, listenerId }) => listenerId === id && batch !== null)

    const subscribe = Effect.fnUntraced(function*(
      emitterId: string | null,
      listenerId: string,
      eventName: string,
      filter: FilterName | null = null,
      wanted: ModelBatch.BatchName | null = null
    ) {
      const batch = model.webhooks.get(listenerId)?.ordering === "none" ? null : wanted
      // A source or workflow listens to nothing but the default stream here, which `default` and none name.
      const asked = eventName === "$errors" && model.sources.has(listenerId) ? "" : eventName
      const stream = asked === "default" ? "" : asked
      const known = [...model.subscriptions.values()].find((one) =>
        one.emitterId === emitterId && one.listenerId === listenerId && one.stream === stream
      )
      const { id } = yield* engine.use(Effect.flatMap(
        SubscriptionLifecycle,
        ({ create }) =>
          create(subscriptionOf({ emitterId, listenerId, stream: asked }), {
            filter: readFilter(filter),
            batch: readBatch(batch)
          })
      ))
      if (known !== undefined && known.id !== id) return yield* fail("the same subscription was made twice")
      if (known === undefined) model.subscribe({ id, emitterId, listenerId, stream, filter, batch })
    })

    /**
     * Waits, with the clock standing still, until a source's deletions are applied: the time in which what is deleted may
     * be sent begins then, and the clock would be past it in no time, whatever the machine has come to.
     */
    const applied = Effect.fnUntraced(function*({ id }: ModelSource) {
      const until = Date.now() + patienceMs
      while ((yield* Observation.read).due.some(({ kind, owner_id }) => owner_id === id && kind === "delete")) {
        if (Date.now() > until) return yield* fail(`after ${patienceMs} ms a deletion is still not applied`)
        yield* TestClock.withLive(Effect.sleep(pollMs))
      }
    })

    /** A list that goes while what is deleted may still be sent has it or not: it is let go before. */
    const listsGone = Effect.fnUntraced(function*(source: ModelSource) {
      while (true) {
        const now = yield* Clock.currentTimeMillis
        const until = Math.max(now, model.furthest) + deletedMs
        const soon = model.listsDue(source).filter((at) => at > now && at <= until)
        if (soon.length === 0) return
        yield* TestClock.adjust(Math.max(...soon) - now)
        model.noteTime(yield* Clock.currentTimeMillis)
        yield* settle
      }
    })

    const deleteEvents = Effect.fnUntraced(function*(source: ModelSource, from: number, to: number) {
      yield* listsGone(source)
      const there = model.events(source, "").filter(({ deleted }) => !deleted)
      if (there.length === 0) return
      const place = (hundredth: number): ModelEvent =>
        there[Math.min(there.length - 1, Math.floor(hundredth * there.length / 100))]!
      const [first, last] = from <= to ? [place(from), place(to)] : [place(to), place(from)]
      yield* engine.use(Effect.gen(function*() {
        yield* (yield* ActorCalls).deleteEvents((yield* sourceOf(source)).id, {
          stream: "",
          from: first.id,
          to: last.id
        })
      }))
      for (const event of there) if (event.id >= first.id && event.id <= last.id) event.deleted = true
      // Whether what was read and then deleted is delivered by a commit depends on whether its owner still knows.
      for (const { page } of model.consumers.values()) page.delete(source.id)
      yield* applied(source)
      yield* TestClock.adjust(deletedMs + Math.max(0, model.furthest - (yield* Clock.currentTimeMillis)))
    })

    const createConsumer = Effect.fnUntraced(function*(
      emitterId: string | null,
      options: { readonly stream: string; readonly filter: FilterName | null; readonly start: "beginning" | "end" }
    ) {
      if (model.consumers.size >= enoughConsumers) return
      const { filter, start, stream } = options
      const { id, subscriptionId } = yield* engine.use(Effect.flatMap(ConsumerLifecycle, ({ create }) =>
        create({
          accountId,
          name: null,
          leaseSeconds: ModelConsumer.leaseSeconds,
          emitterId: emitterId ?? "dc_*",
          eventName: stream,
          filter: readFilter(filter),
          from: start === "beginning" ? 0n : undefined
        })))
      model.consumers.set(id, { id, subscriptionId, lease: undefined, page: new Map() })
      const subscription = {
        id: subscriptionId,
        emitterId,
        listenerId: id,
        stream,
        filter,
        batch: null,
        cursors: new Map()
      }
      model.subscriptions.set(subscriptionId, subscription)
      ModelConsumer.place(model, subscription, start)
    })

    /** @param some whether the last half of what was read of each emitter is left */
    const commit = Effect.fnUntraced(function*(consumer: ModelConsumer.ModelConsumer, some: boolean) {
      const subscription = model.subscriptions.get(consumer.subscriptionId)!
      const { lease, page } = consumer
      if (lease === undefined) return
      const places = [...page].map(([emitterId, read]) => ({
        emitterId,
        n: read[some ? Math.floor((read.length - 1) / 2) : read.length - 1]!
      }))
      const positions = places.map(({ emitterId, n }) => {
        const events = model.events(model.sources.get(emitterId)!, subscription.stream)
        return { emitterId, id: events[Number(n) - 1]!.id }
      })
      const renewed = yield* engine.use(
        Effect.flatMap(
          ActorCalls,
          ({ commitConsumer }) => commitConsumer(consumer.id, { lease: lease.id, positions, release: false })
        )
      )
      for (const { emitterId, n } of places) ModelConsumer.committed(model, subscription, emitterId, n)
      page.clear()
      consumer.lease = renewed ?? undefined
    })

    const consume = Effect.fnUntraced(
      function*(consumer: ModelConsumer.ModelConsumer, { commits, lost, max }: Reading) {
        const subscription = model.subscriptions.get(consumer.subscriptionId)!
        const { lease } = consumer
        const now = yield* Clock.currentTimeMillis
        const isFree = lease === undefined || now >= lease.until + ModelConsumer.leaseSlackMs
        const isHeld = lost && lease !== undefined && now < lease.until
        const request = {
          lease: lost ? null : lease?.id ?? null,
          max,
          maxBytes: 1_000_000,
          waitMs: (!lost || isFree) && ModelConsumer.hasMore(model, subscription) ? readMs : 0
        }
        const answer = yield* Effect.result(
          engine.use(Effect.flatMap(ActorCalls, ({ readConsumer }) => readConsumer(consumer.id, request)))
        )
        if (answer._tag === "Failure") {
          if (answer.failure._tag === "LeaseHeld" && lost && !isFree) return
          return yield* answer.failure
        }
        if (isHeld) return yield* fail("two readers had a consumer")
        const page = answer.success
        yield* Effect.try({
          try: () => ModelConsumer.read(model, consumer, subscription, page),
          catch: (error) => error instanceof ModelBroken ? error : fail(String(error))
        })
        if (page.lease === null) return
        consumer.lease = page.lease
        if (lost && lease !== undefined) {
          const late = yield* Effect.result(
            engine.use(
              Effect.flatMap(
                ActorCalls,
                ({ commitConsumer }) => commitConsumer(consumer.id, { lease: lease.id, positions: [], release: false })
              )
            )
          )
          if (late._tag === "Success" || late.failure._tag !== "LeaseLost") {
            return yield* fail("a lease that was lost was taken")
          }
        }
        if (commits !== "nothing") {
          yield* commit(consumer, commits === "some")
        }
      }
    )

    const nth = <A>(items: Iterable<A>, index: number): A | undefined => {
      const all = [...items]
      return all[index % all.length]
    }

    const bulk = (webhook: ModelWebhook, { action, createdAt }: Pick<BulkAction, "action" | "createdAt">): void => {
      switch (action) {
        case "skip":
          return model.endPending(webhook, "dropped")
        case "cancel":
          return model.endPending(webhook, "exhausted")
        case "retry":
          return model.retryPending(webhook)
        case "replay":
          return model.replay(webhook, createdAt, passes)
      }
    }

    const apply = Effect.fnUntraced(function*(command: Command) {
      const sources = [...model.sources.values()]
      switch (command._tag) {
        case "CreateSource":
          return yield* createSource(command.kind)
        case "CreateWebhook":
          return yield* createWebhook(command.manner, command.ordering)
        case "Post": {
          const source = nth(sources.filter(({ endpointKey }) => endpointKey !== null), command.source)
          return source === undefined ? undefined : yield* post(source, command)
        }
        case "Invoke": {
          const workflow = nth(sources.filter(({ kind }) => ModelComponents.isWorkflow(kind)), command.workflow)
          return workflow === undefined ? undefined : yield* invoke(workflow, command.times)
        }
        case "ResumeRun": {
          const workflow = nth(sources.filter(({ kind }) => ModelComponents.isWorkflow(kind)), command.workflow)
          return workflow === undefined ? undefined : yield* resumeRun(workflow, command.run)
        }
        case "CancelRun": {
          const workflow = nth(sources.filter(({ kind }) => kind === "workflow"), command.workflow)
          return workflow === undefined ? undefined : yield* cancelRun(workflow, command.run)
        }
        case "UpdateSource": {
          const source = nth(sources, command.source)
          if (source === undefined) return
          const { active } = command
          yield* engine.use(Effect.gen(function*() {
            // Runs that wait end on the props that they began with.
            const configuredProps = source.kind === "workflow" ? { version: ++made } : {}
            const input = { component: undefined, name: undefined, configuredProps, active }
            yield* (yield* ProgramLifecycle).update(yield* sourceOf(source), input)
          }))
          return model.updateSource(source, active)
        }
        case "DeleteSource": {
          const source = nth(sources, command.source)
          if (source === undefined) return
          yield* engine.use(Effect.gen(function*() {
            yield* (yield* ProgramLifecycle).remove(yield* sourceOf(source))
          }))
          model.removeSource(source.id)
          // What its last event had somebody begin is owed to nobody, and ends by itself.
          return yield* TestClock.withLive(Effect.sleep(partingMs))
        }
        case "UpdateWebhook": {
          const webhook = nth(ownWebhooks(), command.webhook)
          if (webhook === undefined) return
          const { active } = command
          const ordering = command.ordering === null || (command.ordering === "none" && hasBatches(webhook))
            ? webhook.ordering
            : command.ordering
          const change = { name: undefined, description: undefined, url: undefined, active, settings: { ordering } }
          yield* engine.use(Effect.flatMap(WebhookLifecycle, ({ update }) => update(accountId, webhook.id, change)))
          webhook.ordering = ordering
          if (active) model.activateWebhook(webhook)
          else webhook.active = false
          return
        }
        case "ResumeFromNow": {
          const webhook = nth(ownWebhooks(), command.webhook)
          if (webhook === undefined) return
          yield* engine.use(Effect.flatMap(WebhookLifecycle, ({ resume }) => resume(accountId, webhook.id, "now")))
          return model.passAll(webhook)
        }
        case "Bulk": {
          const webhook = nth(ownWebhooks(), command.webhook)
          if (webhook === undefined) return
          const { action, cut } = command
          const filter = action === "retry"
            ? { webhookId: webhook.id, state: "pending" as const }
            : { webhookId: webhook.id }
          const input = { accountId, action, dryRun: false, filter, rateLimit: 1_000, rerun: null }
          const begun = yield* Effect.result(engine.use(Effect.flatMap(BulkControl, ({ begin }) => begin(input))))
          if (begun._tag === "Failure") {
            return begun.failure._tag === "BulkActionsFull" ? undefined : yield* fail("a bulk action was not begun")
          }
          bulk(webhook, begun.success.action)
          if (cut === null) return
          model.cutOff = true
          model.cutOffs += 1
          yield* TestClock.withLive(Effect.sleep(cut))
          return yield* engine.restart({ drain: false })
        }
        case "DeleteWebhook": {
          const webhook = nth(ownWebhooks(), command.webhook)
          if (webhook === undefined) return
          yield* engine.use(Effect.flatMap(WebhookLifecycle, ({ remove }) => remove(accountId, webhook.id)))
          return model.removeWebhook(webhook.id)
        }
        case "Subscribe": {
          const idsOf = (kind: Kind): ReadonlyArray<string> =>
            sources.filter((source) => source.kind === kind).map(({ id }) => id)
          const listeners = [...idsOf("listener"), ...idsOf("lister")]
          const workflows = idsOf("workflow")
          const listener = nth([...ownWebhooks().map(({ id }) => id), ...workflows, ...listeners], command.listener)
          if (listener === undefined) return
          // What workflows emit goes to webhooks alone, so that nothing goes round through them.
          const emitters = sources.filter(({ kind }) =>
            model.webhooks.has(listener) || !ModelComponents.isWorkflow(kind)
          ).map(({ id }): string => id)
          const emitter = command.emitter === null ? null : nth(emitters, command.emitter)
          if (emitter === undefined) return
          const hearsOne = (emitterId: string | null) => emitterId === null || listeners.includes(emitterId)
          const hears = [...model.subscriptions.values()].some((one) =>
            one.listenerId === listener && hearsOne(one.emitterId)
          )
          if (listeners.includes(listener) && hearsOne(emitter) && hears) return
          return yield* subscribe(emitter, listener, command.stream, command.filter, command.batch)
        }
        case "Rebatch": {
          const subscription = nth(ownSubscriptions(), command.subscription)
          if (subscription === undefined) return
          const batch = model.webhooks.get(subscription.listenerId)?.ordering === "none" ? null : command.batch
          yield* engine.use(
            Effect.flatMap(
              SubscriptionLifecycle,
              ({ update }) => update(subscriptionOf(subscription), { batch: readBatch(batch) ?? null })
            )
          )
          subscription.batch = batch
          return
        }
        case "Refilter": {
          const { filter } = command
          const subscription = nth(ownSubscriptions(), command.subscription)
          if (subscription === undefined) return
          yield* engine.use(
            Effect.flatMap(
              SubscriptionLifecycle,
              ({ update }) => update(subscriptionOf(subscription), { filter: readFilter(filter) ?? null })
            )
          )
          subscription.filter = filter
          return
        }
        case "Unsubscribe": {
          const subscription = nth(ownSubscriptions(), command.subscription)
          if (subscription === undefined) return
          yield* engine.use(
            Effect.flatMap(SubscriptionLifecycle, ({ remove }) => remove(subscriptionOf(subscription)))
          )
          model.subscriptions.delete(subscription.id)
          return
        }
        case "CreateConsumer": {
          const emitter = command.emitter === null ? null : nth(sources, command.emitter)?.id
          return emitter === undefined ? undefined : yield* createConsumer(emitter, command)
        }
        case "Consume": {
          const consumer = nth(model.consumers.values(), command.consumer)
          return consumer === undefined ? undefined : yield* consume(consumer, command)
        }
        case "CommitLate": {
          const consumer = nth(model.consumers.values(), command.consumer)
          return consumer === undefined ? undefined : yield* commit(consumer, false)
        }
        case "Seek": {
          const consumer = nth(model.consumers.values(), command.consumer)
          if (consumer === undefined) return
          const { to } = command
          yield* engine.use(
            Effect.flatMap(
              ActorCalls,
              ({ seekConsumer }) => seekConsumer(consumer.id, { from: to === "beginning" ? 0n : null, emitterId: null })
            )
          )
          ModelConsumer.place(model, model.subscriptions.get(consumer.subscriptionId)!, to)
          consumer.page.clear()
          consumer.lease = undefined
          return
        }
        case "DeleteConsumer": {
          const consumer = nth(model.consumers.values(), command.consumer)
          if (consumer === undefined) return
          yield* engine.use(Effect.gen(function*() {
            const found = yield* (yield* Consumers).get(accountId, consumer.id)
            yield* (yield* ConsumerLifecycle).remove(Option.getOrThrow(found))
          }))
          model.consumers.delete(consumer.id)
          model.subscriptions.delete(consumer.subscriptionId)
          return
        }
        case "DeleteEvents": {
          const source = nth(sources, command.source)
          return source === undefined ? undefined : yield* deleteEvents(source, command.from, command.to)
        }
        case "Advance":
          model.cutOffs += 1
          return yield* TestClock.adjust(command.seconds * 1_000)
        case "StepBack":
          return yield* TestClock.setTime(
            Math.max((yield* Clock.currentTimeMillis) - command.seconds * 1_000, model.furthest - furthestBackMs)
          )
        case "Restart":
          model.cutOff = true
          model.cutOffs += 1
          yield* TestClock.withLive(Effect.sleep(command.after))
          return yield* engine.restart(command)
      }
    })

    // Something of everything, so that the first commands find what they are about.
    yield* createSource("counter")
    yield* createSource("listener")
    yield* createSource("workflow")
    yield* createWebhook("flaky", "ordered")
    yield* createWebhook("flaky", "strict")
    yield* createSource("lister")
    yield* createSource("storing")
    yield* createSource("keeper")
    yield* createSource("holder")
    yield* settle
    const [counter, listener, workflow, lister, storing, keeper, holder] = [...model.sources.keys()]
    const [webhook, strict] = ownWebhooks().map(({ id }) => id)
    yield* subscribe(counter!, lister!, "")
    yield* subscribe(counter!, listener!, "")
    yield* subscribe(counter!, workflow!, "")
    yield* subscribe(null, webhook!, "")
    yield* subscribe(counter!, strict!, "", null, "pairs")
    yield* subscribe(workflow!, webhook!, "", null, "short")
    yield* subscribe(keeper!, webhook!, "")
    yield* createConsumer(null, { stream: "", filter: null, start: "end" })
    yield* settle
    yield* invoke(model.sources.get(keeper!)!, 4)
    const few = { _tag: "Post", source: 0, times: 4, fail: 1, later: 0, id: 0, settle: false } as const
    yield* post(model.sources.get(storing!)!, few)
    yield* post(model.sources.get(holder!)!, few)

    /** By how much the clock was moved since all was quiet. */
    let hurriedSeconds = 0
    for (const command of commands) {
      if (command._tag === "Advance") hurriedSeconds += command.seconds
      const waits = !("settle" in command) || command.settle || hurriedSeconds >= shortestTimeoutSeconds
      // What changes who gets what is done when all is quiet, so that it is known who has got what.
      if (waits && command._tag !== "Restart") yield* settle
      yield* apply(command)
      model.noteTime(yield* Clock.currentTimeMillis)
      if (!waits) continue
      yield* settle
      hurriedSeconds = 0
    }
    yield* settle
  },
  Effect.provide(SecureRandom.layerWebCrypto),
  Effect.scoped
)

type Reading = Extract<Command, { readonly _tag: "Consume" }>

type Posting = Extract<Command, { readonly _tag: "Post" }>
