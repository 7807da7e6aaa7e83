import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as MovedWorkflow from "./MovedWorkflow.ts"
import * as MovingRecord from "./MovingRecord.ts"
import * as ProjectImport from "./ProjectImport.ts"
import * as WorkflowFile from "./WorkflowFile.ts"

const bytes = (text: string) => new TextEncoder().encode(text)

const placedOf = (yaml: string, files: Readonly<Record<string, string>>): ProjectImport.Placed => ({
  ref: "workflows/orders",
  project: undefined,
  findings: [],
  workflow: MovedWorkflow.of({
    id: "p_1",
    folder: "orders-p_1",
    slug: "orders",
    file: Result.getOrThrow(WorkflowFile.readWorkflow(bytes(`schema: workflow/2022.04\n${yaml}`))),
    files: Object.entries(files).map(([path, text]) => ({ path, bytes: bytes(text) })),
    findings: []
  })
})

const things = { contents: new Map(), sources: {}, emitters: new Map(), findings: [] }

describe("the import of a project", () => {
  it("writes the module of a workflow over no file of the workflow's own", () => {
    const placed = placedOf("steps: [{ namespace: workflow, uses: ./workflow.mjs }]", { "workflow.mjs": "own" })
    const contents = ProjectImport.contentsOf(
      { archive: undefined, placed: [placed], unread: [], findings: [], places: new Map(), things },
      { p_1: ProjectImport.recordOf(placed, undefined, {}) }
    )
    assert.deepStrictEqual(contents.get("workflows/orders/workflow.mjs"), bytes("own"))
    assert.match(String(contents.get("workflows/orders/workflow_2.mjs")), /from "\.\/workflow\.mjs"/)
    assert.match(String(contents.get("workflows/orders.json")), /workflow_2\.mjs/)
  })

  it("keeps back what it has kept back before, while the project has it", () => {
    const placed = placedOf("steps: [{ namespace: a, uses: shop-order, props: { new: 1, late: 2 } }]", {})
    const record = ProjectImport.recordOf(placed, undefined, { "a.late": 1, "a.gone": 1 })
    const waiting = ProjectImport.waitingOf(placed, { ...MovingRecord.empty, workflows: { p_1: record } })
    assert.deepStrictEqual(waiting, { "a.late": 2 })
    assert.deepStrictEqual(ProjectImport.waitingOf(placed, MovingRecord.empty), {})
  })
})
