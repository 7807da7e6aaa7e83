import { useSignal } from "@preact/signals"
import { hrefOf, visit } from "../api/Address.ts"
import { useLoading } from "../api/Loading.ts"
import { may } from "../api/Session.ts"
import { Act } from "../parts/Act.tsx"
import { StateBadge } from "../parts/Badge.tsx"
import { harmless } from "../parts/Harmless.ts"
import { JsonDialog } from "../parts/JsonDialog.tsx"
import { Name } from "../parts/Name.tsx"
import { Payload } from "../parts/Payload.tsx"
import { RunSteps } from "../parts/RunSteps.tsx"
import { outcomeOf, RunTime } from "../parts/RunTable.tsx"
import { Shown } from "../parts/Shown.tsx"
import { Time } from "../parts/Time.tsx"
import * as Directory from "../resources/Directory.ts"
import * as Events from "../resources/Events.ts"
import { begun } from "../resources/RunStart.ts"
import * as Workflows from "../resources/Workflows.ts"
import type { Params } from "../routes.ts"

const pollMs = 2_000

/** The event that began a run, as a link to it while its log has it. */
const BeginningEvent = ({ trigger }: { readonly trigger: Workflows.RunDetails["trigger"] }) => {
  const { emitter_id, id } = trigger
  const found = useLoading(id, (signal) => Events.delivered(trigger, signal)).loaded.value
  const shown = <code>{harmless(id)}</code>
  return found.state === "shown" && found.value !== undefined
    ? <a href={hrefOf(["events", emitter_id, found.value])}>{shown}</a>
    : shown
}

const Trigger = ({ run }: { readonly run: Workflows.RunDetails }) => {
  const { emitter_id, event_name, id, instead_of, rerun_of, source_type } = run.trigger
  return (
    <>
      {Workflows.triggers[source_type]}
      {source_type !== "EVENT" ? null : (
        <>
          {" of "}
          <Name id={emitter_id} />
          {event_name === "" ? "" : ` on ${harmless(event_name)}`}
        </>
      )}
      {id === run.id ? null : (
        <>
          {", "}
          {source_type === "EVENT" ? <BeginningEvent trigger={run.trigger} /> : <code>{harmless(id)}</code>}
        </>
      )}
      {rerun_of === null ? null : (
        <>
          {instead_of === null ? ", a repeat of " : ", with a changed event, in place of "}
          <a href={hrefOf(["workflows", run.workflow_id, "runs", rerun_of])}>
            <code>{rerun_of}</code>
          </a>
        </>
      )}
    </>
  )
}

const Details = ({ onChange, run }: { readonly run: Workflows.RunDetails; readonly onChange: () => void }) => {
  const { id, workflow_id } = run
  const isChanged = useSignal(false)
  const rerun = async (options: Parameters<typeof Workflows.rerun>[2]) => {
    const started = await Workflows.rerun(workflow_id, id, options)
    if (await begun(workflow_id, started)) visit(hrefOf(["workflows", workflow_id, "runs", started]))
  }
  const again = (fromStep?: string) => () => rerun(fromStep === undefined ? {} : { from_step: fromStep })
  const outcome = outcomeOf(run)
  const waiting = run.paths.filter(({ status }) => status === "waiting")
  const isResumable = [run, ...waiting].some(({ waits_for }) => waits_for !== null)
  return (
    <>
      <div class="page-head">
        <h1>
          Run <code>{id}</code>
        </h1>
        <StateBadge state={run.status} />
        <span class="grow" />
        {!isResumable ? null : (
          <Act
            needs="run"
            done="It will resume in its turn."
            act={async () => {
              await Workflows.resume(workflow_id, id)
              onChange()
            }}
          >
            Resume
          </Act>
        )}
        {run.ended_at_ms === null
          ? (
            <Act
              needs="run"
              kind="danger"
              done="The run was cancelled. What its steps have done stays done."
              act={async () => {
                await Workflows.cancel(workflow_id, id)
                onChange()
              }}
            >
              Cancel
            </Act>
          )
          : null}
        <Act needs="run" done="It was started again, as a new run." act={again()}>Run again</Act>
        {may("run")
          ? (
            <button
              type="button"
              onClick={() => {
                isChanged.value = true
              }}
            >
              Run with a changed event …
            </button>
          )
          : null}
        {isChanged.value
          ? (
            <JsonDialog
              title="Run with a changed event"
              note="This starts a real run with the event below in place of the original one."
              label="Event, as JSON"
              text={JSON.stringify(run.event, null, 2)}
              name="Run"
              doing="Starting …"
              failed="It was not run."
              act={async (text) => {
                await rerun({ event: JSON.parse(text) })
                isChanged.value = false
              }}
              onClose={() => {
                isChanged.value = false
              }}
            />
          )
          : null}
      </div>
      {outcome === "" ? null : (
        <p class={run.error === null ? "" : "fault"}>
          <bdi>{harmless(outcome)}</bdi>
        </p>
      )}
      <dl class="facts">
        <dt>Workflow</dt>
        <dd>
          <a href={hrefOf(["workflows", workflow_id])}>
            <Name id={workflow_id} />
          </a>
        </dd>
        <dt>Started by</dt>
        <dd>
          <Trigger run={run} />
        </dd>
        <dt>Started</dt>
        <dd>
          <Time ms={run.started_at_ms} milliseconds />
        </dd>
        <dt>{run.status === "waiting" ? "Waits" : "Took"}</dt>
        <dd>
          <RunTime run={run} />
        </dd>
        {run.paths.length === 0 ? null : (
          <>
            <dt>Branches</dt>
            <dd>
              {run.paths.map((path, index) => (
                <span key={path.path}>
                  {index === 0 ? "" : ", "}
                  <bdi>{harmless(`${path.branch} of ${path.block}`)}</bdi>{" "}
                  {path.waits_for === null ? path.status : `waits ${Workflows.waits[path.waits_for]}`}
                </span>
              ))}
            </dd>
          </>
        )}
        <dt>Deployment</dt>
        <dd>
          <code>{run.deployment_id}</code>
        </dd>
      </dl>
      <section class="block" aria-label="Steps">
        <h2>Steps</h2>
        {run.steps.length === 0 ? <p class="note">No step has finished yet.</p> : (
          <RunSteps run={run}>
            {({ name }) => (
              <Act needs="run" done="A new run was started from this step." act={again(name)}>
                Run again from this step
              </Act>
            )}
          </RunSteps>
        )}
      </section>
      <section class="block" aria-label="Event">
        <h2>Event</h2>
        <Payload value={run.event} />
      </section>
    </>
  )
}

/** One run of a workflow: its event, its steps and their outcomes. */
export default ({ params }: { readonly params: Params }) => {
  const workflow = params["workflow"]!
  const id = params["run"]!
  const run = useLoading(`${workflow}/${id}`, (signal) => Workflows.run(workflow, id, signal), { everyMs: pollMs })
  Directory.useFreshNames()
  return (
    <div class="page">
      <Shown loading={run} what="the run">
        {(found) => <Details run={found} onChange={() => void run.reload()} />}
      </Shown>
    </div>
  )
}
