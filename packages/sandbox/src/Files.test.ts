import { assert, layer } from "@effect/vitest"
import { entryBytes } from "@headwater/domain/RunFile"
import { componentOf, realSandbox, runCode } from "@headwater/fixtures/RealSandbox"
import { Effect } from "effect"

const emitted = (result: { readonly emits: ReadonlyArray<{ readonly payload: string }> }) =>
  result.emits.map(({ payload }) => JSON.parse(payload) as unknown)

layer(realSandbox({ limits: { fileBytes: 1024 * 1024 }, pool: { warmProcesses: 1 } }), {
  excludeTestServices: true,
  timeout: "60 seconds"
})("The files of a run", (it) => {
  it.effect("are written and read by every kind of function", () =>
    Effect.gen(function*() {
      const result = yield* runCode(
        `
        import fs, { createReadStream, mkdtempSync, promises, readFileSync, writeFileSync } from "node:fs"
        import * as all from "node:fs"
        import { readFile } from "node:fs/promises"
        import fsp from "node:fs/promises"
        import os from "node:os"
        import path from "node:path"
        import { pipeline } from "node:stream/promises"
        import { Readable } from "node:stream"
        import { promisify } from "node:util"
        export default {
          async run() {
            writeFileSync("/tmp/a", "sync")
            await promises.appendFile("/tmp/a", " promised")
            await new Promise((resolve, reject) => fs.appendFile("/tmp/a", " called", (error) => error ? reject(error) : resolve()))
            await promisify(fs.appendFile)("/tmp/a", " promisified")
            this.$emit([readFileSync("/tmp/a", "utf8"), await readFile("/tmp/a", "utf8"), all.readFileSync("/tmp/a").length])
            const directory = mkdtempSync(path.join(os.tmpdir(), "x-"))
            await fsp.mkdir(path.join(directory, "deep/er"), { recursive: true })
            await pipeline(Readable.from(["one ", "two"]), fs.createWriteStream(path.join(directory, "deep/er/file"), { encoding: "utf8" }))
            const chunks = []
            for await (const chunk of createReadStream(path.join(directory, "deep/er/file"), { start: 4 })) chunks.push(chunk.toString())
            this.$emit([chunks, fs.readdirSync(directory, { recursive: true }), fs.statSync(directory).isDirectory(), fs.existsSync("/tmp/none")])
            const handle = await promises.open("/tmp/b", "w+")
            await handle.write("handled")
            await handle.close()
            fs.symlinkSync("/tmp/b", "/tmp/link")
            fs.renameSync("/tmp/b", "/tmp/c"); fs.copyFileSync("/tmp/c", "/tmp/b"); fs.unlinkSync("/tmp/c")
            this.$emit([fs.readFileSync("/tmp/link", "utf8"), fs.realpathSync("/tmp/link"), await promisify(fs.exists)("/tmp/c")])
            const { bytesRead, buffer } = await promisify(fs.read)(fs.openSync("/tmp/b"), Buffer.alloc(4), 0, 4, 2)
            this.$emit([bytesRead, buffer.toString()])
            fs.rmSync(directory, { recursive: true })
            this.$emit([fs.readdirSync("/tmp"), process.env.STASH_DIR])
            class Mine extends fs.ReadStream {}
            this.$emit([new Mine("/tmp/b") instanceof fs.ReadStream, fs.createReadStream("/tmp/b") instanceof fs.ReadStream])
          }
        }`
      )
      assert.strictEqual(result.outcome, "success", JSON.stringify(result.error))
      const whole = "sync promised called promisified"
      assert.deepStrictEqual(emitted(result), [
        [whole, whole, whole.length],
        [["two"], ["deep", "deep/er", "deep/er/file"], true, false],
        ["handled", "/tmp/b", false],
        [4, "ndle"],
        [["a", "b", "link"], "/tmp"],
        [true, true]
      ])
    }))

  it.effect("are at /tmp alone, and take so much space and no more", () =>
    Effect.gen(function*() {
      const result = yield* runCode(componentOf(`
        const fs = await import("node:fs")
        const { pipeline } = await import("node:stream/promises")
        const codes = []
        fs.writeFileSync("/tmp/a", "1")
        const codeOf = async (body) => { try { return [await body()] } catch ({ code, message }) { return message.startsWith(code + ": ") ? code : message } }
        for (const body of [
          () => fs.writeFileSync("/etc/x", "1"), () => fs.promises.mkdir("/data"), () => fs.mkdirSync("/data/a/b", { recursive: true }),
          () => fs.readFileSync("/etc/hostname"), () => fs.promises.readdir("/"), () => fs.renameSync("/tmp", "/x"), () => fs.linkSync("/tmp/a", "/x"),
          () => fs.rmSync("/tmp", { recursive: true }), () => { fs.chmodSync("/", 0o777); fs.writeFileSync("/x", "1") },
          () => fs.readFileSync("/tmp/none"), () => fs.writeFileSync("/tmp/a", Buffer.alloc(2_000_000)), () => fs.truncateSync("/tmp/a", 2_000_000),
          () => pipeline((function*() { for (;;) yield Buffer.alloc(65_536) })(), fs.createWriteStream("/tmp/stream")),
          () => { for (let i = 0; i < 10_000; i++) fs.writeFileSync("/tmp/stream" + i, "") }
        ]) codes.push(await codeOf(body))
        this.$emit(codes)
        for (const name of fs.readdirSync("/tmp")) fs.rmSync("/tmp/" + name)
        fs.writeFileSync("/tmp/a", Buffer.alloc(1_000_000))
        this.$emit(fs.statSync("/tmp/a").size)
      `))
      assert.strictEqual(result.outcome, "success", JSON.stringify(result.error))
      const [denied, none, full] = ["EACCES", "ENOENT", "ENOSPC"]
      assert.deepStrictEqual(emitted(result), [
        [...Array.from({ length: 9 }, () => denied), none, full, full, full, full],
        1_000_000
      ])
    }))

  it.effect("have the space that is left beside their folder", () =>
    Effect.gen(function*() {
      const most = 1024 * 1024 - 2 * entryBytes
      for (const [size, expected] of [[most, "written"], [most + 1, "ENOSPC"]]) {
        const result = yield* runCode(componentOf(`
          const fs = await import("node:fs")
          const write = () => { try { fs.writeFileSync("/tmp/a", Buffer.alloc(${size})); return "written" } catch ({ code }) { return code } }
          this.$emit([write()])
        `))
        assert.deepStrictEqual(emitted(result), [[expected]])
      }
    }))

  it.effect("are its own, also where runs share a process and a connection", () =>
    Effect.gen(function*() {
      const code = `
        import fs from "node:fs"
        import { EventEmitter } from "node:events"
        import { setTimeout as pause } from "node:timers/promises"
        const shared = globalThis.shared ??= new EventEmitter()
        const waiting = globalThis.waiting ??= []
        export default {
          async run(event) {
            fs.writeFileSync("/tmp/" + event, String(event))
            const stream = fs.createWriteStream("/tmp/mine")
            // What another run tells is written in the name of the one whose stream it is.
            shared.on("told", (text) => stream.write(event + " heard " + text + "\\n"))
            waiting.push(event)
            for (let i = 0; i < 200 && waiting.length < 3; i++) await pause(10)
            shared.emit("told", event)
            await pause(100)
            await new Promise((resolve) => stream.end(resolve))
            const lines = fs.readFileSync("/tmp/mine", "utf8").trim().split("\\n")
            this.$emit([fs.readdirSync("/tmp"), lines.length, lines.every((line) => line.startsWith(event + " heard "))])
          }
        }`
      const results = yield* Effect.forEach([1, 2, 3], (event) => runCode(code, { accountId: "u_own", event }), {
        concurrency: 3
      })
      for (const [index, result] of results.entries()) {
        assert.strictEqual(result.outcome, "success", JSON.stringify(result.error))
        assert.deepStrictEqual(emitted(result), [[[String(index + 1), "mine"], 3, true]])
      }
      const after = yield* runCode(
        `import fs from "node:fs"
        export default { run() { this.$emit([fs.readdirSync("/tmp"), globalThis.waiting.length]) } }`,
        { accountId: "u_own" }
      )
      assert.deepStrictEqual(emitted(after), [[[], 3]])
    }))

  it.effect("belong to a run: the top of a module and what is left of a run that has ended have none", () =>
    Effect.gen(function*() {
      const code = `
        import fs from "node:fs"
        let written
        try { fs.writeFileSync("/tmp/top", "1"); written = true } catch ({ code }) { written = code }
        export default {
          async run(event) {
            if (event === "leave") {
              fs.writeFileSync("/tmp/left", "1")
              globalThis.late = []
              setTimeout(() => { try { globalThis.late.push(fs.existsSync("/tmp/left")); fs.writeFileSync("/tmp/late", "1") } catch ({ code }) { globalThis.late.push(code) } }, 20)
              return
            }
            await new Promise((resolve) => setTimeout(resolve, 100))
            this.$emit([written, fs.existsSync("/tmp/top"), fs.readdirSync("/tmp"), globalThis.late])
          }
        }`
      yield* runCode(code, { accountId: "u_late", event: "leave" })
      const next = yield* runCode(code, { accountId: "u_late", event: "look" })
      assert.deepStrictEqual(emitted(next), [[true, false, [], [false, "ENOSPC"]]])
    }))
})
