import * as EmitId from "@headwater/domain/EmitId"
import * as EventId from "@headwater/domain/EventId"
import * as Stream from "@headwater/domain/Stream"
import type { DisabledReason, Webhook } from "@headwater/domain/Webhook"
import { failingShares, WebhookEvent } from "@headwater/domain/WebhookEvents"
import { Webhooks } from "@headwater/log/resources/Webhooks"
import type { DueItem } from "@headwater/log/work/DueWork"
import { Effect, Metric, Schema } from "effect"
import type { SqlError } from "effect/sql"
import * as DueItems from "../ground/DueItems.ts"
import type { AttemptResult } from "./AttemptRecord.ts"
import type { WebhookMemory } from "./WebhookMemory.ts"

/** A webhook with nothing but failures for this long goes out of service, in milliseconds (delivery.md). */
const failingLimitMs = 5 * 24 * 3_600_000

/** The longest that a circuit stays open, in milliseconds, unless its webhook asks for longer. */
const longestCooldownMs = 3_600_000

/** The time that a circuit stays open that opens for the nth time in a row, in milliseconds. */
export const cooldownOf = (firstMs: number, opens: number): number =>
  Math.max(firstMs, Math.min(firstMs * 2 ** (opens - 1), longestCooldownMs))

const transitionsTotal = (to: string) =>
  Metric.counter("headwater_circuit_transitions_total", {
    description: "Circuits of webhooks that opened, opened again because their probe failed, or closed.",
    incremental: true,
    attributes: { to }
  })

const transitionsTo = {
  opened: transitionsTotal("open"),
  reopened: transitionsTotal("open_again"),
  closed: transitionsTotal("closed")
}

const lines = {
  opened: "A webhook's circuit opened: its endpoint fails",
  reopened: "A webhook's circuit stays open: its endpoint still fails",
  closed: "A webhook's circuit closed: its endpoint answers again"
}

/** The effect of an outcome on the webhook itself. */
export interface Transition {
  readonly duePut: ReadonlyArray<DueItem>
  readonly updates: ReadonlyArray<Effect.Effect<unknown, SqlError.SqlError>>
}

const none: Transition = { duePut: [], updates: [] }

/** Has the webhook woken at a time. */
export const wakeItem = (
  webhookId: string,
  key: "throttle" | "circuit" | "rate" | "batch",
  dueAt: number
): DueItem => ({
  ownerId: webhookId,
  kind: "wake",
  key,
  dueAt,
  payload: "{}"
})

/** The fields of an event beside its webhook and its time. */
type Said = WebhookEvent extends infer Event ?
  Event extends WebhookEvent ? Omit<Event, "webhook_id" | "url" | "ts"> : never
  : never

const encode = Schema.encodeSync(Schema.fromJsonString(WebhookEvent))

/** Tells the account of one of its webhooks, on the account's own log. */
const told = ({ webhook }: WebhookMemory, said: Said, now: number): DueItem =>
  DueItems.emit(webhook.accountId, {
    stream: Stream.webhooks,
    emitId: EmitId.make(),
    hops: 0,
    meta: {},
    payload: encode({ ...said, webhook_id: webhook.id, url: webhook.url, ts: now } as WebhookEvent)
  }, now)

const together = (parts: ReadonlyArray<Transition>): Transition => ({
  duePut: parts.flatMap(({ duePut }) => duePut),
  updates: parts.flatMap(({ updates }) => updates)
})

/** The effects of attempts' outcomes on the webhook itself, in memory at once and in the database with the commit. */
export interface WebhookTransitions {
  /** @param isGivenUp whether no other attempt follows on a failed one */
  readonly of: (memory: WebhookMemory, result: AttemptResult, isGivenUp: boolean) => Transition
}

export const make: Effect.Effect<WebhookTransitions, never, Webhooks> = Effect.gen(function*() {
  const webhooks = yield* Webhooks
  const context = yield* Effect.context<never>()
  const run = Effect.runForkWith(context)

  const change = (memory: WebhookMemory, fields: Partial<Webhook>) => {
    memory.webhook = { ...memory.webhook, ...fields }
  }

  const note = ({ webhook }: WebhookMemory, what: keyof typeof transitionsTo) => {
    transitionsTo[what].updateUnsafe(1, context)
    const log = what === "closed" ? Effect.logInfo(lines[what]) : Effect.logWarning(lines[what])
    run(Effect.annotateLogs(log, {
      account_id: webhook.accountId,
      webhook_id: webhook.id,
      ...(webhook.circuitUntil === null ? {} : { until: new Date(webhook.circuitUntil).toISOString() })
    }))
  }

  const disable = (memory: WebhookMemory, reason: DisabledReason, now: number): Transition => {
    const { webhook } = memory
    if (!webhook.active) return none
    change(memory, { active: false, disabledReason: reason, owesRecovery: true })
    return {
      duePut: [told(memory, { type: "webhook.disabled", reason }, now)],
      updates: [webhooks.disable(webhook.id, reason, now)]
    }
  }

  const healthy = (memory: WebhookMemory, now: number): Transition => {
    const { webhook } = memory
    if (webhook.failingSince === null && !webhook.owesRecovery && !webhook.exhaustedTold) return none
    change(memory, {
      failingSince: null,
      failingTold: 0,
      owesRecovery: false,
      exhaustedTold: false,
      circuitFailures: 0,
      circuitOpens: 0,
      circuitUntil: null
    })
    if (webhook.circuitUntil !== null) note(memory, "closed")
    return {
      duePut: [
        ...(webhook.circuitUntil === null ? [] : [told(memory, { type: "circuit.closed" }, now)]),
        ...(webhook.owesRecovery ? [told(memory, { type: "webhook.recovered" }, now)] : [])
      ],
      updates: [webhooks.markHealthy(webhook.id)]
    }
  }

  /** Nothing but failures: the account is told when they have gone on for one of the shares of the time limit. */
  const failing = (memory: WebhookMemory, now: number): Transition => {
    const { webhook } = memory
    const since = webhook.failingSince
    if (since === null) {
      change(memory, { failingSince: now })
      return { duePut: [], updates: [webhooks.markFailing(webhook.id, now)] }
    }
    const percent = failingShares.findLast((share) => (now - since) * 100 >= share * failingLimitMs)
    if (percent === undefined || percent <= webhook.failingTold) return none
    change(memory, { failingTold: percent, owesRecovery: true })
    const said = {
      type: "webhook.failing" as const,
      percent,
      failing_since_ms: since,
      disabled_at_ms: since + failingLimitMs
    }
    return { duePut: [told(memory, said, now)], updates: [webhooks.noteFailingTold(webhook.id, percent)] }
  }

  const givenUp = (memory: WebhookMemory, { endedAt, record }: AttemptResult): Transition => {
    const { webhook } = memory
    if (webhook.exhaustedTold) return none
    change(memory, { exhaustedTold: true })
    const said = {
      type: "delivery.exhausted" as const,
      delivery_id: record.deliveryId,
      emitter_id: record.emitterId,
      event_name: record.stream,
      event_id: EventId.format(record.eventId),
      attempt_count: record.attempt,
      status: record.status,
      error_class: record.errorClass
    }
    return { duePut: [told(memory, said, endedAt)], updates: [webhooks.noteExhaustedTold(webhook.id)] }
  }

  const throttled = (memory: WebhookMemory, asked: number): Transition => {
    const { webhook } = memory
    const until = Math.max(asked, webhook.throttledUntil ?? 0)
    change(memory, { throttledUntil: until })
    return { duePut: [wakeItem(webhook.id, "throttle", until)], updates: [webhooks.throttle(webhook.id, until)] }
  }

  /** A failure opens the circuit after so many others, and if it is the probe's. */
  const circuit = (memory: WebhookMemory, { endedAt, record }: AttemptResult): Transition => {
    const { webhook } = memory
    const setting = webhook.settings.circuit
    if (setting === null) return none
    const isOpen = webhook.circuitUntil !== null
    // An attempt that had begun before it opened says nothing new.
    if (isOpen && record.startedAt < webhook.circuitUntil!) return none
    const failures = webhook.circuitFailures + 1
    if (!isOpen && failures < setting.failures) {
      change(memory, { circuitFailures: failures })
      return { duePut: [], updates: [webhooks.countFailures(webhook.id, failures)] }
    }
    const opens = webhook.circuitOpens + 1
    const until = endedAt + cooldownOf(setting.cooldownMs, opens)
    change(memory, { circuitFailures: 0, circuitOpens: opens, circuitUntil: until })
    note(memory, isOpen ? "reopened" : "opened")
    const opened = isOpen ? [] : [told(memory, { type: "circuit.opened", failures, until_ms: until }, endedAt)]
    return {
      duePut: [wakeItem(webhook.id, "circuit", until), ...opened],
      updates: [webhooks.openCircuit(webhook.id, opens, until)]
    }
  }

  return {
    of: (memory, result, isGivenUp) => {
      const { endedAt, outcome } = result
      const { webhook } = memory
      // The answer of one place to a workflow says nothing of the others.
      if (webhook.workflowId !== null) return none
      if (outcome._tag === "Delivered") return healthy(memory, endedAt)
      // A request that was not sent says nothing of the endpoint.
      if (outcome._tag === "Refused") return givenUp(memory, result)
      if (outcome._tag === "Gone") return disable(memory, "gone", endedAt)
      const isOver = webhook.failingSince !== null && endedAt - webhook.failingSince >= failingLimitMs
      return together([
        ...(isOver ? [disable(memory, "failing", endedAt)] : [failing(memory, endedAt), circuit(memory, result)]),
        outcome._tag === "Throttled" && !isOver ? throttled(memory, outcome.until) : none,
        isGivenUp ? givenUp(memory, result) : none
      ])
    }
  }
})
