/** One thing that somebody who moves has to know, with its place in the project. */
export interface Finding {
  /**
   * - `failed`: it could not be brought.
   * - `missing`: it is yet to be given.
   * - `different`: it works otherwise here.
   */
  readonly kind: "failed" | "missing" | "different"
  /** From the folder of the project. */
  readonly file: string
  readonly line: number
  readonly message: string
}

/** The outcome for one workflow. */
export interface Moved {
  readonly id: string
  readonly name: string
  /** Its folder in the project. */
  readonly from: string
  /** Its place in the set-up; null where nothing of it could be made. */
  readonly ref: string | null
  /** True if the server has it, or would take it. */
  readonly deployed: boolean
  readonly came: { readonly triggers: number; readonly steps: number; readonly props: number; readonly files: number }
  readonly findings: ReadonlyArray<Finding>
}

export interface Report {
  readonly workflows: ReadonlyArray<Moved>
  /** About what belongs to no workflow. */
  readonly findings: ReadonlyArray<Finding>
}

const kinds = ["failed", "missing", "different"] as const

const titles: Readonly<Record<Finding["kind"], string>> = {
  failed: "not brought",
  missing: "to do",
  different: "otherwise here"
}

const place = ({ file, line }: Finding) => `${file}:${line}`

const count = (number: number, one: string) => `${number} ${number === 1 ? one : `${one}s`}`

const findingLines = (findings: ReadonlyArray<Finding>) =>
  kinds.flatMap((kind) =>
    findings.filter((finding) => finding.kind === kind)
      .map((finding) => `  ${titles[kind].padEnd(14)}  ${place(finding)}: ${finding.message}`)
  )

/** The number of findings of each kind, and of workflows. */
export const countsOf = ({ findings, workflows }: Report) => {
  const all = [...findings, ...workflows.flatMap(({ findings }) => findings)]
  const of = (kind: Finding["kind"]) => all.filter((finding) => finding.kind === kind).length
  return {
    workflows: workflows.length,
    deployed: workflows.filter(({ deployed }) => deployed).length,
    failed: of("failed"),
    missing: of("missing"),
    different: of("different")
  }
}

export const textOf = (report: Report): string => {
  const counts = countsOf(report)
  return [
    ...report.workflows.flatMap(({ came, deployed, findings, from, name, ref }) => [
      `${name} (${from})${ref === null ? "" : ` -> ${ref}`}${deployed ? "" : ", not deployed"}`,
      `  ${"came over".padEnd(14)}  ${count(came.triggers, "trigger")}, ${count(came.steps, "step")}, ` +
      `${count(came.props, "value")}, ${count(came.files, "file")}`,
      ...findingLines(findings)
    ]),
    ...findingLines(report.findings),
    `${count(counts.workflows, "workflow")}: ${counts.deployed} can be deployed, ` +
    `${counts.workflows - counts.deployed} can not. ${counts.failed} not brought, ${counts.missing} to do, ` +
    `${counts.different} otherwise here`
  ].join("\n")
}

export const jsonOf = (report: Report) => ({ ...report, counts: countsOf(report) })
