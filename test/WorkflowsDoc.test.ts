import { assert, layer } from "@effect/vitest"
import * as FreePort from "@headwater/fixtures/FreePort"
import { slowly } from "@headwater/fixtures/PythonSteps"
import { Effect } from "effect"
import * as DocumentServer from "./documents/DocumentServer.ts"
import * as Examples from "./documents/Examples.ts"
import * as Walkthrough from "./documents/Walkthrough.ts"
import * as WorkflowTrials from "./documents/WorkflowTrials.ts"

const document = DocumentServer.read("workflows.md")
const { programs: workflows } = Examples.read(document, WorkflowTrials.Trial)
const named = Object.fromEntries(workflows.flatMap(({ code, file }) => file === undefined ? [] : [[file, code]]))

layer(DocumentServer.DocumentServer.layer, { excludeTestServices: true })(
  "docs/workflows.md",
  (it) => {
    it.effect("commands print what is shown", () =>
      Effect.gen(function*() {
        const server = yield* DocumentServer.DocumentServer
        const directory = yield* DocumentServer.folderOf(named)
        const port = yield* FreePort.find
        assert.isAbove(yield* Walkthrough.walk(document, { server, directory, port }), 10)
      }))

    for (const { code, file, title, trials } of workflows) {
      it.effect(`${title}: ${file ?? "a workflow"} does what is shown`, () =>
        Effect.gen(function*() {
          assert.isAbove(trials.length, 0)
          for (const trial of trials) yield* Effect.scoped(WorkflowTrials.perform(code, trial, named))
        }), slowly)
    }
  }
)
