import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { DataDirectory, isThere } from "./DataDirectory.ts"

const temporaryDirectory = Effect.acquireRelease(
  Effect.sync(() => Fs.mkdtempSync(Path.join(Os.tmpdir(), "headwater-test-"))),
  (path) => Effect.sync(() => Fs.rmSync(path, { recursive: true, force: true }))
)

const secretOf = (directory: string, name: string) =>
  Effect.flatMap(DataDirectory, (data) => data.secret(name)).pipe(
    Effect.map(Redacted.value),
    Effect.provide(DataDirectory.layer(directory))
  )

describe("DataDirectory", () => {
  it.effect("creates itself for its owner alone", () =>
    Effect.gen(function*() {
      const path = Path.join(yield* temporaryDirectory, "deep", "data")
      yield* Effect.provide(Effect.service(DataDirectory), DataDirectory.layer(path))
      assert.strictEqual(Fs.statSync(path).mode & 0o777, 0o700)
    }))

  it.effect("generates a secret of 32 bytes once and keeps it, also when many ask at the same time", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const secrets = yield* Effect.all(Array.from({ length: 20 }, () => secretOf(directory, "secret-key")), {
        concurrency: "unbounded"
      })
      assert.strictEqual(new Set(secrets).size, 1)
      assert.strictEqual(Buffer.from(secrets[0] ?? "", "base64").length, 32)
      assert.notStrictEqual(yield* secretOf(directory, "another"), secrets[0])
      assert.strictEqual(Fs.statSync(Path.join(directory, "secret-key")).mode & 0o777, 0o600)
      assert.deepStrictEqual(Fs.readdirSync(directory).sort(), ["another", "secret-key"])
    }))

  it.effect("is free again when its lock's scope closes", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const locked = Effect.scoped(
        Effect.gen(function*() {
          yield* (yield* DataDirectory).lock
          const second = Effect.scoped(Effect.flatMap(DataDirectory, (data) => data.lock))
          assert.strictEqual((yield* Effect.flip(second))._tag, "DataDirectoryInUse")
        })
      ).pipe(Effect.provide(DataDirectory.layer(directory)))
      yield* locked
      yield* locked
    }))

  it.effect("that its user may not read is called that, and not missing", () =>
    Effect.gen(function*() {
      const directory = Path.join(yield* temporaryDirectory, "data")
      Fs.mkdirSync(directory, { mode: 0o000 })
      const asAnyone = <A, E>(effect: Effect.Effect<A, E>) =>
        Effect.acquireUseRelease(
          Effect.sync(() => {
            const user = process.geteuid!()
            // Root may read everything.
            if (user === 0) process.seteuid!(65_534)
            return user
          }),
          () => effect,
          (user) => Effect.sync(() => process.seteuid!(user))
        )
      const refused = yield* asAnyone(Effect.flip(isThere(directory)))
      assert.match(refused.message, /is not readable for this user \(uid \d+\)/)
      const opened = Effect.provide(Effect.service(DataDirectory), DataDirectory.layer(directory))
      assert.match((yield* asAnyone(Effect.flip(opened))).message, /is not readable for this user/)
      assert.isFalse(yield* isThere(Path.join(directory, "none")))
    }))
})
