import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { accessibleCopy, accessibleExecutable, isRoot, postgresIdentity, sandboxIdentity } from "./Unprivileged.ts"

const temporaryDirectory = Effect.acquireRelease(
  Effect.sync(() => Fs.mkdtempSync(Path.join(Os.tmpdir(), "headwater-test-"))),
  (path) => Effect.sync(() => Fs.rmSync(path, { recursive: true, force: true }))
)

/** A directory others can enter, with one program below a directory that only root can enter. */
const fixture = Effect.gen(function*() {
  const root = yield* temporaryDirectory
  Fs.chmodSync(root, 0o755)
  const tree = Path.join(root, "closed", "tree")
  Fs.mkdirSync(Path.join(tree, "bin"), { recursive: true })
  Fs.mkdirSync(Path.join(tree, "lib"))
  Fs.writeFileSync(Path.join(tree, "bin", "greet"), "#!/bin/sh\ncat \"$(dirname \"$0\")/../lib/greeting\"\n")
  Fs.chmodSync(Path.join(tree, "bin", "greet"), 0o755)
  Fs.writeFileSync(Path.join(tree, "lib", "greeting.1"), "hello\n")
  Fs.symlinkSync("greeting.1", Path.join(tree, "lib", "greeting"))
  Fs.chmodSync(Path.join(root, "closed"), 0o700)
  return { root, tree, place: Path.join(root, "copies") }
})

const runAsSandbox = (program: string) =>
  execFileSync(program, [], { encoding: "utf8", cwd: "/", stdio: ["ignore", "pipe", "pipe"], ...sandboxIdentity() })

describe.runIf(isRoot())("Unprivileged", () => {
  it("runs Postgres and component code as two different users, neither of them root", () => {
    const uids = new Set([0, postgresIdentity()?.uid, sandboxIdentity()?.uid])
    assert.strictEqual(uids.size, 3)
  })

  it.live("makes a tree executable that lies below a directory only root can enter", () =>
    Effect.gen(function*() {
      const { tree, place } = yield* fixture
      assert.throws(() => runAsSandbox(Path.join(tree, "bin", "greet")))
      const copy = yield* accessibleCopy(tree, [place])
      assert.strictEqual(runAsSandbox(Path.join(copy, "bin", "greet")), "hello\n")
    }))

  it.live("uses an executable where it lies when everybody can reach it", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* accessibleExecutable("/bin/sh"), Fs.realpathSync("/bin/sh"))
    }))

  it.live("copies what a strict umask closed to others, leaving the original as it is", () =>
    Effect.gen(function*() {
      const { tree, place } = yield* fixture
      for (const file of ["bin", "lib", "bin/greet"]) Fs.chmodSync(Path.join(tree, file), 0o700)
      Fs.chmodSync(Path.join(tree, "lib", "greeting.1"), 0o600)
      const copy = yield* accessibleCopy(tree, [place])
      assert.strictEqual(runAsSandbox(Path.join(copy, "bin", "greet")), "hello\n")
      assert.strictEqual(Fs.statSync(Path.join(tree, "lib", "greeting.1")).mode & 0o777, 0o600)
    }))

  it.live("copies once per content, and again what is damaged or open to writes", () =>
    Effect.gen(function*() {
      const { tree, place } = yield* fixture
      const first = yield* accessibleCopy(tree, [place])
      const made = Fs.statSync(first).ino
      assert.strictEqual(yield* accessibleCopy(tree, [place]), first)
      assert.strictEqual(Fs.statSync(first).ino, made)

      Fs.rmSync(Path.join(first, "lib", "greeting.1"))
      assert.strictEqual(yield* accessibleCopy(tree, [place]), first)
      assert.strictEqual(runAsSandbox(Path.join(first, "bin", "greet")), "hello\n")

      Fs.chmodSync(Path.join(first, "bin"), 0o777)
      yield* accessibleCopy(tree, [place])
      assert.strictEqual(Fs.statSync(Path.join(first, "bin")).mode & 0o022, 0)

      Fs.appendFileSync(Path.join(tree, "lib", "greeting.1"), "world\n")
      const second = yield* accessibleCopy(tree, [place])
      assert.notStrictEqual(second, first)
      assert.strictEqual(runAsSandbox(Path.join(second, "bin", "greet")), "hello\nworld\n")
    }))

  it.live("does not trust a place that somebody else prepared", () =>
    Effect.gen(function*() {
      const { root, tree, place } = yield* fixture
      const owned = Path.join(root, "owned")
      Fs.mkdirSync(owned, { mode: 0o755 })
      Fs.chownSync(owned, 65524, 65524)
      const writable = Path.join(root, "writable")
      Fs.mkdirSync(writable)
      Fs.chmodSync(writable, 0o777)
      const link = Path.join(root, "link")
      Fs.symlinkSync(owned, link)
      const replaceable = Path.join(writable, "replaceable")
      const hostile = [owned, writable, link, replaceable]

      const error = yield* Effect.flip(accessibleCopy(tree, hostile))
      assert.strictEqual(error._tag, "ExecutableInaccessible")
      for (const refused of hostile) assert.include(error.message, `${refused}: `)
      assert.deepStrictEqual(Fs.readdirSync(owned), [])

      const copy = yield* accessibleCopy(tree, [...hostile, place])
      assert.isTrue(copy.startsWith(place))
    }))
})
