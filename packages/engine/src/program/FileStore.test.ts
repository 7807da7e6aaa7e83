import { assert, layer } from "@effect/vitest"
import { entryBytes, partBytes } from "@headwater/domain/RunFile"
import { StoredFiles } from "@headwater/log/resources/StoredFiles"
import type { FileStoreQuestion, RunFileStore } from "@headwater/sandbox/SandboxProtocol"
import { Effect, Option } from "effect"
import * as EngineFixture from "../../test/EngineFixture.ts"
import { onRequest, stream } from "../../test/ProgramFixture.ts"
import { launch, runsOf, send, steps } from "../../test/WorkflowFixture.ts"
import { EngineLimits } from "../ground/EngineLimits.ts"
import * as FileStore from "./FileStore.ts"

/** Asks as a run does. Answers the code of the error, or null for none. */
const asking = (store: RunFileStore) => {
  const codeOf = (question: FileStoreQuestion) => Effect.map(store(question), ({ error }) => error?.code ?? null)
  const asked = { run: "run_a", ask: 1 }
  return {
    write: (upload: number, place: number, bytes: Buffer) =>
      codeOf({ _tag: "StoredWrite", ...asked, upload, place, base64: bytes.toString("base64") }),
    finish: (upload: number, path: string, size: number) =>
      codeOf({ _tag: "StoredFinish", ...asked, upload, path, size, contentType: null })
  }
}

layer(EngineFixture.layer, { timeout: "60 seconds", excludeTestServices: true })(
  "the file store of an account",
  (it) => {
    it.effect("is written, listed, read and removed by steps, and by sources through a prop of the type dir", () =>
      Effect.gen(function*() {
        const { actor, program } = yield* launch(steps({
          write: `
          const fs = await import("node:fs")
          fs.writeFileSync("/tmp/large", Buffer.alloc(600_000, "x"))
          await $.files.open("reports/2026/large.txt").fromFile("/tmp/large", "text/plain")
          const { Readable } = await import("node:stream")
          await $.files.open("/reports/small").fromReadableStream(Readable.from(["some ", "text"]))
          return $.files.open("reports/empty").fromReadableStream(Readable.from([]))`,
          read: `
          const fs = await import("node:fs")
          const large = $.files.open("reports/2026/large.txt")
          await large.toFile("/tmp/read")
          const all = []
          for await (const entry of $.files.dir("reports")) all.push([entry.path, entry.isFile(), entry.isDirectory(), entry.size ?? null])
          const roots = []
          for await (const { name } of $.files.dir()) roots.push(name)
          const empty = $.files.openDescriptor(steps.write.$return_value)
          const missing = await $.files.open("none").toBuffer().catch(({ code }) => code)
          $.emit([fs.statSync("/tmp/read").size, (await large.toBuffer()).equals(fs.readFileSync("/tmp/read")), all, roots,
            await $.files.open("reports/small").toEncodedString("utf8", 5), (await empty.toBuffer()).length, missing, await large.toUrl()])`,
          change: `
          const { Readable } = await import("node:stream")
          await $.files.open("reports/small").fromReadableStream(Readable.from(["new"]))
          await $.files.open("reports/2026/large.txt").delete()
          await $.files.open("../out").fromReadableStream(Readable.from(["x"])).catch(({ message }) => $.emit(message))
          throw new Error("what it wrote stays")`
        }))
        yield* send(actor, 1)
        assert.deepStrictEqual((yield* runsOf(program))[0]?.steps, ["write success", "read success", "change error"])
        const [first] = yield* stream(program)
        const { [7]: url, ...read } = first as Record<number, unknown>
        assert.match(String(url), /\/files\/[\w-]+\.\d+\.[\w-]{43}$/)
        assert.deepStrictEqual(Object.values(read), [
          600_000,
          true,
          [
            ["reports/2026", false, true, null],
            ["reports/empty", true, false, 0],
            ["reports/small", true, false, 9]
          ],
          ["reports"],
          "text",
          0,
          "ENOENT"
        ])
        const files = yield* StoredFiles
        const kept = yield* files.inOrder(program.accountId, { prefix: "", after: "", limit: 10 })
        assert.deepStrictEqual(kept.map(({ path, size }) => [path, size]), [["reports/empty", 0], ["reports/small", 3]])
        yield* files.removeStray(Number.MAX_SAFE_INTEGER / 2)
        assert.strictEqual(yield* files.bytesOf(program.accountId), 3 + 2 * entryBytes)
      }).pipe(EngineFixture.onTestClock))

    it.effect("is the account's own, and has a bound", () =>
      Effect.gen(function*() {
        const write = `
        const { Readable } = await import("node:stream")
        const { dir = $.files } = this
        await dir.open("a").fromReadableStream(Readable.from([Buffer.alloc(1_000)]))
        await dir.open("b").fromReadableStream(Readable.from([Buffer.alloc(1_000)]))`
        const mine = yield* launch(steps({ write }))
        yield* send(mine.actor, 1)
        const [run] = yield* runsOf(mine.program)
        assert.match(run!.error!.message, /no room/)
        const other = yield* launch(
          steps({ read: `$.emit(await $.files.open("a").toBuffer().catch(({ code }) => code))` })
        )
        yield* send(other.actor, 1)
        assert.deepStrictEqual(yield* stream(other.program), ["ENOENT"])
        const files = yield* StoredFiles
        assert.isTrue(Option.isSome(yield* files.at(mine.program.accountId, "a")))
        yield* files.removeStray(Number.MAX_SAFE_INTEGER / 2)
        assert.strictEqual(yield* files.bytesOf(mine.program.accountId), 1_000 + entryBytes)
      }).pipe(
        Effect.provideService(EngineLimits, { ...EngineLimits.defaultValue(), filesOfAccount: 2 * entryBytes + 1_500 }),
        EngineFixture.onTestClock
      ))

    it.effect("takes a file anew whose number a process that was lost has used, and no part out of its order", () =>
      Effect.gen(function*() {
        const { id } = yield* EngineFixture.account
        const { finish, write } = asking((yield* FileStore.make)(id))
        const ofParts = [
          yield* write(1, 0, Buffer.alloc(partBytes)),
          yield* write(1, 1, Buffer.from("lost")),
          yield* write(1, 0, Buffer.from("again")),
          yield* write(1, 1, Buffer.from("behind the last")),
          yield* write(2, 1, Buffer.from("not the first")),
          yield* write(2, 0, Buffer.alloc(0)),
          yield* write(2, 0, Buffer.alloc(partBytes + 1))
        ]
        assert.deepStrictEqual(ofParts, [null, null, null, "EINVAL", "EINVAL", "EINVAL", "EINVAL"])
        assert.deepStrictEqual([yield* finish(1, "a", 4), yield* finish(2, "b", 1)], ["EINVAL", "EINVAL"])
        yield* write(3, 0, Buffer.from("lost"))
        yield* write(4, 0, Buffer.from("text"))
        assert.deepStrictEqual([yield* finish(3, "empty", 0), yield* finish(4, "a", 4)], [null, null])
        const files = yield* StoredFiles
        const kept = yield* files.inOrder(id, { prefix: "", after: "", limit: 10 })
        assert.deepStrictEqual(kept.map(({ path, size }) => [path, size]), [["a", 4], ["empty", 0]])
        assert.deepStrictEqual(yield* files.part(id, kept[0]!.content, 0), new Uint8Array(Buffer.from("text")))
      }).pipe(EngineFixture.onTestClock))

    it.effect("has room for so many files at most, also empty ones, and has it again once one is removed", () =>
      Effect.gen(function*() {
        const { id } = yield* EngineFixture.account
        const store = (yield* FileStore.make)(id)
        const { finish, write } = asking(store)
        const inTurn = [
          yield* write(1, 0, Buffer.alloc(100)),
          yield* finish(1, "a", 100),
          yield* finish(2, "empty", 0),
          yield* finish(3, "none", 0),
          yield* write(4, 0, Buffer.alloc(1))
        ]
        assert.deepStrictEqual(inTurn, [null, null, null, "ENOSPC", "ENOSPC"])
        // By somebody else.
        yield* (yield* StoredFiles).remove(id, "a")
        assert.isNull(yield* finish(3, "none", 0))
        assert.strictEqual(yield* finish(3, "more", 0), "ENOSPC")
        yield* store({ _tag: "StoredRemove", run: "run_a", ask: 1, path: "none" })
        assert.isNull(yield* finish(3, "more", 0))
      }).pipe(
        Effect.provideService(EngineLimits, { ...EngineLimits.defaultValue(), filesOfAccount: 2 * entryBytes + 100 }),
        EngineFixture.onTestClock
      ))

    it.effect("is what a prop of the type dir has, which needs no value", () =>
      Effect.gen(function*() {
        const code = onRequest(`
        await this.dir.open("from/source").fromReadableStream(require("node:stream").Readable.from(["x"]))
        this.$emit(await this.dir.open("from/source").toEncodedString())`)
          .replace("props: {", `props: { dir: { type: "dir", accessMode: "write", sync: true },`)
          .replace(`require("node:stream")`, `(await import("node:stream"))`)
        const { actor, program } = yield* launch(code, { workflow: undefined } as never)
        yield* send(actor, 1)
        assert.deepStrictEqual(yield* stream(program), ["x"])
      }).pipe(EngineFixture.onTestClock))
  }
)
