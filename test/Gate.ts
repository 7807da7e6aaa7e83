import * as WebhookSink from "@headwater/fixtures/WebhookSink"
import { Effect, Schedule, type Scope } from "effect"

/** At which the runs of a source wait, so that what they have not done yet does not hang on how fast a machine is. */
export interface Gate {
  /** Code that emits the `order` of each request once the gate is open. */
  readonly emitter: string
  /** Waits until a run has come to it. */
  readonly reached: Effect.Effect<void>
  readonly open: Effect.Effect<void>
}

export const make: Effect.Effect<Gate, never, Scope.Scope> = Effect.gen(function*() {
  let isOpen = false
  const sink = yield* WebhookSink.make(() => ({ status: isOpen ? 200 : 503 }))
  return {
    emitter: `export default {
      props: { http: "$.interface.http" },
      async run(event) {
        while (!(await fetch("${sink.url}")).ok) await new Promise((resolve) => setTimeout(resolve, 100))
        this.$emit(event.body.order)
      }
    }`,
    reached: Effect.sync(() => sink.received.length).pipe(
      Effect.repeat({ until: (count) => count > 0, schedule: Schedule.spaced("20 millis") }),
      Effect.asVoid
    ),
    open: Effect.sync(() => {
      isOpen = true
    })
  }
})
