import * as Json from "@headwater/fixtures/Json"
import type { CrashPoint } from "@headwater/log/commit/CrashPoint"
import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { Snapshot } from "../Snapshot.ts"
import { acknowledged, type Client } from "./Client.ts"
import * as Components from "./Components.ts"
import type { Dice } from "./Dice.ts"
import type { Endpoints } from "./Endpoints.ts"
import type { Findings } from "./Findings.ts"
import type { Lanes } from "./Lanes.ts"
import type { Gate } from "./Load.ts"
import { keyOf, type Requests } from "./Requests.ts"
import { endpointOf, query, type StandingProgram } from "./Topology.ts"

/** `unclear`: the request that was to change it was not answered with success. */
type Phase = "there" | "gone" | "unclear"

interface PassingSource {
  readonly name: string
  id: string | undefined
  endpoint: string | undefined
  phase: Phase
  /** As it was last acknowledged; undefined where that is unclear. */
  active: boolean | undefined
  /** Its events up to this id are acknowledged to be deleted. */
  deletedUpTo: bigint
}

interface PassingWebhook {
  readonly name: string
  id: string | undefined
  phase: Phase
  subscription: { id: string | undefined; phase: Phase } | undefined
}

/** Sources, webhooks, subscriptions and consumers that come, change and go while all else goes on. */
export interface Passing {
  readonly run: Effect.Effect<never>
  /** Mostly does what leads to a point, where it is one that changes lead to. */
  readonly aimAt: (point: CrashPoint | undefined) => void
  /** Nothing is under way any more: what was acknowledged is what is there. */
  readonly settle: (snapshot: Snapshot) => Effect.Effect<void, SqlError.SqlError, SqlClient.SqlClient>
  /** Whether nothing of it is under way. */
  readonly isIdle: () => boolean
}

/** How many of them there are at once, those left out of which nobody knows. */
const most = 3

const isThere = ({ phase }: { readonly phase: Phase }): boolean => phase === "there"

const countThere = (all: ReadonlyArray<{ readonly phase: Phase }>): number => all.filter(isThere).length

const parseId = (text: string): bigint => {
  const [ms, seq] = text.split("-")
  return (BigInt(ms!) << 20n) | BigInt(seq!)
}

export const make = (options: {
  readonly client: Client
  readonly dice: Dice
  readonly endpoints: Endpoints
  readonly findings: Findings
  readonly gate: Gate
  readonly lanes: Lanes
  readonly requests: Requests
  /** Those that stay; webhooks that come and go listen to them. */
  readonly standing: ReadonlyArray<StandingProgram>
  readonly pauseMs: number
}): Passing => {
  const { client, dice, endpoints, findings, gate, lanes, requests } = options
  let sources: Array<PassingSource> = []
  let webhooks: Array<PassingWebhook> = []
  let consumer: { readonly id: string; phase: Phase } | undefined
  let made = 0
  let posted = 0
  let idle = true
  let aim: CrashPoint | undefined

  const createSource = Effect.gen(function*() {
    const source: PassingSource = {
      name: `passing-${++made}`,
      id: undefined,
      endpoint: undefined,
      phase: "unclear",
      active: undefined,
      deletedUpTo: 0n
    }
    sources.push(source)
    const answer = yield* client.call("POST", "/sources", { component_code: Components.passing, name: source.name })
    if (!acknowledged(answer)) return
    const { data } = answer.json
    source.id = Json.textOf(data!["id"])
    source.endpoint = endpointOf(data!)
    source.phase = "there"
    source.active = true
  })

  const post = Effect.fnUntraced(function*({ active, endpoint, id }: PassingSource) {
    if (id === undefined || endpoint === undefined || active !== true) return
    for (let i = dice.between(1, 3); i > 0; i--) {
      const key = keyOf("passing", ++posted)
      requests.sent(id, "passing", posted)
      if (acknowledged(yield* client.post(endpoint, { key }))) requests.acknowledged(key)
    }
  })

  const update = Effect.fnUntraced(function*(source: PassingSource) {
    const active = dice.chance(0.6)
    source.active = undefined
    const answer = yield* client.call("PUT", `/sources/${source.id}`, { active })
    if (acknowledged(answer)) source.active = active
  })

  const remove = Effect.fnUntraced(function*(source: PassingSource) {
    requests.forget(source.id ?? "")
    source.phase = "unclear"
    const answer = yield* client.call("DELETE", `/sources/${source.id}`)
    if (acknowledged(answer)) source.phase = "gone"
  })

  const deleteEvents = Effect.fnUntraced(function*(source: PassingSource) {
    const { json } = yield* client.call("GET", `/sources/${source.id}/event_summaries?limit=100`)
    const { data } = json
    const known = data === undefined ? [] : Json.listOf(data)
    if (known.length === 0) return
    // The newest first: some of them, or all.
    const last = Json.textOf(dice.pick(known)["id"])
    const everything = dice.chance(0.3)
    const answer = yield* client.call(
      "DELETE",
      `/sources/${source.id}/events${everything ? "" : `?${query({ end_id: last })}`}`
    )
    const upTo = parseId(everything ? Json.textOf(known[0]!["id"]) : last)
    if (acknowledged(answer) && upTo > source.deletedUpTo) source.deletedUpTo = upTo
  })

  const createWebhook = Effect.gen(function*() {
    const name = `passing-${++made}`
    const webhook: PassingWebhook = { name, id: undefined, phase: "unclear", subscription: undefined }
    webhooks.push(webhook)
    const created = yield* client.call("POST", `/webhooks?${query({ url: endpoints.url(name, "steady"), name })}`)
    if (!acknowledged(created)) return
    webhook.id = Json.textOf(created.json["data"]!["id"])
    webhook.phase = "there"
    const subscription = { id: undefined as string | undefined, phase: "unclear" as Phase }
    webhook.subscription = subscription
    const subscribed = yield* client.call("POST", `/subscriptions?${subscriptionOf(webhook.id)}`)
    if (!acknowledged(subscribed)) return
    subscription.id = Json.textOf(subscribed.json["data"]!["id"])
    subscription.phase = "there"
  })

  const subscriptionOf = (listenerId: string) =>
    query({ emitter_id: options.standing[0]!.id, listener_id: listenerId, event_name: "" })

  const unsubscribe = Effect.fnUntraced(function*({ id, subscription }: PassingWebhook) {
    if (id === undefined || subscription?.phase !== "there") return
    subscription.phase = "unclear"
    const answer = yield* client.call("DELETE", `/subscriptions?${subscriptionOf(id)}`)
    if (!acknowledged(answer)) return
    subscription.phase = "gone"
    lanes.close(subscription.id!, Date.now())
  })

  const removeWebhook = Effect.fnUntraced(function*(webhook: PassingWebhook) {
    webhook.phase = "unclear"
    if (webhook.subscription?.phase === "there") webhook.subscription.phase = "unclear"
    const answer = yield* client.call("DELETE", `/webhooks/${webhook.id}`)
    if (!acknowledged(answer)) return
    webhook.phase = "gone"
    if (webhook.subscription?.id !== undefined) {
      webhook.subscription.phase = "gone"
      lanes.close(webhook.subscription.id, Date.now())
    }
  })

  /** Makes a consumer that nobody reads, or removes it. It hears nothing, so nothing waits for it. */
  const passConsumer = Effect.gen(function*() {
    if (consumer === undefined) {
      const answer = yield* client.call("POST", "/consumers", { emitter_id: "none_*" })
      if (acknowledged(answer)) consumer = { id: Json.textOf(answer.json["data"]!["id"]), phase: "there" }
      return
    }
    const { id, phase } = consumer
    consumer.phase = "unclear"
    const answer = yield* client.call("DELETE", `/consumers/${id}`, undefined, [404])
    if (answer.status === 404 && phase === "there") {
      findings.note("lost", "a consumer was acknowledged and is not there", { id })
    }
    if (acknowledged(answer) || answer.status === 404) consumer = undefined
  })

  const anything = Effect.gen(function*() {
    const source = dice.pick([undefined, ...sources.filter(isThere)])
    const webhook = dice.pick([undefined, ...webhooks.filter(isThere)])
    if (dice.chance(0.05)) return yield* passConsumer
    if (dice.chance(0.3)) {
      if (webhook === undefined) return yield* countThere(webhooks) < most ? createWebhook : Effect.void
      return yield* dice.chance(0.6) ? unsubscribe(webhook) : removeWebhook(webhook)
    }
    if (source === undefined) return yield* countThere(sources) < most ? createSource : Effect.void
    return yield* dice.pick([post, post, post, update, update, remove, deleteEvents, deleteEvents])(source)
  })

  /** What leads to the point that is aimed at; something else where that is not possible now. */
  const aimed = Effect.suspend((): Effect.Effect<void> => {
    const source = sources.find(isThere)
    const webhook = webhooks.find(({ phase, subscription }) => phase === "there" && subscription?.phase === "there")
    switch (aim?.slice(0, aim.indexOf("-"))) {
      case "create":
        return countThere(sources) < most ? createSource : remove(sources.find(isThere)!)
      case "update":
        return source === undefined ? createSource : update(source)
      case "remove":
        return source === undefined ? createSource : remove(source)
      case "delete":
        return source === undefined
          ? createSource
          : Effect.andThen(Effect.andThen(update(source), post(source)), deleteEvents(source))
      case "unsubscribe":
        return webhook === undefined ? createWebhook : unsubscribe(webhook)
      case "webhook":
        return webhook === undefined ? createWebhook : removeWebhook(webhook)
      case "consumer":
        return passConsumer
      default:
        return anything
    }
  })

  const step = Effect.suspend(() => aim !== undefined && dice.chance(0.7) ? aimed : anything)

  const run = Effect.gen(function*() {
    while (true) {
      while (!gate.isOpen()) yield* Effect.sleep("20 millis")
      idle = false
      yield* step
      idle = true
      yield* Effect.sleep(dice.between(0, options.pauseMs))
    }
  })

  const settleSource = Effect.fnUntraced(function*(source: PassingSource, snapshot: Snapshot) {
    const row = snapshot.programs.find(({ id, name }) =>
      source.id === undefined ? name === source.name : id === source.id
    )
    if (row === undefined) {
      if (source.phase === "there") findings.note("lost", "a source was acknowledged and is not there", { source })
      source.phase = "gone"
      return
    }
    if (source.phase === "gone") findings.note("lost", "a source is there whose removal was acknowledged", { source })
    source.phase = "there"
    source.id = row.id
    if (source.active !== undefined && source.active !== row.active) {
      findings.note("lost", "a source is not active, or not inactive, as was acknowledged", { source, row })
    }
    source.active = row.active
    const sql = yield* SqlClient.SqlClient
    const left = yield* sql`
      SELECT id FROM events WHERE emitter_id = ${row.id} AND stream = '' AND id <= ${source.deletedUpTo}`
    if (left.length > 0) findings.note("lost", "events are there whose deletion was acknowledged", { source, left })
  })

  const settleWebhook = (webhook: PassingWebhook, snapshot: Snapshot) => {
    const { id, subscription } = webhook
    const check = (what: string, of: { phase: Phase }, isThere: boolean) => {
      if (of.phase === "there" && !isThere) findings.note("lost", `a ${what} was acknowledged and is not there`, { of })
      if (of.phase === "gone" && isThere) {
        findings.note("lost", `a ${what} is there whose removal was acknowledged`, { of })
      }
      of.phase = isThere ? "there" : "gone"
    }
    check("webhook", webhook, id !== undefined && snapshot.webhooks.has(id))
    if (subscription !== undefined) {
      check("subscription", subscription, subscription.id !== undefined && snapshot.subscriptions.has(subscription.id))
    }
  }

  return {
    run,
    aimAt: (point) => {
      aim = point
    },
    isIdle: () => idle,
    settle: Effect.fnUntraced(function*(snapshot) {
      for (const source of sources) yield* settleSource(source, snapshot)
      for (const webhook of webhooks) settleWebhook(webhook, snapshot)
      sources = sources.filter(({ phase }) => phase !== "gone")
      webhooks = webhooks.filter(({ phase }) => phase !== "gone")
    })
  }
}
