import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { useRef } from "preact/hooks"
import { address, hrefOf, setQuery } from "../api/Address.ts"
import { type Failure, failureOf } from "../api/Failure.ts"
import { may } from "../api/Session.ts"
import * as CodeCompletions from "../code/CodeCompletions.ts"
import * as CodeDraft from "../code/CodeDraft.ts"
import { placeAsked, placeText } from "../code/CodePlace.ts"
import type { ThrownError } from "../resources/Outcome.ts"
import * as Props from "../resources/Props.ts"
import type * as Trials from "../resources/Trials.ts"
import { CodeEditor, type Remark } from "./CodeEditor.tsx"
import { CodeTrial } from "./CodeTrial.tsx"
import { Dialog } from "./Dialog.tsx"
import { Failed } from "./Failed.tsx"
import { harmless } from "./Harmless.ts"
import { Activity } from "./Health.tsx"
import { tell } from "./Notices.tsx"
import { ProgramTraces } from "./ProgramTraces.tsx"
import { PropsForm } from "./PropsForm.tsx"
import { SendEvent } from "./SendEvent.tsx"

const issuePrefix = "configured_props."

/** A source or workflow, as far as work on its code needs it. */
export interface Program {
  readonly name: string
  readonly active: boolean
  readonly configured_props: Props.Values
  /** The version that it runs. Each deployment makes another one. */
  readonly version: string
  /** Tells code apart: the hash of a workflow's code, or the id of a source's component. */
  readonly hash: string
}

/** Code that was opened. */
export interface OpenedCode extends Pick<Program, "version" | "hash"> {
  readonly code: string
  readonly configurable_props: ReadonlyArray<Props.Prop>
}

/** The props that new code declares, if some of them are new and need values before it can run. */
export interface DeclaredProps {
  readonly props: ReadonlyArray<Props.Prop>
  /** A component of this code, which can be asked about its props; undefined if there is none. */
  readonly component: string | undefined
}

/** The ways to deploy code to the program. Each fails with the server's reason for a refusal. */
export interface Deploying {
  /** The program as it is now. */
  readonly read: () => Promise<Program>
  readonly deploy: (code: string) => Promise<Program>
  readonly declare: (code: string) => Promise<DeclaredProps>
  readonly deployWith: (code: string, declared: DeclaredProps, values: Props.Values) => Promise<Program>
  /** Called if the reader gives no values after all. */
  readonly leave: (declared: DeclaredProps) => void
}

/** The props that the reader must fill in before the code is deployed. */
interface Wanting {
  readonly code: string
  readonly declared: DeclaredProps
  readonly names: ReadonlySet<string>
}

/** Code in an editor, from which it is checked, tried and deployed, and the traces of its runs. */
export const ProgramCode = (
  { codeHref, deploying, earlier, onDeployed, opened, program, steps = [], subject }: {
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
  const draft = CodeDraft.find(id)
  const isKept = draft !== undefined && (draft.base === opened.hash || !isEarlier)
  /** True if the draft is based on other code than the opened one. */
  const isBehind = isKept && draft.base !== opened.hash
  const begun = isKept ? draft.code : opened.code
  /** The code that the text is based on. */
  const base = useSignal({ hash: isBehind ? draft.base : opened.hash, code: opened.code })
  /** The version that the reader knows of. */
  const known = useSignal(version)
  /** The versions that this text is based on, or that were deployed from it. */
  const own = useRef(new Set(isBehind ? [] : [opened.version]))
  const code = useSignal(begun)
  const failure = useSignal<Failure | undefined>(undefined)
  /** The remark of a check or a trial on a place in the code. */
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
  const isDirty = () => code.value !== base.value.code
  // New props can make a new version of the same code.
  const isOther = ({ hash, version }: Program) => !own.current.has(version) && hash !== base.value.hash
  const isOvertaken = !isEarlier && isOther(program)

  const keepDraft = () => {
    if (isDirty()) CodeDraft.keep(id, { base: base.value.hash, code: code.value })
    else CodeDraft.drop(id)
  }
  /** Notes that the sent code is deployed. Text that was typed since then is not. */
  const isDeployed = (sent: string, changed: Program) => {
    own.current.add(changed.version)
    base.value = { hash: changed.hash, code: sent }
    known.value = changed.version
    wanting.value = undefined
    keepDraft()
    tell("done", "It is deployed. Runs that begin now have the new code.")
    if (isEarlier) setQuery({ component: "", line: "", column: "" })
    void onDeployed()
  }
  const want = async (code: string, names: ReadonlyArray<string>) => {
    try {
      wanting.value = { code, declared: await deploying.declare(code), names: new Set(names) }
    } catch (error) {
      failure.value = failureOf(error)
    }
  }
  const deploy = async () => {
    if (isUnderWay.value || !may("write")) return
    isUnderWay.value = true
    failure.value = undefined
    tried.value = undefined
    const sent = code.value
    try {
      const fresh = await deploying.read()
      if (fresh.version !== known.value && isOther(fresh)) {
        known.value = fresh.version
        await onDeployed()
        tell("failed", "It was not deployed: somebody else has deployed other code meanwhile. Look at it first.")
        return
      }
      isDeployed(sent, await deploying.deploy(sent))
    } catch (error) {
      const refused = failureOf(error)
      const names = refused.issues.flatMap(({ path }) =>
        path.startsWith(issuePrefix) ? [path.slice(issuePrefix.length)] : []
      )
      if (names.length === 0) failure.value = refused
      else await want(sent, names)
    } finally {
      isUnderWay.value = false
    }
  }
  const leave = () => {
    const left = wanting.value?.declared
    wanting.value = undefined
    if (left !== undefined) deploying.leave(left)
  }

  return (
    <>
      <div class="page-head">
        <h1>
          Code of <bdi>{harmless(name)}</bdi>
        </h1>
        <Activity active={active} />
        <span class="grow" />
        <a class="button" href={hrefOf([`${kind}s`, id])}>The {kind}</a>
        {active ? <SendEvent url={Props.endpointOf(configured_props)} /> : null}
        {may("write")
          ? (
            <button
              type="button"
              class="main"
              disabled={isUnderWay.value || (!isDirty() && !isEarlier)}
              onClick={() => void deploy()}
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
              {isDirty() ? "Drop the changes and show it" : "Show it"}
            </button>
          </div>
        )
        : null}
      <CodeEditor
        label={`Code of ${harmless(name)}`}
        code={begun}
        completions={CodeCompletions.of(opened.configurable_props, steps)}
        isReadOnly={!may("write")}
        remark={remark}
        onSave={() => void deploy()}
        onChange={(changed) => {
          code.value = changed
          keepDraft()
        }}
      />
      <div class="bar">
        {isDirty() ? <span role="status">Changed, and not deployed.</span> : null}
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
        <Dialog title="The new code needs values" onClose={leave}>
          <PropsForm
            component={wanting.value.declared.component}
            declared={wanting.value.declared.props}
            current={configured_props}
            only={wanting.value.names}
            isNew
            submitName="Deploy with these"
            doing="Deploying …"
            submit={async (values) => {
              const { code: sent, declared } = wanting.value!
              isDeployed(sent, await deploying.deployWith(sent, declared, values))
            }}
          />
        </Dialog>
      )}
      <CodeTrial
        subject={subject}
        code={code.value}
        isDeployed={!isDirty() && !isEarlier && !isOvertaken}
        onRemark={(found) => {
          failure.value = undefined
          tried.value = found
        }}
      />
      <ProgramTraces id={id} codeHref={codeHref} />
    </>
  )
}
