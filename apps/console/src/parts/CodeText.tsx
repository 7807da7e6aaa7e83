import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { failureOf } from "../api/Failure.ts"
import { may } from "../api/Session.ts"
import type { CompletedCode } from "../code/CodeCompletions.ts"
import { placeText } from "../code/CodePlace.ts"
import type { Remark } from "../code/Remark.ts"
import * as Trials from "../resources/Trials.ts"
import { CodeEditor } from "./CodeEditor.tsx"
import { CodeFaults } from "./CodeFaults.tsx"
import { Failed } from "./Failed.tsx"
import { harmless } from "./Harmless.ts"
import { tell } from "./Notices.tsx"
import { type CodeCheck, remarksOf, useCodeCheck } from "./useCodeCheck.ts"
import { type Deployment, type OpenedCode, type Program, remarkOf } from "./useDeployment.ts"

/** The remarks on the newest code that there are any findings on. */
const newestOf = ({ asked, remark }: Deployment, check: CodeCheck | undefined): ReadonlyArray<Remark> =>
  check === undefined || check.code === remark?.code
    ? [remark ?? asked].filter((one) => one !== undefined)
    : remarksOf(check)

/** The names in the code as it is typed, as far as it can be loaded. */
const completedOf = (
  { configurable_props }: OpenedCode,
  check: CodeCheck | undefined,
  steps: ReadonlyArray<string> | undefined
): CompletedCode =>
  check?.checked.valid === true
    ? { props: check.checked.configurable_props, steps: steps === undefined ? undefined : check.checked.steps }
    : { props: configurable_props, steps }

/**
 * The code that runs, to compare with: undefined until it is wanted and read.
 *
 * @param version the version that runs; another one is read anew
 */
const useRunningCode = (subject: Trials.Subject, version: string) => {
  const isWanted = useSignal(false)
  const code = useSignal<string | undefined>(undefined)
  useEffect(() => {
    code.value = undefined
    if (!isWanted.value) return
    const abort = new AbortController()
    const read = async () => {
      try {
        code.value = (await Trials.deployed(subject, abort.signal)).code
      } catch (error) {
        if (abort.signal.aborted) return
        isWanted.value = false
        tell("failed", `The deployed code could not be read: ${failureOf(error).message}`)
      }
    }
    void read()
    return () => abort.abort()
  }, [isWanted.value, version])
  return { isWanted, code: code.value }
}

/** The text of code in an editor, and below it what is known of it. */
export const CodeText = ({ deployment, isEarlier, opened, program, steps, subject }: {
  readonly subject: Trials.Subject
  readonly program: Program
  readonly opened: OpenedCode
  /** True if an earlier version was opened. */
  readonly isEarlier: boolean
  readonly steps: ReadonlyArray<string> | undefined
  readonly deployment: Deployment
}) => {
  const { asked, code, failure, isDirty } = deployment
  const { name, version } = program
  const check = useCodeCheck(subject, code.value, isDirty)
  const running = useRunningCode(subject, version)
  const sought = useSignal<Remark | undefined>(undefined)
  useEffect(() => {
    sought.value = asked
  }, [asked?.place.line, asked?.place.column])
  const refused = failure.value === undefined ? undefined : remarkOf(failure.value)

  return (
    <div class="code-text">
      <CodeEditor
        label={`Code of ${harmless(name)}`}
        code={deployment.begun}
        completed={completedOf(opened, check, steps)}
        isReadOnly={!may("write")}
        running={running.code}
        remarks={newestOf(deployment, check)}
        sought={sought}
        onSave={() => void deployment.deploy()}
        onChange={deployment.change}
      />
      <div class="bar">
        {isDirty || isEarlier || running.isWanted.value
          ? (
            <button
              type="button"
              aria-pressed={running.isWanted.value}
              onClick={() => {
                running.isWanted.value = !running.isWanted.value
              }}
            >
              Compare with the deployed code
            </button>
          )
          : null}
        {isDirty
          ? (
            <span role="status">
              Not deployed yet.{check?.code === code.value && check.checked.errors.length === 0
                ? " No faults found."
                : ""}
            </span>
          )
          : null}
        <span class="note">
          {may("write")
            ? "Ctrl+S or Cmd+S deploys. Tab indents; press Escape, then Tab to leave the editor."
            : "Your key can only read the code."}
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
    </div>
  )
}
