import { useSignal } from "@preact/signals"
import { type Failure, failureOf } from "../api/Failure.ts"
import { may } from "../api/Session.ts"
import { placeOf } from "../code/CodePlace.ts"
import type { Remark } from "../code/Remark.ts"
import * as Trials from "../resources/Trials.ts"
import { CheckedCode } from "./CheckedCode.tsx"
import { Failed } from "./Failed.tsx"
import { harmless } from "./Harmless.ts"
import { TrialForm } from "./TrialForm.tsx"
import { TrialView } from "./TrialView.tsx"

type Result =
  | { readonly _tag: "Checked"; readonly checked: Trials.CheckedCode }
  | { readonly _tag: "Tried"; readonly trial: Trials.TrialResult }
  | { readonly _tag: "Failed"; readonly what: string; readonly failure: Failure }

/** A message as a remark on the place in the code that it names; undefined if it names none. */
const remarkOf = (code: string, said: { readonly message: string } | null | undefined): Remark | undefined => {
  const place = placeOf(said)
  return place === undefined ? undefined : { place, message: harmless(said!.message), code }
}

/** Checks code, and runs it once without keeping any effects. */
export const CodeTrial = ({ code, isDeployed, onRemark, subject }: {
  readonly subject: Trials.Subject
  readonly code: string
  /** True if this code is deployed. */
  readonly isDeployed: boolean
  /** Called with a remark on a place in the code, or undefined if all is well. */
  readonly onRemark: (remark: Remark | undefined) => void
}) => {
  const result = useSignal<Result | undefined>(undefined)
  const underWay = useSignal<"check" | "run" | undefined>(undefined)
  if (!may("run")) return null

  const during = async (what: "check" | "run", act: () => Promise<Result>) => {
    if (underWay.value !== undefined) return
    underWay.value = what
    onRemark(undefined)
    try {
      result.value = await act()
    } catch (error) {
      const failure = failureOf(error)
      result.value = {
        _tag: "Failed",
        what: what === "check" ? "It was not checked." : "It was not run.",
        failure
      }
      if (failure.place !== undefined) onRemark({ place: failure.place, message: harmless(failure.message), code })
    } finally {
      underWay.value = undefined
    }
  }

  const check = () =>
    during("check", async () => {
      const checked = await Trials.check(subject, code)
      onRemark(remarkOf(code, checked.errors[0]))
      return { _tag: "Checked", checked }
    })

  const run = (sample: Trials.Sample) =>
    during("run", async () => {
      const trial = await Trials.attempt(subject, isDeployed ? undefined : code, sample)
      onRemark(remarkOf(code, trial.error))
      return { _tag: "Tried", trial }
    })

  const found = result.value
  return (
    <section class="block code-trial" aria-label="Try the code">
      <h2>Try it out</h2>
      <div class="code-trial-parts">
        <TrialForm
          subject={subject}
          mayRun={isDeployed || Trials.mayTryChanged()}
          underWay={underWay.value}
          onCheck={() => void check()}
          onRun={(sample) => void run(sample)}
        />
        <div class="code-trial-result">
          {found === undefined
            ? <p class="note">The result will appear here.</p>
            : found._tag === "Failed"
            ? <Failed what={found.what} failure={found.failure} />
            : found._tag === "Checked"
            ? <CheckedCode checked={found.checked} />
            : <TrialView trial={found.trial} />}
        </div>
      </div>
    </section>
  )
}
