import { assert, layer } from "@effect/vitest"
import type { AccountId } from "@headwater/domain/Id"
import { partBytes } from "@headwater/domain/RunFile"
import { StoredFiles } from "@headwater/log/resources/StoredFiles"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as EngineFixture from "../../test/EngineFixture.ts"
import { stream } from "../../test/ProgramFixture.ts"
import { launch, runsOf, send, steps } from "../../test/WorkflowFixture.ts"

const write = Effect.fnUntraced(function*(accountId: AccountId, path: string, bytes: Buffer) {
  const files = yield* StoredFiles
  const content = `${path}-${bytes.length}-${accountId}`.replaceAll(/[^\w-]/g, "-")
  for (let at = 0; at < bytes.length; at += partBytes) {
    yield* files.putPart(accountId, { content, place: at / partBytes, bytes: bytes.subarray(at, at + partBytes) })
  }
  yield* files.write(accountId, { path, size: bytes.length, contentType: null, content, sha256: "" })
})

const tools = `const fs = await import("node:fs"); const { attachments } = steps.trigger.context;`

const withTools = (bodies: Record<string, string>) =>
  steps(Object.fromEntries(Object.entries(bodies).map(([name, body]) => [name, tools + body])))

const attachments = { "a.txt": "in/a.txt", "large.bin": "large", none: "in/none" }

layer(EngineFixture.layer, { timeout: "60 seconds", excludeTestServices: true })(
  "files attached to a workflow",
  (it) => {
    it.effect("are read by every step at the paths that the trigger's context has, as they are then", () =>
      Effect.gen(function*() {
        const { actor, program } = yield* launch(
          withTools({
            first: `
          $.emit([attachments, fs.readFileSync(attachments["a.txt"], "utf8"), fs.statSync(attachments["large.bin"]).size, fs.existsSync(attachments.none)])`,
            change: `
          fs.appendFileSync("/tmp/attachments/a.txt", " more")
          fs.renameSync("/tmp/attachments/large.bin", "/tmp/moved")
          fs.writeFileSync("/tmp/attachments/own", "own")`,
            last: `
          const moved = fs.readFileSync("/tmp/moved")
          $.emit([fs.readdirSync("/tmp/attachments").sort(), fs.readFileSync(attachments["a.txt"], "utf8"), moved.length, moved.every((byte) => byte === 120)])`
          }),
          { workflow: { attachments } }
        )
        yield* write(program.accountId, "in/a.txt", Buffer.from("attached"))
        yield* write(program.accountId, "large", Buffer.alloc(partBytes + 7, "x"))
        yield* send(actor, 1)
        assert.deepStrictEqual((yield* runsOf(program))[0]?.steps, ["first success", "change success", "last success"])
        const paths = Object.fromEntries(Object.keys(attachments).map((name) => [name, `/tmp/attachments/${name}`]))
        assert.deepStrictEqual(yield* stream(program), [
          [paths, "attached", partBytes + 7, false],
          [["a.txt", "large.bin", "own"], "attached more", partBytes + 7, true]
        ])
        // What runs have made of them is theirs.
        const files = yield* StoredFiles
        const kept = yield* files.inOrder(program.accountId, { prefix: "", after: "", limit: 10 })
        assert.deepStrictEqual(kept.map(({ path, size }) => [path, size]), [["in/a.txt", 8], ["large", partBytes + 7]])
      }).pipe(EngineFixture.onTestClock))

    it.effect("are what a step has made of them, also with the length and the time of before", () =>
      Effect.gen(function*() {
        const { actor, program } = yield* launch(
          withTools({
            first: `
            const path = attachments["a.txt"]
            const { atime, mtime } = fs.statSync(path)
            fs.writeFileSync(path, "replaced")
            fs.utimesSync(path, atime, mtime)
            fs.chmodSync(attachments["large.bin"], 0o600)
            fs.renameSync(attachments.none, "/tmp/empty")`,
            last: `
            const { mode, size } = fs.statSync(attachments["large.bin"])
            $.emit([fs.readFileSync(attachments["a.txt"], "utf8"), (mode & 0o777).toString(8), size, fs.statSync("/tmp/empty").size])`
          }),
          { workflow: { attachments } }
        )
        yield* write(program.accountId, "in/a.txt", Buffer.from("attached"))
        yield* write(program.accountId, "large", Buffer.alloc(5))
        yield* write(program.accountId, "in/none", Buffer.alloc(0))
        yield* send(actor, 1)
        assert.deepStrictEqual(yield* stream(program), [["replaced", "600", 5, 0]])
      }).pipe(EngineFixture.onTestClock))

    it.effect("are not kept with the run where no step changes them", () =>
      Effect.gen(function*() {
        const { actor, program } = yield* launch(withTools({ first: `$.flow.delay(60_000)`, last: "$.emit(1)" }), {
          workflow: { attachments }
        })
        yield* write(program.accountId, "in/a.txt", Buffer.from("attached"))
        yield* send(actor, 1)
        const [run] = yield* runsOf(program)
        assert.deepStrictEqual(run?.steps, ["first success"])
        const sql = yield* SqlClient.SqlClient
        assert.deepStrictEqual(yield* sql`SELECT path FROM workflow_files WHERE run_id = ${run!.id}`, [])
      }).pipe(EngineFixture.onTestClock))

    it.effect("are another account's never, and no context has them where there are none", () =>
      Effect.gen(function*() {
        const read = `$.emit([attachments ?? null, fs.readdirSync("/tmp")])`
        const other = yield* launch(withTools({ read }))
        yield* write(other.program.accountId, "in/a.txt", Buffer.from("theirs"))
        yield* send(other.actor, 1)
        assert.deepStrictEqual(yield* stream(other.program), [[null, []]])
        const { actor, program } = yield* launch(withTools({ read }), { workflow: { attachments: { a: "in/a.txt" } } })
        yield* send(actor, 1)
        assert.deepStrictEqual(yield* stream(program), [[{ a: "/tmp/attachments/a" }, []]])
      }).pipe(EngineFixture.onTestClock))

    it.effect("fail a step for which they are too much, with the reason", () =>
      Effect.gen(function*() {
        const { actor, program } = yield* launch(withTools({ read: "$.emit(1)" }), {
          workflow: { attachments: { a: "a" } }
        })
        yield* write(program.accountId, "a", Buffer.alloc(65 * 1024 * 1024))
        yield* send(actor, 1)
        const [run] = yield* runsOf(program)
        assert.match(
          run?.error?.message ?? "",
          /ENOSPC: the files of the run and those attached to its workflow take more than/
        )
      }).pipe(EngineFixture.onTestClock))
  }
)
