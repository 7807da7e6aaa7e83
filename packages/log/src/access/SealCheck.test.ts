import { assert, describe, it } from "@effect/vitest"
import { Seal } from "@headwater/domain/Seal"
import * as TestDatabase from "@headwater/fixtures/TestDatabase"
import { Context, Effect, Layer, Redacted } from "effect"
import { SealCheck } from "./SealCheck.ts"

const sealUnder = (byte: number) => Seal.layer(Redacted.make(new Uint8Array(32).fill(byte)))

const checkUnder = (byte: number) =>
  Effect.map(Layer.build(Layer.fresh(SealCheck.layer).pipe(Layer.provide(sealUnder(byte)))), Context.get(SealCheck))

describe("SealCheck", () => {
  it.effect("opens under the secret that was there first, and under no other", () =>
    Effect.gen(function*() {
      const ours = yield* checkUnder(7)
      const other = yield* checkUnder(8)
      yield* other.verify
      yield* ours.keep
      yield* ours.verify
      for (const asked of [other.verify, other.keep]) assert.strictEqual((yield* Effect.flip(asked))._tag, "SealBroken")
    }).pipe(Effect.provide(TestDatabase.layer)))
})
