import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import { Effect, Schedule } from "effect"
import * as CommandInProcess from "../../test/CommandInProcess.ts"
import * as Files from "../../test/Files.ts"
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
})
