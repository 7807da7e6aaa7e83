import { firstParty, type FirstPartyComponent } from "@headwater/components/FirstParty"
import { Context, Effect, Fiber, Layer } from "effect"
import { ComponentSaving } from "./http/ComponentSaving.ts"

/** Brings the server's own components into the registry, beside the start: what is new has to be loaded first. */
export class FirstPartyPublishing extends Context.Service<FirstPartyPublishing, {
  /** Ends when they are in the registry, or the log says why one is not. */
  readonly done: Effect.Effect<void>
}>()("@headwater/server/FirstPartyPublishing") {
  static readonly layer = Layer.effect(
    FirstPartyPublishing,
    Effect.gen(function*() {
      const saving = yield* ComponentSaving
      const publish = ({ code, key }: FirstPartyComponent) =>
        saving.publish(key, code).pipe(
          Effect.catchCause((cause) => Effect.logError(`Could not publish the component ${key}`, cause))
        )
      const publishing = yield* firstParty.pipe(
        Effect.flatMap(Effect.forEach(publish, { discard: true })),
        Effect.catchCause((cause) => Effect.logError("Could not build the server's own components", cause)),
        Effect.forkScoped
      )
      return { done: Effect.asVoid(Fiber.await(publishing)) }
    })
  )
}
