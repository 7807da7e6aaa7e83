import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { useEffect } from "preact/hooks"
import { hrefOf, setQuery } from "../api/Address.ts"
import { may } from "../api/Session.ts"
import type { CompletedCode } from "../code/CodeCompletions.ts"
import * as CodeDraft from "../code/CodeDraft.ts"
import { placeOf, placeText } from "../code/CodePlace.ts"
import type { Remark } from "../code/Remark.ts"
import type { ThrownError } from "../resources/Outcome.ts"
import * as Props from "../resources/Props.ts"
import type * as Trials from "../resources/Trials.ts"
import { CodeEditor } from "./CodeEditor.tsx"
import { CodeFaults } from "./CodeFaults.tsx"
import { CodeTrial } from "./CodeTrial.tsx"
import { Dialog } from "./Dialog.tsx"
import { Failed } from "./Failed.tsx"
import { harmless } from "./Harmless.ts"
import { Activity } from "./Health.tsx"
import { ProgramTraces } from "./ProgramTraces.tsx"
import { PropsForm } from "./PropsForm.tsx"
import { SendEvent } from "./SendEvent.tsx"
import { type CodeCheck, useCodeCheck } from "./useCodeCheck.ts"
import {
  type Deploying,
  type Deployment,
  type OpenedCode,
  type Program,
  remarkOf,
  useDeployment
} from "./useDeployment.ts"

/** The remarks on the newest code that there are any findings on. */
const remarksOf = ({ asked, remark }: Deployment, check: CodeCheck | undefined): ReadonlyArray<Remark> => {
  if (check === undefined || check.code === remark?.code) return [remark ?? asked].filter((one) => one !== undefined)
  return check.checked.errors.flatMap((error) => {
    const place = placeOf(error)
    return place === undefined ? [] : [{ place, message: harmless(error.message), code: check.code }]
  })
}

/** The names in the code as it is typed, as far as it can be loaded. */
const completedOf = (
  { configurable_props }: OpenedCode,
  check: CodeCheck | undefined,
  steps: ReadonlyArray<string> | undefined
): CompletedCode =>
  check?.checked.valid === true
    ? { props: check.checked.configurable_props, steps: steps === undefined ? undefined : check.checked.steps }
    : { props: configurable_props, steps }

/** Code in an editor, from which it is checked, tried and deployed, and the traces of its runs. */
export const ProgramCode = (
  { codeHref, deploying, earlier, onDeployed, opened, program, steps, subject }: {
    readonly subject: Trials.Subject
    /** The program as it was read last. */
    readonly program: Program
    readonly opened: OpenedCode
    /** A note on the earlier version, if one was opened. */
    readonly earlier?: ComponentChildren
    readonly steps?: ReadonlyArray<string>
    readonly deploying: Deploying
    /** Called when something was deployed, here or elsewhere. */
    readonly onDeployed: () => Promise<void>
    readonly codeHref: (error: ThrownError) => string
  }
) => {
  const { id, kind } = subject
  const { active, configured_props, name, version } = program
  const isEarlier = earlier !== undefined
  const deployment = useDeployment({ id, program, opened, isEarlier, deploying, onDeployed })
  const { code, failure, isDirty, isOvertaken, isUnderWay, wanting } = deployment
  const deploy = () => void deployment.deploy()
  const check = useCodeCheck(subject, code.value, isDirty)
  const sought = useSignal<Remark | undefined>(undefined)
  const { asked } = deployment
  useEffect(() => {
    sought.value = asked
  }, [asked?.place.line, asked?.place.column])
  const refused = failure.value === undefined ? undefined : remarkOf(failure.value)

  return (
    <>
      <div class="page-head">
        <h1>
          Code of <bdi>{harmless(name)}</bdi>
        </h1>
        <Activity of={program} />
        <span class="grow" />
        <a class="button" href={hrefOf([`${kind}s`, id])}>The {kind}</a>
        {active ? <SendEvent url={Props.endpointOf(configured_props)} /> : null}
        {may("write")
          ? (
            <button
              type="button"
              class="main"
              disabled={isUnderWay.value || (!isDirty && !isEarlier)}
              onClick={deploy}
            >
              {isUnderWay.value ? "Deploying …" : isOvertaken ? "Deploy over it" : "Deploy"}
            </button>
          )
          : null}
      </div>
      {isEarlier ? <div class="stale" role="status">{earlier}</div> : null}
      {isOvertaken
        ? (
          <div class="stale" role="status">
            <span>Somebody has deployed other code meanwhile. What you see is made of the code before.</span>
            <button
              type="button"
              class="quiet"
              onClick={() => {
                CodeDraft.drop(id)
                setQuery({ version })
              }}
            >
              {isDirty ? "Drop the changes and show it" : "Show it"}
            </button>
          </div>
        )
        : null}
      <CodeEditor
        label={`Code of ${harmless(name)}`}
        code={deployment.begun}
        completed={completedOf(opened, check, steps)}
        isReadOnly={!may("write")}
        remarks={remarksOf(deployment, check)}
        sought={sought}
        onSave={deploy}
        onChange={deployment.change}
      />
      <div class="bar">
        {isDirty
          ? (
            <span role="status">
              Changed, and not deployed.{check?.code === code.value && check.checked.errors.length === 0
                ? " The check finds nothing wrong."
                : ""}
            </span>
          )
          : null}
        <span class="note">
          {may("write")
            ? "Control or Command with S deploys. Tab indents; Escape and then Tab leaves the editor."
            : "The key may read the code."}
        </span>
      </div>
      {failure.value === undefined ? null : (
        <Failed
          what={refused === undefined
            ? "It was not deployed."
            : `It was not deployed: look at ${placeText(refused.place)}.`}
          failure={failure.value.reason}
        >
          {refused === undefined ? null : (
            <button
              type="button"
              onClick={() => {
                sought.value = { ...refused }
              }}
            >
              Go to {placeText(refused.place)}
            </button>
          )}
        </Failed>
      )}
      {check === undefined || check.code === refused?.code || check.checked.errors.length === 0 ? null : (
        <CodeFaults
          errors={check.checked.errors}
          onGo={(place) => {
            sought.value = { place, message: "", code: check.code }
          }}
        />
      )}
      {wanting.value === undefined ? null : (
        <Dialog title="The new code needs values" onClose={deployment.leave}>
          <PropsForm
            component={wanting.value.declared.component}
            declared={wanting.value.declared.props}
            current={configured_props}
            only={wanting.value.names}
            isNew
            submitName="Deploy with these"
            doing="Deploying …"
            submit={(values) => deployment.deployWith(wanting.value!, values)}
          />
        </Dialog>
      )}
      <CodeTrial
        subject={subject}
        code={code.value}
        isDeployed={!isDirty && !isEarlier && !isOvertaken}
        onRemark={deployment.note}
      />
      <ProgramTraces id={id} codeHref={codeHref} />
    </>
  )
}
