import type { ComponentChildren } from "preact"
import { hrefOf } from "../api/Address.ts"
import { duration } from "../charts/Figures.ts"
import { placeIn, placeText } from "../code/CodePlace.ts"
import type { RunDetails } from "../resources/Workflows.ts"
import { StateBadge } from "./Badge.tsx"
import { harmless } from "./Harmless.ts"
import { JsonTree } from "./JsonTree.tsx"
import { Time } from "./Time.tsx"

type Step = RunDetails["steps"][number]

/** The most lines of a step's console that are shown. */
const maxLines = 200

const Lines = ({ lines }: { readonly lines: Step["logs"] }) => (
  <div class="console" tabIndex={0} role="group" aria-label="Console">
    {lines.slice(0, maxLines).map((line, index) => {
      const { level, message } = line as { readonly level?: string; readonly message?: unknown }
      return (
        <p key={index} class={`console-line is-${level}`}>
          <span class="console-level">{level}</span>{" "}
          <bdi>
            {harmless((typeof message === "string" ? message : JSON.stringify(message ?? line)).slice(0, 2_000))}
          </bdi>
        </p>
      )
    })}
    {lines.length > maxLines ? <p class="note">The first {maxLines} of {lines.length} lines.</p> : null}
  </div>
)

const Fault = ({ error }: { readonly error: NonNullable<Step["error"]> }) => {
  const place = placeIn(error.stack ?? "")
  return (
    <>
      <p class="fault">
        <bdi>{harmless(`${error.name}: ${error.message}`)}</bdi>{" "}
        {place === undefined ? null : <span class="note">at {placeText(place)} of the code</span>}
      </p>
      {error.stack === undefined ? null : (
        <details>
          <summary>Stack</summary>
          <pre class="raw" tabIndex={0}><bdi>{harmless(error.stack)}</bdi></pre>
        </details>
      )}
    </>
  )
}

/** A step that returns and exports nothing has an empty object for its result. */
const isNothing = (result: unknown): boolean =>
  result === null || typeof result === "object" && Object.keys(result).length === 0

/** The steps of a run in order, each with its duration, its props, its console, its error and its result. */
export const RunSteps = ({ children, run }: {
  readonly run: RunDetails
  /** The actions on a step. */
  readonly children?: (step: Step) => ComponentChildren
}) => {
  const longest = Math.max(1, ...run.steps.map(({ wall_ms }) => wall_ms))
  return (
    <ol class="run-steps">
      {run.steps.map((step) => (
        <li key={step.n}>
          <div class="bar">
            <b>
              <bdi>{harmless(step.name)}</bdi>
            </b>
            <StateBadge state={step.status} />
            {step.path === null ? null : <span class="note">on path {step.path}</span>}
            <span class="note">
              <Time ms={step.started_at_ms} milliseconds />, {duration(step.wall_ms)}, {duration(step.cpu_ms)}{" "}
              of CPU time
            </span>
            <span class="grow" />
            {children?.(step)}
          </div>
          <div class="share" aria-hidden="true">
            <span style={{ width: `${Math.max(0.5, 100 * step.wall_ms / longest)}%` }} />
          </div>
          {step.configured_props === null ? null : (
            <details>
              <summary>Props</summary>
              <JsonTree value={step.configured_props} />
            </details>
          )}
          {step.error === null ? null : <Fault error={step.error} />}
          {step.logs.length === 0 ? null : <Lines lines={step.logs} />}
          {step.events.length === 0 ? null : (
            <p class="note">
              Emitted {step.events.map(({ event_name, id }, index) => (
                <span key={id}>
                  {index === 0 ? "" : ", "}
                  <a href={hrefOf(["events", run.workflow_id, id])}>
                    {event_name === "" ? id : `${harmless(event_name)} ${id}`}
                  </a>
                </span>
              ))}
            </p>
          )}
          {isNothing(step.result) ? null : <JsonTree value={step.result} />}
        </li>
      ))}
    </ol>
  )
}
