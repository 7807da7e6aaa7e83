import { hrefOf } from "../api/Address.ts"
import { duration } from "../charts/Figures.ts"
import { now } from "../resources/Clock.ts"
import * as Workflows from "../resources/Workflows.ts"
import { StateBadge } from "./Badge.tsx"
import { harmless } from "./Harmless.ts"
import type { RowColumn } from "./PagedRows.tsx"
import { Ago, Time } from "./Time.tsx"

/** The time that a run has taken or, while it waits, the time at which it goes on. */
export const RunTime = ({ run }: { readonly run: Workflows.RunResource }) =>
  run.status === "waiting" && run.due_at_ms !== null
    ? (
      <>
        {run.waits_for === "suspend" ? "can be resumed until" : "goes on"} <Ago ms={run.due_at_ms} />
      </>
    )
    : <>{duration(Workflows.lastedMs(run, run.ended_at_ms === null ? now.value : 0))}</>

/** The outcome of a run, in a line. */
export const outcomeOf = ({ error, exit_reason }: Workflows.RunResource): string =>
  error !== null
    ? `${error.name}: ${error.message}`
    : exit_reason === null
    ? ""
    : exit_reason === ""
    ? "ended early by a step"
    : `ended early by a step: ${exit_reason}`

export const runColumns: ReadonlyArray<RowColumn<Workflows.RunResource>> = [
  {
    name: "Started",
    width: "8.5rem",
    cell: ({ id, started_at_ms, workflow_id }) => (
      <a tabIndex={-1} href={hrefOf(["workflows", workflow_id, "runs", id])}>
        <Time ms={started_at_ms} milliseconds />
      </a>
    )
  },
  { name: "State", width: "5.5rem", cell: ({ status }) => <StateBadge state={status} /> },
  { name: "Took", width: "8rem", cell: (run) => <RunTime run={run} /> },
  { name: "Started by", width: "8rem", cell: ({ trigger }) => Workflows.triggers[trigger.source_type] },
  {
    name: "Outcome",
    width: "minmax(12rem, 2fr)",
    cell: (run) => <bdi class={run.error === null ? "" : "fault"}>{harmless(outcomeOf(run).slice(0, 400))}</bdi>
  }
]

/** A few runs, the newest first. */
export const RunTable = ({ runs }: { readonly runs: ReadonlyArray<Workflows.RunResource> }) => (
  <div class="wide-table is-runs" role="region" aria-label="Runs" tabIndex={0}>
    <table class="plain">
      <thead>
        <tr>
          {runColumns.map(({ name }) => <th key={name}>{name}</th>)}
        </tr>
      </thead>
      <tbody>
        {runs.map((run) => (
          <tr key={run.id}>
            {runColumns.map(({ cell, name }, index) => (
              <td key={name}>
                {index === 0
                  ? (
                    <a href={hrefOf(["workflows", run.workflow_id, "runs", run.id])}>
                      <Time ms={run.started_at_ms} milliseconds />
                    </a>
                  )
                  : cell(run)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
