import { firstParty, type FirstPartyComponent } from "@headwater/components/FirstParty"
import * as RealTime from "@headwater/domain/RealTime"
import { version } from "@headwater/domain/Version"
import { Nodes } from "@headwater/log/database/Nodes"
import { Context, Effect, Fiber, Layer } from "effect"
import { ComponentSaving } from "./ComponentSaving.ts"

const byNumber = new Intl.Collator("en", { numeric: true })

/**
 * Brings the server's own components into the registry, beside the start: what is new has to be loaded first. While a node of
 * a newer version is there, the registry keeps what that one has brought.
 */
export class FirstPartyPublishing extends Context.Service<FirstPartyPublishing, {
  /** Ends when they are in the registry, or the log says why one is not. */
  readonly done: Effect.Effect<void>
}>()("@headwater/server/FirstPartyPublishing") {
  /** Of a server without work, which brings nothing. */
  static readonly layerNone = Layer.succeed(this, { done: Effect.void })

  static readonly layer = Layer.effect(
    FirstPartyPublishing,
    Effect.gen(function*() {
      const nodes = yield* Nodes
      const saving = yield* ComponentSaving
      const newerVersion = Effect.map(
        Effect.flatMap(RealTime.currentTimeMillis, nodes.present),
        (present) => present.map((node) => node.version).find((other) => byNumber.compare(other, version) > 0)
      )
      const publish = ({ code, key }: FirstPartyComponent) =>
        saving.publish(key, code).pipe(
          Effect.catchCause((cause) => Effect.logError(`Could not publish the component ${key}`, cause))
        )
      const publishing = yield* newerVersion.pipe(
        Effect.flatMap((newer) =>
          newer === undefined
            ? Effect.flatMap(firstParty, Effect.forEach(publish, { discard: true }))
            : Effect.logInfo(`The registry keeps the components of version ${newer}, which a node has that is there`)
        ),
        Effect.catchCause((cause) => Effect.logError("Could not publish the server's own components", cause)),
        Effect.forkScoped
      )
      return { done: Effect.asVoid(Fiber.await(publishing)) }
    })
  )
}
