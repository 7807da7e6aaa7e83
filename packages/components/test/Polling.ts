/** First-party components with a timer, in the real engine and sandbox, on a clock that the test moves. */
import type { Account } from "@headwater/domain/Account"
import * as ConfiguredProps from "@headwater/domain/ConfiguredProps"
import * as Stream from "@headwater/domain/Stream"
import * as Wake from "@headwater/engine/testing/Wake"
import { hashOf } from "@headwater/fixtures/RealSandbox"
import { EventLog } from "@headwater/log/logs/EventLog"
import { ProgramState } from "@headwater/log/logs/ProgramState"
import { DueWork } from "@headwater/log/work/DueWork"
import { Sandbox } from "@headwater/sandbox/Sandbox"
import { Context, Effect, Layer, Result } from "effect"
import { TestClock } from "effect/testing"
import * as EngineFixture from "../../engine/test/EngineFixture.ts"
import * as ProgramFixture from "../../engine/test/ProgramFixture.ts"
import { codeOf } from "./ComponentCode.ts"

export const { onTestClock } = EngineFixture

/** The account that the sources of a file belong to, so that one process runs them all. */
class Owner extends Context.Service<Owner, Account>()("headwater/components/test/Owner") {
  static readonly layer = Layer.effect(Owner, EngineFixture.account)
}

export const layer = Layer.provideMerge(Owner.layer, EngineFixture.layer)
export const layerNoSandbox = Layer.provideMerge(Owner.layer, EngineFixture.layerNoSandbox)

const valuesOf = Effect.fnUntraced(function*(name: string, given: Record<string, unknown>) {
  const code = yield* codeOf(name)
  const sandbox = yield* Sandbox
  const { id: accountId } = yield* Owner
  const { props } = yield* sandbox.inspect({ accountId, isOwn: true, module: { code, hash: hashOf(code) } })
  const resolved = ConfiguredProps.resolve(props, undefined, given)
  if (Result.isFailure(resolved)) return yield* Effect.die(new Error(JSON.stringify(resolved.failure)))
  return { code, props: resolved.success.props, timers: resolved.success.timers }
})

/**
 * A source of a component, not deployed yet.
 *
 * @param left what `$.service.db` holds, as an earlier version of the component left it
 */
export const source = Effect.fnUntraced(function*(
  name: string,
  given: Record<string, unknown>,
  left: Record<string, unknown> = {}
) {
  const { code, ...values } = yield* valuesOf(name, given)
  const account = yield* Owner
  const source = yield* EngineFixture.program(account.id, code, { state: "creating", ...values })
  yield* (yield* ProgramState).write(
    Object.entries(left).map(([key, value]) => ({ programId: source.id, key, value: JSON.stringify(value) }))
  )
  const actor = yield* ProgramFixture.actorOf(source)
  const log = yield* EventLog
  const dueWork = yield* DueWork
  const seen = new Map<string, number>()

  /** What came into a stream since this was asked last, oldest first. */
  const added = Effect.fnUntraced(function*(stream: string) {
    const events = yield* log.latest({ emitterId: source.id, stream, limit: 10_000 })
    const before = seen.get(stream) ?? 0
    seen.set(stream, events.length)
    return events.toReversed().slice(before).map(({ meta, payload }) => ({ event: JSON.parse(payload), meta }))
  })

  const outcome = Effect.gen(function*() {
    return {
      emitted: yield* added(Stream.defaultStream),
      errors: (yield* added(Stream.errors)).map(({ event }): string => event.error.message),
      logged: (yield* added(Stream.logs)).map(({ event }): string => event.message)
    }
  })

  return {
    /** Makes the source and says what its hooks did. */
    deploy: Effect.andThen(actor.deploy(), outcome),
    /** Gives it other props, as a client does. */
    change: Effect.fnUntraced(function*(more: Record<string, unknown>) {
      const { props, timers } = yield* valuesOf(name, { ...given, ...more })
      yield* actor.update({ ...source, state: "ready", props, timers })
      return yield* outcome
    }),
    /** Lets its timer come due and says what the run did. */
    tick: Effect.gen(function*() {
      const [timer] = yield* dueWork.allOf(source.id, "timer")
      yield* TestClock.setTime(timer!.dueAt)
      yield* actor.wake(Wake.forDueWork)
      return yield* outcome
    }),
    /** What `$.service.db` holds. */
    store: Effect.flatMap(ProgramState, (state) => state.load(source.id))
  }
})
