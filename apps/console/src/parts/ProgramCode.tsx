import type { ComponentChildren } from "preact"
import { hrefOf, setQuery } from "../api/Address.ts"
import { may } from "../api/Session.ts"
import * as CodeDraft from "../code/CodeDraft.ts"
import type { ThrownError } from "../resources/Outcome.ts"
import * as Props from "../resources/Props.ts"
import type * as Trials from "../resources/Trials.ts"
import { CodeText } from "./CodeText.tsx"
import { CodeTrial } from "./CodeTrial.tsx"
import { Dialog } from "./Dialog.tsx"
import { harmless } from "./Harmless.ts"
import { Activity } from "./Health.tsx"
import { ProgramTraces } from "./ProgramTraces.tsx"
import { PropsForm } from "./PropsForm.tsx"
import { SendEvent } from "./SendEvent.tsx"
import { type Deploying, type OpenedCode, type Program, useDeployment } from "./useDeployment.ts"

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
  const { code, isDirty, isOvertaken, isUnderWay, wanting } = deployment
  const deploy = () => void deployment.deploy()

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
            <span>
              Someone else has deployed other code in the meantime. Your text is based on the code before that.
            </span>
            <button
              type="button"
              class="quiet"
              onClick={() => {
                CodeDraft.drop(id)
                setQuery({ version })
              }}
            >
              {isDirty ? "Discard my changes and show it" : "Show it"}
            </button>
          </div>
        )
        : null}
      <div class="code-work">
        <CodeText
          subject={subject}
          program={program}
          opened={opened}
          isEarlier={isEarlier}
          steps={steps}
          deployment={deployment}
        />
        <CodeTrial
          subject={subject}
          code={code.value}
          isDeployed={!isDirty && !isEarlier && !isOvertaken}
          onRemark={deployment.note}
        />
      </div>
      {wanting.value === undefined ? null : (
        <Dialog title="The new code needs more values" onClose={deployment.leave}>
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
      <ProgramTraces id={id} codeHref={codeHref} />
    </>
  )
}
