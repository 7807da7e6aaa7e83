import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import { Effect, Option, Redacted } from "effect"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import * as SealedFile from "./SealedFile.ts"

const passphrase = Redacted.make("correct horse battery")

/** It takes no time to open, as one at the usual cost is made to. */
const sealed = SealedFile.sealJson(passphrase, { apn_1: { token: "t0k" } }, { logN: 4, r: 8, p: 1 })

const sealedIn = Effect.fnUntraced(function*(change: (bytes: Buffer) => void) {
  const file = Path.join(yield* TemporaryDirectory.make("sealed"), "accounts.sealed")
  const bytes = Buffer.from(yield* sealed)
  change(bytes)
  yield* Effect.promise(() => Fs.writeFile(file, bytes))
  return file
})

const refusal = (file: string, by = passphrase) =>
  Effect.map(Effect.flip(SealedFile.read(file, by)), ({ message }) => message.replace(file, "FILE"))

describe("a sealed file", () => {
  it.effect("is opened by its passphrase alone, and shows nothing without it", () =>
    Effect.gen(function*() {
      const file = yield* sealedIn(() => {})
      assert.notInclude((yield* Effect.promise(() => Fs.readFile(file))).toString("latin1"), "t0k")
      assert.deepStrictEqual(yield* SealedFile.read(file, passphrase), Option.some({ apn_1: { token: "t0k" } }))
      assert.strictEqual(
        yield* refusal(file, Redacted.make("correct horse batter")),
        "FILE is not opened by this passphrase, or is damaged"
      )
      assert.deepStrictEqual(yield* SealedFile.read(`${file}.not`, passphrase), Option.none())
    }).pipe(Effect.provide(NodeServices.layer)))

  it.effect("is another one each time, of the same content", () =>
    Effect.gen(function*() {
      const [one, other] = yield* Effect.all([
        SealedFile.sealJson(passphrase, 1),
        SealedFile.sealJson(passphrase, 1)
      ])
      assert.notDeepEqual(one.subarray(10), other.subarray(10))
      assert.deepStrictEqual([...one.subarray(7, 10)], [17, 8, 1], "the usual cost")
    }))

  it.effect("is refused where it was changed, also in its header", () =>
    Effect.gen(function*() {
      for (const at of [10, 30, 40]) {
        const file = yield* sealedIn((bytes) => bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at))
        assert.match(yield* refusal(file), /is damaged/)
      }
      const versioned = yield* sealedIn((bytes) => bytes.writeUInt8(2, 6))
      assert.match(yield* refusal(versioned), /was sealed in version 2/)
      const dear = yield* sealedIn((bytes) => bytes.writeUInt8(40, 7))
      assert.strictEqual(yield* refusal(dear), "FILE is no sealed file")
      const none = yield* sealedIn((bytes) => bytes.fill(0, 0, 6))
      assert.strictEqual(yield* refusal(none), "FILE is no sealed file")
    }).pipe(Effect.provide(NodeServices.layer)))
})
