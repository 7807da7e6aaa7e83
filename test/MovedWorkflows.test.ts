import { assert, layer } from "@effect/vitest"
import { slowly } from "@headwater/fixtures/PythonSteps"
import { Effect } from "effect"
import * as DocumentServer from "./documents/DocumentServer.ts"
import * as Examples from "./documents/Examples.ts"
import * as WorkflowTrials from "./documents/WorkflowTrials.ts"

const { programs } = Examples.read(DocumentServer.read("../test/documents/moved-workflows.md"), WorkflowTrials.Trial)

layer(DocumentServer.DocumentServer.layer, { excludeTestServices: true })("a workflow that moved", (it) => {
  for (const { code, title, trials } of programs) {
    it.effect(`gives what it gave: ${title}`, () =>
      Effect.gen(function*() {
        assert.isNotEmpty(trials)
        for (const trial of trials) yield* Effect.scoped(WorkflowTrials.perform(code, trial, {}))
      }), slowly)
  }
})
