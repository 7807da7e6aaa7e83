import type { Finding } from "./MovingReport.ts"
import { fileOf, type ProjectWorkflow } from "./ProjectFolder.ts"
import type * as WorkflowFile from "./WorkflowFile.ts"

/** The findings about a workflow, in the order in which they are made. */
export class WorkflowFindings {
  readonly all: Array<Finding>
  readonly #file: string
  readonly #lineOf: (path: WorkflowFile.Path) => number

  constructor(workflow: ProjectWorkflow) {
    this.all = [...workflow.findings]
    this.#file = fileOf(workflow)
    this.#lineOf = workflow.file.lineOf
  }

  /** Tells of something at a path in the file of the workflow. */
  tell(kind: Finding["kind"], path: WorkflowFile.Path, message: string): void {
    this.all.push({ kind, file: this.#file, line: this.#lineOf(path), message })
  }

  /** Takes over findings about that file. */
  tellAll(findings: ReadonlyArray<Omit<Finding, "file">>): void {
    this.all.push(...findings.map((finding) => ({ ...finding, file: this.#file })))
  }
}
