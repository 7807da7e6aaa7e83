import * as Id from "@headwater/domain/Id"
import * as RealTime from "@headwater/domain/RealTime"
import { Clock, Context, Effect, Layer } from "effect"
import { getHeapStatistics } from "node:v8"
import type { ConsumerActor } from "../consumer/ConsumerActor.ts"
import type { ProgramActor } from "../program/ProgramActor.ts"
import type { WebhookActor } from "../webhook/WebhookActor.ts"
import type { AccountActor } from "./AccountActor.ts"
import * as Residents from "./Residents.ts"

/** The longest that a hint takes to an actor that is to come into memory for it, in milliseconds. */
const longestHintMs = 10_000

/** Hints that are on their way to actors that are not awake. */
class HintsUnderWay {
  private readonly clock: Clock.Clock
  /** The times at which they were sent, as time elapses, in milliseconds. */
  private readonly sentAt = new Map<string, number>()

  constructor(clock: Clock.Clock) {
    this.clock = clock
  }

  sent(actorId: string): void {
    this.sentAt.set(actorId, RealTime.elapsedUnsafe(this.clock))
  }

  arrived(actorId: string): void {
    this.sentAt.delete(actorId)
  }

  /** True if there is none. Scans find the work again whose hint was lost. */
  isEmpty(): boolean {
    const lostAt = RealTime.elapsedUnsafe(this.clock) - longestHintMs
    for (const [actorId, at] of this.sentAt) {
      if (at > lostAt) return false
      this.sentAt.delete(actorId)
    }
    return true
  }
}

/** An actor that is awake, as far as it can be hinted at. */
type Hinted = Pick<Residents.Resident<unknown>, "hint">

/** The rough size of one actor, in bytes, and the share of the heap that actors may fill. */
const actorBytes = 80_000
const heapShare = 0.5
export const mostActors = Math.floor(getHeapStatistics().heap_size_limit * heapShare / actorBytes)

/** The actors that are in this node's memory. */
export class LocalActors extends Context.Service<LocalActors, {
  readonly programs: Residents.Residents<ProgramActor>
  readonly webhooks: Residents.Residents<WebhookActor>
  readonly accounts: Residents.Residents<AccountActor>
  readonly consumers: Residents.Residents<ConsumerActor>
  /** The consumers' ways to be hinted at, which do not keep them awake. */
  readonly consumerHints: Map<string, Hinted>
  readonly hintsUnderWay: HintsUnderWay
}>()("@headwater/engine/LocalActors") {
  static readonly layer = Layer.effect(
    LocalActors,
    Effect.gen(function*() {
      const population: Residents.Population = { size: 0, most: mostActors }
      return LocalActors.of({
        programs: yield* Residents.make<ProgramActor>(population),
        webhooks: yield* Residents.make<WebhookActor>(population),
        accounts: yield* Residents.make<AccountActor>(population),
        consumers: yield* Residents.make<ConsumerActor>(population),
        consumerHints: new Map(),
        hintsUnderWay: new HintsUnderWay(yield* Clock.Clock)
      })
    })
  )
}

/** The actor of an id, if it is awake on this node. */
export const hintedOf = (local: LocalActors["Service"], actorId: string): Hinted | undefined => {
  switch (Id.kindOf(actorId)) {
    case "source":
    case "workflow":
      return local.programs.find(actorId)
    case "webhook":
      return local.webhooks.find(actorId)
    case "account":
      return local.accounts.find(actorId)
    case "consumer":
      return local.consumerHints.get(actorId)
    default:
      return undefined
  }
}
