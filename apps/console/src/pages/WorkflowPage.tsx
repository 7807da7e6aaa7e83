import { useSignal } from "@preact/signals"
import { hrefOf, visit } from "../api/Address.ts"
import { remove } from "../api/Api.ts"
import { type Failure, failureOf } from "../api/Failure.ts"
import { type Loading, useLoading } from "../api/Loading.ts"
import { may } from "../api/Session.ts"
import { Act } from "../parts/Act.tsx"
import { Books } from "../parts/Books.tsx"
import { Delete } from "../parts/Delete.tsx"
import { Empty } from "../parts/Empty.tsx"
import { Failed } from "../parts/Failed.tsx"
import { harmless } from "../parts/Harmless.ts"
import { Activity } from "../parts/Health.tsx"
import { JsonDialog } from "../parts/JsonDialog.tsx"
import { tell } from "../parts/Notices.tsx"
import { ProgramProject } from "../parts/ProgramProject.tsx"
import { ProgramTraces } from "../parts/ProgramTraces.tsx"
import { Endpoint } from "../parts/PropField.tsx"
import { PropsForm, PropsList } from "../parts/PropsForm.tsx"
import { RunTable } from "../parts/RunTable.tsx"
import { SendEvent } from "../parts/SendEvent.tsx"
import { Shown } from "../parts/Shown.tsx"
import { Subscribed } from "../parts/SubscriptionForms.tsx"
import { Time } from "../parts/Time.tsx"
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

const RunButton = ({ id }: { readonly id: string }) => {
  const isAsked = useSignal(false)
  if (!may("run")) return null
  const close = () => {
    isAsked.value = false
  }
  return (
    <>
      <button
        type="button"
        onClick={() => {
          isAsked.value = true
        }}
      >
        Run …
      </button>
      {isAsked.value
        ? (
          <JsonDialog
            title="Run over an event"
            note="A real run: what its steps do and emit is done. They see the event as steps.trigger.event."
            label="Event, as JSON"
            text={given.get(id) ?? "{\n  \"order\": 1001\n}"}
            name="Run"
            doing="It waits for its turn …"
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
        )
        : null}
    </>
  )
}

const delaysOf = (text: string): ReadonlyArray<number> | undefined => {
  const delays = text.split(/[\s,]+/).filter((part) => part !== "").map(Number)
  return delays.every(Number.isSafeInteger) ? delays : undefined
}

const numberOf = (text: string): number | undefined =>
  text.trim() !== "" && Number.isSafeInteger(Number(text)) ? Number(text) : undefined

/** The settings as one text. Only a change of them rebuilds the form, so a change of the props discards no input. */
const settingsOf = (
  { concurrency, errors, memory_mb, rate_limit, retry_delays, suspension_timeout, timeout_seconds }:
    Workflows.WorkflowResource
): string =>
  JSON.stringify([concurrency, rate_limit, retry_delays, errors, suspension_timeout, timeout_seconds, memory_mb])

/** The limit of concurrent runs, the rate, the treatment of failed steps, the time and memory for steps, and the end of suspensions. */
const SettingsForm = ({ onChange, workflow }: {
  readonly workflow: Workflows.WorkflowResource
  readonly onChange: () => void
}) => {
  const concurrency = useSignal(String(workflow.concurrency))
  const limit = useSignal(workflow.rate_limit === null ? "" : String(workflow.rate_limit.limit))
  const seconds = useSignal(workflow.rate_limit === null ? "" : String(workflow.rate_limit.interval_seconds))
  const delays = useSignal(workflow.retry_delays.join(", "))
  const errors = useSignal(workflow.errors)
  const longest = useSignal(workflow.timeout_seconds === null ? "" : String(workflow.timeout_seconds))
  const heap = useSignal(workflow.memory_mb === null ? "" : String(workflow.memory_mb))
  const suspensionEnd = useSignal(workflow.suspension_timeout)
  const fault = useSignal<string | undefined>(undefined)
  const failure = useSignal<Failure | undefined>(undefined)
  const isUnderWay = useSignal(false)
  const save = async (event: Event) => {
    event.preventDefault()
    if (isUnderWay.value) return
    failure.value = undefined
    const runs = numberOf(concurrency.value)
    const retry_delays = delaysOf(delays.value)
    const hasRate = limit.value.trim() !== "" || seconds.value.trim() !== ""
    const most = numberOf(limit.value)
    const interval_seconds = numberOf(seconds.value)
    const timeout_seconds = longest.value.trim() === "" ? null : numberOf(longest.value)
    const memory_mb = heap.value.trim() === "" ? null : numberOf(heap.value)
    fault.value = runs === undefined
      ? "How many runs at once is a whole number."
      : retry_delays === undefined
      ? "The retries are whole numbers of seconds, with commas between them."
      : hasRate && (most === undefined || interval_seconds === undefined)
      ? "The rate is two whole numbers; leave both empty for none."
      : timeout_seconds === undefined
      ? "The longest that a step may take is a whole number of seconds."
      : memory_mb === undefined
      ? "The heap for a step is a whole number of MiB."
      : undefined
    if (runs === undefined || retry_delays === undefined || timeout_seconds === undefined || memory_mb === undefined) {
      return
    }
    if (fault.value !== undefined) return
    isUnderWay.value = true
    try {
      await Workflows.change(workflow, {
        concurrency: runs,
        retry_delays,
        errors: errors.value,
        suspension_timeout: suspensionEnd.value,
        timeout_seconds,
        memory_mb,
        rate_limit: most === undefined || interval_seconds === undefined ? null : { limit: most, interval_seconds }
      })
      tell("done", "The settings are saved.")
      onChange()
    } catch (error) {
      failure.value = failureOf(error)
    } finally {
      isUnderWay.value = false
    }
  }
  const take = (field: { value: string }) => (event: { readonly currentTarget: { readonly value: string } }) => {
    field.value = event.currentTarget.value
  }
  return (
    <form class="props" onSubmit={(event) => void save(event)}>
      <label class="prop">
        <span class="prop-label">Runs at once</span>
        <input type="number" min={1} max={100} value={concurrency.value} onInput={take(concurrency)} />
        <span class="note">With 1, events run in their order.</span>
      </label>
      <div class="prop" role="group" aria-label="Rate">
        <span class="prop-label">At most</span>
        <div class="timer">
          <input
            type="number"
            min={1}
            aria-label="Runs that begin"
            placeholder="no limit"
            value={limit.value}
            onInput={take(limit)}
          />
          <span>runs begin within</span>
          <input type="number" min={1} aria-label="Within seconds" value={seconds.value} onInput={take(seconds)} />
          <span>seconds</span>
        </div>
      </div>
      <label class="prop">
        <span class="prop-label">Retries of a failed step</span>
        <input type="text" placeholder="none" value={delays.value} onInput={take(delays)} />
        <span class="note">Seconds before each retry, with commas between them: 1, 10, 60.</span>
      </label>
      <label class="prop">
        <span class="prop-label">Failures on $errors</span>
        <select
          value={errors.value}
          onChange={(event) => {
            errors.value = event.currentTarget.value === "each" ? "each" : "last"
          }}
        >
          <option value="last">the last of a step</option>
          <option value="each">each one</option>
        </select>
      </label>
      <label class="prop">
        <span class="prop-label">Seconds for a step</span>
        <input
          type="number"
          min={1}
          max={300}
          placeholder="what the server allows"
          value={longest.value}
          onInput={take(longest)}
        />
      </label>
      <label class="prop">
        <span class="prop-label">MiB of heap for a step</span>
        <input
          type="number"
          min={128}
          placeholder="what the server gives each"
          value={heap.value}
          onInput={take(heap)}
        />
      </label>
      <label class="prop">
        <span class="prop-label">A suspended run that nobody resumes</span>
        <select
          value={suspensionEnd.value}
          onChange={(event) => {
            suspensionEnd.value = event.currentTarget.value === "resume" ? "resume" : "cancel"
          }}
        >
          <option value="cancel">is cancelled</option>
          <option value="resume">goes on</option>
        </select>
      </label>
      {fault.value === undefined ? null : <p class="fault" role="alert">{fault.value}</p>}
      {failure.value === undefined ? null : <Failed what="The settings are not saved." failure={failure.value} />}
      <div class="bar">
        <button type="submit" class="main" disabled={isUnderWay.value}>
          {isUnderWay.value ? "Saving …" : "Save the settings"}
        </button>
      </div>
    </form>
  )
}

const SettingsList = ({ workflow }: { readonly workflow: Workflows.WorkflowResource }) => (
  <dl class="facts">
    <dt>Runs at once</dt>
    <dd>{workflow.concurrency}</dd>
    <dt>Rate</dt>
    <dd>
      {workflow.rate_limit === null
        ? "no limit"
        : `${workflow.rate_limit.limit} runs begin within ${workflow.rate_limit.interval_seconds} s`}
    </dd>
    <dt>Retries</dt>
    <dd>{workflow.retry_delays.length === 0 ? "none" : `after ${workflow.retry_delays.join(", ")} s`}</dd>
    <dt>Failures on $errors</dt>
    <dd>{workflow.errors === "each" ? "each one" : "the last of a step"}</dd>
    <dt>Longest step</dt>
    <dd>{workflow.timeout_seconds === null ? "what the server allows" : `${workflow.timeout_seconds} s`}</dd>
    <dt>Heap of a step</dt>
    <dd>{workflow.memory_mb === null ? "what the server gives each" : `${workflow.memory_mb} MiB`}</dd>
    <dt>A suspended run that nobody resumes</dt>
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
          ? <p class="note">No prop has a value that the server shows.</p>
          : may("write")
          ? (
            <PropsForm
              key={Object.keys(current).join()}
              component={undefined}
              declared={declared}
              current={current}
              submitName="Save the props"
              doing="Saving …"
              done="The props are saved. The next run has them."
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
          ? <SettingsForm key={settingsOf(workflow)} workflow={workflow} onChange={onChange} />
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
                <p>Subscribe it to an emitter, or run it over an event of your own.</p>
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
  const { active, id, name } = workflow
  const endpoint = Props.endpointOf(workflow.configured_props)
  const project = workflow.project_id === undefined ? {} : { project_id: workflow.project_id }
  const changed = () => void loading.reload()
  return (
    <>
      <div class="page-head">
        <h1>
          <bdi>{harmless(name)}</bdi>
        </h1>
        <Activity of={workflow} />
        <span class="grow" />
        {active ? <RunButton id={id} /> : null}
        {active ? <SendEvent url={endpoint} /> : null}
        <a class="button" href={hrefOf(["workflows", id, "code"])}>Code</a>
        <Act
          needs="write"
          {...(active ? {} : { kind: "main" })}
          done={active ? "It is paused, and keeps its place." : "It is active, and goes on where it stood."}
          act={async () => {
            await Workflows.change(workflow, { active: !active })
            changed()
          }}
        >
          {active ? "Pause" : "Activate"}
        </Act>
        <Delete
          what={`the workflow ${harmless(name)}`}
          act={async () => {
            await remove(["workflows", id])
            tell("done", "The workflow is deleted.")
            visit(hrefOf(["workflows"]))
          }}
        >
          <p>Its runs, its log and its subscriptions go with it. To only stop it, pause it.</p>
        </Delete>
      </div>
      <dl class="facts">
        <dt>Steps</dt>
        <dd>
          <bdi>{harmless(workflow.steps.map((step) => step.name).join(", "))}</bdi>
        </dd>
        {endpoint === undefined ? null : (
          <>
            <dt>Endpoint</dt>
            <dd>
              <Endpoint url={endpoint} />
            </dd>
          </>
        )}
        <dt>Project</dt>
        <dd>
          <ProgramProject
            {...project}
            move={async (project_id) => {
              await Workflows.change(workflow, { project_id })
              changed()
            }}
          />
        </dd>
        <dt>Slug</dt>
        <dd>
          <code>{workflow.name_slug}</code>
        </dd>
        <dt>Id</dt>
        <dd>
          <code>{id}</code>
        </dd>
        <dt>Deployment</dt>
        <dd>
          <code>{workflow.deployment_id}</code>
        </dd>
        <dt>Changed</dt>
        <dd>
          <Time ms={workflow.updated_at * 1_000} />, made <Time ms={workflow.created_at * 1_000} />
        </dd>
      </dl>
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
