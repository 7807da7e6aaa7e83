import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import { Effect, Schedule } from "effect"
import * as CommandInProcess from "../../test/CommandInProcess.ts"
import * as Files from "../../test/Files.ts"
import * as HeadwaterCommand from "../../test/HeadwaterCommand.ts"
import { RunningServer } from "../../test/RunningServer.ts"

const files = {
  "approval.mjs": `export default {
    name: "Approval",
    steps: {
      ask: { run({ $ }) { $.flow.suspend() } },
      tell: {
        props: { text: { type: "string", default: "by {{ steps.ask.$resume_data.body.by }}" } },
        run({ steps, $ }) {
          console.log("told")
          $.flow.exit(steps.ask.$resume_data.body.by)
        }
      }
    }
  }`,
  "totals.mjs": `export default {
    name: "Totals",
    steps: {
      check: {
        async run({ steps, $ }) {
          const { total } = steps.trigger.event
          if (total === 0) throw new TypeError("no total")
          if (total === -1) await new Promise(() => setTimeout(() => {}, 2 ** 30))
          if (total === -2) $.flow.suspend()
        }
      },
      tell: { run() { return "told" } }
    }
  }`
}

layer(RunningServer.layer, { excludeTestServices: true, timeout: "120 seconds" })("headwater runs", (it) => {
  it.effect("lists the runs that wait, and resumes or cancels them", () =>
    Effect.gen(function*() {
      const { environment } = yield* RunningServer
      const cwd = yield* Files.make(files)
      const headwater = (...args: ReadonlyArray<string>) => CommandInProcess.run(args, { env: environment, cwd })
      const list = (...args: ReadonlyArray<string>) =>
        Effect.map(headwater("runs", "list", "approval", "--json", ...args), ({ stdout }) =>
          Json.listOf(Json.parse(stdout)))
      yield* headwater("deploy", "--workflow", "approval.mjs")
      for (const _ of [1, 2]) {
        yield* headwater("trigger", "approval")
      }
      const [newest, oldest] = yield* list("--waits-for", "suspend").pipe(
        Effect.repeat({
          until: ({ length }) =>
            length === 2,
          schedule: Schedule.spaced("50 millis")
        })
      )
      const cancelled = yield* headwater("runs", "cancel", "approval", Json.textOf(newest!["id"]))
      assert.match(cancelled.stdout, /^Cancelled the run run_/)
      const oldestId = Json.textOf(oldest!["id"])
      const resumed = yield* headwater("runs", "resume", "approval", oldestId, "--data", `{"by":"ann"}`)
      assert.match(resumed.stdout, /^The run run_\w+ goes on\./)
      const [ended] = yield* list("--status", "success").pipe(
        Effect.repeat({ until: ({ length }) => length === 1, schedule: Schedule.spaced("50 millis") })
      )
      Json.assertHolds(ended, { id: oldest!["id"], exit_reason: "ann" })
      const shown = yield* headwater("runs", "list", "approval")
      assert.match(
        shown.stdout,
        /^RUN +STATUS +WAITS FOR +BEGAN \(UTC\) +UNTIL \(UTC\) +OUTCOME\nrun_\w+ +cancelled .*\nrun_\w+ +success .* ann\n$/
      )
      const details = yield* headwater("runs", "show", "approval", oldestId)
      assert.match(
        details.stdout,
        new RegExp(
          [
            /success +INVOCATION, .*/,
            /input +null/,
            /step +ask: success, .*/,
            /result +{"\$resume_data":.*/,
            /step +tell: success, .*/,
            /prop +text: "by ann"/,
            /info +told/,
            /result +{}/,
            /exit +ann\n$/
          ].map(({ source }) => source).join("\n")
        )
      )
      const refused = yield* headwater("runs", "cancel", "approval", Json.textOf(oldest!["id"]))
      assert.strictEqual(refused.code, 1)
      assert.match(refused.stderr, /Only a run that has not ended/)
    }))

  it.effect(
    "runs one again, also with a changed event, and all that failed; cancels at a step and all; and shows the books",
    () =>
      Effect.gen(function*() {
        const { environment } = yield* RunningServer
        const cwd = yield* Files.make(files)
        const headwater = (...args: ReadonlyArray<string>) => CommandInProcess.run(args, { env: environment, cwd })
        const json = (...args: ReadonlyArray<string>) =>
          Effect.map(headwater(...args, "--json"), HeadwaterCommand.jsonOf)
        const until = (counts: Readonly<Record<string, number>>) =>
          json("runs", "books", "totals").pipe(
            Effect.repeat({
              until: (books) => Object.entries(counts).every(([name, count]) => Number(books[name]) === count),
              schedule: Schedule.spaced("50 millis")
            }),
            Effect.timeout("60 seconds")
          )
        yield* json("deploy", "--workflow", "totals.mjs")
        yield* json("workflows", "update", "totals", "--concurrency", "4")
        const sent = (data: string) =>
          Effect.map(json("trigger", "totals", "--data", data), ({ id }) => Json.textOf(id))
        const failed = yield* sent(`{"total":0}`)
        yield* until({ failed: 1 })

        const again = yield* json("runs", "rerun", "totals", failed)
        yield* until({ failed: 2 })
        const changed = yield* json("runs", "rerun", "totals", failed, "--data", `{"total":5}`)
        yield* until({ received: 3, done: 1, failed: 2 })
        const shown = (run: string) => Effect.map(headwater("runs", "get", "totals", run), ({ stdout }) => stdout)
        assert.match(yield* shown(Json.textOf(again["id"])), new RegExp(`\nrepeats +${failed}\n`))
        const other = yield* shown(Json.textOf(changed["id"]))
        assert.match(other, new RegExp(`^success.*\nrepeats +${failed}, with a changed event\ninput +{"total":5}\n`))

        const count = yield* json("runs", "rerun-all", "--program", "totals", "--dry-run")
        Json.assertHolds(count, { matched: 2, done: 0, dry_run: true })
        const none = yield* json("runs", "rerun-all", "--program", "totals", "--text", "nowhere", "--dry-run")
        Json.assertHolds(none, { matched: 0 })
        const some = yield* json("runs", "rerun-all", "--program", "totals", "--text", "total", "--dry-run")
        Json.assertHolds(some, { matched: 2 })
        const all = yield* headwater("runs", "rerun-all", "--program", "totals", "--error", "no total")
        assert.match(all.stdout, /\nState +done\nMatched +2\nDone +2\nFailed +0\nSkipped +0\n/)
        yield* until({ received: 5, failed: 4 })

        const held = yield* sent(`{"total":-1}`)
        yield* sent(`{"total":-2}`)
        yield* until({ at_work: 1, waiting: 1 })
        assert.match((yield* headwater("runs", "cancel", "totals", held)).stdout, /^Cancelled the run run_/)
        yield* until({ cancelled: 1, at_work: 0 })
        Json.assertHolds(yield* json("runs", "cancel-all", "--program", "totals"), { matched: 1, done: 1 })
        yield* until({ received: 7, done: 1, failed: 4, cancelled: 2, waiting: 0, at_work: 0 })
        assert.strictEqual(
          (yield* headwater("runs", "books", "totals")).stdout,
          "Received    7\nDone        1\nFailed      4\nCancelled   2\nWaiting     0\nAt work     0\n"
        )
        const bulk = yield* headwater("bulk", "list")
        assert.match(
          bulk.stdout,
          /^ID +ACTION +STATE +MATCHED +DONE +FAILED +SKIPPED +LEFT .*\nba_\w+ +cancel_runs +done +1 +1 +0 +0 +0 /
        )
      }),
    HeadwaterCommand.patienceMs
  )
})
