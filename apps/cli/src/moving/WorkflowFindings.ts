import * as Path from "node:path"
import type { Finding } from "./MovingReport.ts"
import { type ProjectWorkflow, workflowFile } from "./ProjectFolder.ts"
import type * as WorkflowFile from "./WorkflowFile.ts"

/** The findings about a workflow, in the order in which they are made. */
export class WorkflowFindings {
  readonly all: Array<Finding>
  readonly #file: string
  readonly #lineOf: (path: WorkflowFile.Path) => number

  constructor({ file, findings, folder }: ProjectWorkflow) {
    this.all = [...findings]
    this.#file = Path.posix.join(folder, workflowFile)
    this.#lineOf = file.lineOf
  }

  /** Tells of something at a path in `workflow.yaml`. */
  tell(kind: Finding["kind"], path: WorkflowFile.Path, message: string): void {
    this.all.push({ kind, file: this.#file, line: this.#lineOf(path), message })
  }

  /** Takes over findings about `workflow.yaml`. */
  tellAll(findings: ReadonlyArray<Omit<Finding, "file">>): void {
    this.all.push(...findings.map((finding) => ({ ...finding, file: this.#file })))
  }
}
