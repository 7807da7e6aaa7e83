import { assert, layer } from "@effect/vitest"
import { StoredFiles } from "@headwater/log/resources/StoredFiles"
import { Effect, Option } from "effect"
import * as EngineFixture from "../../test/EngineFixture.ts"
import { onRequest, stream } from "../../test/ProgramFixture.ts"
import { launch, runsOf, send, steps } from "../../test/WorkflowFixture.ts"
import { EngineLimits } from "../ground/EngineLimits.ts"

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
        assert.strictEqual(yield* files.bytesOf(program.accountId), 3)
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
        assert.strictEqual(yield* files.bytesOf(mine.program.accountId), 1_000)
      }).pipe(
        Effect.provideService(EngineLimits, { ...EngineLimits.defaultValue(), filesOfAccount: 1_500 }),
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
