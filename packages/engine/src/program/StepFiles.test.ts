import { assert, layer } from "@effect/vitest"
import { WorkflowFiles } from "@headwater/log/work/WorkflowFiles"
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import * as EngineFixture from "../../test/EngineFixture.ts"
import { actorOf, stream } from "../../test/ProgramFixture.ts"
import { launch, runsOf, send, settle, steps } from "../../test/WorkflowFixture.ts"
import { EngineLimits } from "../ground/EngineLimits.ts"

/** The names of what is in a directory, and what is in a file, in the code of steps. */
const tools = `const fs = await import("node:fs"); const read = (path) => fs.readFileSync(path, "utf8");`

const withTools = (bodies: Record<string, string>) =>
  steps(Object.fromEntries(Object.entries(bodies).map(([name, body]) => [name, tools + body])))

const bytesKept = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ bytes: bigint; files: bigint }>`
    SELECT (SELECT coalesce(sum(size), 0) FROM workflow_file_parts) AS bytes, (SELECT count(*) FROM workflow_files) AS files`
  return { bytes: Number(row!.bytes), files: Number(row!.files) }
})

const nothing = { bytes: 0, files: 0 }

layer(EngineFixture.layer, { timeout: "60 seconds", excludeTestServices: true })(
  "the files of a workflow's run",
  (it) => {
    it.effect("pass from one step to the next, also under another owner, and are gone with the run", () =>
      Effect.gen(function*() {
        const { actor, program } = yield* launch(withTools({
          write: `
          fs.mkdirSync("/tmp/deep/er", { recursive: true })
          fs.writeFileSync("/tmp/deep/er/large", Buffer.alloc(600_000, "x"))
          fs.writeFileSync("/tmp/deep/small", "small", { mode: 0o600 })
          fs.writeFileSync("/tmp/gone", "gone"); fs.writeFileSync("/tmp/empty", "")
          fs.symlinkSync("/tmp/deep/small", "/tmp/link")
          fs.utimesSync("/tmp/deep/small", 1, 2)
          $.flow.delay(60_000)`,
          change: `
          fs.renameSync("/tmp/deep/er", "/tmp/moved"); fs.rmSync("/tmp/gone"); fs.appendFileSync("/tmp/deep/small", " and more")
          $.emit([fs.readdirSync("/tmp", { recursive: true }).sort(), read("/tmp/link"), (fs.statSync("/tmp/deep/small").mode & 0o777).toString(8)])`,
          read: `
          const large = fs.readFileSync("/tmp/moved/large")
          $.emit([large.length, large.every((byte) => byte === 120), read("/tmp/deep/small"), fs.existsSync("/tmp/gone"), fs.statSync("/tmp/empty").size])`
        }))
        yield* send(actor, 1)
        assert.deepStrictEqual((yield* runsOf(program)).map((run) => run.steps), [["write success"]])
        yield* (yield* WorkflowFiles).removeLeft(Number.MAX_SAFE_INTEGER / 2)
        assert.deepStrictEqual(yield* bytesKept, { bytes: 600_009, files: 7 })
        // The owner is lost while the run waits.
        yield* TestClock.adjust("1 minute")
        yield* settle(yield* actorOf(program))
        assert.deepStrictEqual(yield* stream(program), [
          [["deep", "deep/small", "empty", "link", "moved", "moved/large"], "small and more", "600"],
          [600_000, true, "small and more", false, 0]
        ])
        assert.deepStrictEqual((yield* runsOf(program)).map((run) => run.status), ["success"])
        assert.deepStrictEqual(yield* bytesKept, nothing)
      }).pipe(EngineFixture.onTestClock))

    it.effect("have the times that the step before has left, also folders with something in them", () =>
      Effect.gen(function*() {
        const { actor, program } = yield* launch(withTools({
          write: `
          fs.mkdirSync("/tmp/deep/er", { recursive: true })
          fs.writeFileSync("/tmp/deep/er/file", "file")
          for (const [at, path] of ["/tmp/deep/er/file", "/tmp/deep/er", "/tmp/deep"].entries()) fs.utimesSync(path, 1, at + 2)`,
          read: `$.emit(["/tmp/deep", "/tmp/deep/er", "/tmp/deep/er/file"].map((path) => fs.statSync(path).mtimeMs))`
        }))
        yield* send(actor, 1)
        assert.deepStrictEqual(yield* stream(program), [[4_000, 3_000, 2_000]])
      }).pipe(EngineFixture.onTestClock))

    it.effect("are those from before a step that failed, and those that a step leaves that runs again", () =>
      Effect.gen(function*() {
        const { actor, program } = yield* launch(
          withTools({
            first: `fs.writeFileSync("/tmp/a", "first")`,
            second: `
            const seen = read("/tmp/a")
            fs.writeFileSync("/tmp/a", "second")
            if ($.context.run.runs === 1) throw new Error("no")
            $.flow.rerun(1_000, null, 2)
            fs.appendFileSync("/tmp/runs", seen + ";")
            return seen`,
            third: `$.emit([read("/tmp/a"), read("/tmp/runs")])`
          }),
          { workflow: { retryDelays: [1] } }
        )
        yield* send(actor, 1)
        for (let i = 0; i < 4; i++) {
          yield* TestClock.adjust("2 seconds")
          yield* settle(actor)
        }
        assert.deepStrictEqual(yield* stream(program), [["second", "first;second;"]])
        assert.deepStrictEqual(yield* bytesKept, nothing)
      }).pipe(EngineFixture.onTestClock))

    it.effect("are not kept beyond an account's room, by name, and those of lost steps are swept", () =>
      Effect.gen(function*() {
        const { actor, program } = yield* launch(withTools({
          write: `fs.writeFileSync("/tmp/a", Buffer.alloc(300_000)); fs.writeFileSync("/tmp/b", Buffer.alloc(300_000))`,
          read: `$.emit("no")`
        }))
        yield* send(actor, 1)
        const [run] = yield* runsOf(program)
        assert.match(run!.error!.message, /no room/)
        const files = yield* WorkflowFiles
        yield* files.removeLeft(yield* Clock.currentTimeMillis)
        assert.deepStrictEqual(yield* bytesKept, nothing)
      }).pipe(
        Effect.provideService(EngineLimits, {
          ...EngineLimits.defaultValue(),
          filesOfRuns: { account: 500_000, trial: 1_000 }
        }),
        EngineFixture.onTestClock
      ))

    it.effect("fail the step where they are told of in a way that can't be read", () =>
      Effect.gen(function*() {
        const { actor, program } = yield* launch(withTools({
          write: `fs.writeFileSync("/tmp/a", "a"); fs.utimesSync("/tmp/a", 1e300, 1e300)`,
          read: `$.emit(read("/tmp/a"))`
        }))
        yield* send(actor, 1)
        const [run] = yield* runsOf(program)
        assert.match(run!.error!.message, /^the files of the run can't be read/)
        assert.deepStrictEqual(yield* stream(program), [])
        yield* (yield* WorkflowFiles).removeLeft(yield* Clock.currentTimeMillis)
        assert.deepStrictEqual(yield* bytesKept, nothing)
      }).pipe(EngineFixture.onTestClock))

    it.effect("are not kept where no step comes after, as at the end of a branch", () =>
      Effect.gen(function*() {
        const write = `async run() { (await import("node:fs")).writeFileSync("/tmp/a", "a") }`
        const { actor, program } = yield* launch(`
        export default {
          props: { http: "$.interface.http" },
          steps: { way: { if: () => true, then: { write: { ${write} } }, else: { never: { ${write} } } } }
        }`)
        yield* send(actor, 1)
        assert.deepStrictEqual((yield* runsOf(program)).map((run) => run.steps), [["way success", "write success"]])
        assert.deepStrictEqual(yield* bytesKept, nothing)
      }).pipe(EngineFixture.onTestClock))

    it.effect("are kept of a workflow of one step where that is run again", () =>
      Effect.gen(function*() {
        const { actor, program } = yield* launch(withTools({
          only: `
          fs.appendFileSync("/tmp/a", "x")
          if ($.context.run.runs < 3) return $.flow.rerun(1_000)
          $.emit(read("/tmp/a"))`
        }))
        yield* send(actor, 1)
        for (let i = 0; i < 3; i++) {
          yield* TestClock.adjust("2 seconds")
          yield* settle(actor)
        }
        assert.deepStrictEqual(yield* stream(program), ["xxx"])
        assert.deepStrictEqual(yield* bytesKept, nothing)
      }).pipe(EngineFixture.onTestClock))
  }
)
