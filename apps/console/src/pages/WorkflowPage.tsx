import { hrefOf, visit } from "../api/Address.ts"
import { type Loading, useLoading } from "../api/Loading.ts"
import { may } from "../api/Session.ts"
import { Books } from "../parts/Books.tsx"
import { ContractForm } from "../parts/ContractForm.tsx"
import { Empty } from "../parts/Empty.tsx"
import { harmless } from "../parts/Harmless.ts"
import { JsonDialog } from "../parts/JsonDialog.tsx"
import { Opens } from "../parts/Opens.tsx"
import { ProgramHead } from "../parts/ProgramHead.tsx"
import { ProgramTraces } from "../parts/ProgramTraces.tsx"
import { PropsForm, PropsList } from "../parts/PropsForm.tsx"
import { RunTable } from "../parts/RunTable.tsx"
import { Shown } from "../parts/Shown.tsx"
import { Subscribed } from "../parts/SubscriptionForms.tsx"
import { WithRuns } from "../parts/WithRuns.tsx"
import type { ThrownError } from "../resources/Outcome.ts"
import * as Props from "../resources/Props.ts"
import { begun } from "../resources/RunStart.ts"
import * as Workflows from "../resources/Workflows.ts"
import type { Params } from "../routes.ts"

/** The URL of the code's page, at the place of an error if the present code threw it. */
export const codeHref = (
  { deployment_id, id }: Workflows.WorkflowResource,
  { deploymentId, place }: ThrownError
): string =>
  hrefOf(
    ["workflows", id, "code"],
    deploymentId !== deployment_id || place === undefined
      ? {}
      : { line: String(place.line), column: String(place.column) }
  )

const pollMs = 5_000
const runsPollMs = 3_000
const shownRuns = 15

/** The last event that the reader gave each workflow, to run it again. */
const given = new Map<string, string>()

const RunButton = ({ id }: { readonly id: string }) => (
  <Opens needs="run" what="run" name="Run …">
    {(close) => (
      <JsonDialog
        title="Run with an event"
        note="This is a real run: everything its steps do really happens. They see the event as steps.trigger.event."
        label="Event, as JSON"
        text={given.get(id) ?? "{\n  \"order\": 1001\n}"}
        name="Run"
        doing="Starting …"
        failed="It was not run."
        act={async (text) => {
          given.set(id, text)
          const run = await Workflows.invoke(id, JSON.parse(text))
          const isThere = await begun(id, run)
          close()
          if (isThere) visit(hrefOf(["workflows", id, "runs", run]))
        }}
        onClose={close}
      />
    )}
  </Opens>
)

const settings = [
  "concurrency",
  "rate_limit",
  "retry_delays",
  "errors",
  "suspension_timeout",
  "timeout_seconds",
  "memory_mb",
  "attachments",
  "shadow",
  "shadow_reads"
] as const

const SettingsForm = ({ onChange, workflow }: {
  readonly workflow: Workflows.WorkflowResource
  readonly onChange: () => void
}) => (
  <ContractForm
    // Only a change of the settings rebuilds the form, so a change of the props discards no input.
    key={JSON.stringify(settings.map((name) => workflow[name]))}
    operation="workflows.update"
    current={workflow}
    first={settings}
    isShort
    name="Save the settings"
    doing="Saving …"
    done="The settings are saved."
    submit={async (body) => {
      await Workflows.change(workflow, body)
      onChange()
    }}
  />
)

const SettingsList = ({ workflow }: { readonly workflow: Workflows.WorkflowResource }) => (
  <dl class="facts">
    <dt>Concurrent runs</dt>
    <dd>{workflow.concurrency}</dd>
    <dt>Rate</dt>
    <dd>
      {workflow.rate_limit === null
        ? "no limit"
        : `${workflow.rate_limit.limit} runs begin within ${workflow.rate_limit.interval_seconds} s`}
    </dd>
    <dt>Retries</dt>
    <dd>{workflow.retry_delays.length === 0 ? "none" : `after ${workflow.retry_delays.join(", ")} s`}</dd>
    <dt>Failures sent to $errors</dt>
    <dd>{workflow.errors === "each" ? "every attempt" : "only the last attempt of a step"}</dd>
    <dt>Time limit of a step</dt>
    <dd>{workflow.timeout_seconds === null ? "the server's limit" : `${workflow.timeout_seconds} s`}</dd>
    <dt>Memory of a step</dt>
    <dd>{workflow.memory_mb === null ? "the server's default" : `${workflow.memory_mb} MiB`}</dd>
    <dt>If a suspended run is not resumed</dt>
    <dd>{workflow.suspension_timeout === "resume" ? "goes on" : "is cancelled"}</dd>
  </dl>
)

const Settings = ({ onChange, workflow }: {
  readonly workflow: Workflows.WorkflowResource
  readonly onChange: () => void
}) => {
  const current = workflow.configured_props
  const declared = Props.ofValues(current).filter((prop) => Props.entryOf(prop) !== "endpoint")
  return (
    <div class="traces-all">
      <section class="block" aria-label="Props">
        <h2>Props</h2>
        {declared.length === 0
          ? <p class="note">No prop has a value that can be shown.</p>
          : may("write")
          ? (
            <PropsForm
              key={Object.keys(current).join()}
              component={undefined}
              declared={declared}
              current={current}
              submitName="Save the props"
              doing="Saving …"
              done="The props are saved. The next run uses them."
              submit={async (configured_props) => {
                await Workflows.change(workflow, { configured_props })
                onChange()
              }}
            />
          )
          : <PropsList declared={declared} current={current} />}
      </section>
      <section class="block" aria-label="Settings">
        <h2>Settings</h2>
        {may("write")
          ? <SettingsForm workflow={workflow} onChange={onChange} />
          : <SettingsList workflow={workflow} />}
      </section>
    </div>
  )
}

const Runs = ({ id }: { readonly id: string }) => {
  const runs = useLoading(
    id,
    async (signal) => (await Workflows.runs(id, "", undefined, signal, shownRuns)).data,
    { everyMs: runsPollMs }
  )
  return (
    <section class="block" aria-label="Last runs">
      <div class="bar">
        <h2>Last runs</h2>
        <a href={hrefOf(["workflows", id, "runs"])} aria-label="All runs">all</a>
        <span class="grow" />
        <WithRuns id={id} />
      </div>
      <Shown loading={runs} what="its runs">
        {(found) =>
          found.length === 0
            ? (
              <Empty what="It has not run yet.">
                <p>Subscribe it to an emitter, or run it with an event of your own.</p>
              </Empty>
            )
            : <RunTable runs={found} />}
      </Shown>
    </section>
  )
}

const Details = ({ loading, workflow }: {
  readonly workflow: Workflows.WorkflowResource
  readonly loading: Loading<Workflows.WorkflowResource>
}) => {
  const { active, id, steps } = workflow
  const changed = () => void loading.reload()
  return (
    <>
      <ProgramHead
        program={workflow}
        change={async (changes) => {
          await Workflows.change(workflow, changes)
          changed()
        }}
        acts={active ? <RunButton id={id} /> : null}
        facts={
          <>
            <dt>Steps</dt>
            <dd>
              <bdi>{harmless(steps.map((step) => step.name).join(", "))}</bdi>
            </dd>
          </>
        }
      />
      <div class="halves">
        <div class="traces-all">
          <Books id={id} />
          <Runs id={id} />
          <Subscribed id={id} side="listener_id" />
          <Subscribed id={id} side="emitter_id" />
          <ProgramTraces id={id} codeHref={(error) => codeHref(workflow, error)} />
        </div>
        <Settings workflow={workflow} onChange={changed} />
      </div>
    </>
  )
}

/** One workflow: its runs, its settings, its recent traces, and actions on it. */
export default ({ params }: { readonly params: Params }) => {
  const id = params["workflow"]!
  const workflow = useLoading(id, (signal) => Workflows.one(id, signal), { everyMs: pollMs })
  return (
    <div class="page">
      <Shown loading={workflow} what="the workflow">
        {(found) => <Details workflow={found} loading={workflow} />}
      </Shown>
    </div>
  )
}
