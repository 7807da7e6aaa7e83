import { assert, it } from "@effect/vitest"
import * as Id from "@headwater/domain/Id"
import { Deferred, Effect, Fiber } from "effect"
import type { ProgramMemory } from "./ProgramMemory.ts"
import { Stepping } from "./Stepping.ts"
import type { StepRuns } from "./StepRuns.ts"

type Long = Parameters<StepRuns["runTogether"]>[2]

it.effect("a run that takes long is not begun among others while it is being cancelled", () =>
  Effect.gen(function*() {
    const asked = yield* Deferred.make<Long>()
    const runTogether = (_: unknown, __: unknown, long: Long) =>
      Effect.andThen(Deferred.succeed(asked, long), Effect.never)
    const stepping = yield* Stepping.make({
      steps: { runTogether } as unknown as StepRuns,
      requests: undefined as never,
      mayGoOn: () => true,
      oneOfMany: (step) => step,
      onUnavailable: () => Effect.void,
      onDefect: () => Effect.void,
      onEnd: () => {}
    })
    yield* stepping.startTogether({} as ProgramMemory, [], () => Effect.void)
    const { mayBegin } = yield* Deferred.await(asked)
    const id = Id.RunId.make(Id.of("run", 1, new Uint8Array(Id.randomLength)))
    const other = Id.RunId.make(Id.of("run", 2, new Uint8Array(Id.randomLength)))
    const sought = yield* Deferred.make<void>()
    const found = yield* Deferred.make<Id.RunId>()
    assert.isTrue(mayBegin(id))
    const cancelling = yield* Effect.forkChild(
      stepping.without(
        id,
        Effect.as(Effect.andThen(Deferred.succeed(sought, undefined), Deferred.await(found)), "unknown" as const)
      )
    )
    yield* Deferred.await(sought)
    assert.deepStrictEqual([mayBegin(id), mayBegin(other)], [false, true])
    yield* Deferred.succeed(found, id)
    yield* Fiber.join(cancelling)
    assert.isTrue(mayBegin(id))
  }))
