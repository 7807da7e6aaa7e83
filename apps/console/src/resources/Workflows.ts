import type { RunDetails, RunResource } from "@headwater/api/WorkflowRunsApi"
import type { WorkflowResource } from "@headwater/api/WorkflowsApi"
import { get, type Page, post, put, type Single } from "../api/Api.ts"
import { pageSize } from "../api/PagedList.ts"
import * as WholeList from "../api/WholeList.ts"
import type { Values } from "./Props.ts"

export type { RunDetails, RunResource, WorkflowResource }

const listed = ["id", "name", "name_slug", "active", "shadow", "updated_at", "steps"] as const

/** A workflow as a list shows it. */
export type ListedWorkflow = Pick<WorkflowResource, typeof listed[number]>

/** Those of one project, unless its id is empty. */
export const all = (project: string, signal: AbortSignal): Promise<WholeList.WholeList<ListedWorkflow>> =>
  WholeList.read<ListedWorkflow>(["users", "me", "workflows"], listed, signal, { project_id: project })

/** The one that a deployment is of; undefined if no run can have that deployment any more. */
export const ofDeployment = async (deployment_id: string, signal: AbortSignal): Promise<string | undefined> =>
  (await get<Page<WorkflowResource>>(["users", "me", "workflows"], {
    query: { deployment_id, limit: 1, include: "id" },
    signal
  })).data[0]?.id

export const one = async (id: string, signal: AbortSignal): Promise<WorkflowResource> =>
  (await get<Single<WorkflowResource>>(["workflows", id], { signal })).data

/** Changes of a workflow. Omitted fields stay as they are. */
export interface WorkflowChanges {
  readonly active?: boolean
  readonly name?: string
  readonly workflow_code?: string
  readonly configured_props?: Values
  readonly project_id?: string | null
}

/** Changes a workflow. It always sends `active`, since the server takes a missing `active` for true. */
export const change = async (workflow: WorkflowResource, changes: WorkflowChanges): Promise<WorkflowResource> =>
  (await put<Single<WorkflowResource>>(["workflows", workflow.id], { body: { active: workflow.active, ...changes } }))
    .data

export const statuses = ["running", "waiting", "success", "error", "cancelled"] as const

export const runs = (
  id: string,
  status: string,
  after: string | undefined,
  signal: AbortSignal,
  limit = pageSize
): Promise<Page<RunResource>> => get(["workflows", id, "runs"], { query: { status, limit, after }, signal })

export const run = async (id: string, runId: string, signal: AbortSignal): Promise<RunDetails> =>
  (await get<Single<RunDetails>>(["workflows", id, "runs", runId], { signal })).data

interface Started {
  readonly id: string
}

/** Has a workflow run over an event, and returns the id of the run, which begins when its turn comes. */
export const invoke = async (id: string, event: unknown): Promise<string> =>
  (await post<Single<Started>>(["workflows", id, "invocations"], { body: { event } })).data.id

/** Runs a workflow again over the event of a run: from a step on, or another event in its place. */
export const rerun = async (
  id: string,
  runId: string,
  options: { readonly from_step?: string; readonly event?: unknown } = {}
): Promise<string> =>
  (await post<Single<Started>>(["workflows", id, "runs", runId, "rerun"], { body: options })).data.id

export const cancel = (id: string, runId: string): Promise<unknown> => post(["workflows", id, "runs", runId, "cancel"])

export const resume = (id: string, runId: string): Promise<unknown> =>
  post(["workflows", id, "runs", runId, "resume"], { body: {} })

/** The reasons for which runs wait, in words. */
export const waits: Readonly<Record<NonNullable<RunResource["waits_for"]>, string>> = {
  suspend: "to be resumed",
  delay: "for the next step",
  rerun: "to run its step again",
  retry: "to try its step again"
}

/** The triggers of runs, in words. */
export const triggers: Readonly<Record<RunResource["trigger"]["source_type"], string>> = {
  HTTP: "a request",
  EMAIL: "an e-mail",
  TIMER: "its timer",
  EVENT: "an event",
  INVOCATION: "an invocation"
}

/** The time that a run has taken, up to now if it has not ended, in milliseconds. */
export const lastedMs = ({ ended_at_ms, started_at_ms }: RunResource, nowMs: number): number =>
  Math.max(0, (ended_at_ms ?? nowMs) - started_at_ms)
