import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { Seal } from "./Seal.ts"

const secretKey = (byte: number) => Redacted.make(new Uint8Array(32).fill(byte))

describe("Seal", () => {
  it.effect("opens what it sealed, and seals the same secret differently each time", () =>
    Effect.gen(function*() {
      const seal = yield* Seal
      const secret = Redacted.make("hw_öäü")
      const first = yield* seal.seal("keys/1", secret)
      const second = yield* seal.seal("keys/1", secret)
      assert.notDeepEqual(first, second)
      assert.strictEqual(Redacted.value(yield* seal.open("keys/1", first)), "hw_öäü")
    }).pipe(Effect.provide(Seal.layer(secretKey(1)))))

  it.effect("does not open it elsewhere, changed, cut off, or under another server secret", () =>
    Effect.gen(function*() {
      const seal = yield* Seal
      const sealed = yield* seal.seal("keys/1", Redacted.make("secret"))
      const changed = sealed.slice()
      changed[changed.length - 1]! ^= 1
      assert.strictEqual((yield* Effect.flip(seal.open("keys/2", sealed)))._tag, "SealBroken")
      assert.strictEqual((yield* Effect.flip(seal.open("keys/1", changed)))._tag, "SealBroken")
      assert.strictEqual((yield* Effect.flip(seal.open("keys/1", sealed.slice(0, 8))))._tag, "SealBroken")
      const other = yield* Seal.pipe(Effect.provide(Seal.layer(secretKey(2)), { local: true }))
      assert.strictEqual((yield* Effect.flip(other.open("keys/1", sealed)))._tag, "SealBroken")
    }).pipe(Effect.provide(Seal.layer(secretKey(1)))))

  it.effect("refuses a server secret of another length", () =>
    Effect.gen(function*() {
      const short = Redacted.make(new Uint8Array(31))
      const error = yield* Effect.flip(Layer.build(Seal.layer(short)))
      assert.strictEqual(error._tag, "InvalidSecretKey")
    }).pipe(Effect.scoped))
})
