import { Effect } from "effect"
import type { AttemptRequest, AttemptResult } from "./AttemptRecord.ts"
import type { AttemptKind } from "./AttemptSlots.ts"
import type { WebhookMemory } from "./WebhookMemory.ts"
import type { WebhookOwner } from "./WebhookOwner.ts"

type State =
  | { readonly _tag: "Waiting" }
  | { readonly _tag: "Sending"; readonly request: { readonly cancel: () => void } }
  | { readonly _tag: "Answered" }
  | { readonly _tag: "Recorded" }

const waiting: State = { _tag: "Waiting" }
const answered: State = { _tag: "Answered" }
const recorded: State = { _tag: "Recorded" }

/**
 * One attempt of a webhook to send events, of whatever kind:
 *
 *     waiting ──send──▶ sending ──result──▶ answered ──end──▶ recorded
 *        └──────────────────┴─────────────end───────────────────┘
 *
 * - A1. It has one of the webhook's slots from `enter` until it is recorded.
 * - A2. It is counted by the rate, and as the circuit's probe, from `begin` on, which comes before it sends. If it is the probe,
 *   no other attempt begins before its result has changed the circuit: the result becomes a commit first, then it ends.
 * - A3. It calls back once at most, and never after it has ended: `end` breaks off a request that is under way.
 */
export class Attempt {
  private state: State = waiting
  private isProbe = false
  private readonly owner: WebhookOwner
  private readonly memory: WebhookMemory
  private readonly kind: AttemptKind

  private constructor(owner: WebhookOwner, memory: WebhookMemory, kind: AttemptKind) {
    this.owner = owner
    this.memory = memory
    this.kind = kind
  }

  /** Takes a slot, which there is. */
  static enter(owner: WebhookOwner, memory: WebhookMemory, kind: AttemptKind): Attempt {
    memory.slots.take(kind)
    return new Attempt(owner, memory, kind)
  }

  /** Takes its place by the webhook's rate. If the circuit is open, it is the probe. */
  begin(now: number): void {
    this.isProbe = this.memory.slots.begin(this.memory.webhook, now)
  }

  /** Sends, and calls back with the result after it has returned, unless it is ended before. */
  send(request: AttemptRequest, onResult: (result: AttemptResult) => void): void {
    const sent = this.owner.send(this.memory, request, (result) => {
      this.state = answered
      onResult(result)
    })
    this.state = { _tag: "Sending", request: sent }
  }

  /** Sends, and returns with the result. An interruption breaks the request off. */
  result(request: AttemptRequest): Effect.Effect<AttemptResult> {
    return Effect.callback((resume) => {
      this.send(request, (result) => resume(Effect.succeed(result)))
      return Effect.sync(() => this.end())
    })
  }

  /** The result; undefined if the webhook closed or the subscription went while the attempt waited to send. */
  resultIfOpen(request: AttemptRequest): Effect.Effect<AttemptResult | undefined> {
    return Effect.suspend(() => {
      const { memory, owner } = this
      const now = owner.now()
      if (owner.areKeysOld(memory, now)) return Effect.andThen(owner.readKeys(memory), this.resultIfOpen(request))
      return owner.isOpen(memory, now) && !memory.inbox.isForgotten(request.subscriptionId)
        ? this.result(request)
        : Effect.undefined
    })
  }

  /** Its result is in a commit, or it comes to nothing: gives its slot back. */
  end(): void {
    const { kind, memory: { slots }, state } = this
    if (state._tag === "Recorded") return
    this.state = recorded
    if (state._tag === "Sending") state.request.cancel()
    slots.giveBack(kind)
    if (this.isProbe) slots.probed()
    if (this.isProbe || kind !== "first" && slots.isShared) this.owner.work()
  }
}
