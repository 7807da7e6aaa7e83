import type { ImportedWorkflow, ImportResource, ImportSummary } from "@headwater/api/ImportsApi"
import type { WorkflowResource } from "@headwater/api/WorkflowsApi"
import { signal } from "@preact/signals"
import { get, remove, type Single } from "../api/Api.ts"
import * as WholeList from "../api/WholeList.ts"

export type { ImportedWorkflow, ImportResource, ImportSummary }

export type Finding = ImportedWorkflow["findings"][number]

/** True once the page knows that the account has a report of an import. */
export const isAny = signal(false)

export const list = async (signal: AbortSignal): Promise<ReadonlyArray<ImportSummary>> => {
  const { data } = await get<{ readonly data: ReadonlyArray<ImportSummary> }>(["imports"], { signal })
  isAny.value = data.length > 0
  return data
}

const listed = ["id", "active", "missing_props", "configured_props"] as const

type Present = Pick<WorkflowResource, typeof listed[number]>

/** A workflow of a report as it stands now, or undefined if it is not there. */
export interface Standing {
  readonly imported: ImportedWorkflow
  readonly present: Present | undefined
  /** True of one that was deployed, and that somebody has deleted since. */
  readonly isGone: boolean
  /** The needs that are left. */
  readonly needs: ImportedWorkflow["needs"]
}

export interface Shown {
  readonly name: string
  readonly updatedAt: number
  readonly standings: ReadonlyArray<Standing>
  readonly findings: ReadonlyArray<Finding>
}

const ofProps = new Set(["account", "timer", "secret", "data_store", "value"])

const standingOf = (imported: ImportedWorkflow, present: Present | undefined, isWhole: boolean): Standing => {
  const missing = new Set(present?.missing_props)
  return {
    imported,
    present,
    isGone: present === undefined && imported.workflow_id !== null && isWhole,
    needs: present === undefined
      ? []
      : imported.needs.filter(({ is_required, kind, name }) =>
        !is_required || (ofProps.has(kind) ? missing.has(name) : !present.active)
      )
  }
}

/** A report, with how its workflows stand now. */
export const shown = async (name: string, signal: AbortSignal): Promise<Shown> => {
  const [{ data: { report, updated_at } }, { items, rest }] = await Promise.all([
    get<Single<ImportResource>>(["imports", name], { signal }),
    WholeList.read<Present>(["users", "me", "workflows"], listed, signal)
  ])
  const present = new Map<string, Present>(items.map((workflow) => [workflow.id, workflow]))
  return {
    name,
    updatedAt: updated_at,
    standings: report.workflows.map((workflow) =>
      standingOf(workflow, present.get(workflow.workflow_id ?? ""), rest === 0)
    ),
    findings: report.findings
  }
}

export const drop = (name: string): Promise<void> => remove(["imports", name])
