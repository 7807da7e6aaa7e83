import { useSignal } from "@preact/signals"
import { useRef } from "preact/hooks"
import { address, hrefOf, setQuery } from "../Address.ts"
import * as CodeCompletions from "../CodeCompletions.ts"
import * as CodeDraft from "../CodeDraft.ts"
import { placeAsked, placeText } from "../CodePlace.ts"
import { type Failure, failureOf } from "../Failure.ts"
import { useLoading } from "../Loading.ts"
import { CodeEditor, type Remark } from "../parts/CodeEditor.tsx"
import { CodeTrial } from "../parts/CodeTrial.tsx"
import { Dialog } from "../parts/Dialog.tsx"
import { Failed } from "../parts/Failed.tsx"
import { harmless } from "../parts/Harmless.ts"
import { Activity } from "../parts/Health.tsx"
import { tell } from "../parts/Notices.tsx"
import { ProgramTraces } from "../parts/ProgramTraces.tsx"
import { PropsForm } from "../parts/PropsForm.tsx"
import { SendEvent } from "../parts/SendEvent.tsx"
import { Shown } from "../parts/Shown.tsx"
import * as Props from "../Props.ts"
import type { Params } from "../routes.ts"
import { may } from "../Session.ts"
import * as Trials from "../Trials.ts"
import * as Workflows from "../Workflows.ts"
import { codeHref } from "./WorkflowPage.tsx"

const pollMs = 5_000

const issuePrefix = "configured_props."

/** New code that the workflow can't run with before it has values for props that it had not. */
interface Wanting {
  readonly declared: ReadonlyArray<Props.Prop>
  readonly names: ReadonlySet<string>
}

/** The code of a deployment. */
interface Deployed extends Trials.DeployedCode {
  readonly deployment: string
}

const Code = ({ deployed, onChange, workflow }: {
  readonly deployed: Deployed
  /** As it was read last. */
  readonly workflow: Workflows.WorkflowResource
  readonly onChange: () => Promise<void>
}) => {
  const { id, name } = workflow
  const draft = CodeDraft.find(id)
  const begun = draft?.base === deployed.code_hash ? draft.code : deployed.code
  /** The code that is deployed, as far as the reader knows. */
  const base = useSignal({ hash: deployed.code_hash, code: deployed.code })
  /** The deployment that the reader knows of. */
  const known = useSignal(deployed.deployment)
  /** Those that this text was made of, or that became of it. */
  const own = useRef(new Set([deployed.deployment]))
  const code = useSignal(begun)
  const failure = useSignal<Failure | undefined>(undefined)
  const tried = useSignal<Remark | undefined>(undefined)
  const wanting = useSignal<Wanting | undefined>(undefined)
  const isUnderWay = useSignal(false)
  const asked = placeAsked(address.value.query)
  const remark: Remark | undefined = failure.value?.place !== undefined
    ? { place: failure.value.place, message: harmless(failure.value.message) }
    : tried.value !== undefined
    ? tried.value
    : asked === undefined
    ? undefined
    : { place: asked, message: "An error was thrown here." }
  const isDirty = code.value !== base.value.code
  // New props make a new deployment of the same code.
  const isOvertaken = !own.current.has(workflow.deployment_id) && workflow.code_hash !== base.value.hash

  const isDeployed = (changed: Workflows.WorkflowResource) => {
    own.current.add(changed.deployment_id)
    base.value = { hash: changed.code_hash, code: code.value }
    known.value = changed.deployment_id
    wanting.value = undefined
    CodeDraft.drop(id)
    tell("done", "It is deployed. Runs that begin now have the new code.")
    void onChange()
  }
  const want = async (names: ReadonlyArray<string>) => {
    try {
      const { configurable_props } = await Trials.check({ kind: "workflow", id }, code.value)
      wanting.value = { declared: configurable_props, names: new Set(names) }
    } catch (error) {
      failure.value = failureOf(error)
    }
  }
  const deploy = async () => {
    if (isUnderWay.value || !may("write")) return
    isUnderWay.value = true
    failure.value = undefined
    tried.value = undefined
    try {
      const fresh = await Workflows.one(id, new AbortController().signal)
      if (fresh.deployment_id !== known.value && fresh.code_hash !== base.value.hash) {
        known.value = fresh.deployment_id
        base.value = { ...base.value, hash: fresh.code_hash }
        await onChange()
        tell("failed", "It was not deployed: somebody else has deployed other code meanwhile. Look at it first.")
        return
      }
      isDeployed(await Workflows.change(fresh, { workflow_code: code.value }))
    } catch (error) {
      const refused = failureOf(error)
      const names = refused.issues.flatMap(({ path }) =>
        path.startsWith(issuePrefix) ? [path.slice(issuePrefix.length)] : []
      )
      if (names.length === 0) failure.value = refused
      else await want(names)
    } finally {
      isUnderWay.value = false
    }
  }

  return (
    <>
      <div class="page-head">
        <h1>
          Code of <bdi>{harmless(name)}</bdi>
        </h1>
        <Activity active={workflow.active} />
        <span class="grow" />
        <a class="button" href={hrefOf(["workflows", id])}>The workflow</a>
        {workflow.active ? <SendEvent url={Props.endpointOf(workflow.configured_props)} /> : null}
        {may("write")
          ? (
            <button type="button" class="main" disabled={isUnderWay.value || !isDirty} onClick={() => void deploy()}>
              {isUnderWay.value ? "Deploying …" : isOvertaken ? "Deploy over it" : "Deploy"}
            </button>
          )
          : null}
      </div>
      {isOvertaken
        ? (
          <div class="stale" role="status">
            <span>Somebody has deployed other code meanwhile. What you see is made of the code before.</span>
            <button
              type="button"
              class="quiet"
              onClick={() => {
                CodeDraft.drop(id)
                setQuery({ version: workflow.deployment_id })
              }}
            >
              {isDirty ? "Drop the changes and show it" : "Show it"}
            </button>
          </div>
        )
        : null}
      <CodeEditor
        label={`Code of ${harmless(name)}`}
        code={begun}
        completions={CodeCompletions.of(deployed.configurable_props, workflow.steps.map((step) => step.name))}
        isReadOnly={!may("write")}
        remark={remark}
        onSave={() => void deploy()}
        onChange={(changed) => {
          code.value = changed
          if (changed === base.value.code) CodeDraft.drop(id)
          else CodeDraft.keep(id, { base: base.value.hash, code: changed })
        }}
      />
      <div class="bar">
        {isDirty ? <span role="status">Changed, and not deployed.</span> : null}
        <span class="note">
          {may("write")
            ? "Control or Command with S deploys. Tab indents; Escape and then Tab leaves the editor."
            : "The key may read the code."}
        </span>
      </div>
      {failure.value === undefined ? null : (
        <Failed
          what={failure.value.place === undefined
            ? "It was not deployed."
            : `It was not deployed: look at ${placeText(failure.value.place)}.`}
          failure={failure.value}
        />
      )}
      {wanting.value === undefined ? null : (
        <Dialog
          title="The new code needs values"
          onClose={() => {
            wanting.value = undefined
          }}
        >
          <PropsForm
            component={undefined}
            declared={wanting.value.declared}
            current={workflow.configured_props}
            only={wanting.value.names}
            isNew
            submitName="Deploy with these"
            doing="Deploying …"
            submit={async (configured_props) => {
              isDeployed(await Workflows.change(workflow, { workflow_code: code.value, configured_props }))
            }}
          />
        </Dialog>
      )}
      <CodeTrial
        subject={{ kind: "workflow", id }}
        code={code.value}
        isDeployed={!isDirty && !isOvertaken}
        onRemark={(found) => {
          failure.value = undefined
          tried.value = found
        }}
      />
      <ProgramTraces id={id} codeHref={(error) => codeHref(workflow, error)} />
    </>
  )
}

/** The code of a workflow in an editor, from where it is checked, tried and deployed, and what came of it. */
export default ({ params }: { readonly params: Params }) => {
  const id = params["workflow"]!
  const workflow = useLoading(id, (signal) => Workflows.one(id, signal), { everyMs: pollMs })
  const deployed = useLoading(`${id} ${address.value.query.get("version")}`, async (signal): Promise<Deployed> => {
    const { deployment_id, id: known } = await Workflows.one(id, signal)
    return { ...await Trials.deployed({ kind: "workflow", id: known }, signal), deployment: deployment_id }
  })
  return (
    <div class="page">
      <Shown loading={workflow} what="the workflow">
        {(found) => (
          <Shown loading={deployed} what="the code">
            {(code) => (
              <Code
                key={code.deployment}
                workflow={found}
                deployed={code}
                onChange={() => workflow.reload()}
              />
            )}
          </Shown>
        )}
      </Shown>
    </div>
  )
}
